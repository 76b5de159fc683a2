"""A second implementation of the contract, for tests only: other technique, other choices, and nothing shared with the package."""

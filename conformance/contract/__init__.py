"""The contract: its files as values, its requirements, and what a verdict is."""

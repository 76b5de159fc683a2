"""A second implementation, which shares no code with the reference; see `choices`."""

"""Evidence that a stranger can check again: a run in one signed file, and its verification without target or network."""

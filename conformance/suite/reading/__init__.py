"""Records as they are read: which one, in its list, below its parent, and where there is none."""

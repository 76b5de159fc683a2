"""One deployment: its profile, read and checked."""

"""One deployment: its profile, read and validated."""

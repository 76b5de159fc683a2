"""What the memory of a fleet answers: what broke, since when, and what takes turns."""

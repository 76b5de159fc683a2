"""What a target shows of itself, to be written into a profile: found by reading only."""

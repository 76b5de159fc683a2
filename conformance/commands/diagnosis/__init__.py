"""What is wrong with a profile: its credentials and fixtures, tried on the target."""

"""Who calls, what is called, and what is expected."""

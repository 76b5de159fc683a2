"""A run: its session, its items, and pytest, which calls them."""

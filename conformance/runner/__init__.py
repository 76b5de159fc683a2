"""A run: its session, its items, and pytest as the one who calls them."""

"""The web site of a fleet: static pages, with data and badges beside them."""

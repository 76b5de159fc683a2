"""How long what a target shows may lag behind a write, or behind another read (not shown)."""

PAUSES = (0.2, 0.8, 2.0, 3.0)
"""Seconds before each further read of what disagrees: together, more than a read may lag."""
LAG = sum(PAUSES)
"""Seconds after which no read lags any more."""

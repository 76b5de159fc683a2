"""Many targets: what is checked each night, on which machines, and what is remembered of it."""

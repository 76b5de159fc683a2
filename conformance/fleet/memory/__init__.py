"""The memory of a fleet: campaigns, runs and their verdicts, in SQLite or PostgreSQL."""

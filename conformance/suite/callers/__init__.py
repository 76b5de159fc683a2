"""Requests as the callers of the profile, and what checks expect of the responses."""

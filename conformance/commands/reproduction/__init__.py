"""Failures of a report sent again: what may be sent, and what has to hold of the responses."""

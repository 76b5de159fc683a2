"""The run as one document, and what renders it."""

"""Lists and the records on their pages."""

"""Renderers of the report, a module a format."""

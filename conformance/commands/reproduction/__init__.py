"""Failures of a report as a pytest file."""

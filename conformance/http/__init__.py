"""Exchanges: how they are sent, recorded, redacted and read back."""

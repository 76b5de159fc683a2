"""Requests of clients, as a server of ours or a proxy receives them, recorded and judged."""

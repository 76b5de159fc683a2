"""Addresses relative to the base URL of a target."""


def below(base_url: str, url: str) -> str | None:
    """What follows the base URL in an address, from its slash on; None for one elsewhere.

    The base URL may have any path, or none: `http://host` is not above `http://host:8080/mcp`.
    """
    base = base_url.rstrip("/")
    return url.removeprefix(base) if url.startswith(f"{base}/") else None

"""Addresses relative to the base URL of a target."""

import re

_PARTS = re.compile(r"(?s)([a-zA-Z][a-zA-Z0-9+.-]*)://([^/?#]*)(.*)")
_PORTS = {"http": ":80", "https": ":443"}
"""The port that an address has without one."""


def below(base_url: str, url: str) -> str | None:
    """What follows the base URL in an address, from its slash on; None for one elsewhere.

    The base URL may have any path, or none: `http://host` is not above `http://host:8080/mcp`, but
    above `HTTP://Host:80/mcp`.
    """
    base, whole = _normalized(base_url.rstrip("/")), _normalized(url)
    return whole.removeprefix(base) if whole.startswith(f"{base}/") else None


def _normalized(url: str) -> str:
    """An address with one spelling of its origin (RFC 3986, 6.2.2 and 6.2.3)."""
    parts = _PARTS.fullmatch(url)
    if parts is None:
        return url
    scheme, authority, rest = parts[1].lower(), parts[2].rpartition("@")[2].lower(), parts[3]
    host = authority.removesuffix(_PORTS.get(scheme, ":")).removesuffix(":")
    return f"{scheme}://{host}{rest}"

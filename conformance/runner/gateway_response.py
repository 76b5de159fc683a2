"""What a gateway in front of a target says with a page of its own, and the key that it asks for."""

import re

from conformance.http.exchange import Exchange
from conformance.target.target import Target

MISDIRECTED = 421
TURNED_AWAY = frozenset({400, MISDIRECTED, 494, 495, 496, 497})
"""Statuses for a whole connection; 494 to 497 are those of nginx. Others may be of the API."""

TITLE = re.compile(rb"<title>([^<]{1,80})</title>", re.IGNORECASE)


def described(found: Exchange, target: Target) -> str:
    """One line: the status, the title of the page, and the keys of the profile to look at."""
    title = TITLE.search(found.response.body) if found.response else None
    said = f" ({' '.join(title[1].decode('latin-1').split())})" if title else ""
    return (
        f"a gateway at {target.base_url} returned {found.status}{said} in place of the API:"
        f" see {_keys(found, target)}"
    )


def _keys(found: Exchange, target: Target) -> str:
    stated = target.connection
    if found.status == MISDIRECTED:
        return "connection.host"
    if not target.base_url.startswith("https:"):
        return "base-url (is it https://?) and connection.host"
    if stated.client_certificate is None:
        return "connection.client-certificate and connection.host"
    return "connection.client-certificate (is it one that the gateway accepts?) and connection.host"

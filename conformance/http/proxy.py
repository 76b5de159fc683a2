"""The proxies of the environment: which one a URL needs, and the secrets in their addresses."""

from importlib.util import find_spec
from ipaddress import ip_address
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

USED = ("http", "https")
"""The schemes of URLs that a proxy is used for."""

SHORTEST_PASSWORD = 8
"""Characters of a password that is redacted alone; a shorter one with the user name only."""


def proxy_of(url: httpx.URL) -> str | None:
    """The proxy for a URL, as curl would choose it.

    HTTP_PROXY or HTTPS_PROXY; none for the hosts of NO_PROXY and for this machine.
    """
    stated = getproxies().get(url.scheme)
    if not stated or is_here(url.host) or proxy_bypass(url.netloc.decode()):
        return None
    return _absolute(stated)


def _absolute(stated: str) -> str:
    return stated if "://" in stated else f"http://{stated}"


def is_here(host: str) -> bool:
    """Whether a host is this machine, by its name or its address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def secrets() -> dict[str, str]:
    """The credentials of the proxies of the environment, with the variables for them.

    "user:password" is what the Basic scheme encodes.
    """
    found: dict[str, str] = {}
    for stated in getproxies().values():
        try:
            parts = urlsplit(_absolute(stated))
        except ValueError:
            continue
        found |= _credentials(parts)
    return found


def _credentials(parts: SplitResult) -> dict[str, str]:
    found: dict[str, str] = {}
    for decode in (str, unquote):
        user, password = decode(parts.username or ""), decode(parts.password or "")
        if password:
            found[f"{user}:{password}"] = "$PROXY_CREDENTIALS"
        if len(password) >= SHORTEST_PASSWORD:
            found[password] = "$PROXY_PASSWORD"
    return found


def flaw() -> str | None:
    """Why a proxy of the environment cannot be used, or None; never repeats its address."""
    proxies = getproxies()
    for scheme in USED:
        stated = proxies.get(scheme)
        if stated and not _is_usable(_absolute(stated)):
            return f"{scheme.upper()}_PROXY of the environment is not the URL of an HTTP proxy"
    return None


def _is_usable(address: str) -> bool:
    try:
        url = httpx.Proxy(address).url
        httpcore.Proxy(str(url))  # checks the port
    except (ValueError, httpx.InvalidURL):
        return False
    is_supported = url.scheme in USED or find_spec("socksio") is not None
    return is_supported and bool(url.host)

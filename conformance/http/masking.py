"""What is shown of the traffic of others: what may be a credential that nobody knows is masked.

Rules judge what was sent; this is what is written of it. Known credentials are variables by then.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any
from urllib.parse import unquote_plus

from conformance.contract.identifiers import is_uuid
from conformance.http.secrecy import MASK
from conformance.http.serialization import CREDENTIALS, VARIABLE

SHOWN = re.compile(
    r":method|:scheme|:authority|accept(-.*)?|access-control-.*|age|allow|cache-control|connection"
    r"|content-.*|date|etag|expires|host|if-.*|keep-alive|last-modified"
    r"|mcp-(method|name|param-.*|protocol-version)|origin|pragma|(x-)?rate-?limit.*|retry-after"
    r"|sec-(ch|fetch)-.*|server|strict-transport-security|te|traceparent|transfer-encoding"
    r"|upgrade(-.*)?|user-agent|vary|via|www-authenticate|x-conformance-exchange"
    r"|(x-)?(correlation|request|trace)-?id|x-(content-type|frame)-options"
)
"""The headers, in lower case, whose values are shown."""

ADDRESSES = frozenset({"location", "content-location"})
"""Headers that are shown as URLs are."""

HARMLESS = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,6})?|[A-Za-z]{0,12}")
"""Values that are shown of any parameter: numbers, and short words."""

SENSITIVE = re.compile(r"(?i)auth|code|cred|key|pass|pin|secret|session|sig|token")
"""What the name of a parameter has in it whose value is not harmless in any form."""

_USER = re.compile(r"(://)[^/?#]*@")

_IN_PATH = re.compile(r"(?<=;)[^;/]+")
"""A parameter of a segment of a path, as `;jsessionid=…` is one."""


def document(recorded: Mapping[str, Any], named: Collection[str]) -> dict[str, Any]:
    """An exchange as it is written; `named` are the query parameters whose values are shown."""
    request, response = recorded["request"], recorded.get("response")
    of_request = {"url": url(request["url"], named), "headers": headers(request["headers"])}
    masked = {**recorded, "request": {**request, **of_request}}
    if response is not None:
        masked["response"] = {**response, "headers": headers(response["headers"])}
    return masked


def headers(pairs: Iterable[Iterable[str]]) -> list[list[str]]:
    """Headers by names in lower case; those of `CREDENTIALS` have been masked before."""
    return [[name, _header(name, value)] for name, value in pairs]


def url(text: str, named: Collection[str]) -> str:
    """A URL without a user, a fragment, and the values of parameters that are not `named`.

    Those in a path have no names that anybody knows.
    """
    whole, sharp, fragment = text.partition("#")
    path, mark, query = whole.partition("?")
    parameters = "&".join(_parameter(each, named) for each in query.split("&"))
    user = _USER.sub(rf"\1{MASK}@", path, count=1)
    shown = _IN_PATH.sub(lambda found: _parameter(found[0], ()), user)
    return f"{shown}{mark}{parameters}{sharp}{MASK if fragment else ''}"


def _header(name: str, value: str) -> str:
    if name in ADDRESSES:
        return url(value, ())
    is_shown = name in CREDENTIALS or SHOWN.fullmatch(name) or VARIABLE.fullmatch(value)
    return value if is_shown or not value else MASK


def _parameter(text: str, named: Collection[str]) -> str:
    name, equals, sent = text.rpartition("=") if "=" not in text else text.partition("=")
    key, value = unquote_plus(name), unquote_plus(sent)
    is_harmless = HARMLESS.fullmatch(value) or is_uuid(value)
    is_shown = key in named or (is_harmless and not SENSITIVE.search(key))
    return text if is_shown or VARIABLE.fullmatch(value) else f"{name}{equals}{MASK}"

"""The form of a request as such: where it goes to, and how it shows who sends it."""

from conformance.contract.verdict import Defect, Kind, defect
from conformance.http import masking
from conformance.http.exchange import Exchange
from conformance.rules.client.recording import OTHER, Recording, ruling
from conformance.rules.judgement import shown
from conformance.rules.ruling import Rulings

OPERATION, CREDENTIAL, URL = "client/operation", "client/credential", "client/secret-in-url"
REQUIREMENTS = frozenset({OPERATION, CREDENTIAL, URL})

BESIDE = frozenset({"HEAD", "OPTIONS"})
"""Methods of HTTP itself: browsers, and whoever asks whether something is there, send them."""


def examine(recording: Recording) -> Rulings:
    """What single requests show, whatever they ask for."""
    for exchange in recording.ordered:
        if exchange.request.method in BESIDE:
            continue
        if exchange.in_contract:
            yield ruling(OPERATION, exchange, otherwise=_stranger(exchange, recording))
        if exchange.operation in recording.contract.operations and exchange.in_contract:
            yield ruling(CREDENTIAL, exchange, otherwise=_anonymous(exchange))
        has_secret = any(each in exchange.request.url for each in recording.secrets)
        yield ruling(URL, exchange, otherwise=_leak(exchange, recording) if has_secret else None)


def _stranger(exchange: Exchange, recording: Recording) -> Defect | None:
    if exchange.operation != OTHER:
        return None
    return defect(
        Kind.VALUE,
        "{method} {url} calls no operation",
        expected="the method and the path of an operation",
        method=exchange.request.method,
        url=_url(exchange, recording),
    )


def _anonymous(exchange: Exchange) -> Defect | None:
    if any(_is_credential(*pair) for pair in exchange.request.headers):
        return None
    sent = [value for name, value in exchange.request.headers if name == "authorization"]
    return defect(
        Kind.HEADER,
        "the request has {credential}",
        expected="x-api-key, or Authorization with a bearer token",
        credential=f"the Authorization {shown(sent[0])}" if sent else "no credential",
    )


def _is_credential(name: str, value: str) -> bool:
    scheme, _, token = value.strip().partition(" ")
    if name == "authorization":
        return scheme.lower() == "bearer" and bool(token.strip())
    return name == "x-api-key" and bool(scheme)


def _leak(exchange: Exchange, recording: Recording) -> Defect:
    return defect(
        Kind.VALUE,
        "the URL has a credential in it: {url}",
        expected="credentials in their headers only",
        url=_url(exchange, recording),
    )


def _url(exchange: Exchange, recording: Recording) -> str:
    """The URL, without values that may be credentials nobody knows."""
    named = frozenset().union(*recording.roles.values())
    return shown(masking.url(exchange.request.url, named))

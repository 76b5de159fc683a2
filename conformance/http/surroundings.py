"""What the environment says of connections, checked before the first of them: proxies and TLS."""

import os
import re
import ssl
from collections.abc import Iterator
from pathlib import Path

import httpx

from conformance.http import proxy
from conformance.target.connection import Connection

HASHED = re.compile(r"[0-9a-f]{8}\.\d+")
"""The name of a certificate in a directory, as OpenSSL finds it (`openssl rehash`)."""


REMEDIES = {
    "SSL_CERT_FILE": "name a PEM file of certificates",
    "SSL_CERT_DIR": "name a directory of certificates that `openssl rehash` has prepared",
}


class UnusableEnvironment(ValueError):
    """A variable of the environment has an unusable value; str() names it, and never a proxy."""


def ssl_context(connection: Connection, *, identified: bool) -> ssl.SSLContext:
    """The TLS settings of the environment and of a profile, `identified` by its certificate.

    Raises UnusableEnvironment.
    """
    for problem in _problems():
        raise UnusableEnvironment(problem)
    context = httpx.create_ssl_context()
    if connection.ca is not None:
        context.load_verify_locations(connection.ca)
    if identified and connection.client_certificate is not None:
        # A key with a passphrase must not ask for it: profile.parse has rejected it.
        context.load_cert_chain(connection.client_certificate, connection.client_key, lambda: "")
    return context


def _problems() -> Iterator[str]:
    flaw = proxy.flaw()
    if flaw:
        yield flaw
    checks = {
        "SSL_CERT_FILE": _check_file,
        "SSL_CERT_DIR": _check_directory,
        "SSLKEYLOGFILE": _check_key_log,
    }
    for name, check in checks.items():
        stated = os.environ.get(name)
        if not stated:
            continue
        try:
            check(Path(stated))
        except ssl.SSLError:
            yield f"{name}={stated}: no certificate is there; {REMEDIES[name]}"
        except OSError as problem:
            yield f"{name}={stated}: {problem.strerror}"


def _check_file(path: Path) -> None:
    with path.open("rb"):  # ssl does not name the reason
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)


def _check_directory(path: Path) -> None:
    if not any(HASHED.fullmatch(each.name) for each in path.iterdir()):
        raise ssl.SSLError


def _check_key_log(path: Path) -> None:
    path.open("ab").close()

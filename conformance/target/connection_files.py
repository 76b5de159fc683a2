"""The connection of a profile, and whether the files that it names can be used."""

import os
import ssl
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from conformance.storage import regular_file
from conformance.target import token
from conformance.target.connection import Connection, FurtherHeader
from conformance.target.target import secret_flaw
from conformance.target.toml_schema import Reader, reference

PEM = "write the path of a PEM file, from the folder of the profile"
UNENCRYPTED = (
    "write the path of the PEM file with the key of this certificate, without a passphrase"
)


def connection(stated: Mapping[str, Any], data: object, folder: Path) -> Connection:
    """The value of a sound table; `data` is the table with its references, paths are absolute."""
    written = data.get("headers", {}) if isinstance(data, Mapping) else {}

    def path(key: str) -> str | None:
        return str((folder / stated[key]).absolute()) if key in stated else None

    return Connection(
        client_certificate=path("client-certificate"),
        client_key=path("client-key"),
        ca=path("ca"),
        headers=tuple(
            FurtherHeader(name.lower(), value, reference(written.get(name)))
            for name, each in stated.get("headers", {}).items()
            if (value := token.secret(each, secret_flaw)) is not None
        ),
        host=stated.get("host"),
        http2=stated.get("http2", False),
        socket=path("socket"),
        connect_timeout=stated.get("connect-timeout"),
        response_timeout=stated.get("response-timeout"),
    )


def check(reader: Reader, stated: Connection) -> None:
    """Report files that are not there, or of no use; no problem repeats what is in a file."""
    for key, what, remedy in _problems(stated):
        reader.report(("connection", key), what, remedy)


def _problems(stated: Connection) -> Iterator[tuple[str, str, str]]:
    files = {"client-certificate": stated.client_certificate, "client-key": stated.client_key}
    files["ca"] = stated.ca
    unreadable = {key: problem for key, path in files.items() if (problem := _unreadable(path))}
    for key, problem in unreadable.items():
        yield key, f"names a file that cannot be read: {problem}", PEM
    if stated.socket is not None and not _is_socket(stated.socket):
        yield "socket", "names no Unix socket", "write the path of the socket of the server"
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if stated.ca and "ca" not in unreadable and _fails(context.load_verify_locations, stated.ca):
        yield "ca", "names a file without a certificate", PEM
    if stated.client_certificate and not {"client-certificate", "client-key"} & unreadable.keys():
        yield from _pair(stated.client_certificate, stated.client_key)


def _pair(certificate: str, key: str | None) -> Iterator[tuple[str, str, str]]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if _fails(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations, certificate):
        yield "client-certificate", "names a file without a certificate", PEM
    elif _fails(context.load_cert_chain, certificate, key, lambda: ""):
        named = "client-certificate" if key is None else "client-key"
        yield named, "does not name a key that fits the certificate", UNENCRYPTED


def _fails(load: Callable[..., object], *words: object) -> bool:
    try:
        load(*words)
    except (ssl.SSLError, ValueError):  # a passphrase that is too short is a ValueError
        return True
    return False


def _is_socket(path: str) -> bool:
    with suppress(OSError, ValueError):  # Path.is_socket raises some of them, as for a long name
        return stat.S_ISSOCK(os.stat(path).st_mode)  # noqa: PTH116 - the same
    return False


def _unreadable(path: str | None) -> str | None:
    """Why a file cannot be read, or None."""
    if path is None:
        return None
    try:
        with regular_file.opened(Path(path), follow=True):
            return None
    except (OSError, ValueError) as problem:
        return getattr(problem, "strerror", None) or "not a path"

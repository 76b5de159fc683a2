"""How a deployment is reached, where that takes more than its address: `[connection]`."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from conformance.target.token import Token

DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class FurtherHeader:
    """A header that every request to the target has; its value is a secret, and in no repr."""

    name: str
    secret: str | Token = field(repr=False)
    stated_variable: str | None = None  # NAME where the profile says "${NAME}"

    @property
    def value(self) -> str:
        """The current value. Raises TokenError where its command has never printed one."""
        return self.secret.value() if isinstance(self.secret, Token) else self.secret

    @property
    def secrets(self) -> frozenset[str]:
        """Every value that it has or had in this run."""
        return self.secret.secrets if isinstance(self.secret, Token) else frozenset({self.secret})

    @property
    def variable(self) -> str:
        """The shell variable that stands for the value, such as "$CONNECTION_X_GATEWAY"."""
        own = "CONNECTION_" + re.sub(r"[^A-Z0-9]+", "_", self.name.upper())
        return f"${self.stated_variable or own}"


@dataclass(frozen=True)
class Connection:
    """The entries of `[connection]`; paths of files, and seconds. None: not in the profile.

    Without a `client_key`, it is in the file of the certificate. `ca` is trusted beside the usual
    authorities. `host` is the Host header and the SNI where they differ from the address, with a
    port where it has one. `socket` is a Unix socket in place of the host and port of the address.
    """

    client_certificate: str | None = None
    client_key: str | None = None
    ca: str | None = None
    headers: tuple[FurtherHeader, ...] = ()
    host: str | None = None
    http2: bool = False
    socket: str | None = None
    connect_timeout: float | None = None
    response_timeout: float | None = None

    @property
    def sni(self) -> str | None:
        """The name in the TLS handshake: the host without a port."""
        return urlsplit(f"//{self.host}").hostname if self.host else None


@dataclass(frozen=True)
class Gateway:
    """The connection of a target, and the addresses that it is for.

    The API and the tools get the client certificate and the headers, wherever they are. `host` and
    `socket` are for the origin of the base URL; the authorities, HTTP/2 and the time limits for
    everything that a run reads, such as a description on another host.
    """

    connection: Connection = Connection()
    base_url: str = ""
    tools_url: str | None = None

    def identifies(self, url: str) -> bool:
        """Whether the server at a URL gets the client certificate and the headers."""
        return origin(url) in (origin(self.base_url), origin(self.tools_url or self.base_url))

    def redirects(self, url: str) -> bool:
        """Whether a URL is reached by the stated host or socket."""
        return origin(url) == origin(self.base_url)

    def headers(self, url: str) -> tuple[FurtherHeader, ...]:
        """The further headers of a request to a URL."""
        stated = self.connection.headers
        return stated if stated and self.identifies(url) else ()

    @property
    def curl(self) -> tuple[str, ...]:
        """What a curl command needs beside the request; shell variables for files and secrets."""
        return tuple(self._curl())

    def _curl(self) -> Iterator[str]:
        stated = self.connection
        if stated.client_certificate:
            yield '--cert "$CLIENT_CERTIFICATE"'
        if stated.client_key:
            yield '--key "$CLIENT_KEY"'
        if stated.ca:
            yield '--cacert "$CA_BUNDLE"'
        if stated.socket:
            yield '--unix-socket "$UNIX_SOCKET"'
        if stated.http2:
            yield "--http2"
        if stated.host:
            yield f"-H {shlex.quote(f'host: {stated.host}')}"
        for each in stated.headers:
            yield f'-H "{each.name}: {each.variable}"'


def origin(url: str) -> tuple[str, str | None, int | None]:
    """The scheme, host and port of an http(s) URL."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or DEFAULT_PORTS.get(parts.scheme)

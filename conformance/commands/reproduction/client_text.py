"""The function of a written test file that opens a client, as the gateway of a target asks for.

Files and secrets are read from variables of the environment, as in the commands of a report.
"""

from collections.abc import Iterator

from conformance.target.connection import Connection


def client(connection: Connection) -> str:
    """Its source text; without a connection in the profile it is the plain client of httpx."""
    return "\n".join(_lines(connection))


def _lines(stated: Connection) -> Iterator[str]:
    yield "def client(headers=()):"
    yield '    """A client that reaches the target."""'
    options = ["timeout=30", f"headers=[{', '.join(['*headers', *_further(stated)])}]"]
    if stated.ca or stated.client_certificate or stated.socket:
        yield "    context = httpx.create_ssl_context()"
        yield from (f"    {line}" for line in _files(stated))
        socket = ', uds=secret("UNIX_SOCKET")' if stated.socket else ""
        options.append(f"transport=httpx.HTTPTransport(verify=context{socket})")
    if stated.host:
        named = f"lambda request: request.extensions.update(sni_hostname={stated.sni!r})"
        options.append(f'event_hooks={{"request": [{named}]}}')
    yield "    return httpx.Client("
    yield from (f"        {option}," for option in options)
    yield "    )"


def _further(stated: Connection) -> Iterator[str]:
    if stated.host:
        yield repr(("host", stated.host))
    for each in stated.headers:
        yield f"({each.name!r}, secret({each.variable[1:]!r}))"


def _files(stated: Connection) -> Iterator[str]:
    if stated.ca:
        yield 'context.load_verify_locations(secret("CA_BUNDLE"))'
    if stated.client_certificate:
        key = ', secret("CLIENT_KEY")' if stated.client_key else ""
        yield f'context.load_cert_chain(secret("CLIENT_CERTIFICATE"){key})'

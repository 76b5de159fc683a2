"""The TLS certificate of a server is noted, since a certificate of conformance names it."""

import hashlib
import ssl
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import HTTPServer
from ipaddress import ip_address
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from live_server import Silent

from conformance.http.network import Network


@pytest.fixture
def leaf(tmp_path: Path) -> x509.Certificate:
    """A certificate of 127.0.0.1; `server.pem` has it with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now, address = datetime.now(UTC), x509.IPAddress(ip_address("127.0.0.1"))
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .sign(key, hashes.SHA256())
    )
    text = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    (tmp_path / "server.pem").write_bytes(text + made.public_bytes(serialization.Encoding.PEM))
    return made


@pytest.fixture
def server(leaf: x509.Certificate, tmp_path: Path) -> Iterator[str]:
    """The address of a server with this certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "server.pem")
    with HTTPServer(("127.0.0.1", 0), Silent) as running:
        running.socket = context.wrap_socket(running.socket, server_side=True)
        thread = threading.Thread(target=running.serve_forever, args=(0.02,))
        thread.start()
        yield f"https://127.0.0.1:{running.server_port}/"
        running.shutdown()
        thread.join(10)


def test_the_digest_of_the_shown_certificate_is_noted(
    server: str, leaf: x509.Certificate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is that of its DER form, which browsers and openssl show as the fingerprint."""
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "server.pem"))
    network = Network()
    response = network.handle_request(httpx.Request("GET", server))
    response.read()
    response.close()
    network.close()

    shown = leaf.public_bytes(serialization.Encoding.DER)
    assert network.certificates == {hashlib.sha256(shown).hexdigest()}

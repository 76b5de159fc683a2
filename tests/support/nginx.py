"""The nginx of the Debian package in front of a server: client certificates, HTTP/2, body limits.

It runs in the foreground, in a folder of its own, and speaks TLS with certificates made for it.
"""

import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

HOST = "api.internal"
"""The name in the server's certificate; the address is another."""

CONFIGURATION = """
daemon off; master_process off; pid {folder}/pid; error_log stderr warn;
events {{ worker_connections 256; }}
http {{
    access_log off; keepalive_requests 100;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    upstream behind {{ {servers} }}
    server {{
        listen unix:{folder}/plain.sock;
        location / {{ proxy_pass http://behind; proxy_set_header Host $host; }}
    }}
    server {{
        listen 127.0.0.1:{port} ssl http2 default_server;
        ssl_reject_handshake on;
    }}
    server {{
        listen 127.0.0.1:{port} ssl http2;
        server_name {host};
        ssl_certificate {folder}/server.pem; ssl_certificate_key {folder}/server.key;
        ssl_client_certificate {folder}/ca.pem; ssl_verify_client on;
        client_max_body_size 64k;
        if ($http_x_gateway_token != "{token}") {{ return 421; }}
        location / {{
            proxy_pass http://behind;
            proxy_set_header Host 127.0.0.1:{first};
            proxy_set_header X-Gateway-Token "";
        }}
    }}
}}
"""


@dataclass(frozen=True)
class Gateway:
    """A running nginx: its folder has ca.pem, client.pem and client.key, and its sockets."""

    folder: Path
    port: int

    def url(self, path: str) -> str:
        """The address of a path, by its number and not by its name."""
        return f"https://127.0.0.1:{self.port}{path}"


def program() -> str:
    """The path of nginx; without it the test is skipped, or fails where CI has to have it."""
    found = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if found is not None:
        return found
    message = "no nginx: install the package nginx-light (apt-get install nginx-light)"
    if os.environ.get("CONFORMANCE_REQUIRE_NGINX"):
        pytest.fail(message)
    pytest.skip(message)


@contextmanager
def running(folder: Path, behind: Sequence[int], token: str) -> Iterator[Gateway]:
    """nginx in front of ports of this machine in turn; it asks for a certificate and a header."""
    nginx, port = program(), _free_port()
    certificates(folder)
    servers = " ".join(f"server 127.0.0.1:{each};" for each in behind)
    text = CONFIGURATION.format(
        folder=folder, port=port, servers=servers, first=behind[0], host=HOST, token=token
    )
    (folder / "nginx.conf").write_text(text)
    command = [nginx, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", "stderr"]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as server:
        try:
            _wait_for(port, server)
            yield Gateway(folder, port)
        finally:
            server.terminate()
            server.communicate(timeout=10)


def _wait_for(port: int, server: "subprocess.Popen[bytes]") -> None:
    pause = threading.Event()
    for _ in range(200):
        if server.poll() is not None:
            assert server.stderr is not None
            raise AssertionError(server.stderr.read().decode())
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        pause.wait(0.05)
    raise AssertionError("nginx does not listen")


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number: int = free.getsockname()[1]
        return number


def certificates(folder: Path) -> None:
    """An authority, a server's and a client's certificate with their keys, and a stranger's key."""
    authority = _written(folder, "ca", None)
    _written(folder, "server", authority)
    _written(folder, "client", authority)
    _written(folder, "stranger", None)


Pair = tuple[x509.Certificate, ec.EllipticCurvePrivateKey]


def _written(folder: Path, name: str, issuer: Pair | None) -> Pair:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    names = [x509.DNSName(HOST), x509.IPAddress(ip_address("127.0.0.2"))]
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer[0].subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
    )
    made = builder.sign(issuer[1] if issuer else key, hashes.SHA256())
    (folder / f"{name}.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    text = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    (folder / f"{name}.key").write_bytes(text)
    return made, key

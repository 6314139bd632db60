"""The defaults of a crawl: self-signed certificates are refused, and no port is opened."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tests.support.crawls import capture, captured, crawl_arguments, started
from tests.support.http_server import Reply, SiteServer, page


class _Handler(BaseHTTPRequestHandler):
    def __init__(self, *arguments: object, asked: list[str]) -> None:
        self.asked = asked
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", "6")
        self.end_headers()
        self.wfile.write(b"<p>sly")

    def log_message(self, *arguments: object) -> None:
        """Record the request in the list."""


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """A client that does not like the certificate goes away."""


NAMES = [x509.IPAddress(IPv4Address("127.0.0.1"))]
"""The names in the certificate of a server on 127.0.0.1."""


@pytest.fixture
def impostor(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, list[str]]]:
    """The URL of a server with a self-signed certificate, and the requests that it gets.

    The parameter is the names in the certificate.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(_own_certificate(tmp_path / "certificate.pem", getattr(request, "param", NAMES)))
    asked: list[str] = []
    server = _Server(("127.0.0.1", 0), partial(_Handler, asked=asked))
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"https://127.0.0.1:{server.server_port}/", asked
    finally:
        server.shutdown()
        server.server_close()


def _own_certificate(file: Path, names: Sequence[x509.GeneralName]) -> Path:
    """Write a key, and a certificate that is signed with it; one without names has no subjectAltName."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
    )
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    certificate = builder.sign(key, hashes.SHA256())
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file.write_bytes(secret + certificate.public_bytes(Encoding.PEM))
    return file


def test_a_certificate_that_nobody_signed_is_not_trusted(impostor: tuple[str, list[str]], tmp_path: Path) -> None:
    url, asked = impostor
    settings = {"RETRY_TIMES": 0}
    done = capture(url, tmp_path / "site.pdf", settings)
    assert done.status == 1
    assert done.left_out == {"no secure connection: certificate verify failed": [url]}
    assert asked == []
    # It would have been captured otherwise.
    captured(url, tmp_path / "site.pdf", {**settings, "DOWNLOAD_VERIFY_CERTIFICATES": False})
    assert asked == ["/robots.txt", "/"]


@pytest.mark.parametrize(
    ("impostor", "reason"),
    [
        (NAMES, ""),
        ([x509.DNSName("other.test")], "the certificate is for another host"),
        ([x509.DNSName("*.test")], "the certificate names no valid host"),
        ([], "the certificate names no valid host"),
    ],
    indirect=["impostor"],
)
def test_a_certificate_of_a_trusted_authority_has_to_name_the_host(
    impostor: tuple[str, list[str]], reason: str, tmp_path: Path
) -> None:
    url, asked = impostor
    trusted = {"SSL_CERT_FILE": str(tmp_path / "certificate.pem")}
    done = capture(url, tmp_path / "site.pdf", {"RETRY_TIMES": 0}, environment=trusted)
    assert "Traceback" not in done.log
    if reason:
        assert done.left_out == {f"no secure connection: {reason}": [url]}
        assert asked == []
    else:
        assert asked == ["/robots.txt", "/"]


def test_no_port_is_opened(tmp_path: Path) -> None:
    """While a crawl waits for an answer, neither its process nor its workers listen on a port."""
    site = {"/": page("<p>hello<img src='/late.png'>"), "/late.png": Reply(gate="late")}
    with SiteServer(site) as server, started(*crawl_arguments(server.url(), tmp_path / "site.pdf")) as crawl:
        server.wait_for("/late.png")
        assert _listening(crawl.process.pid) == set()
        server.open_gate("late")
        assert crawl.end().status == 0


def _listening(process: int) -> set[str]:
    """The sockets on which a process and its children listen, as the system lists them (proc(5), /proc/net/tcp)."""
    family = {process}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            number, parent = int(status.parent.name), int(status.read_text().rpartition(")")[2].split()[1])
        except OSError:  # it has ended
            continue
        if parent in family:
            family.add(number)
    own = {_target(link) for member in family for link in Path(f"/proc/{member}/fd").glob("*")}
    lines = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()]
    return {line[1] for line in lines if line[3] == "0A" and f"socket:[{line[9]}]" in own}


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:  # it has been closed
        return ""

"""Signatures and time stamps that another program appends to a file, made with real keys."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pikepdf
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, pkcs7
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from pikepdf import Array, Dictionary, Name

ROOM = 8192
"""The bytes that are kept free for the value of a signature."""

_WIDTH = 10


def sign(path: Path, name: str, reason: str) -> None:
    """Append a signature (12.8.3.3) to a file, of the moment 2026-03-05."""
    key, certificate = _identity(name)

    def signed(data: bytes) -> bytes:
        builder = pkcs7.PKCS7SignatureBuilder().set_data(data).add_signer(certificate, key, hashes.SHA256())
        return builder.sign(Encoding.DER, [pkcs7.PKCS7Options.DetachedSignature, pkcs7.PKCS7Options.Binary])

    entries = f"/Type /Sig /SubFilter /adbe.pkcs7.detached /M (D:20260305120000Z) /Name ({name}) /Reason ({reason})"
    _append(path, entries, signed)


def time_stamp(path: Path, folder: Path) -> None:
    """Append a document time stamp (RFC 3161) of the present moment to a file. The tools of OpenSSL make it."""
    key, certificate = _identity("Time stamp authority")
    (folder / "key.pem").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    (folder / "tsa.pem").write_bytes(certificate.public_bytes(Encoding.PEM))
    (folder / "serial").write_text("01\n")
    (folder / "tsa.cnf").write_text(
        "[own]\nserial = serial\nsigner_cert = tsa.pem\ncerts = tsa.pem\nsigner_key = key.pem\nsigner_digest = sha256\n"
        "default_policy = 1.2.3.4\ndigests = sha256\n"
    )

    def stamped(data: bytes) -> bytes:
        digest = hashlib.sha256(data).hexdigest()
        query = ["-query", "-digest", digest, "-sha256", "-cert", "-out", "query"]
        reply = ["-reply", "-queryfile", "query", "-config", "tsa.cnf", "-section", "own", "-token_out"]
        reply += ["-out", "token"]
        check = ["-verify", "-digest", digest, "-in", "token", "-token_in", "-CAfile", "tsa.pem"]
        for arguments in (query, reply, check):
            subprocess.run(["openssl", "ts", *arguments], cwd=folder, check=True, capture_output=True)
        return (folder / "token").read_bytes()

    _append(path, "/Type /DocTimeStamp /SubFilter /ETSI.RFC3161", stamped)


def _identity(name: str) -> tuple[ec.EllipticCurvePrivateKey, x509.Certificate]:
    """Return a new key, and a certificate for it that it has signed itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=9))
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING]), critical=True)
    )
    return key, builder.sign(key, hashes.SHA256())


def _append(path: Path, entries: str, value_of: Callable[[bytes], bytes]) -> None:
    """Append a revision with a signature field on the first page, and the value that `value_of` makes for the rest."""
    start = path.stat().st_size
    with pikepdf.open(path) as pdf:
        value = pdf.make_indirect(Dictionary())
        field = pdf.make_indirect(
            Dictionary(
                FT=Name.Sig, T=pikepdf.String(f"Signature{start}"), V=value, Type=Name.Annot, Subtype=Name.Widget,
                Rect=Array([0, 0, 0, 0]), F=132, P=pdf.pages[0].obj,
            )
        )  # fmt: skip
        form = pdf.Root.get("/AcroForm", Dictionary())
        root, page = Dictionary(pdf.Root), Dictionary(pdf.pages[0].obj)
        page.Annots = Array([*page.get("/Annots", []), field])
        fields = Array([*form.get("/Fields", []), field])
        root.AcroForm = Dictionary({**dict(form.items()), "/Fields": fields, "/SigFlags": 3})
        bodies = {
            pdf.Root.objgen[0]: root.unparse(resolved=True),
            pdf.pages[0].objgen[0]: page.unparse(resolved=True),
            field.objgen[0]: field.unparse(resolved=True),
            value.objgen[0]: (
                f"<< {entries} /Filter /Adobe.PPKLite /ByteRange [0 {' '.join(['*' * _WIDTH] * 3)}] "
                f"/Contents <{'0' * 2 * ROOM}> >>"
            ).encode(),
        }
        catalog, size = pdf.Root.objgen[0], max(number for number, _ in (value.objgen, field.objgen)) + 2
    out, offsets = bytearray(b"\n"), {}
    for number, body in bodies.items():
        offsets[number] = start + len(out)
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    offsets[size - 1] = startxref = start + len(out)
    rows = b"".join(b"\x01" + offset.to_bytes(5, "big") + b"\0" for _, offset in sorted(offsets.items()))
    index = " ".join(f"{number} 1" for number in sorted(offsets))
    previous = path.read_bytes().rpartition(b"startxref")[2].split()[0].decode()
    head = f"<< /Type /XRef /W [1 5 1] /Index [{index}] /Size {size} /Root {catalog} 0 R /Prev {previous}"
    out += f"{size - 1} 0 obj\n{head} /Length {len(rows)} >>\nstream\n".encode() + rows
    out += f"\nendstream\nendobj\nstartxref\n{startxref}\n%%EOF\n".encode()
    opening = out.index(b"/Contents <") + len("/Contents ")
    closing = opening + 2 * ROOM + 2
    for number in (start + opening, start + closing, len(out) - closing):
        out[:] = out.replace(b"*" * _WIDTH, str(number).rjust(_WIDTH).encode(), 1)
    covered = path.read_bytes() + out[:opening] + out[closing:]
    value_bytes = value_of(covered)
    out[opening + 1 : opening + 1 + 2 * len(value_bytes)] = value_bytes.hex().encode()
    path.write_bytes(path.read_bytes() + out)

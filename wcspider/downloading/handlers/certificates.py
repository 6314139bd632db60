"""The verification that the certificate of a server is for its host (RFC 9525, 6)."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import ip_address
from typing import Any

from OpenSSL import SSL
from OpenSSL.crypto import X509
from service_identity import CertificateError, VerificationError
from service_identity.hazmat import DNS_ID, IPAddress_ID, ServiceID, verify_service_identity
from service_identity.pyopenssl import extract_patterns
from twisted.internet.interfaces import IOpenSSLClientConnectionCreator
from twisted.python.failure import Failure
from twisted.web.iweb import IPolicyForHTTPS
from zope.interface import implementer  # type: ignore[import-untyped]

VerifyCallback = Callable[[SSL.Connection, X509, int, int, int], bool]


@implementer(IPolicyForHTTPS)
class StrictHosts:
    """A policy that adds the verification of the host to the connections of another policy.

    Twisted accepts a certificate for any host if the host names in it are missing or malformed.
    """

    def __init__(self, policy: Any) -> None:
        self._policy = policy

    def creatorForNetloc(self, hostname: bytes, port: int) -> StrictHostCreator:  # noqa: N802 -- Twisted's name
        """Return the creator of the connections to a host."""
        return StrictHostCreator(self._policy.creatorForNetloc(hostname, port), _identity(hostname.decode("ascii")))


@implementer(IOpenSSLClientConnectionCreator)
class StrictHostCreator:
    """The creator of the connections to a host."""

    def __init__(self, creator: Any, host: ServiceID) -> None:
        self._creator = creator
        self._host = host

    def clientConnectionForTLS(self, protocol: Any) -> SSL.Connection:  # noqa: N802 -- Twisted's name
        """Return a connection that is closed before the first request if its certificate is not for the host."""
        connection: SSL.Connection = self._creator.clientConnectionForTLS(protocol)
        connection.set_verify(SSL.VERIFY_PEER | SSL.VERIFY_FAIL_IF_NO_PEER_CERT, self._callback(protocol))
        return connection

    def _callback(self, protocol: Any) -> VerifyCallback:
        def verify(connection: SSL.Connection, certificate: X509, error: int, depth: int, is_trusted: int) -> bool:
            if depth:  # a certificate of an authority
                return bool(is_trusted)
            try:
                verify_service_identity(extract_patterns(certificate), [self._host], [])
            except (CertificateError, VerificationError):
                protocol.failVerification(Failure())  # type: ignore[no-untyped-call]
                return False
            return bool(is_trusted)

        return verify


def _identity(host: str) -> ServiceID:
    """Return what a certificate has to contain for a host name or an address."""
    address = host.strip("[]")
    try:
        ip_address(address)
    except ValueError:
        return DNS_ID(host)
    return IPAddress_ID(address)

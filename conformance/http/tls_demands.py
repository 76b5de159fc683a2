"""What a failed connection says that a profile lacks: read off the errors of the TLS library."""

import ssl
from collections.abc import Iterator

UNKNOWN_ISSUER = frozenset({2, 18, 19, 20, 21})
"""X509_V_ERR_* of a chain that ends at no known authority."""

OTHER_NAME = frozenset({62, 64})
"""X509_V_ERR_* of a certificate for another host name, or another address."""

WITHOUT_CERTIFICATE = "CERTIFICATE_REQUIRED"
REJECTED = ("ALERT_UNKNOWN_CA", "ALERT_BAD_CERTIFICATE", "ALERT_CERTIFICATE_UNKNOWN")
NO_NAME = "UNRECOGNIZED_NAME"
HANDSHAKE = "HANDSHAKE_FAILURE"

ISSUER = "its certificate has an unknown issuer: name its authority in connection.ca"
NAME = "its certificate is for another host: name that in connection.host"
CERTIFICATE = (
    "it asks for a client certificate: name one in connection.client-certificate, and its key in"
    " connection.client-key"
)
OTHER = "it rejects the client certificate: see connection.client-certificate"
UNKNOWN_NAME = "it does not know the host: name the one that it serves in connection.host"


def sentence(problem: BaseException) -> str | None:
    """What a profile has to say for this connection, with its key; None where that is unknown."""
    found = (_of(each) for each in _causes(problem) if isinstance(each, ssl.SSLError))
    return next(filter(None, found), None)


def _causes(problem: BaseException | None) -> Iterator[BaseException]:
    while problem is not None:
        yield problem
        problem = problem.__cause__ or problem.__context__


def _of(problem: ssl.SSLError) -> str | None:
    if isinstance(problem, ssl.SSLCertVerificationError):
        code = problem.verify_code
        return ISSUER if code in UNKNOWN_ISSUER else NAME if code in OTHER_NAME else None
    reason = problem.reason or ""
    if WITHOUT_CERTIFICATE in reason or HANDSHAKE in reason:
        # Before TLS 1.3, the alert for a missing certificate is that of any failed handshake.
        return CERTIFICATE
    if any(each in reason for each in REJECTED):
        return OTHER
    return UNKNOWN_NAME if NO_NAME in reason else None

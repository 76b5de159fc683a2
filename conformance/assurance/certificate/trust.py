"""The word of the signer: what a certificate states and nothing in its evidence proves.

The sentences are a part of the signed statement: whoever alters one begins a new predicate type.
"""

from collections.abc import Iterator

from conformance.assurance.certificate import chronology
from conformance.assurance.certificate.evidence import Evidence

ADDRESS = "the base URL: that the responses came from there"


def words(evidence: Evidence) -> list[str]:
    """The list for people; a replay would come to the same result whatever is said of these."""
    return list(_words(evidence))


def _words(evidence: Evidence) -> Iterator[str]:
    yield "the responses: that the target sent them, and what no check reads of them, as headers"
    yield ADDRESS
    if chronology.circumstances(evidence).dates:
        yield "the start and the end, which the Date headers of the target confirm to within a day"
    else:
        yield "the start and the end: the target sends no Date headers"
    yield "the time after the last response, up to an hour of the duration"
    yield "the times of the exchanges, and the latencies, which are computed from them"
    yield "the versions of Python and of the packages that the report does not name"
    yield "the product, the path of the profile, and the limits in it that no check has reached"
    if evidence.challenge is not None and evidence.challenge.vendor is None:
        yield "that the challenge was given to nobody else: it names no key that may answer it"
    if evidence.run.get("certificates"):
        yield "the certificates of TLS, which a replay has no connection to ask for"
    if evidence.run["known-failures"]:
        yield "the reasons of the known failures, and that they were known before the run"

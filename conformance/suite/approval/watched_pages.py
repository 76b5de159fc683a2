"""The pages of reviews that are watched during an approval."""

from contextlib import suppress

from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call, Exchange
from conformance.http.sending import Sending
from conformance.suite.callers.callers import Request
from conformance.suite.lists.live import Live
from conformance.suite.lists.pagination import PAGE

MOST_PAGES = 4


def requests_of_pages(live: Live) -> list[Request]:
    """The requests of the first pages of reviews; the later ones continue what was read."""
    primary = live.callers.credential("primary")
    purpose = "the other reviews in the list"
    first = Call("review_list").asking(limit=str(PAGE))
    requests = [(first, Sending(primary, None, purpose))]
    with suppress(Inconclusive):
        pages = live.listing("review_list").pages[1:MOST_PAGES]
        # A cursor may belong to the credential that it was issued to.
        requests += [(page.call, Sending(primary, page.scheme, purpose)) for page in pages]
    return requests


def pages_of_reviews(live: Live) -> list[Exchange]:
    """The first pages of reviews, read side by side."""
    return live.callers.send_each(requests_of_pages(live))

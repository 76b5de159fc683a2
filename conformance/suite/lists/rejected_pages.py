"""Pages that are rejected by one scheme only."""

from conformance.http.exchange import Exchange
from conformance.suite.lists.live import Live


def is_rejected_by_scheme(page: Exchange, live: Live) -> bool:
    """Whether only one scheme is rejected here: that violates requirements of authentication."""
    if page.status not in (401, 403):
        return False
    schemes = live.callers.credential("primary").schemes
    others = (scheme for scheme in schemes if scheme != page.scheme)
    return any(
        live.callers.send(page.call, scheme=scheme, purpose="by the other scheme").status == 200
        for scheme in others
    )

"""The duties of a caller: rules on what a client sends, as those beside are on what a target does.

They are pure functions of a recording. What the contract leaves to a caller is observed.
"""

from conformance.rules.client import approvals, cursors, form, observed, requests, waiting
from conformance.rules.client.recording import Recording
from conformance.rules.ruling import Rulings

RULES = (form, requests, cursors, approvals, waiting)
REQUIREMENTS = frozenset[str]().union(
    observed.REQUIREMENTS, *(module.REQUIREMENTS for module in RULES)
)
"""What these rules check, or describe."""


def examine(recording: Recording) -> Rulings:
    """What a recording says of whoever has sent its requests."""
    for module in RULES:
        yield from module.examine(recording)

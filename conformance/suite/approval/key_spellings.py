"""Other spellings of a used idempotency key, sent for the review that it has approved.

No review is spent: where a new key is rejected on an approved review, a spelling that returns the
result of the used key is taken for it.
"""

from collections.abc import Callable, Mapping
from unicodedata import normalize

from conformance.contract.verdict import Inconclusive, Kind, NotApplicable, defect
from conformance.http.exchange import Exchange
from conformance.http.sending import Sending
from conformance.rules.attempt import is_same_result
from conformance.suite.approval.approvals import Approvals
from conformance.suite.approval.attempts import ON_APPROVED
from conformance.suite.approval.unusual_keys import KeyUse
from conformance.suite.callers import expect
from conformance.suite.callers.places import status_line
from conformance.suite.lists.live import Live


def _in_latin_1(key: str) -> str:
    return key.encode("latin-1", "replace").decode("latin-1")


WIDE_DIGITS = {ord(digit): chr(ord(digit) + 0xFEE0) for digit in "0123456789"}
SPELLINGS: Mapping[str, Callable[[str], str]] = {
    "the used key in capitals": str.upper,
    "the used key and a space": lambda key: f"{key} ",
    "a space and the used key": lambda key: f" {key}",
    "the used key in decomposed characters": lambda key: normalize("NFD", key),
    "the used key in wide digits": lambda key: key.translate(WIDE_DIGITS),
    "the used key without punctuation": lambda key: "".join(filter(str.isalnum, key)),
    "the used key with question marks beyond Latin-1": _in_latin_1,
    "the used key, U+0000 and more": lambda key: f"{key}\0more",
    "other characters and the used key": lambda key: f"other {key}",
    "the used key with a wildcard at its end": lambda key: f"{key[:-1]}%",
}
"""Each makes another key, where the key has what it changes; `key` is no UUID, which may be written
in capitals."""


class KeySpellings:
    """A used key that a replay repeats, and the review that it has approved."""

    def __init__(self, use: KeyUse, live: Live, approvals: Approvals) -> None:
        self._use = use
        self._live = live
        self._approvals = approvals

    def check(self) -> None:
        """Raise Violation where a spelling is taken for the key.

        Raises NotApplicable where a new key succeeds on an approved review: nothing shows a
        difference there.
        """
        self._require_rejected("a new key")
        made = {label: spell(self._use.key) for label, spell in SPELLINGS.items()}
        others = {label: key for label, key in made.items() if key != self._use.key}
        for label, response in zip(others, self._sent(others), strict=True):
            if self._is_taken(response):
                self._confirm(label, others[label])

    def _require_rejected(self, label: str) -> None:
        """A new key is rejected on the approved review."""
        new = self._approvals.key(self._use.review.id, label)
        (response,) = self._sent({label: new + self._use.key[len(new) :]})
        self._approvals.reader.require_found(response, self._use.after)
        if response.status == 200:
            raise NotApplicable("an approved review accepts new keys")
        if response.status not in ON_APPROVED:
            raise Inconclusive("no response to a new key to compare with", exchanges=[response.id])

    def _confirm(self, label: str, key: str) -> None:
        """Raise Violation where the same happens once more, and a new key is still rejected."""
        (again,) = self._sent({label: key})
        self._require_rejected("another new key")
        if self._is_taken(again):
            taken = defect(
                Kind.STATUS,
                "{label} returns the result of the used key",
                expected="the response to a new key",
                actual=again.status,
                label=label,
            )
            expect.violated(taken.at(status_line(again)), self._use.response, again)

    def _is_taken(self, response: Exchange) -> bool:
        return response.status == 200 and is_same_result(response.data, self._use.response.data)

    def _sent(self, keys: Mapping[str, str]) -> list[Exchange]:
        """The responses to approvals of the approved review with these keys, side by side."""
        review, used = self._use.review, self._use.response
        primary = self._live.callers.credential("primary")
        requests = []
        for label, key in keys.items():
            self._approvals.record(review.id, review.revision, key)
            purpose = f"on an approved review: {label}"
            sending = Sending(primary, used.scheme, purpose, judge_arguments=False)
            requests.append((self._approvals.call(review.id, review.revision, key), sending))
        return self._live.callers.send_each(requests)

"""The rule of access: the outcome of a cell, and the requirement that states it (Authentication).

A cell is one way in which one caller asks for one record by one operation.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from conformance.contract import openapi
from conformance.contract.openapi import Operation
from conformance.rules.access import (
    OUTSIDE,
    REJECTED_BY_CREDENTIAL,
    UNAUTHENTICATED,
    Asked,
    Outcome,
    outcome,
)

RECORDS = {
    "primary": ("own", "foreign", "ungranted", "absent"),
    "colleague": ("own", "foreign", "ungranted"),
    "outsider": ("own", "ungranted"),
}
"""The records that a caller asks for; all others ask for those of primary."""
CALLERS = (
    *RECORDS,
    "lacking",
    "lacking another",
    "no-review-role",
    *UNAUTHENTICATED,
)
INTERFACES = ("http", "tool")
LIMITS, BETWEEN = ("1", "100"), ("10", "25", "50")
"""The limits of pages, and those between them that clients choose: each is a form."""
FORMS = ("plain", *LIMITS, *BETWEEN, "cursor", "filters", "capitals", "decorated", "replay")
SETTINGS = ("alone", "after", "beside")
"""By itself, right after a caller whose outcome is another one, or concurrently with that one."""
ENDED = frozenset({"expired", "revoked"})
"""Callers whose credential is stored, and looks valid where its state is forgotten."""
GUARDED = frozenset({("primary", "foreign"), ("primary", "ungranted"), ("outsider", "own")})
"""Who asks for what: a company and a project have a guard each."""
SINGLE_DEFECT = frozenset({"plain", *LIMITS, *BETWEEN})
"""The forms in which nothing but the caller or the record can be wrong.

A cursor may belong to its caller, and an id in capitals may be no id of the target's.
"""


@dataclass(frozen=True)
class Cell(Asked):
    """One way to ask."""

    scheme: str
    setting: str

    @property
    def combinations(self) -> tuple[Hashable, ...]:
        """What has to occur in a covering part: every pair of values, and some triples.

        Over HTTP, one operation may forget in one form only what it has to reject, or one of its
        guards. By tool, each operation may require another permission than its own, and each may
        forget, by one scheme, whose an id is.
        """
        asked, kind = (self.caller, self.record), _kind(self.called)
        by, way = (self.interface, kind), (self.interface, self.form)
        row = (asked, self.operation, by, way, self.scheme, self.setting)
        pairs = combinations(enumerate(row), 2)
        expected = outcome(self)
        if (self.caller, self.interface) == ("lacking another", "tool"):
            return *pairs, (self.caller, self.operation, self.interface)
        if (self.caller, self.record, *way) == ("outsider", "own", "tool", "capitals"):
            return *pairs, (asked, self.operation, way)
        if self.setting == "alone" and self._is_guarded_apart:
            return *pairs, (asked, self.operation, way)
        if (self.setting, *way) == ("alone", "tool", "plain") and asked in GUARDED:
            return *pairs, (asked, self.operation, self.interface, self.scheme)
        is_between = self.form in BETWEEN and expected is not Outcome.FORBIDDEN
        if self.interface == "tool" or expected is Outcome.SERVED or is_between:
            return (*pairs,)
        if self.caller == "colleague" and not self.is_whole_list:  # no other check asks for this
            return *pairs, (expected, self.operation, way), (asked, self.operation, "http")
        return *pairs, (expected, self.operation, way)

    @property
    def _is_guarded_apart(self) -> bool:
        """Whether one operation may forget in one form what it guards in all others."""
        if self.interface != "http" or self.form in ("plain", *BETWEEN):
            return False
        is_ended_page = self.caller in ENDED and self.form in ("cursor", "filters")
        return is_ended_page or (self.caller, self.record) in GUARDED


def cells(schemes: Sequence[str]) -> list[Cell]:
    """Every cell that means something and has no check of its own."""
    asked = [(caller, record) for caller in CALLERS for record in RECORDS.get(caller, ("own",))]
    operations = openapi.load().operations
    every = (
        Cell(caller, record, operation, interface, form, scheme, setting)
        for (caller, record), operation, interface, form, scheme, setting in product(
            asked, operations, INTERFACES, FORMS, schemes, SETTINGS
        )
    )
    return [cell for cell in every if _has_meaning(cell)]


def _has_meaning(cell: Cell) -> bool:
    operation = cell.called
    is_checked_elsewhere = (cell.interface, cell.form, cell.setting) == ("http", "plain", "alone")
    if cell.form not in forms(operation) or is_checked_elsewhere:
        return False
    if cell.form in BETWEEN and cell.interface == "tool":
        return False
    if operation.writes:
        return _approval_has_meaning(cell)
    if cell.caller == "no-review-role" or (cell.caller, operation.id) == (
        "outsider",
        "account_get",
    ):
        return False  # what these callers may read is not stated
    if cell.caller == "lacking another" and cell.form not in SINGLE_DEFECT | {"cursor"}:
        return False  # its grant need not be that of primary
    if cell.record == "own":
        # What primary gets alone is no question of access.
        return (cell.caller, cell.setting) != ("primary", "alone")
    if "{" in operation.path:
        # The cursor of one record beside another record has a check of its own.
        return cell.form != "cursor"
    return cell.record in OUTSIDE and cell.form == "filters"


def _approval_has_meaning(cell: Cell) -> bool:
    if cell.form == "replay":
        # Over HTTP, replays have a check of their own.
        is_of_another = cell.caller == "outsider" or outcome(cell) in REJECTED_BY_CREDENTIAL
        return is_of_another and cell.interface == "tool"
    # Approvals that succeed are trials: each takes a review.
    return outcome(cell) is not Outcome.SERVED


def forms(operation: Operation) -> tuple[str, ...]:
    """The forms in which an operation can be asked."""
    if operation.writes:
        return ("plain", "capitals", "replay")
    capitals = ("capitals",) if "{" in operation.path else ()
    if not operation.is_list:
        return ("plain", *capitals, "decorated")
    filters = ("filters",) if operation.filters else ()
    return ("plain", *LIMITS, *BETWEEN, "cursor", *filters, *capitals, "decorated")


def _kind(operation: Operation) -> tuple[bool, ...]:
    return operation.writes, operation.is_list, "{" in operation.path

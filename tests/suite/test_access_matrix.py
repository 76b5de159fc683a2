"""The matrix of access: its covering part, and the rule of its cells."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple
from itertools import combinations
from threading import Event

import pytest
from altered_target import having, stage, without

from conformance.contract import api
from conformance.contract.verdict import Inconclusive
from conformance.rules.access import Outcome, outcome, requirement
from conformance.suite.access import choice, rule
from conformance.suite.access.rule import BETWEEN, CALLERS, Cell
from conformance.suite.lists.covering import covering

CELLS = rule.cells(api.load().schemes)


def pairs(cell: Cell) -> set[object]:
    """Every pair of the values of a cell, with their places."""
    return set(combinations(enumerate(astuple(cell)), 2))


def test_a_part_of_the_cells_has_every_pair() -> None:
    """It has less than a tenth of the cells."""
    chosen = covering(CELLS, lambda cell: cell.combinations)

    every = set().union(*map(pairs, CELLS))
    assert set().union(*map(pairs, chosen)) == every
    assert len(chosen) < len(CELLS) / 10


def test_checks_side_by_side_choose_the_cells_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The others wait for the first, and take what it has chosen."""
    calls: list[int] = []

    def choose(cells: list[Cell], _: object) -> list[Cell]:
        calls.append(len(cells))
        begun.wait(10)
        return cells[:5]

    monkeypatch.setattr(choice, "covering", choose)
    begun = Event()
    with ThreadPoolExecutor(4) as pool:
        checks = [pool.submit(choice.chosen, -1) for _ in range(4)]
        begun.set()
        found = [check.result() for check in checks]

    assert calls == [len(CELLS)]
    assert [len(cells) for cells in found] == [5] * 4


def test_every_operation_rejects_in_every_form_over_http() -> None:
    """One operation may forget in one form only what it has to reject.

    Of the limits between the least and the largest, a caller without the permission tries each.
    """
    chosen = covering(CELLS, lambda cell: cell.combinations)

    def rejected(cells: list[Cell]) -> set[tuple[Outcome, str, str]]:
        over_http = [cell for cell in cells if cell.interface == "http"]
        return {(outcome(cell), cell.operation, cell.form) for cell in over_http}

    def is_covered(expected: Outcome, form: str) -> bool:
        is_few = form in BETWEEN and expected is not Outcome.FORBIDDEN
        return expected is not Outcome.SERVED and not is_few

    wanted = {each for each in rejected(CELLS) if is_covered(each[0], each[2])}
    assert rejected(chosen) >= wanted


def test_every_caller_asks_by_every_operation_and_interface() -> None:
    """Some callers are left out where the contract does not say what they may read."""
    asked = {(cell.caller, cell.operation, cell.interface) for cell in CELLS}
    left_out = {
        (caller, operation)
        for caller in CALLERS
        for operation in ("account_get", "project_get", "review_list", "review_approve")
        if (caller, operation, "tool") not in asked
    }
    assert left_out == {
        ("outsider", "account_get"),
        ("no-review-role", "account_get"),
        ("no-review-role", "project_get"),
        ("no-review-role", "review_list"),
        ("lacking another", "review_approve"),
    }


OUTCOMES = [
    (("primary", "own", "video_get", "http"), Outcome.SERVED, "read/success"),
    (("colleague", "own", "video_list", "tool"), Outcome.SERVED, "tools/data"),
    (("colleague", "foreign", "video_get", "tool"), Outcome.OUT_OF_REACH, "tools/grants"),
    (("primary", "ungranted", "review_get", "http"), Outcome.OUT_OF_REACH, "authorization/project"),
    (("primary", "absent", "review_approve", "http"), Outcome.OUT_OF_REACH, "approval/absent"),
    (("primary", "absent", "review_approve", "tool"), Outcome.OUT_OF_REACH, "tools/approval"),
    (("primary", "absent", "review_get", "http"), Outcome.OUT_OF_REACH, "read/absent"),
    (("outsider", "own", "review_get", "http"), Outcome.OUT_OF_REACH, "authorization/company"),
    (("outsider", "own", "review_list", "http"), Outcome.NOTHING_OF_OTHERS, "authorization/lists"),
    (
        ("primary", "foreign", "review_list", "http"),
        Outcome.NOTHING_OF_OTHERS,
        "authorization/filter",
    ),
    (("lacking", "own", "account_get", "http"), Outcome.FORBIDDEN, "authorization/permission"),
    (("lacking", "own", "account_get", "tool"), Outcome.FORBIDDEN, "tools/permission"),
    (("nobody", "own", "account_get", "http"), Outcome.UNAUTHENTICATED, "authentication/missing"),
    (("revoked", "own", "account_get", "tool"), Outcome.UNAUTHENTICATED, "tools/authentication"),
]


@pytest.mark.parametrize(("asked", "expected", "named"), OUTCOMES)
def test_one_rule_has_the_outcome_of_a_cell(
    asked: tuple[str, str, str, str], expected: Outcome, named: str
) -> None:
    """The rule also names the requirement."""
    cell = Cell(*asked, "plain", "bearer", "alone")
    assert (outcome(cell), requirement(cell)) == (expected, named)


def test_a_colleague_of_the_same_account_is_no_colleague() -> None:
    """Its cells show nothing, and those of primary remain."""

    def same(profile: dict[str, dict[str, object]]) -> None:
        profile["credentials"]["colleague"] = profile["credentials"]["primary"]

    with stage(same) as one:
        one.things["access"].check("read/success")
        paths = {request.url.path for request in one.transport.sent}
    assert "/v1/account" in paths  # its account was asked for


def test_a_requirement_without_any_cell_to_ask_is_inconclusive() -> None:
    """The message names what the profile lacks."""
    with stage(without("credentials/expired")) as one, pytest.raises(Inconclusive) as undecided:
        one.things["access"].check("authentication/expired")
    assert undecided.value.needs == ("credentials.expired",)


def test_a_wrong_secret_of_the_colleague_is_not_blamed_on_the_target() -> None:
    """Nothing shows that the target knows this secret."""
    wrong = having(
        "credentials/colleague", {"api-key": "lk_of-nobody-at-all", "bearer": "lt_of-nobody"}
    )
    with stage(wrong) as one:
        one.things["access"].check("read/success")
        one.things["access"].check("tools/data")

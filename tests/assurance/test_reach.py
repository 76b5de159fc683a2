"""The functions that checks reach, and the checks that edits need."""

from collections import Counter

import pytest

from conformance.assurance.selftest import checks, trial
from conformance.assurance.selftest.altered import Edit
from conformance.assurance.selftest.reach import BEFORE, Plan, Reach
from conformance.contract import requirements
from conformance.contract.verdict import Inconclusive
from conformance.http.exchange import Call
from conformance.http.sending import Sending
from conformance.runner.scheduling import Stage

EVERY = frozenset(check.name for check in checks.collected())


def classes(plan: Plan) -> set[str]:
    """The conformance classes of the checks of a plan."""
    catalogue = requirements.load()
    chosen = [check for check in checks.collected() if check.name in plan.checks]
    return {catalogue[check.requirement].conformance_class for check in chosen}


def test_every_request_is_one_of_a_check_or_a_fact(reach: Reach) -> None:
    """So the functions that it reaches are known as those of somebody."""
    needed = frozenset().union(*reach.performed.facts.values())

    assert reach.functions.keys() - {BEFORE} <= EVERY | needed
    assert sum("service:Service.admit" in found for found in reach.functions.values()) > 500
    assert "service:Service.admit" not in reach.functions[BEFORE]


def test_the_original_needs_no_check_and_everything_is_known(reach: Reach) -> None:
    """What is known of all checks gives the verdicts of a whole run."""
    plan = reach.plan(())

    assert (plan.checks, plan.known) == (frozenset(), reach.performed.all_seen)
    assert trial.outcome(plan.known) == trial.Outcome((), (), ())


def test_an_edit_of_the_description_needs_its_checks_alone(reach: Reach) -> None:
    """No other check fetches it."""
    plan = reach.plan((Edit("description", "await", "return await"),))

    assert classes(plan) == {"description"}
    assert plan.checks < EVERY
    assert trial.outcome(plan.known).inconclusive != ()


def test_an_edit_of_approvals_needs_all_that_comes_after_approvals(reach: Reach) -> None:
    """An approval that goes otherwise changes what others read."""
    plan = reach.plan((Edit("approval", "check_role(", "check_role(*(), *"),))
    every = checks.collected()

    later = {check.name for check in every if check.task.stage >= Stage.APPROVES}
    assert later <= plan.checks
    assert plan.checks < EVERY


def test_facts_are_found_as_early_as_in_a_run(reach: Reach) -> None:
    """What the checks after approvals need is taken, or found by the check that comes first."""
    plan = reach.plan((Edit("approval", "check_role(", "check_role(*(), *"),))
    in_order = sorted(checks.collected(), key=lambda check: check.task.stage)
    taken = {reach.facts[name].context.item for name in plan.facts}

    for check in in_order:
        if check.task.stage >= Stage.APPROVES:
            for fact in reach.performed.facts[check.name] - taken:
                needing = (
                    each.name for each in in_order if fact in reach.performed.facts[each.name]
                )
                assert next(needing) in plan.checks


def test_facts_that_an_edit_does_not_concern_are_taken(reach: Reach) -> None:
    """None that needs one which it does concern, and none of approvals."""
    plan = reach.plan((Edit("resources", 'comment["body"]', '(comment["body"])[:]'),))

    taken = Counter(name.partition("[")[0] for name in plan.facts)
    assert taken["pages"] > 100
    assert taken.keys().isdisjoint({"trial", "reviews", "history"})
    # A tool rejects an argument that it does not know, whatever comments there are.
    others = [name for name in plan.facts if "decorated" not in name]
    assert not any("comment_list" in name for name in others)
    for name in plan.facts:
        needed = {fact.context.item for fact in reach.facts[name].context.facts()}
        assert needed <= {reach.facts[each].context.item for each in plan.facts}


def test_a_fact_of_the_original_sends_nothing_more(reach: Reach) -> None:
    """Otherwise a mutant could pass with responses of the original."""
    context = next(iter(reach.facts.values())).context
    sending = Sending(context.target.credentials["primary"])

    with pytest.raises(Inconclusive, match="the run was stopped"):
        context.client.send(Call("account_get"), sending)


def test_an_edit_of_what_everybody_reaches_needs_every_check(reach: Reach) -> None:
    """So does one of what happens before all requests, and one of a class."""
    for edit in (
        Edit("app", '"/v1"', '"/v2"'),
        Edit("store", "def __init__(self, database", "def __init__(self, /, database"),
        Edit("target", "def profile(", "def profile(*, x=1, "),
    ):
        assert reach.plan((edit,)).checks == EVERY

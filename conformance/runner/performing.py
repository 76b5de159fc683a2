"""pytest as a face of the engine: an item ends as its check has ended."""

from collections.abc import Collection, Iterator
from functools import partial
from itertools import takewhile
from typing import Any

import pytest

from conformance.contract import requirements
from conformance.http.packed import PackedText
from conformance.runner import history, order, precedence, selection
from conformance.runner.collection import SUITE
from conformance.runner.context import Context
from conformance.runner.engine import Engine, Outcome, Round, Task
from conformance.runner.items import (
    KeptResult,
    Recorded,
    is_failed,
    name_of,
    record_of_fact,
    records_of_facts,
    result_of,
    stage_of,
)
from conformance.runner.result import ItemResult
from conformance.runner.scheduling import Stage
from conformance.runner.stash import ENGINE, GATHERER, PERFORM, RECORDED, SESSION

ROUNDS = {order.SMOKE: Round.SMOKE, order.QUICK: Round.QUICK}
"""The rounds that a wider run begins with, by their depths."""


def begin(session: pytest.Session) -> None:
    """Begin to perform the checks of the suite that were collected.

    A worker of xdist gets its items one by one, and performs each when it is its turn.
    """
    config = session.config
    if hasattr(config, "workerinput") or PERFORM not in config.stash:
        return
    checks = [item for item in session.items if _is_of_suite(item)]
    failed = selection.failed_first(checks, config)
    tasks = [
        Task(
            name_of(item),
            stage_of(item),
            partial(order.perform, item),
            precedence.of(item),
            _round(item, failed),
        )
        for item in checks
        if isinstance(item, pytest.Function)
    ]
    tasks += _comparisons({task.round for task in tasks})
    config.stash[RECORDED] = Recorded({name_of(item): item for item in checks})
    config.stash[ENGINE] = Engine(config.stash[SESSION], tasks)
    config.stash[ENGINE].start()


def _round(item: pytest.Item, failed: Collection[pytest.Item]) -> Round:
    if item in failed:
        return Round.FAILED
    return ROUNDS.get(order.round_of(item), Round.REST)


def _comparisons(rounds: Collection[Round]) -> Iterator[Task]:
    """What ends the reads of each narrow round, where a wider one follows."""
    for depth, round in ROUNDS.items():
        if round in rounds and round < max(rounds):
            item = history.item_of(depth)
            yield Task(item, Stage.COMPARES, history.examine_early, (), round)


def _is_of_suite(item: pytest.Item) -> bool:
    """Whether a check is one of ours: a user may have others, with fixtures of their own."""
    return item.get_closest_marker("requirement") is not None and item.path.is_relative_to(SUITE)


def context(item: pytest.Item) -> Context:
    """The context of a check that was performed, or a new one for pytest to perform it."""
    if not _is_of_engine(item):
        return item.config.stash[SESSION].context(name_of(item))
    _wait_for(item)
    return item.config.stash[ENGINE].outcome(name_of(item)).context


def passes_over(item: pytest.Item, following: pytest.Item | None) -> bool:
    """Whether a check was left out, since as many have failed as `--maxfail` allows.

    Or as many requirements as `--max-failures` does.

    pytest repeats those that have ended, in its order, up to the last failure that it allows.
    """
    ending = ("maxfail", "conformance_max_failures")
    if not any(map(item.config.getoption, ending)) or not _is_of_engine(item):
        return False
    _wait_for(item)
    if not item.config.stash[ENGINE].is_left_out(name_of(item)):
        return False
    # pytest has kept open what this item would have needed; the following one may not need it.
    item.session._setupstate.teardown_exact(following)
    return True


def _is_of_engine(item: pytest.Item) -> bool:
    """Whether the engine performs an item, and not pytest."""
    engine = item.config.stash.get(ENGINE, None)
    return engine is not None and _is_of_suite(item) and name_of(item) in engine


def _wait_for(item: pytest.Item) -> None:
    """Wait for the end of a check.

    What ends meanwhile is recorded: a run that is stopped then has lost nothing.
    """
    ended = item.config.stash[RECORDED].ended
    while name_of(item) not in ended:
        _record(item.session, item.config.stash[ENGINE].next_end())


def finish(session: pytest.Session) -> None:
    """Stop the engine, and record what has ended without being repeated by pytest."""
    engine = session.config.stash[ENGINE]
    engine.stop()
    for name in engine.ended():
        _record(session, name)


def _record(session: pytest.Session, name: str) -> None:
    engine, recorded = session.config.stash[ENGINE], session.config.stash[RECORDED]
    recorded.ended.add(name)
    if not engine.has_outcome(name):
        return
    outcome = engine.outcome(name)
    if name in recorded.items:
        result = result_of(recorded.items[name], outcome.problems, outcome.context)
    else:
        result = _compared(outcome)
    kept = KeptResult.of(result)
    if name in recorded.items:
        recorded.results[name] = kept
    if result.is_finished:
        recorded.finished.add(name)
    if name in recorded.results and is_failed(result):
        recorded.failed.add(name)
        if len(recorded.failed) == session.config.getoption("maxfail"):
            engine.begin_no_more()
    facts = (fact.context for fact in outcome.context.facts())
    new = {fact.item: _kept_fact(fact) for fact in facts if fact.item not in recorded.facts}
    recorded.facts.update(new)
    gatherer: Any = session.config.pluginmanager.get_plugin(GATHERER)
    if gatherer is not None:
        gatherer.record([kept.record, *filter(None, new.values())])
    outcome.context.release()


def _kept_fact(fact: Context) -> PackedText | None:
    text = record_of_fact(fact)
    return None if text is None else PackedText(text)


def _compared(outcome: Outcome) -> ItemResult:
    """What the reads of a round show together; an internal error is nobody's finding."""
    if outcome.problem is not None:
        raise outcome.problem
    context = outcome.context
    return context.finish(context.session.history.early[context.item])


def whole_rounds(config: pytest.Config) -> list[str] | None:
    """The rounds of which every check was performed to its end, by their depths.

    None for a run of a part of the checks, or of several processes, which has no rounds.
    """
    if ENGINE not in config.stash or config.stash[SESSION].focus is not None:
        return None
    classes = set(config.getoption("conformance_class") or requirements.CLASSES)
    if classes != set(requirements.CLASSES) or config.getoption("conformance_shard"):
        return None
    recorded = config.stash[RECORDED]
    left = recorded.items.keys() - recorded.finished
    unfinished = {order.round_of(recorded.items[name]) for name in left}
    return list(takewhile(lambda each: each not in unfinished, order.rounds(config)))


def take(item: pytest.Item) -> bool:
    """Take the result of a check that the engine has performed; whether there is one."""
    if not _is_of_engine(item):
        return False
    _wait_for(item)
    kept = item.config.stash[RECORDED].results.pop(name_of(item), None)
    if kept is None:
        return False
    gatherer: Any = item.config.pluginmanager.get_plugin(GATHERER)
    performed = item.config.stash[ENGINE].outcome(name_of(item)).context
    gatherer.take([kept.record.text, *records_of_facts(item, performed)])
    return True


def repeat(item: pytest.Function) -> bool | None:
    """Raise what has ended the check of an item; None where pytest has to perform it."""
    if not _is_of_engine(item):
        return None
    problem = item.config.stash[ENGINE].outcome(name_of(item)).problem
    if problem is not None:
        raise problem
    return True

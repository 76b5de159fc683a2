"""Schemas of a target that lead to one another thousands of times, and values within values."""

import functools
import json
from itertools import pairwise
from typing import Any, cast

import pytest

from conformance.contract import files
from conformance.contract.description.compare import description, examine
from conformance.contract.description.source import TooLargeError
from conformance.report.document_types import ExchangeEntry, FindingEntry
from conformance.report.repair import are_equal

CHECKS = 13
"""Checks that ask for the description, side by side; each keeps what it was told."""


def linked(length: int) -> str:
    """A description in which an account is what the first of so many schemas is."""
    document = json.loads(json.dumps(files.document("openapi.yaml")))
    names = [f"L{number}" for number in range(length)]
    document["components"]["schemas"] |= {
        name: {"allOf": [{"$ref": f"#/components/schemas/{following}"}]}
        for name, following in pairwise([*names, "Last"])
    }
    document["components"]["schemas"] |= {
        "Last": {"type": "object"},
        "Account": {"$ref": "#/components/schemas/L0"},
    }
    return json.dumps(document)


def test_what_is_too_large_is_found_out_once() -> None:
    """Every check was told anew, and kept all that had been built until then: 70 MB for each."""
    text, kept = linked(30_000), []
    for _ in range(CHECKS):
        with pytest.raises(TooLargeError, match="too many different references") as raised:
            description(text)
        kept.append(raised)
    assert len(kept) == CHECKS


def test_a_chain_of_alternatives_is_compared_up_to_a_bound() -> None:
    """It is no internal error, whatever the depth of Python's calls."""
    assert examine(linked(2_000))


def test_responses_that_are_nested_deeply_are_not_called_equal() -> None:
    """A failure is repeated, and its responses are compared with the first ones."""
    innermost: Any = 1
    levels = functools.reduce(lambda inner, _: [inner], range(900), innermost)
    headers = [["content-type", "application/json"]]
    response = {"status": 200, "headers": headers, "body": {"text": json.dumps(levels)}}
    exchange = cast("ExchangeEntry", {"response": response})
    assert not are_equal(cast("FindingEntry", {}), [exchange], [exchange])

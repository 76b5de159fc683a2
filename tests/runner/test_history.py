"""What a run remembers of the records of a target."""

import json
import uuid

import pytest

from conformance.contract import openapi
from conformance.http.exchange import Call, Exchange, Request, Response
from conformance.rules import answer
from conformance.rules.answer import Answer
from conformance.runner import history
from conformance.runner.history import History

JSON = (("content-type", "application/json"),)


def page(number: int, *ids: str, name: str) -> Answer:
    """A page of projects with these ids."""
    items = [{"id": id, "name": name} for id in ids]
    body = json.dumps({"data": {"items": items, "nextCursor": None}, "requestId": "r"}).encode()
    call, request = Call("project_list"), Request("GET", "https://x/v1/projects", ())
    response = Response(200, JSON, body)
    found = answer.of(
        Exchange("item", number, call, "", "primary", "api-key", request, response), openapi.load()
    )
    assert found is not None
    return found


def test_a_target_with_new_records_in_each_response_takes_little_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first ones are compared, however many others follow."""
    monkeypatch.setattr(history, "MOST_RECORDS", 2)
    seen = History()
    first, *others = (str(uuid.uuid4()) for _ in range(5))
    seen.add(page(1, first, *others, name="One"))
    seen.add(page(2, first, *others, name="Another"))

    assert {id for _, id, *_ in seen.records()} == {first, others[0]}

"""The checks of the description, on small applications with various descriptions."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson
import pytest

from conformance.contract import openapi
from conformance.contract.verdict import Inconclusive, Violation
from conformance.http.exchange import Call
from conformance.http.in_process import InProcess
from conformance.http.sending import Sending
from conformance.reference import ManualClock, Reference
from conformance.runner.depth import DEPTHS
from conformance.runner.session import Session
from conformance.suite import test_description as checks
from conformance.suite.lists.live import Live
from conformance.target.profile import parse

BASE = "http://target.invalid/v1"
HERE = f"{BASE}/openapi.json"
ELSEWHERE = "http://elsewhere.invalid/openapi.json"
CHECKS = [checks.__dict__[name] for name in sorted(vars(checks)) if name.startswith("test_")]
COMPARING = [check for check in CHECKS if check is not checks.test_the_description_is_published]


@dataclass
class Publisher:
    """An application that returns one body for every request with a valid credential."""

    body: bytes
    status: int = 200
    welcome: bytes | None = None

    async def __call__(self, scope: Any, _receive: Any, send: Any) -> None:
        """Respond to one request."""
        rejected = self.welcome is not None and (b"x-api-key", self.welcome) not in scope["headers"]
        await send(
            {
                "type": "http.response.start",
                "status": 401 if rejected else self.status,
                "headers": [],
            }
        )
        await send({"type": "http.response.body", "body": b"{}" if rejected else self.body})


class Targets:
    """Creates targets, and releases their resources."""

    def __init__(self) -> None:
        self.sessions: list[Session] = []

    def of(self, application: Any, **profile: Any) -> Live:
        """The data of a target that runs this application."""
        target = parse({"base-url": BASE, **profile}, environ={})
        self.sessions.append(
            Session(target, InProcess(application, lambda _: None), seed=1, depth=DEPTHS["quick"])
        )
        return Live(self.sessions[-1].context("item"))

    def publishing(self, body: bytes, status: int = 200) -> Live:
        """A target that publishes this body."""
        return self.of(Publisher(body, status), description={"url": HERE})


@pytest.fixture
def targets() -> Iterator[Targets]:
    """Targets until the end of the test."""
    made = Targets()
    yield made
    for session in made.sessions:
        session.close()


@pytest.fixture
def reference() -> Iterator[Live]:
    """The bundled reference."""
    clock = ManualClock()
    made = Reference(clock=clock)
    session = Session(
        parse(made.profile(BASE), environ={}),
        InProcess(made.app, clock.advance),
        seed=1,
        depth=DEPTHS["quick"],
    )
    yield Live(session.context("item"))
    session.close()
    made.close()


@pytest.mark.parametrize("check", CHECKS)
def test_the_description_of_the_reference_passes(check: Any, reference: Live) -> None:
    """The only differences are those that the specification leaves open about the approval."""
    check(reference)
    subjects = {subject for _, subject, _ in reference.session.observations}
    is_reported = check is checks.test_free_choices_of_the_description
    assert subjects == ({"open: review_approve"} if is_reported else set())


@pytest.mark.parametrize("check", CHECKS)
def test_without_a_url_the_description_is_inconclusive(check: Any, targets: Targets) -> None:
    """The message names the key of the profile."""
    with pytest.raises(Inconclusive) as undecided:
        check(targets.of(Publisher(b"")))
    assert undecided.value.needs == ("description.url",)


def _document(**properties: Any) -> bytes:
    return orjson.dumps({**openapi.load().document, **properties})


@pytest.mark.parametrize(
    ("body", "status", "pattern"),
    [
        (b"", 404, "404"),
        (b"<html>", 200, "is not a mapping"),
        (b"a: [\n", 200, "is not valid YAML"),
        (b'swagger: "2.0"', 200, "not an OpenAPI 3 document"),
    ],
    ids=["absent", "a page", "no YAML", "Swagger"],
)
def test_an_unusable_document_violates_one_requirement(
    targets: Targets, body: bytes, status: int, pattern: str
) -> None:
    """The other requirements are inconclusive."""
    target = targets.publishing(body, status)
    with pytest.raises(Violation, match=pattern):
        checks.test_the_description_is_published(target)
    for check in COMPARING:
        with pytest.raises(Inconclusive):
            check(target)


@pytest.mark.parametrize(
    ("publisher", "url", "needs"),
    [
        (
            Publisher(_document(paths={"/a": {"$ref": "a.yaml"}})),
            HERE,
            "description.url of one document with everything",
        ),
        (Publisher(b"", 302), HERE, "description.url without a redirect"),
        (Publisher(b"", 401), HERE, "credentials.primary"),
        (Publisher(b"", 403), ELSEWHERE, "description.url without a credential"),
        (Publisher(b"", 503), HERE, "a target that responds"),
    ],
    ids=["in parts", "elsewhere", "for no caller", "of another host", "away"],
)
@pytest.mark.parametrize(
    "check", [checks.test_the_description_is_published, checks.test_the_operations]
)
def test_checks_of_the_description_name_their_prerequisites(
    targets: Targets, check: Any, publisher: Publisher, url: str, needs: str
) -> None:
    """The checks are inconclusive."""
    with pytest.raises(Inconclusive) as undecided:
        check(targets.of(publisher, description={"url": url}))
    assert undecided.value.needs == (needs,)


def test_a_protected_description_is_fetched_as_primary(targets: Targets) -> None:
    """The credential is never sent to another host."""
    application = Publisher(_document(), welcome=b"secret")
    credentials = {"primary": {"api-key": "secret"}}
    checks.test_the_operations(
        targets.of(application, credentials=credentials, description={"url": HERE})
    )
    with pytest.raises(Inconclusive):
        checks.test_the_operations(
            targets.of(application, credentials=credentials, description={"url": ELSEWHERE})
        )


def test_differences_are_listed_up_to_a_bound(targets: Targets) -> None:
    """The message has the number of further differences."""
    paths = {
        path: item
        for path, item in openapi.load().document["paths"].items()
        if not path.startswith("/reviews")
    }
    with pytest.raises(Violation) as caught:
        checks.test_the_operations(targets.publishing(_document(paths=paths)))
    assert caught.value.message.startswith(
        "review_list: is not described (specified: GET /reviews; described: )"
    )
    with pytest.raises(Violation) as caught:
        checks.test_the_operations(targets.publishing(_document(paths={})))
    assert caught.value.message.endswith("and 5 more (`conformance diff` lists them)")


def test_an_undescribed_status_is_incomplete(targets: Targets) -> None:
    """It violates only description/complete."""
    document = orjson.loads(_document())
    del document["paths"]["/account"]["get"]["responses"]["502"]
    target = targets.publishing(orjson.dumps(document))
    checks.test_the_responses(target)
    with pytest.raises(Violation, match="account_get, 502: is not described"):
        checks.test_the_description_is_complete(target)


def test_a_harmless_difference_is_observed(targets: Targets) -> None:
    """The observation names the affected operations."""
    target = targets.publishing(_document(servers=[{"url": "https://example.com"}]))
    checks.test_free_choices_of_the_description(target)
    message = "servers: a server URL does not end with the version segment v1"
    assert target.session.observations == [("observe/description", "open: the document", message)]


def test_responses_are_compared_with_the_published_description(
    reference: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An observation has the location and the keyword, without the value."""
    document = orjson.loads(_document())
    document["components"]["schemas"]["Account"]["properties"]["displayName"] = {
        "type": "string",
        "maxLength": 1,
    }
    document["components"]["schemas"]["Error"]["properties"]["code"] = {
        "type": "string",
        "pattern": "(",
    }
    text = orjson.dumps(document).decode()
    monkeypatch.setattr(checks, "text_of", lambda _: text)
    checks.test_responses_fit_both_descriptions(reference)
    message = "does not fit the description at data/displayName (maxLength)"
    assert reference.session.observations == [
        ("observe/described-answers", "account_get: 200", message)
    ]


def test_without_data_there_are_no_responses_to_compare(targets: Targets) -> None:
    """There are no observations."""
    target = targets.of(
        Publisher(_document(paths={})),
        credentials={"primary": {"api-key": "secret"}},
        description={"url": HERE},
    )
    checks.test_responses_fit_both_descriptions(target)
    assert target.session.observations == []


def test_the_reference_publishes_its_description_read_only(reference: Live) -> None:
    """GET and HEAD are served, with the requested URL as server."""
    client, url = reference.session.client, reference.session.target.description_url
    sendings = [
        Sending(None, url=f"{url}?a=1", method=method, in_contract=False)
        for method in ("GET", "HEAD", "POST")
    ]
    responses = [client.send(Call("description"), sending) for sending in sendings]
    assert [response.status for response in responses] == [200, 200, 405]
    assert (responses[0].json["servers"], responses[1].response and responses[1].response.body) == (
        [{"url": BASE}],
        b"",
    )

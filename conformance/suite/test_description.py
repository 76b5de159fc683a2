"""The description that the target publishes: an OpenAPI document that means what the contract means (Versioning)."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from conformance.contract.description import responses
from conformance.contract.description.compare import description, examine, pairs
from conformance.contract.description.difference import BREAKING, Aspect, Difference
from conformance.contract.description.document import Document, SchemaError
from conformance.contract.description.source import SourceError, UnbundledError
from conformance.contract.verdict import Inconclusive, Kind, Violation, defect
from conformance.http.exchange import MISSING, Call, Exchange
from conformance.http.sending import Sending
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live

KEY = "description.url"
ACCEPT = ("accept", "application/json, application/yaml;q=0.9, */*;q=0.1")
MOST_TOLD = 5
MOST_OBSERVED = 40
FEW = "3"


@requirement("description/published")
def test_the_description_is_where_the_profile_says(live: Live) -> None:
    """The address answers with an OpenAPI 3 document, JSON or YAML."""
    answer = _fetched(live)

    expect.status(answer, 200)
    try:
        description(_text(answer))
    except UnbundledError as problem:
        raise _unbundled(problem, answer) from None
    except SourceError as problem:
        raise Violation(
            defect(Kind.UNSORTED, _told(problem), expected="an OpenAPI 3.1 document"),
            exchanges=[answer.id],
        ) from None


@requirement("description/valid")
def test_the_description_is_valid(live: Live) -> None:
    """The document keeps the rules of the version of OpenAPI that it claims."""
    _judge(live, Aspect.VALID)


@requirement("description/version")
def test_the_version_of_openapi(live: Live) -> None:
    """It claims a version 3.1."""
    _judge(live, Aspect.VERSION)


@requirement("description/api-version")
def test_the_version_of_the_api(live: Live) -> None:
    """It describes version 1.0.0."""
    _judge(live, Aspect.API_VERSION)


@requirement("description/operations")
def test_the_operations(live: Live) -> None:
    """Every operation is there with its identifier, method and path."""
    _judge(live, Aspect.OPERATIONS)


@requirement("description/parameters")
def test_the_parameters(live: Live) -> None:
    """What callers may send is described as something that they may send."""
    _judge(live, Aspect.PARAMETERS)


@requirement("description/body")
def test_the_body_of_the_approval(live: Live) -> None:
    """The members of the approval's body may be sent, and nothing else has to be."""
    _judge(live, Aspect.BODY)


@requirement("description/responses")
def test_the_answers(live: Live) -> None:
    """200 is described as JSON, no status is that the contract does not have, and a 429 says how long to wait."""
    _judge(live, Aspect.RESPONSES)


@requirement("description/schemas")
def test_the_records(live: Live) -> None:
    """Nothing may come that the contract rules out, and nothing may be missing that it promises."""
    _judge(live, Aspect.SCHEMAS)


@requirement("description/security")
def test_the_credentials_and_permissions(live: Live) -> None:
    """Each operation takes an API key or a bearer token, either alone, and needs its own permission."""
    _judge(live, Aspect.SECURITY)


@requirement("description/complete")
def test_nothing_is_passed_over(live: Live) -> None:
    """Every error status and its body, and the default of a limit, are described too."""
    _judge(live, Aspect.COMPLETE)


@requirement("observe/description")
def test_what_the_description_decides_for_itself(live: Live) -> None:
    """Differences where the contract leaves a choice, and those that harm nobody."""
    answer = _described(live)[0]
    kept = [each for each in examine(_text(answer)) if each.effect not in BREAKING]
    for each in kept[:MOST_OBSERVED]:
        subject = f"{each.effect}: {', '.join(each.operations) or 'the document'}"
        live.session.observations.append(("observe/description", subject, str(each)))


@requirement("observe/described-answers")
def test_answers_fit_both_descriptions(live: Live) -> None:
    """Answers of this run that fit the contract but not the published description, or the other way round."""
    found = pairs(_described(live)[1])
    for answer in _answers(live):
        name = answer.operation
        views = responses.views(found[name], str(answer.status)) if name in found else None
        if views is None or answer.json is MISSING:
            continue
        try:
            ours, theirs = (view.flaw(answer.json) for view in views)
        except SchemaError:
            continue  # told as a difference of the schemas already
        if (ours is None) != (theirs is None):
            told = (
                f"does not fit the description at {theirs}"
                if ours is None
                else f"fits the description, but not the contract at {ours}"
            )
            live.session.observations.append(
                ("observe/described-answers", f"{name}: {answer.status}", told)
            )


def _answers(live: Live) -> list[Exchange]:
    """A success and a refusal of each reading operation, where the target has something to read."""
    requests = []
    for operation in live.session.contract.operations.values():
        if operation.writes:
            continue
        try:
            call = live.call(operation)
        except Inconclusive:
            continue
        success = Sending(
            live.callers.credential("primary"), purpose="does it fit the description?"
        )
        requests.append((call.asking(limit=FEW) if operation.is_list else call, success))
        requests.append((call, Sending(None, purpose="does a refusal fit the description?")))
    return live.callers.send_each(requests)


# --- the document --------------------------------------------------------------------------------------------------------


def _judge(live: Live, aspect: Aspect) -> None:
    """Nothing of this aspect breaks anybody; of what is passed over, nothing at all is."""
    answer = _described(live)[0]
    broken = [
        each
        for each in examine(_text(answer))
        if each.aspect is aspect and (each.effect in BREAKING or aspect is Aspect.COMPLETE)
    ]
    if broken:
        expected = broken[0].specified or "what the contract says"
        raise Violation(
            defect(Kind.UNSORTED, "; ".join(_listed(broken)), expected=expected),
            exchanges=[answer.id],
        )


def _listed(differences: list[Difference]) -> Iterator[str]:
    for each in differences[:MOST_TOLD]:
        yield f"line {each.lines[0]}, {each}" if each.lines else str(each)
    if len(differences) > MOST_TOLD:
        yield f"and {len(differences) - MOST_TOLD} more (`conformance diff` lists them)"


def _described(live: Live) -> tuple[Exchange, Document]:
    """The description; Inconclusive where there is none, which is a matter of its own requirement."""
    answer = _fetched(live)
    expect.clear(answer)
    if answer.status != 200:
        raise Inconclusive(
            f"the description is answered {answer.describe()}", needs=(KEY,), exchanges=[answer.id]
        )
    try:
        return answer, description(_text(answer))
    except UnbundledError as problem:
        raise _unbundled(problem, answer) from None
    except SourceError as problem:
        raise Inconclusive(_told(problem), needs=(KEY,), exchanges=[answer.id]) from None


def _unbundled(problem: SourceError, answer: Exchange) -> Inconclusive:
    return Inconclusive(
        _told(problem),
        needs=(f"{KEY} of one document that holds everything",),
        exchanges=[answer.id],
    )


def _told(problem: SourceError) -> str:
    place = "" if problem.line is None else f", on line {problem.line},"
    return f"the document{place} {problem.message}"


def _text(answer: Exchange) -> str:
    assert answer.response is not None
    return answer.response.body.decode("utf-8-sig", "replace")


def _fetched(live: Live) -> Exchange:
    """The answer at the address of the description: to nobody, or else to primary, if the target asks who is there."""
    url = live.session.target.description_url
    if url is None:
        raise Inconclusive("the profile does not say where the description is", needs=(KEY,))
    sending = Sending(
        None, purpose="the published description", headers=(ACCEPT,), in_contract=False, url=url
    )
    answer = live.session.client.send(Call("description"), sending)
    if answer.status in (401, 403):
        return _fetched_as_primary(live, url, answer)
    if answer.status is not None and 300 <= answer.status < 400:
        raise Inconclusive(
            "the description is somewhere else",
            needs=(f"{KEY} that is not redirected",),
            exchanges=[answer.id],
        )
    return answer


def _fetched_as_primary(live: Live, url: str, refused: Exchange) -> Exchange:
    # A credential is for the API that it belongs to, and goes to no other host.
    if urlsplit(url)[:2] != urlsplit(live.session.target.base_url)[:2]:
        raise Inconclusive(
            f"the description is answered {refused.describe()}",
            needs=(f"{KEY} for everybody",),
            exchanges=[refused.id],
        )
    sending = Sending(
        live.callers.credential("primary"),
        purpose="the description, to primary",
        headers=(ACCEPT,),
        in_contract=False,
        url=url,
    )
    return live.session.client.send(Call("description"), sending)

"""The published description: an OpenAPI document that agrees with the contract (Versioning)."""

from collections.abc import Iterator

from conformance.contract.description import responses
from conformance.contract.description.compare import description, examine, pairs
from conformance.contract.description.difference import BREAKING, Aspect, Difference
from conformance.contract.description.document import Document, SchemaError
from conformance.contract.description.source import SourceError, TooLargeError, UnbundledError
from conformance.contract.openapi import Operation
from conformance.contract.quantity import quantity
from conformance.contract.verdict import Inconclusive, Kind, Location, Part, defect
from conformance.http.exchange import MISSING, Call, Exchange
from conformance.http.sending import Sending
from conformance.suite.callers import expect
from conformance.suite.callers.requirement import requirement
from conformance.suite.lists.live import Live
from conformance.suite.lists.published import KEY, fetch_description, text_of

MAX_REPORTED = 5
MAX_OBSERVED = 40


@requirement("description/published")
def test_the_description_is_published(live: Live) -> None:
    """The address of the profile returns an OpenAPI 3 document, as JSON or YAML."""
    response = fetch_description(live)

    expect.status(response, 200)
    try:
        _described_by(response)
    except (TooLargeError, UnbundledError) as problem:
        raise _not_comparable(problem, response) from None
    except SourceError as problem:
        violation = defect(
            Kind.BODY,
            "the description is not a usable document: {problem}",
            expected="an OpenAPI 3.1 document",
            problem=_described(problem),
        ).at(Location(Part.BODY, exchange=response.id))
        expect.violated(violation, response)


@requirement("description/valid")
def test_the_description_is_valid(live: Live) -> None:
    """The document is valid by the version of OpenAPI that it states."""
    _check(live, Aspect.VALID)


@requirement("description/version")
def test_the_version_of_openapi(live: Live) -> None:
    """The document states a version 3.1."""
    _check(live, Aspect.VERSION)


@requirement("description/patch-version")
def test_the_patch_version_of_openapi(live: Live) -> None:
    """The document states version 3.1.1."""
    _check(live, Aspect.PATCH)


@requirement("description/api-version")
def test_the_version_of_the_api(live: Live) -> None:
    """The document states API version 1.0.0."""
    _check(live, Aspect.API_VERSION)


@requirement("description/operations")
def test_the_operations(live: Live) -> None:
    """The document has every operation with its identifier, method and path."""
    _check(live, Aspect.OPERATIONS)


@requirement("description/parameters")
def test_the_parameters(live: Live) -> None:
    """The document allows the parameters and the values that the contract allows."""
    _check(live, Aspect.PARAMETERS)


@requirement("description/body")
def test_the_body_of_the_approval(live: Live) -> None:
    """The document allows the properties of the approval's body and requires no others."""
    _check(live, Aspect.BODY)


@requirement("description/responses")
def test_the_responses(live: Live) -> None:
    """The document describes JSON for 200, statuses of the contract, and Retry-After for 429."""
    _check(live, Aspect.RESPONSES)


@requirement("description/schemas")
def test_the_schemas(live: Live) -> None:
    """The schemas allow nothing that the contract excludes, and require what it requires."""
    _check(live, Aspect.SCHEMAS)


@requirement("description/security")
def test_the_security_schemes(live: Live) -> None:
    """Each operation takes an API key or a bearer token, and names its permission."""
    _check(live, Aspect.SECURITY)


@requirement("description/complete")
def test_the_description_is_complete(live: Live) -> None:
    """The document also describes every error status with its body, and default limits."""
    _check(live, Aspect.COMPLETE)


@requirement("observe/description")
def test_free_choices_of_the_description(live: Live) -> None:
    """Differences that the contract allows, and harmless ones, are observed."""
    response, _ = _require_description(live)
    free = [each for each in _differences(response) if each.effect not in BREAKING]
    for each in free[:MAX_OBSERVED]:
        subject = f"{each.effect}: {', '.join(each.operations) or 'the document'}"
        live.session.observe("observe/description", subject, str(each))


@requirement("observe/described-answers")
def test_responses_fit_both_descriptions(live: Live) -> None:
    """Responses that fit only one of the contract and the published description are observed."""
    operations = pairs(_require_description(live)[1])
    for response in _responses(live):
        name = response.operation
        if name not in operations or response.json is MISSING:
            continue
        views = responses.views(operations[name], str(response.status))
        if views is None:
            continue
        try:
            by_contract, by_description = (view.flaw(response.json) for view in views)
        except SchemaError:
            continue  # reported as a difference of the schemas
        if (by_contract is None) == (by_description is None):
            continue
        text = f"fits the description, but not the contract at {by_contract}"
        if by_contract is None:
            text = f"does not fit the description at {by_description}"
        subject = f"{name}: {response.status}"
        live.session.observe("observe/described-answers", subject, text)


def _responses(live: Live) -> list[Exchange]:
    """A success response of each read operation, most of which others read, and an error."""
    simplest = Call(live.session.api.simplest.id)
    success = Sending(live.callers.credential("primary"), purpose="does it fit the description?")
    error = Sending(None, purpose="does an error response fit the description?")
    operations = live.session.contract.operations.values()
    shared = [response for each in operations for response in _shared(each, live)]
    return [*live.callers.send_each([(simplest, success), (simplest, error)]), *shared]


def _shared(operation: Operation, live: Live) -> list[Exchange]:
    """The first success response of an operation among those that several checks share."""
    if operation.writes or operation.id == live.session.api.simplest.id:
        return []
    try:
        if not operation.is_list:
            return [read for _, read in live.readings(operation)][:1]
        if "{" in operation.path:
            return [*live.children(operation.id).values()][:1]
        return [*live.listing(operation.id).pages][:1]
    except Inconclusive:
        return []


# --- the document ---------------------------------------------------------------------------------


def _check(live: Live, aspect: Aspect) -> None:
    """Violation where the description differs from the contract in this aspect, to some harm.

    A description is complete, and has the very version, only without any difference.
    """
    response, _ = _require_description(live)
    differences = [each for each in _differences(response) if each.aspect is aspect]
    if aspect not in (Aspect.COMPLETE, Aspect.PATCH):
        differences = [each for each in differences if each.effect in BREAKING]
    if differences:
        has_lines = "\n" in text_of(response).strip()
        violation = defect(
            Kind.DECLARED,
            "{differences}",
            expected=differences[0].specified or "what the contract states",
            actual=differences[0].described or None,
            differences="; ".join(_lines(differences, has_lines=has_lines)),
            lines=_first_lines(differences) if has_lines else [],
        ).at(Location(Part.BODY, exchange=response.id))
        expect.violated(violation, response)


def _first_lines(differences: list[Difference]) -> list[int]:
    """Where the reported differences begin, for reports that point into the document."""
    return [each.lines[0] for each in differences[:MAX_REPORTED] if each.lines]


def _lines(differences: list[Difference], *, has_lines: bool) -> Iterator[str]:
    """Each difference with its operations, and its line in a document of several lines."""
    for each in differences[:MAX_REPORTED]:
        place = [f"line {each.lines[0]}"] if has_lines and each.lines else []
        if each.operations and each.where not in each.operations:
            more = len(each.operations) - 1
            others = f" and {quantity(more, 'other operation')}" if more else ""
            place.append(f"{each.operations[0]}{others}")
        yield ", ".join([*place, str(each)])
    if len(differences) > MAX_REPORTED:
        yield f"and {len(differences) - MAX_REPORTED} more (`conformance diff` lists them)"


def _described_by(response: Exchange) -> Document:
    return description(text_of(response), response.request.url)


def _differences(response: Exchange) -> tuple[Difference, ...]:
    return examine(text_of(response), response.request.url)


def _require_description(live: Live) -> tuple[Exchange, Document]:
    """The response with the description and its document; Inconclusive if there is none."""
    response = fetch_description(live)
    expect.clear(response)
    if response.status != 200:
        message = f"the URL of the description returned {response.describe()}"
        raise Inconclusive(message, needs=(KEY,), exchanges=[response.id])
    try:
        return response, _described_by(response)
    except (TooLargeError, UnbundledError) as problem:
        raise _not_comparable(problem, response) from None
    except SourceError as problem:
        message = _described(problem)
        raise Inconclusive(message, needs=(KEY,), exchanges=[response.id]) from None


def _not_comparable(problem: SourceError, response: Exchange) -> Inconclusive:
    is_large = isinstance(problem, TooLargeError)
    what = "a smaller document" if is_large else "one document with everything"
    needs = (f"{KEY} of {what}",)
    return Inconclusive(_described(problem), needs=needs, exchanges=[response.id])


def _described(problem: SourceError) -> str:
    place = "" if problem.line is None else f", on line {problem.line},"
    return f"the document{place} {problem.message}"

"""`conformance diff`: compares a published OpenAPI document with the contract."""

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.commands.outcome import UsageError
from conformance.contract.description.compare import examine
from conformance.contract.description.difference import BREAKING, Difference, Effect
from conformance.contract.description.source import SourceError
from conformance.contract.exit_codes import CONFORMANT, NON_CONFORMANT
from conformance.report.console import output
from conformance.report.text import short
from conformance.storage import regular_file

if TYPE_CHECKING:
    from httpx import Response

HEADINGS = {
    Effect.CLIENTS: "BREAKS CLIENTS: responses may differ from what a client may expect",
    Effect.CALLERS: "BREAKS CALLERS: requests that the specification allows would be rejected",
    Effect.OPEN: "OPEN: the specification leaves a choice",
    Effect.HARMLESS: "HARMLESS: still covers everything that the specification has",
}
MOST_LINES = 8
MOST_REDIRECTS = 3
LONGEST_ADDRESS = 200
HEADERS = {
    "accept": "application/json, application/yaml, */*;q=0.1",
    "accept-encoding": "gzip, deflate",
}


def run(arguments: argparse.Namespace) -> int:
    """Print the differences; 1 where one breaks clients or callers. Raises UsageError."""
    stated = arguments.document
    is_address = stated.startswith(("http://", "https://"))
    text = _fetched(stated) if is_address else _text(Path(stated))
    name = _shown(stated) if is_address else stated
    try:
        found = examine(text, stated if is_address else Path(stated).absolute().as_uri())
    except SourceError as problem:
        place = name if problem.line is None else f"{name}:{problem.line}"
        raise UsageError(f"{place}: {problem.message}") from None
    if arguments.json:
        output.document(document(name, found))
    else:
        output.lines(lines(name, found))
    return NON_CONFORMANT if any(each.effect in BREAKING for each in found) else CONFORMANT


def lines(name: str, differences: Sequence[Difference]) -> Iterator[str]:
    """The differences by their effect, then their numbers."""
    for effect, heading in HEADINGS.items():
        selected = [each for each in differences if each.effect is effect]
        if selected:
            yield heading
        for each in selected:
            yield from _paragraph(name, each)
        if selected:
            yield ""
    yield _sum(differences)


def document(name: str, differences: Sequence[Difference]) -> dict[str, Any]:
    """The differences as JSON-able values.

    {document, breaking, counts, differences: [{effect, aspect, where, message, …, lines}]}
    """
    return {
        "document": name,
        "breaking": any(each.effect in BREAKING for each in differences),
        "counts": {
            effect.value: sum(each.effect is effect for each in differences) for effect in Effect
        },
        "differences": [
            {
                "effect": each.effect.value,
                "aspect": each.aspect.value,
                "requirement": f"description/{each.aspect.value}",
                "where": each.where,
                "message": each.message,
                "specified": each.specified or None,
                "described": each.described or None,
                "operations": list(each.operations),
                "lines": list(each.lines),
            }
            for each in differences
        ],
    }


def _paragraph(name: str, each: Difference) -> Iterator[str]:
    place = f"{name}:{each.lines[0]}" if each.lines else name
    yield f"  {place}  {each.where}: {each.message}"
    if each.specified:
        yield f"      specified  {each.specified}"
    if each.described:
        yield f"      described  {each.described}"
    if each.operations:
        yield f"      on         {', '.join(each.operations)}"
    if len(each.lines) > 1:
        rest = f" and {len(each.lines) - MOST_LINES} more" if len(each.lines) > MOST_LINES else ""
        yield f"      lines      {', '.join(map(str, each.lines[:MOST_LINES]))}{rest}"


def _sum(differences: Sequence[Difference]) -> str:
    if not differences:
        return "The description agrees with the contract."
    counts = {effect: sum(each.effect is effect for each in differences) for effect in Effect}
    numbers = [f"{number} {effect.value}" for effect, number in counts.items() if number]
    breaking = counts[Effect.CLIENTS] + counts[Effect.CALLERS]
    conclusion = "the description violates the contract" if breaking else "nothing breaks"
    return f"{', '.join(numbers)}: {conclusion}"


def _text(path: Path) -> str:
    try:
        return regular_file.read(path, follow=True).decode("utf-8-sig")
    except OSError as problem:
        raise UsageError(f"{path}: cannot be read: {problem.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not UTF-8 text") from None


def _shown(url: str) -> str:
    """A URL without what may be a secret: user, password, query and fragment."""
    return re.sub(r"//[^/?#]*@", "//", re.split(r"[?#]", url)[0])


def _fetched(url: str) -> str:
    """The text at a URL, within the budget of a command. Raises UsageError."""
    import httpx  # noqa: PLC0415 - only where there is something to fetch

    from conformance.commands.connection import network  # noqa: PLC0415
    from conformance.http import content_coding  # noqa: PLC0415
    from conformance.http.outgoing import TIMEOUT  # noqa: PLC0415

    client = httpx.Client(
        transport=network(),
        follow_redirects=True,
        max_redirects=MOST_REDIRECTS,
        headers=HEADERS,
        event_hooks={"response": [_require_own_server]},
    )
    try:
        with client, client.stream("GET", url, extensions={"timeout": TIMEOUT}) as response:
            if response.status_code != 200:
                raise UsageError(f"{_shown(url)}: returned {response.status_code}")
            content, cut = content_coding.read(response)
    except (httpx.HTTPError, httpx.InvalidURL) as problem:
        raise UsageError(f"{_shown(url)}: {type(problem).__name__}: {problem}") from None
    if cut is not None:
        raise UsageError(f"{_shown(url)}: {cut.reason}")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{_shown(url)}: not UTF-8 text") from None


def _require_own_server(response: "Response") -> None:
    """Raise UsageError for a redirect to another server: where requests go, a user decides."""
    if not response.has_redirect_location:
        return
    place = response.headers["location"]
    own, other = response.url, response.url.join(place)
    is_same = other.netloc == own.netloc and other.scheme in ("http", "https")
    if not is_same and (other.host, other.scheme) != (own.host, "https"):
        shown = short(_shown(place), LONGEST_ADDRESS)
        raise UsageError(f"{_shown(str(own))}: redirects elsewhere: name {shown} if that is right")

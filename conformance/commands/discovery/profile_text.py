"""The text of a new profile: the template with what was found out about a target."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from conformance.commands.diagnosis import request_rate
from conformance.commands.discovery.discovered import Discovered
from conformance.contract.quantity import per_second
from conformance.report.prospect import Missing, Prospect

MOST_MISSING = 8
HIGHEST_RATE = 100.0
"""Requests per second that the template states."""

WIDTH = 36
HEADER = re.compile(r"#?\[(?:parameters\.)?([\w.-]+)\]")
MISSING = "What is missing, with the requirements that wait for it:"


def filled(template: str, found: Discovered, prospect: Prospect) -> str:
    """The template with these values; what is only a candidate stays a comment."""
    text = template
    text = _without_commented(text, found.parameters or {})
    for old, new in _replacements(found):
        if old not in text:
            raise ValueError(f"the template has no {old!r}")
        text = text.replace(old, new, 1)
    return text.replace("\nbase-url = ", f"\n{_summary(prospect)}\nbase-url = ", 1)


def _replacements(found: Discovered) -> Iterator[tuple[str, str]]:
    yield from _credentials(found)
    yield from _interfaces(found)
    yield from _parameters(found)
    yield from _rate(found)
    yield from _reviews("approvable-reviews", found.approvable, "1")
    yield from _reviews("unapprovable-reviews", found.unapprovable, "2")
    if found.companies:
        own = ", ".join(found.companies)
        company = '#company = "01980000-0000-7000-8000-000000000003"'
        yield company, f"# Not these, which primary reads: {own}.\n{company}"


def _rate(found: Discovered) -> Iterator[tuple[str, str]]:
    old = "= 100 # the highest request rate of a run"
    if found.rate is not None:
        rate = min(request_rate.stated(found.rate), HIGHEST_RATE)
        yield old, f"= {rate:g} # measured: the target allows {per_second(found.rate)}"
    elif found.schemes:
        met = f"{request_rate.BURST} at once met no limit, so a higher one is faster"
        yield old, f"{old}: {met}"


def _credentials(found: Discovered) -> Iterator[tuple[str, str]]:
    api_key, bearer = found.schemes.get("api-key"), found.schemes.get("bearer")
    if bearer:
        yield '#bearer = "${LOCALIZATION_TOKEN}"', f'bearer = "${{{bearer}}}"'
    line = 'api-key = "${LOCALIZATION_API_KEY}"'
    if api_key:
        yield line, f'api-key = "${{{api_key}}}"'
    elif bearer:
        yield f"\n{line}", f"\n#{line}"


def _interfaces(found: Discovered) -> Iterator[tuple[str, str]]:
    if found.tools:
        yield "#[tools]", "[tools]"
        yield '#url = "https://api.example.com/mcp"', f"url = {json.dumps(found.tools)}"
    if found.description:
        yield "#[description]", "[description]"
        old = '#url = "https://api.example.com/v1/openapi.json"'
        yield old, f"url = {json.dumps(found.description)}"


def _parameters(found: Discovered) -> Iterator[tuple[str, str]]:
    """Whole tables: lists have parameters of the same role."""
    for operation in dict.fromkeys(operation for operation, _ in found.parameters or {}):
        names = {role: name for (of, role), name in found.parameters.items() if of == operation}  # type: ignore[union-attr]
        header = f"[parameters.{operation}]"
        lines = [f"{role} = {json.dumps(name)} # found" for role, name in names.items()]
        yield header, "\n".join([header, *lines])


def _without_commented(text: str, found: Collection[tuple[str, str]]) -> str:
    """The template without its comments on parameters that were found: no key stands twice."""
    kept, operation = [], ""
    for line in text.split("\n"):
        if header := HEADER.match(line):
            operation = header[1]
        if (operation, line.removeprefix("#").partition(" = ")[0]) not in found:
            kept.append(line)
    return "\n".join(kept)


def _reviews(key: str, ids: Sequence[str], last_digit: str) -> Iterator[tuple[str, str]]:
    if ids:
        old = f'#{key} = ["01980000-0000-7000-8000-00000000000{last_digit}"]'
        listed = ", ".join(map(json.dumps, ids))
        yield old, f"# Candidates, as the target lists them:\n#{key} = [{listed}]"


def _summary(prospect: Prospect) -> str:
    part = f", {prospect.part} in part" if prospect.part else ""
    lines = [
        f"# With this file a run can check {prospect.whole} of {prospect.requirements}"
        f" requirements{part}.",
        f"# {MISSING}",
        "#",
        *(f"#   {line}" for line in missing(prospect)),
        "",
    ]
    return "\n".join(lines)


def missing(prospect: Prospect) -> Iterable[str]:
    """One line for each key that requirements wait for, and what they wait for besides."""
    for each in prospect.missing[:MOST_MISSING]:
        yield f"{each.key:{WIDTH}} {each.total:3}{_together(each)}"
    if rest := len(prospect.missing[MOST_MISSING:]):
        yield f"… and {rest} more keys"


def _together(found: Missing) -> str:
    if found.adds == found.total:
        return ""
    if found.adds:
        return f", {found.adds} of them by itself"
    return f", together with {' and '.join(found.beside) or 'other keys'}"


def uncommented(text: str) -> str:
    """The text with every key of it in force."""
    return re.sub(r"^#(?=[^\s:])", "", text, flags=re.MULTILINE)

"""What a run can check with a profile: an estimate from the catalogue, before any request.

Data that the target lacks, and credentials that it rejects, make it less.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from conformance.contract import api, requirements
from conformance.contract.requirements import Requirement
from conformance.report import profile_hints
from conformance.report.unchecked import CONSENT, PRIMARY
from conformance.target.target import Target


@dataclass(frozen=True)
class Missing:
    """A key that the profile lacks.

    `adds` is the number of requirements that need nothing else, `total` the number of all that
    need it, `lines` are the lines of a profile for it, and `beside` is what all of them need too.
    """

    key: str
    adds: int
    total: int
    lines: tuple[str, ...]
    beside: tuple[str, ...] = ()


@dataclass(frozen=True)
class Prospect:
    """How many requirements a run can check, whole and in part, and what is missing, most first."""

    requirements: int
    whole: int
    part: int
    missing: tuple[Missing, ...]


def of(target: Target) -> Prospect:
    """The prospect of a run on a target."""
    stated = [each for each in requirements.load().values() if each.is_checked]
    missing = {each.id: lacking(each, None, target) for each in stated}
    in_part = [each for each in stated if missing[each.id] == [CONSENT] and _reads(each)]
    return Prospect(
        len(stated),
        sum(not keys for keys in missing.values()),
        len(in_part),
        tuple(_missing(list(missing.values()), target.stated)),
    )


def lacking(stated: Requirement, operation: str | None, target: Target) -> list[str]:
    """What the profile lacks of what a requirement needs, on one operation or on all."""
    needs = [*stated.needs, *_implied(stated, [operation] if operation else stated.operations)]
    return [key for key in dict.fromkeys(needs) if not _is_provided(key, target)]


def _implied(stated: Requirement, operations: Collection[str]) -> Iterable[str]:
    """What follows from operations of a requirement, and from its class."""
    if stated.conformance_class != "description" and stated.id != "base/version-segment":
        yield PRIMARY
    if stated.calls and api.load().approval.id in operations:
        yield CONSENT


def _reads(stated: Requirement) -> bool:
    return any(name != api.load().approval.id for name in stated.operations)


def _is_provided(key: str, target: Target) -> bool:
    area, _, name = key.partition(".")
    if area == "credentials":
        return _has_credential(name, target)
    if area == "consent":
        return bool(getattr(target.consent, name.replace("-", "_")))
    if area == "limits":
        return getattr(target.limits, name.replace("-", "_")) is not None
    if area == "fixtures":
        made = name == "approvable-reviews" and bool(target.fixtures.provision)
        return made or bool(getattr(target.fixtures, name.replace("-", "_")))
    return {"tools": target.tools_url, "description": target.description_url}[area] is not None


def _has_credential(name: str, target: Target) -> bool:
    if name == "lacking":
        return any(each.startswith("lacking.") for each in target.credentials)
    credential, _, scheme = name.partition(".")
    found = target.credentials.get(credential)
    return found is not None and (not scheme or scheme in found.schemes)


def _missing(lacking: Sequence[Sequence[str]], stated: Collection[str]) -> list[Missing]:
    keys = dict.fromkeys(key for some in lacking for key in some)
    found = []
    for key in keys:
        provided = {key, *profile_hints.COMPANIONS.get(key, ())}
        total = [some for some in lacking if key in some]
        others = [set(some) - provided for some in total]
        adds = others.count(set())
        lines = profile_hints.toml(profile_hints.settings(key, stated), stated)
        beside = tuple(sorted(set.intersection(*others)))
        found.append(Missing(key, adds, len(total), tuple(lines), beside))
    return sorted(found, key=lambda each: (-each.adds, -each.total))

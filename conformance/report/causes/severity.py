"""How much a failure matters: access first, then effects, then data, then the form of responses."""

from enum import IntEnum

from conformance.contract.verdict import Kind

ON_ACCESS = frozenset(
    {
        "authentication/missing",
        "authentication/expired",
        "authentication/revoked",
        "authentication/unknown",
        "authorization/permission",
        "authorization/company",
        "authorization/project",
        "authorization/lists",
        "authorization/filter",
        "authorization/cursor",
        "authorization/review-role",
        "approval/guarded-replay",
        "arguments/ambiguous",
        "tools/authentication",
        "tools/permission",
        "tools/grants",
    }
)
"""Requirements that say who is served nothing."""

LEAKS = frozenset({Kind.ACCEPTED, Kind.FOREIGN, Kind.EFFECT})
"""Failures of these in which somebody is served; a rejection with another status is of form."""

ON_APPROVALS = ("approval/", "tools/approval", "arguments/approval-id", "arguments/body")
EFFECTS = frozenset({Kind.ACCEPTED, Kind.EFFECT})

ON_FORM = ("response/", "envelope/", "error/", "representation/", "description/", "tools/errors")
FIELDS = ("/required", "/closed", "/fields", "page/items")
FORMS = frozenset({Kind.HEADER, Kind.BODY, Kind.ABSENT, Kind.EXTRA, Kind.DECLARED, Kind.ADDRESS})


class Severity(IntEnum):
    """What a failure concerns, the gravest first."""

    ACCESS = 0
    EFFECT = 1
    DATA = 2
    FORM = 3


def severity(requirement: str, kind: str) -> Severity:
    """The severity of a failure; `kind` is that of its defect, and "" in old reports."""
    if requirement in ON_ACCESS and kind in LEAKS:
        return Severity.ACCESS
    if kind == Kind.EFFECT or (requirement.startswith(ON_APPROVALS) and kind in EFFECTS):
        return Severity.EFFECT
    is_of_form = requirement.startswith(ON_FORM) or requirement.endswith(FIELDS)
    is_of_form |= requirement in ON_ACCESS and kind == Kind.STATUS
    return Severity.FORM if is_of_form or kind in FORMS else Severity.DATA

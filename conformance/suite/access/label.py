"""A cell of the access matrix in words: who asks for what, and how."""

from conformance.contract import openapi
from conformance.rules.access import CALLERS, RECORDS
from conformance.suite.access.rule import Cell

LISTS = {
    "foreign": "a list of what belongs to another company",
    "ungranted": "a list of what is outside the project grant",
}
FORMS = {
    "plain": "",
    "cursor": ", with a cursor",
    "filters": ", with filters",
    "capitals": ", with the id in the other case",
    "decorated": ", with an unknown parameter",
    "replay": ", with the key of an approval",
}
SETTINGS = {
    "alone": "",
    "after": ", after another caller",
    "beside": ", beside another caller",
}


def label(cell: Cell) -> str:
    """The cell in a few words: "outsider asks for a record of primary, with limit=1"."""
    who = CALLERS.get(cell.caller, cell.caller)
    does = "approves" if openapi.load().operations[cell.operation].writes else "asks for"
    form = FORMS.get(cell.form, f", with limit={cell.form}")
    return f"{who} {does} {_asked(cell)}{form}{SETTINGS[cell.setting]}"


def _asked(cell: Cell) -> str:
    has_id = "{" in openapi.load().operations[cell.operation].path
    if has_id:
        return RECORDS[cell.record]
    return LISTS.get(cell.record, cell.operation)

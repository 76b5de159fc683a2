"""The contract with edits, as a description to compare with the contract itself."""

import copy
import json
from collections.abc import Mapping
from typing import Any

from conformance.contract import openapi, pointer
from conformance.contract.description.compare import description, differences
from conformance.contract.description.difference import Difference

GONE = ...
"""The value that removes a key or an item."""
ADDRESS = "https://api.example.com/base/openapi.json"
GET = "/paths/~1projects/get"
SCHEMAS = "/components/schemas"
ACCOUNT = f"{SCHEMAS}/Account"
UUID = {"$ref": "#/components/schemas/Uuid"}
CLIENTS, CALLERS, OPEN, HARMLESS = "breaks-clients", "breaks-callers", "open", "harmless"


def edited(edits: Mapping[str, Any]) -> str:
    """The contract as JSON, with values set or removed at JSON Pointers."""
    document: Any = copy.deepcopy(openapi.load().document)
    for place, value in edits.items():
        *path, last = pointer.steps(place)
        holder = document
        for step in path:
            holder = holder[_key(holder, step)]
        if value is GONE:
            del holder[_key(holder, last)]
        else:
            holder[_key(holder, last)] = value
    return json.dumps(document, indent=1)


def compared(edits: Mapping[str, Any]) -> tuple[Difference, ...]:
    """The differences of an edited contract."""
    return differences(description(edited(edits), ADDRESS))


def located(edits: Mapping[str, Any]) -> set[tuple[str, str, str]]:
    """The differences of an edited contract as (aspect, effect, where)."""
    return {(each.aspect.value, each.effect.value, each.where) for each in compared(edits)}


def _key(holder: object, step: str) -> Any:
    return int(step) if isinstance(holder, list) else step

"""Files of others, held to the published schemas of this package before anything of them is used.

What a schema does not name is ignored: later versions may add to a format.
"""

import json
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from conformance.contract import files
from conformance.contract.first_error import first_error
from conformance.contract.late_imports import ALONE
from conformance.contract.pointer import pointer
from conformance.storage import json_text
from conformance.storage.json_text import JsonError

if TYPE_CHECKING:
    from jsonschema_rs import Validator

REPORT = "report.schema.json"
EXCHANGE = f"{REPORT}#/$defs/exchange"
JOURNAL = "journal.schema.json"
RECORD = f"{JOURNAL}#/$defs/record"
APPROVAL = f"{JOURNAL}#/$defs/approval"
RUN = "run.schema.json"
EVENT = "events.schema.json"
SNAPSHOT = "snapshot.schema.json"

MOST_VALUES = {REPORT: 500_000}
"""JSON values of a document, where there are fewer than in any other: two reports are compared."""

LONGEST = 200
"""Characters of a place or a reason: both may repeat names of the document."""

URL = "iri-reference"
WHOLE = "conformance-whole"

Schema = Mapping[str, Any]


class Malformed(ValueError):
    """A document is not what it should be; str() has the place and the reason."""


def read(content: bytes, name: str) -> Any:
    """The value of a JSON text that a published schema describes. Raises Malformed.

    `name` is that of the schema, with a JSON Pointer after `#` for a part of it.
    """
    return checked(content, _published(name), MOST_VALUES.get(name, json_text.MOST_VALUES))


def checked(content: bytes, validator: "Validator", most: int = json_text.MOST_VALUES) -> Any:
    """The value of a JSON text that a schema describes. Raises Malformed."""
    try:
        value = json_text.parse(content, most)
    except JsonError as problem:
        raise Malformed(str(problem)) from None
    check(value, validator)
    return value


def check(value: object, validator: "Validator", at: str = "") -> None:
    """Raise Malformed where a schema does not describe a value, which is at a place itself."""
    problem = first_error(validator, value)
    if problem is not None:
        place = _shown(at + pointer(problem.instance_path)) or "the whole"
        raise Malformed(f"{place}: {_shown(problem.message)}")


def validator(schema: Schema) -> "Validator":
    """What holds values to a schema, except that it ignores unknown properties."""
    # Every pytest of an environment imports this module: what validates waits for a document.
    with ALONE:
        import jsonschema_rs  # noqa: PLC0415

    return jsonschema_rs.validator_for(
        _open(schema),
        retriever=_retrieved,
        validate_formats=True,
        formats={URL: _is_url},
        mask="the value",
        keywords={WHOLE: _Whole},
    )


def _is_url(text: str) -> bool:
    """Whether the parts of a URL can be told, which is what it is read for."""
    try:
        parts = urlsplit(text)
        _ = parts.hostname, parts.port
    except ValueError:
        return False
    return True


class _Whole:
    """A keyword for integers: JSON Schema takes 1.0 for one, and Python does not."""

    def __init__(self, *_: object) -> None:
        """Nothing depends on the place in the schema."""

    def validate(self, instance: object) -> None:
        """Raise ValueError for a number with a decimal point or an exponent."""
        if isinstance(instance, float):
            raise ValueError("the value is not written as an integer")


@cache
def _published(name: str) -> "Validator":
    file, _, part = name.partition("#")
    return validator({"$ref": f"{files.document(file)['$id']}#{part}"})


def _retrieved(uri: str) -> Any:
    """The schema of an `$id`, such as urn:localization-api-conformance:report:1."""
    return _open(files.document(f"{uri.split(':')[2]}.schema.json"))


def _open(schema: Any) -> Any:
    """A schema that is silent about properties that it does not name, and strict on integers."""
    if isinstance(schema, list):
        return list(map(_open, schema))
    if not isinstance(schema, Mapping):
        return schema
    kept = {name: _open(part) for name, part in schema.items()}
    if kept.get("additionalProperties") is False:
        del kept["additionalProperties"]
    if "integer" in kept.get("type", ()):
        kept[WHOLE] = True
    return kept


def _shown(text: str) -> str:
    """The beginning of a text, with escapes in place of all that a terminal might act on."""
    return "".join(map(_escaped, text[:LONGEST]))


def _escaped(character: str) -> str:
    return character if " " <= character <= "~" else json.dumps(character)[1:-1]

"""The records in responses: their fields, which of them are required, and which are closed."""

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.contract import api
from conformance.contract.api import Api
from conformance.contract.openapi import Contract, Operation
from conformance.contract.verdict import Defect, Kind, defect
from conformance.rules import validation
from conformance.rules.judgement import Judgement, Judgements, body, hold, shown
from conformance.rules.validation import Fault

ASPECTS = {"required": "required", "additionalProperties": "closed"}
MOST_NAMED = 20
"""Properties too many that a defect names."""
EXTRA = frozenset({"additionalProperties", "unevaluatedProperties"})
LONGEST_VALUE = 300
MOST_RECORDS = 1_000
"""Records of a response that are validated: the largest `limit` is a tenth of that."""
SUFFIX = "representation/suffix"
TYPES_OF_SUFFIXES = {"At": (str, "a string"), "Us": (int, "an integer")}
"""The types of the fields with these suffixes (Common conventions)."""

REQUIREMENTS = frozenset({
    "page/items", "page/next-cursor", "page/next-cursor-present",
    "account/required", "account/closed", "account/type", "account/fields",
    "project/required", "project/closed", "project/fields",
    "video/fields", "localization/fields", "review/fields", "comment/fields", "reply/fields",
    "activity/fields", "approval/result",
    "representation/uuid", "representation/count", SUFFIX,
})  # fmt: skip
"""What these rules check."""


def examine(data: object, operation: Operation, contract: Contract) -> Judgements:
    """Check `data` of a success envelope (Resources and their fields)."""
    if not operation.is_list:
        yield from _records([data], operation, contract)
        return
    page = data if isinstance(data, dict) else {}
    items = page.get("items")
    yield hold("page/items", isinstance(items, list), lambda: _no_items(data))
    if isinstance(data, dict):
        yield from _cursor(data, operation, contract)
    if isinstance(items, list):
        yield from _records(items, operation, contract)


def _no_items(data: object) -> Defect:
    return (
        defect(
            Kind.VALUE,
            "data has no array of items: {data}",
            expected="data: {items, nextCursor}",
            data=shown(data),
        )
        .on("items")
        .at(body("data", "items"))
    )


def _cursor(page: Mapping[str, Any], operation: Operation, contract: Contract) -> Judgements:
    if operation.id in api.derive(contract).closing_lists:
        yield hold("page/next-cursor-present", "nextCursor" in page, _no_cursor)
    value = page.get("nextCursor")
    fits = value is None or validation.is_uuid(value, contract)
    yield hold("page/next-cursor", fits, lambda: _other_cursor(value))


def _no_cursor() -> Defect:
    expected = "nextCursor: a UUID, or null on the last page"
    violation = defect(Kind.ABSENT, "nextCursor is absent", expected=expected)
    return violation.on("nextCursor").at(body("data"))


def _other_cursor(value: object) -> Defect:
    return (
        defect(
            Kind.VALUE,
            "nextCursor is {value}",
            expected="nextCursor: a UUID, or null",
            actual=value,
            value=shown(value),
        )
        .on("nextCursor")
        .at(body("data", "nextCursor"))
    )


def _records(found: list[Any], operation: Operation, contract: Contract) -> Judgements:
    records = found[:MOST_RECORDS]
    if not records:
        return
    resource, names = operation.resource, api.derive(contract)
    faults = validation.faults(records, resource, contract)
    for each in faults:
        if not validation.is_confirmed(records[each.record], resource, contract):
            requirement = _requirement(each, resource, names)
            yield Judgement(requirement, _defect(each, operation, doubted=True), unsure=True)
            return
    violated: dict[tuple[str, object], Fault] = {}
    for each in faults:  # a field that is wrong in many records, or in many ways, is one defect
        violated.setdefault((_requirement(each, resource, names), _field(each)), each)
    for (requirement, _), fault in violated.items():
        yield Judgement(requirement, _defect(fault, operation))
    exercised = _exercised(records, resource, names)
    yield from map(Judgement, exercised.difference(requirement for requirement, _ in violated))
    if resource not in names.closed:
        yield _suffixes(records, operation, contract)


def _field(fault: Fault) -> tuple[str, ...]:
    """The names that lead to the wrong field: an index is none."""
    return (*(name for name in fault.path if isinstance(name, str)), *_properties(fault))


def _defect(fault: Fault, operation: Operation, *, doubted: bool = False) -> Defect:
    start = ("data", "items", fault.record) if operation.is_list else ("data",)
    path = (*start, *fault.path)
    properties = _properties(fault)
    paths = [(*path, name) for name in properties] if fault.keyword in EXTRA else [path]
    places = [body(*each) for each in paths]
    text, expected = _words(fault, properties)
    return (
        defect(
            _kind(fault),
            f"{text}, according to one of two validators" if doubted else text,
            expected=expected,
            actual=None if properties else fault.value,
            place=".".join(map(str, fault.path)) or "the record",
            properties=", ".join(properties),
            value=shown(fault.value, LONGEST_VALUE),
        )
        .about(fault.keyword, *(properties or map(str, fault.path[-1:])))
        .at(*places)
    )


def _properties(fault: Fault) -> tuple[str, ...]:
    """The names of the properties that are absent, or too many."""
    if fault.keyword == "required":
        return (str(fault.parameter),)
    return tuple(sorted(map(str, fault.parameter))[:MOST_NAMED]) if fault.keyword in EXTRA else ()


def _kind(fault: Fault) -> Kind:
    if fault.keyword in EXTRA:
        return Kind.EXTRA
    return Kind.ABSENT if fault.keyword == "required" else Kind.VALUE


def _words(fault: Fault, properties: tuple[str, ...]) -> tuple[str, str]:
    """The text of a defect, and what the contract requires."""
    if fault.keyword == "required":
        return "{place} has no {properties}", "all required fields"
    if fault.keyword in EXTRA:
        noun = "property" if len(properties) == 1 else "properties"
        return f"{{place}} has the {noun} {{properties}}", "no properties but those of the contract"
    return "{place} is {value}", _constraint(fault)


def _constraint(fault: Fault) -> str:
    parameter = fault.parameter
    values = list(map(str, parameter)) if isinstance(parameter, list) else [str(parameter)]
    if fault.keyword in {"type", "enum"}:
        return f"{fault.keyword}: {' or '.join(values)}"
    if fault.schema == "Uuid":
        return "a UUID"
    return f"{fault.keyword}: {parameter}"


def _suffixes(records: list[Any], operation: Operation, contract: Contract) -> Judgement:
    """Check the properties that the contract does not name, by their suffix."""
    start = ("data", "items") if operation.is_list else ("data",)
    for index, record in enumerate(records):
        path = (*start, index) if operation.is_list else start
        for place, value in _unnamed(record, operation.resource, contract):
            expected = _type_of_suffix(str(place[-1]))
            # Null stands for no value: the contract requires none.
            if expected and value is not None and not _is_of_type(value, expected[0]):
                return Judgement(SUFFIX, _other_type((*path, *place), value, expected[1]))
    return Judgement(SUFFIX)


def _unnamed(
    record: object, resource: str, contract: Contract
) -> Iterator[tuple[tuple[str | int, ...], object]]:
    """The properties of a record, and of nested ones, that the contract does not name."""
    if not isinstance(record, dict):
        return
    named = contract.schema(resource)["properties"]
    if not record.keys() <= named.keys():
        yield from (((name,), value) for name, value in record.items() if name not in named)
    nested_records = api.derive(contract).nested
    if resource not in nested_records:
        return
    array, nested = nested_records[resource]
    items = record.get(array)
    for index, item in enumerate(items if isinstance(items, list) else ()):
        for place, value in _unnamed(item, nested, contract):
            yield (array, index, *place), value


def _type_of_suffix(name: str) -> tuple[type, str] | None:
    suffix = name[-len("At") :]
    return TYPES_OF_SUFFIXES.get(suffix) if name != suffix else None


def _is_of_type(value: object, expected: type) -> bool:
    if expected is str:
        return isinstance(value, str)
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


def _other_type(path: tuple[str | int, ...], value: object, expected: str) -> Defect:
    name = str(path[-1])
    violation = defect(
        Kind.VALUE,
        "{name} is {value}",
        expected=expected,
        actual=value,
        name=name,
        value=shown(value, LONGEST_VALUE),
    )
    return violation.on(name).at(body(*path))


def _exercised(records: list[Any], resource: str, names: Api) -> set[str]:
    """The requirements that these records exercise."""
    if resource == names.approval.resource:
        return {"approval/result"}
    name = names.kinds[resource]
    found = {f"{name}/fields", "representation/uuid"}
    if resource in names.closed:
        found |= {f"{name}/required", f"{name}/closed"}
    if resource == "Account":
        found.add("account/type")
    if resource == "Project":
        found.add("representation/count")
    array, nested = names.nested.get(resource, ("", ""))
    if array and any(isinstance(record, dict) and record.get(array) for record in records):
        found.add(f"{names.kinds[nested]}/fields")
    return found


def _requirement(fault: Fault, resource: str, names: Api) -> str:
    """The narrowest requirement that a fault violates."""
    if resource == names.approval.resource:
        return "approval/result"
    if fault.schema == "Uuid" and fault.keyword in {"pattern", "format", "maxLength"}:
        return "representation/uuid"
    if fault.schema == "Count" and fault.keyword in {"minimum", "maximum"}:
        return "representation/count"
    if fault.keyword == "enum":
        return "account/type"
    name = names.kinds[_holder(fault, resource, names)]
    return f"{name}/{ASPECTS.get(fault.keyword, 'fields')}"


def _holder(fault: Fault, resource: str, names: Api) -> str:
    array, nested = names.nested.get(resource, ("", ""))
    # Below a nested array comes an index, then the field.
    return nested if array and len(fault.path) > 1 and fault.path[0] == array else resource

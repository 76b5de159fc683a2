"""The references of a document that a target wrote, by the rules of JSON Schema 2020-12.

The library `referencing` knows ids, anchors and dynamic anchors. It gets the one document, so that
nothing is ever fetched. What is left in the document are JSON Pointers from its root, which mean
the same to every reader and every validator.
"""

from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from typing import Any, TypeAlias
from urllib.parse import quote, unquote, urldefrag, urljoin, urlsplit

from referencing import Anchor, Registry, Specification
from referencing.exceptions import NoSuchResource, Unresolvable
from referencing.jsonschema import DynamicAnchor

from conformance.contract.pointer import Path, pointer, steps

Json: TypeAlias = "dict[str, Any]"
Scope = tuple[tuple[str, str], ...]
"""Each dynamic anchor with the outermost resource that has it, of those that lead to a schema."""

NOWHERE = "https://document.invalid/"
"""The address of a document whose own is unknown."""
COPIES = "x-dynamic"
"""Where the copies are of schemas that mean another thing, by the way that leads to them."""
MOST_COPIES, MOST_TABLES = 1_000, 250_000
"""These copies, and the mappings of them and of the document."""
MOST_REFERENCES, MOST_IDS = 20_000, 2_000
"""Different references, and ids, of a document: each takes some tens of microseconds."""
MANY_REFERENCES = "has too many different references"
LONGEST_ADDRESS = 2_000
"""Characters of an id, with those of the ids around it, and of a reference."""

DATA = frozenset({"example", "examples", "default", "const", "enum"})
"""Keywords whose values are data, in which a `$ref` is not a reference."""
NAMING = frozenset(
    {
        "$defs", "callbacks", "content", "definitions", "dependentSchemas", "headers", "links",
        "parameters", "pathItems", "paths", "patternProperties", "properties", "requestBodies",
        "responses", "schemas", "securitySchemes", "variables", "webhooks",
    }
)  # fmt: skip
"""Keywords whose keys are names, so that a key `default` is not a keyword there."""
REFERENCES = ("$ref", "$dynamicRef")
IDENTITIES = ("$id", "$anchor", "$dynamicAnchor")
LEGACY = ("draft-03/", "draft-04/", "draft-06/", "draft-07/")
"""Dialects in which a reference replaces what is beside it."""
BESIDE = frozenset({"$ref", "$schema", "$defs", "definitions"})


class TooManyMeanings(RuntimeError):
    """A document has more, or longer, references and ids than are resolved; str() says so."""


def resolved(schema: Json) -> Json:
    """A copy of a schema whose only references are JSON Pointers from its root.

    A schema that is nested too deeply, or refers to too much, is returned as it is.
    """
    try:
        copy = deepcopy(schema)
        resolve(copy)
    except (RecursionError, TooManyMeanings):
        return schema
    return copy


def resolve(root: Json, address: str = NOWHERE) -> list[Json]:
    """Point each reference in a document to the place of its target, and remove all identities.

    A reference to nowhere stays one. Returns the mappings that refer to other documents.
    Raises TooManyMeanings.
    """
    return _Document(root, address).resolve()


def tables(root: Any, place: Path = (), address: str = NOWHERE) -> Iterator[tuple[Json, Path, str]]:
    """Every mapping in a document, names and example data left out: its place, and its base URI."""
    waiting, seen = [(root, place, address)], set[int]()
    while waiting:
        value, place, base = waiting.pop()
        if id(value) in seen:
            continue  # by an alias of YAML
        seen.add(id(value))
        if isinstance(value, dict):
            own = _id(value)
            base = base if own is None else urljoin(base[: LONGEST_ADDRESS + 1], own)
            yield value, place, base
        waiting += [(part, (*place, *way), base) for way, part in _parts(value)]


def _parts(value: Any) -> Iterator[tuple[Path, Any]]:
    """The mappings and lists right inside of one, and the way to each."""
    if isinstance(value, list):
        yield from (((index,), item) for index, item in enumerate(value) if _is_container(item))
    for key, part in value.items() if isinstance(value, dict) else ():
        if key in NAMING and isinstance(part, dict):
            yield from (((key, name), each) for name, each in part.items() if _is_container(each))
        elif key not in DATA and _is_container(part):
            yield (key,), part


def _is_container(value: object) -> bool:
    return isinstance(value, dict | list)


# --- what the library has to know -----------------------------------------------------------------


def _stated(table: Json) -> list[str]:
    """What a mapping refers to."""
    return [table[key] for key in REFERENCES if isinstance(table.get(key), str)]


def _id(value: Any) -> str | None:
    """The URI that a schema gives itself; no other kind of value counts."""
    stated = value.get("$id") if isinstance(value, dict) else None
    if not isinstance(stated, str):
        return None
    with suppress(ValueError):
        return urlsplit(stated)._replace(fragment="").geturl() or None
    return None


def _anchors(specification: Specification[Any], value: Any) -> Iterator[Any]:
    table = value if isinstance(value, dict) else {}
    resource = specification.create_resource(value)
    if isinstance(table.get("$anchor"), str):
        yield Anchor(name=table["$anchor"], resource=resource)
    if isinstance(table.get("$dynamicAnchor"), str):
        yield DynamicAnchor(name=table["$dynamicAnchor"], resource=resource)
    if str(table.get("$id")).startswith("#"):  # an anchor before 2019
        yield Anchor(name=table["$id"][1:], resource=resource)


_ANY: Specification[Any] = Specification(
    name="any document",
    id_of=_id,
    subresources_of=lambda value: [part for _, part in _parts(value)],
    anchors_in=_anchors,
    # Whoever looks something up knows where it is, and its base URI from that.
    maybe_in_subresource=lambda resolver, **_: resolver,
)
"""Schemas in a document of OpenAPI, or alone; what has another type than it should is no schema."""


class _Document:
    """One document whose references are resolved."""

    def __init__(self, root: Json, address: str) -> None:
        found = list(tables(root, (), address))
        ids = {base for _, _, base in found}
        if len(ids) > MOST_IDS or max(map(len, ids)) > LONGEST_ADDRESS:
            raise TooManyMeanings("has too many ids, or too long ones")
        # Before anything is built for them: a registry takes up much more than its document.
        if len({each for table, _, _ in found for each in _stated(table)}) > MOST_REFERENCES:
            raise TooManyMeanings(MANY_REFERENCES)
        for table, _, _ in found[1:]:
            table.pop("$schema", None)  # a document has one dialect
        self._root = root
        self._is_legacy = any(dialect in str(root.get("$schema")) for dialect in LEGACY)
        self._lexical = {id(table): (place, base) for table, place, base in found}
        self._dynamic: dict[str, list[str]] = {}
        for table, _, base in found:
            if isinstance(table.get("$dynamicAnchor"), str):
                self._dynamic.setdefault(base, []).append(table["$dynamicAnchor"])
        registry = Registry().with_resource(address, _ANY.create_resource(root)).crawl()
        self._registry, self._address = registry, address
        self._outermost = registry.resolver(found[0][2])
        self._waiting = [(table, base, self._outermost) for table, _, base in found]
        self._known: dict[tuple[str, str, Scope], str] = {}
        self._entered: dict[tuple[int, str], tuple[Any, Any]] = {}
        self._copies: Json = {}
        scopes = {base: self._scope(self._inside(self._outermost, base), base) for base in ids}
        self._places = {(id(table), scopes[base]): place for table, place, base in found}

    def resolve(self) -> list[Json]:
        """Resolve all references; see the function of this name."""
        edits, elsewhere = [], []
        for table, base, resolver in self._waiting:  # copies join it meanwhile
            stated = _stated(table)
            inside = self._inside(resolver, base) if stated else resolver
            targets = [self._target(reference, base, inside) for reference in stated]
            edits.append((table, targets))
            if not all(target.startswith("#") for target in targets):
                elsewhere.append(table)
        for table, targets in edits:
            self._edit(table, targets)
        if self._copies:
            self._root[COPIES] = self._copies
        return elsewhere

    def _edit(self, table: Json, targets: list[str]) -> None:
        for key in (*IDENTITIES, "$dynamicRef"):
            if isinstance(table.get(key), str):
                del table[key]
        if targets and self._is_legacy:
            for key in table.keys() - BESIDE:
                del table[key]
        if targets:
            table["$ref"] = targets[0]
        if targets[1:]:
            stated = table.get("allOf")
            others = stated if isinstance(stated, list) else []
            table["allOf"] = [*others, *({"$ref": target} for target in targets[1:])]

    def _inside(self, resolver: Any, base: str) -> Any:
        """The resolver in a resource, which has come from that in which another one is."""
        if not self._dynamic:
            return self._registry.resolver(base)
        key = (id(resolver), base)
        if key not in self._entered:
            inside = resolver
            with suppress(Unresolvable):  # a base may be an odd kind of URI
                inside = resolver.lookup(base).resolver
            self._entered[key] = resolver, inside  # both stay, and so does what the key names
        return self._entered[key][1]

    def _scope(self, resolver: Any, base: str) -> Scope:
        passed = [base, *(uri for uri, _ in resolver.dynamic_scope())] if self._dynamic else []
        meanings = {name: uri for uri in passed for name in self._dynamic.get(uri, ())}
        return tuple(sorted(meanings.items()))

    def _target(self, reference: str, base: str, resolver: Any) -> str:
        """A pointer to what a reference means here; the reference if that is elsewhere."""
        key = (reference, base, self._scope(resolver, base))
        if key not in self._known:
            if len(self._known) >= MOST_REFERENCES:
                raise TooManyMeanings(MANY_REFERENCES)
            self._known[key] = self._looked_up(reference, base, resolver)
        return self._known[key]

    def _looked_up(self, reference: str, base: str, resolver: Any) -> str:
        if len(reference) > LONGEST_ADDRESS:
            return reference if "#" not in reference else "#nowhere"
        # Many give a schema an id as a label only, and refer to the document around it.
        for origin, start in ((base, resolver), (self._address, self._outermost)):
            with suppress(Unresolvable, NoSuchResource, ValueError, TypeError):
                place = self._place(urljoin(origin, reference), start.lookup(reference))
                return f"#{quote(pointer(place), safe='/~$', errors='surrogatepass')}"
        return f"#{urldefrag(reference).fragment}" if self._has(reference, base) else reference

    def _has(self, reference: str, base: str) -> bool:
        """Whether a reference leads into this document, if only to nowhere."""
        with suppress(ValueError):
            uris = [urldefrag(urljoin(each, reference)).url for each in (base, self._address)]
            return reference.startswith("#") or any(uri in self._registry for uri in uris)
        return False

    def _place(self, uri: str, found: Any) -> Path:
        if id(found.contents) not in self._lexical or not isinstance(found.contents, dict):
            resource, fragment = urldefrag(uri)
            around, _ = self._lexical[id(self._registry.contents(resource))]
            return (*around, *steps(unquote(fragment)))
        place, base = self._lexical[id(found.contents)]
        if not self._dynamic:
            return place
        inside = self._inside(found.resolver, base)
        key = id(found.contents), self._scope(inside, base)
        if key not in self._places:
            self._places[key] = COPIES, str(len(self._copies))
            self._copy(found.contents, base, inside)
        return self._places[key]

    def _copy(self, table: Json, base: str, resolver: Any) -> None:
        """Copy a schema, for what its dynamic references mean where they were come from."""
        copy = self._copies[str(len(self._copies))] = deepcopy(table)
        self._waiting += [(each, own, resolver) for each, _, own in tables(copy, (), base)]
        if len(self._copies) > MOST_COPIES or len(self._waiting) > MOST_TABLES:
            raise TooManyMeanings("has dynamic references with too many meanings")

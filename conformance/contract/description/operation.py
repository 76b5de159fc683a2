"""One operation in the contract and in a description: its identifier, what it takes, and what it answers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from conformance.contract.description import security
from conformance.contract.description.difference import BREAKING, Aspect, Difference, Effect
from conformance.contract.description.document import Described, Document, Node, anything, lines
from conformance.contract.description.schema import View
from conformance.contract.description.values import Direction, Place, compare

IGNORED_HEADERS = frozenset({"accept", "content-type", "authorization", "x-api-key"})
"""The first three are not parameters to OpenAPI, the last is the credential."""
OUTSIDE = frozenset(
    {
        "304",
        "405",
        "406",
        "408",
        "411",
        "412",
        "414",
        "415",
        "416",
        "426",
        "428",
        "431",
        "501",
        "504",
    }
)
"""What HTTP answers to requests that the contract does not speak of, and gateways to any."""
JSON_RANGES = ("application/json", "application/*", "*/*")


@dataclass(frozen=True)
class Pair:
    """The same operation in the contract and in a description."""

    ours: Document
    theirs: Document
    stated: Described
    found: Described

    @property
    def id(self) -> str:
        """Its identifier by the contract."""
        return str(self.stated.id)

    def differences(self) -> Iterator[Difference]:
        """Everything that the description says otherwise of it."""
        if self.found.id != self.stated.id:
            told = "nothing" if self.found.id is None else repr(self.found.id)
            yield self._at(
                Difference(
                    Aspect.OPERATIONS, Effect.CLIENTS, "operationId", "is another", self.id, told
                ),
                self.found.node,
            )
        yield from self._parameters()
        yield from self._body()
        yield from self._responses()
        for effect, message, specified, told in security.differences(
            self.theirs, self.found, self._permission()
        ):
            node = self.theirs.raw_child(self.found.node, "security")
            yield self._at(
                Difference(Aspect.SECURITY, effect, "security", message, specified, told), node
            )

    def _at(self, difference: Difference, node: Node | None = None) -> Difference:
        """A difference of this operation, on the line of a node, or on that of the operation."""
        return replace(
            difference, operations=(self.id,), lines=lines(node) or lines(self.found.node)
        )

    def _permission(self) -> str:
        return str(self.stated.node.table["security"][0]["apiKey"][0])

    # --- parameters --------------------------------------------------------------------------------------------------

    def _parameters(self) -> Iterator[Difference]:
        described = dict(self.found.parameters)
        for (location, name), node in self.stated.parameters.items():
            theirs = described.pop((location, self._called(location, name)), None)
            if theirs is not None:
                yield from self._parameter(name, node, theirs)
            elif location == "path":
                yield self._at(
                    Difference(
                        Aspect.PARAMETERS,
                        Effect.HARMLESS,
                        name,
                        "is a path parameter without a description",
                    )
                )
            elif "name" in node.table.get("x-open", {}).get("aspects", ()):
                yield self._at(
                    Difference(
                        Aspect.PARAMETERS,
                        Effect.OPEN,
                        name,
                        "is not described under this name, which is open",
                    )
                )
            else:
                yield self._at(
                    Difference(Aspect.PARAMETERS, Effect.CALLERS, name, "is not described")
                )
        for (location, name), node in described.items():
            yield from self._further(location, name, node)

    def _called(self, location: str, name: str) -> str:
        """What the description calls a parameter: in a path only the position counts."""
        return self.found.names[self.stated.names.index(name)] if location == "path" else name

    def _parameter(self, name: str, ours: Node, theirs: Node) -> Iterator[Difference]:
        stated, described = ours.table, theirs.table
        if described.get("name") != name:
            said = (name, str(described.get("name")))
            yield self._at(
                Difference(
                    Aspect.PARAMETERS, Effect.HARMLESS, name, "has another name in the path", *said
                ),
                theirs,
            )
        if described.get("required") is True and not stated.get("required"):
            yield self._at(
                Difference(
                    Aspect.PARAMETERS, Effect.CALLERS, name, "is required", "optional", "required"
                ),
                theirs,
            )
        schema = self._schema(self.theirs, theirs)
        wanted, found = (
            View.of(self.ours, self._schema(self.ours, ours)),
            View.of(self.theirs, schema or anything(theirs)),
        )
        yield from compare(
            wanted, found, Place(name, Direction.PARAMETER, Aspect.PARAMETERS, self.id)
        )
        yield from self._default(name, stated, schema)

    def _schema(self, document: Document, parameter: Node) -> Node | None:
        content = document.child(parameter, "content")
        media = next((node for _, node in document.children(content)), None) if content else None
        return document.raw_child(media or parameter, "schema")

    def _default(
        self, name: str, stated: Mapping[str, object], schema: Node | None
    ) -> Iterator[Difference]:
        schemas = stated.get("schema")
        wanted = schemas.get("default") if isinstance(schemas, dict) else None
        view = View.of(self.theirs, schema)
        found = next(
            (
                node.table["default"]
                for choice in view.spelled_out
                for node in choice
                if "default" in node.table
            ),
            None,
        )
        if wanted is None or found == wanted or found == str(wanted):
            return
        if found is None:
            yield self._at(
                Difference(
                    Aspect.COMPLETE, Effect.HARMLESS, name, "has no default", str(wanted), "none"
                ),
                schema,
            )
        else:
            yield self._at(
                Difference(
                    Aspect.PARAMETERS,
                    Effect.CLIENTS,
                    name,
                    "has another default",
                    str(wanted),
                    repr(found),
                ),
                schema,
            )

    def _further(self, location: str, name: str, node: Node) -> Iterator[Difference]:
        if location == "path" or (location == "header" and name.lower() in IGNORED_HEADERS):
            return
        if node.table.get("required") is True:
            yield self._at(
                Difference(
                    Aspect.PARAMETERS, Effect.CALLERS, f"{location} parameter {name}", "is required"
                ),
                node,
            )
        else:
            yield self._at(
                Difference(
                    Aspect.PARAMETERS,
                    Effect.HARMLESS,
                    f"{location} parameter {name}",
                    "is a further parameter",
                ),
                node,
            )

    # --- bodies and answers ------------------------------------------------------------------------------------------

    def _body(self) -> Iterator[Difference]:
        ours, theirs = (
            self.ours.child(self.stated.node, "requestBody"),
            self.theirs.child(self.found.node, "requestBody"),
        )
        if ours is None:
            if theirs is not None and theirs.table.get("required") is True:
                yield self._at(
                    Difference(
                        Aspect.BODY,
                        Effect.CALLERS,
                        "request body",
                        "is required",
                        "none",
                        "required",
                    ),
                    theirs,
                )
            return
        media = theirs and self._media(theirs)
        if theirs is None or media is None:
            message = (
                "is not described" if theirs is None else "is not described as application/json"
            )
            yield self._at(Difference(Aspect.BODY, Effect.CALLERS, "request body", message), theirs)
            return
        yield from self._compared(
            ours, media, Place("request body", Direction.BODY, Aspect.BODY, self.id)
        )

    def _responses(self) -> Iterator[Difference]:
        ours = self.ours.child(self.stated.node, "responses")
        theirs = self.theirs.child(self.found.node, "responses") or Node({}, self.found.node.line)
        assert ours is not None
        for status, stated in self.ours.children(ours):
            found = self._response(theirs, str(status))
            if found is not None:
                yield from self._answer(str(status), stated, found)
            elif status == "200":
                yield self._by_default(stated, theirs)
            else:
                yield self._at(
                    Difference(Aspect.COMPLETE, Effect.HARMLESS, str(status), "is not described"),
                    theirs,
                )
        yield from self._waiting(theirs)
        for status in theirs.table:
            if status.isdecimal() and status not in ours.table:
                node = self.theirs.raw_child(theirs, status)
                effect = Effect.OPEN if status in OUTSIDE else Effect.CLIENTS
                yield self._at(
                    Difference(
                        Aspect.RESPONSES,
                        effect,
                        status,
                        "is a status that the contract does not have",
                    ),
                    node,
                )

    def _by_default(self, stated: Node, responses: Node) -> Difference:
        """What there is to say of a success that has no response of its own: the one for all else may be made for it."""
        default = self.theirs.child(responses, "default")
        differences = [] if default is None else list(self._answer("200", stated, default))
        if default is None or any(each.effect in BREAKING for each in differences):
            return self._at(
                Difference(Aspect.RESPONSES, Effect.CLIENTS, "200", "is not described"), responses
            )
        return self._at(
            Difference(Aspect.RESPONSES, Effect.HARMLESS, "200", "is described by default alone"),
            default,
        )

    def _response(self, responses: Node, status: str) -> Node | None:
        """What is said of a status: by itself, by its class, or, of a refusal, by default."""
        names = (
            status,
            f"{status[0]}XX",
            f"{status[0]}xx",
            *(["default"] if status != "200" else []),
        )
        return next(
            (found for name in names if (found := self.theirs.child(responses, name)) is not None),
            None,
        )

    def _answer(self, status: str, ours: Node, theirs: Node) -> Iterator[Difference]:
        if status != "200" and not theirs.table.get("content"):
            yield self._at(
                Difference(
                    Aspect.COMPLETE,
                    Effect.HARMLESS,
                    status,
                    "has no body",
                    "the error body",
                    "none",
                ),
                theirs,
            )
            return
        media = self._media(theirs)
        if media is None:
            yield self._at(
                Difference(
                    Aspect.RESPONSES, Effect.CLIENTS, status, "is not described as application/json"
                ),
                theirs,
            )
            return
        yield from self._compared(
            ours, media, Place(status, Direction.ANSWER, Aspect.SCHEMAS, self.id)
        )

    def _waiting(self, responses: Node) -> Iterator[Difference]:
        """Whether a 429 says how long to wait; a response for all refusals at once cannot."""
        node = self.theirs.child(responses, "429")
        headers = node and node.table.get("headers")
        if node is not None and not (
            isinstance(headers, dict) and any(name.lower() == "retry-after" for name in headers)
        ):
            yield self._at(
                Difference(Aspect.COMPLETE, Effect.HARMLESS, "429", "has no header Retry-After"),
                node,
            )

    def _compared(self, ours: Node, media: Node, place: Place) -> Iterator[Difference]:
        described = self.theirs.raw_child(media, "schema") or anything(media)
        yield from compare(self._specified(ours), View.of(self.theirs, described), place)

    def _specified(self, holder: Node) -> View:
        content = self.ours.child(holder, "content")
        media = content and self.ours.child(content, "application/json")
        return View.of(self.ours, media and self.ours.raw_child(media, "schema"))

    def answers(self, status: str) -> tuple[View, View] | None:
        """What the contract and the description say of the body of an answer; None where one of them says nothing."""
        ours = self.ours.child(self.stated.node, "responses")
        theirs = self.theirs.child(self.found.node, "responses")
        specified = ours and self.ours.child(ours, status)
        described = theirs and self._response(theirs, status)
        media = described and self._media(described)
        schema = media and self.theirs.raw_child(media, "schema")
        return (
            (self._specified(specified), View.of(self.theirs, schema))
            if specified and schema
            else None
        )

    def _media(self, holder: Node) -> Node | None:
        """The media type of a holder's content that JSON falls under."""
        content = self.theirs.child(holder, "content")
        media = (
            {
                str(name).split(";")[0].strip().lower(): node
                for name, node in self.theirs.children(content)
            }
            if content
            else {}
        )
        return next((media[name] for name in JSON_RANGES if name in media), None)

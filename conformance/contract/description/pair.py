"""One operation in the contract and in a description."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from conformance.contract.description.described import Described
from conformance.contract.description.difference import Difference
from conformance.contract.description.document import Document
from conformance.contract.description.node import Node, anything, lines
from conformance.contract.description.place import Place
from conformance.contract.description.schema import View
from conformance.contract.description.values import ValueComparison

JSON_RANGES = ("application/json", "application/*", "*/*")


@dataclass(frozen=True)
class Pair:
    """The same operation in both documents."""

    ours: Document
    theirs: Document
    stated: Described
    found: Described
    values: ValueComparison = field(default_factory=ValueComparison)

    @property
    def id(self) -> str:
        """Its identifier in the contract."""
        return str(self.stated.id)

    @property
    def permission(self) -> str:
        """Its permission in the contract."""
        return str(self.stated.node.table["security"][0]["apiKey"][0])

    def at(self, difference: Difference, node: Node | None = None) -> Difference:
        """A difference of this operation, on the line of a node if it is known."""
        known = lines(node) or lines(self.found.node)
        return replace(difference, operations=(self.id,), lines=known)

    def bodies(self, ours: Node, media: Node, place: Place) -> Iterator[Difference]:
        """The differences of a body; `media` is the media type in the description."""
        described = self.theirs.raw_child(media, "schema") or anything(media)
        return self.values.differences(self.specified(ours), View.of(self.theirs, described), place)

    def specified(self, holder: Node) -> View:
        """The JSON body of a request or response in the contract."""
        content = self.ours.child(holder, "content")
        media = content and self.ours.child(content, "application/json")
        return View.of(self.ours, media and self.ours.raw_child(media, "schema"))

    def media(self, holder: Node) -> Node | None:
        """The media type of a request or response in the description that covers JSON."""
        content = self.theirs.child(holder, "content")
        if content is None:
            return None
        children = self.theirs.children(content)
        media = {str(name).split(";")[0].strip().lower(): node for name, node in children}
        return next((media[name] for name in JSON_RANGES if name in media), None)

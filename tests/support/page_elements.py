"""The elements of an HTML page, and a check that they are harmless."""

import re
from html.parser import HTMLParser

HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u3164\ue000-\uf8ff]"
)


class Elements(HTMLParser):
    """Gathers the elements of a page, with their attributes, and the texts of style and script."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, list[str]] = {"style": [], "script": []}
        self.words = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Store an element."""
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """Store a text."""
        tag = self.found[-1][0] if self.found else ""
        if tag in self.raw and self.cdata_elem == tag:
            self.raw[tag].append(data)
        else:
            self.words += data

    def ids(self) -> list[str]:
        """The ids of all elements."""
        return [attributes["id"] or "" for _, attributes in self.found if "id" in attributes]


def harmless(page: str) -> None:
    """Assert that the page runs and loads nothing except the script of this package."""
    elements = Elements(page)
    tags = [tag for tag, _ in elements.found]
    assert [tags.count("script"), tags.count("style"), tags.count("img"), tags.count("iframe")] == [
        1,
        1,
        0,
        0,
    ]
    assert [
        name
        for _, attributes in elements.found
        for name in attributes
        if name.startswith("on") or name == "style"
    ] == []
    addresses = [
        attributes["href"] or ""
        for tag, attributes in elements.found
        if tag == "a" and "href" in attributes
    ]
    assert [address for address in addresses if not address.startswith("#")] == []
    assert HIDDEN.findall(page) == []

"""Results of tool calls: the data of the operation, or an error."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.contract.pointer import pointer
from conformance.contract.verdict import Inconclusive, Location, Part
from conformance.http.exchange import MISSING, Exchange, parse
from conformance.http.json_rpc import is_event_stream, response_to

FENCE = "```"
SHOWN = frozenset({"id", "items"})
"""Properties of a record, or a page."""
MARKERS = frozenset({"data", "code"})
"""Properties that distinguish an envelope, or an error body, from other JSON."""


_DATA_IN_STRUCTURE = ((), ("data",), ("result",), ("result", "data"))
"""Where the data of an operation may stand in structured content."""


@dataclass(frozen=True)
class ToolResult:
    """The result of a tool call.

    `data` is that of the operation, or MISSING; `further` are those of other envelopes in the same
    result, such as its text beside structured content. `outcome` describes it in a few words.
    `error` is the content of a result that is marked as an error, and MISSING without content.
    `where` is the place in the response that decides between success and error. `structured` is the
    structured content of the result, or MISSING.
    """

    exchange: Exchange
    data: Any
    is_rejected: bool
    outcome: str
    where: Location
    error: Any = MISSING
    has_error_result: bool = False
    further: tuple[Any, ...] = ()
    structured: Any = MISSING

    @property
    def shown(self) -> tuple[Any, ...]:
        """The data of every envelope in the result."""
        return self.data, *self.further

    def located(self, *path: str | int) -> Location:
        """A place in the data; the result as a whole where they are a text."""
        if isinstance(self.structured, dict):
            for steps in _DATA_IN_STRUCTURE:
                if _at(self.structured, steps) is self.data:
                    place = pointer(("result", "structuredContent", *steps, *path))
                    return _in_body(self.exchange, place)
        return self.where

    @property
    def error_place(self) -> Location:
        """Where the body of an error is, or would be."""
        name = "content" if self.structured is MISSING else "structuredContent"
        return _in_body(self.exchange, f"/result/{name}")

    @property
    def code(self) -> str | None:
        """The code of its error; None where it has none."""
        code = self.error.get("code") if isinstance(self.error, dict) else None
        return code if isinstance(code, str) else None

    @property
    def is_served(self) -> bool:
        """Whether the call returned data."""
        return not self.is_rejected and self.data is not MISSING


def read(exchange: Exchange, number: object) -> ToolResult:
    """The result of a tool call, by the number of its request.

    A rejection is an HTTP error, a JSON-RPC error, or a result that is marked as an error.
    Inconclusive where the response has neither.
    """
    message = response_to(exchange, number)
    if not message and exchange.status == 200 and is_event_stream(exchange):
        raise Inconclusive(
            "the stream of events ended without a response",
            needs=("tools.url of an interface that responds in one stream",),
            exchanges=[exchange.id],
        )
    result = message.get("result")
    if isinstance(result, dict) and exchange.status == 200:
        return _of_result(exchange, result)
    error = message.get("error")
    if isinstance(error, dict):
        outcome, where = f"JSON-RPC error {error.get('code')}", _in_body(exchange, "/error")
        return ToolResult(exchange, MISSING, is_rejected=True, outcome=outcome, where=where)
    is_rejected = exchange.status in range(400, 500)
    where = Location(Part.STATUS, exchange=exchange.id)
    return ToolResult(exchange, MISSING, is_rejected, exchange.describe(), where)


def _of_result(exchange: Exchange, result: Mapping[str, Any]) -> ToolResult:
    content, *others = _contents(result)
    structured = result.get("structuredContent", MISSING)
    if result.get("isError") is True:
        return ToolResult(
            exchange,
            MISSING,
            is_rejected=True,
            outcome=f"isError {_code(content)}".rstrip(),
            where=_in_body(exchange, "/result/isError"),
            error=content,
            has_error_result=True,
            structured=structured,
        )
    further = tuple(_data(each) for each in others if isinstance(each, dict) and "data" in each)
    return ToolResult(
        exchange,
        _data(content),
        is_rejected=False,
        outcome="an error body without isError" if _is_error(content) else "a result",
        where=_in_body(exchange, "/result"),
        further=further,
        structured=structured,
    )


def _at(value: Any, steps: Iterable[str]) -> Any:
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _is_error(content: Any) -> bool:
    """Whether a result that is not marked as an error is the body of one."""
    if not isinstance(content, dict) or "code" not in content or "requestId" not in content:
        return False
    return content.keys().isdisjoint(("data", *SHOWN))


def _in_body(exchange: Exchange, place: str) -> Location:
    """A place in a message, which is the body, or the event of a stream that responds."""
    return Location(Part.BODY, place, exchange.id)


def _contents(result: Mapping[str, Any]) -> list[Any]:
    """The contents of a result, envelopes and error bodies first; MISSING alone without any."""
    texts = (_parsed(each) for each in _texts(result))
    wrapped = (_unwrapped(each) if isinstance(each, dict) else each for each in texts)
    candidates = (_unwrapped(result.get("structuredContent")), *wrapped)
    values = [value for value in candidates if value is not MISSING]
    return sorted(values, key=_rank) or [MISSING]


def _rank(value: Any) -> int:
    """Envelopes and error bodies come before records and pages, other objects, and other JSON."""
    if not isinstance(value, dict):
        return 3
    kinds = enumerate((MARKERS, SHOWN))
    return next((rank for rank, kind in kinds if not kind.isdisjoint(value)), 2)


def _texts(result: Mapping[str, Any]) -> Iterator[Any]:
    """The texts of a result, and those of its embedded resources."""
    parts = result.get("content")
    for part in parts if isinstance(parts, list) else ():
        if not isinstance(part, dict):
            continue
        if part.get("type") == "text":
            yield part.get("text")
        elif part.get("type") == "resource" and isinstance(part.get("resource"), dict):
            yield part["resource"].get("text")


def _unwrapped(structured: Any) -> Any:
    """Content without the object that some servers wrap around the result, as text too."""
    if not isinstance(structured, dict):
        return MISSING
    if len(structured) != 1:
        return structured
    ((name, value),) = structured.items()
    inner = _parsed(value)
    is_wrapper = name == "result" or (isinstance(inner, dict) and name != "data")
    return inner if is_wrapper else structured


def _parsed(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    block = _in_code_block(value)
    parsed = parse(value if block is None else block)[0]
    return parse(_between_words(value))[0] if parsed is MISSING and block is None else parsed


def _in_code_block(text: str) -> str | None:
    """The lines between two fences of Markdown, with any words around them; None without fences.

    No line of JSON begins with a fence, since its strings have no line breaks. A regular expression
    would take the square of the length of a text of blanks.
    """
    _, opening, rest = f"\n{text.lstrip()}".partition(f"\n{FENCE}")
    language, _, lines = rest.partition("\n")
    block, closing, _ = f"\n{lines}".partition(f"\n{FENCE}")
    return block if opening and closing and language.strip() in ("", "json") else None


def _between_words(text: str) -> str:
    """The object in a text that has words before or behind it: SDKs put them before errors."""
    return text[text.find("{") : text.rfind("}") + 1]


def _data(content: Any) -> Any:
    """`data` of an envelope; content without an envelope is the data itself."""
    return content["data"] if isinstance(content, dict) and "data" in content else content


def _code(content: Any) -> str:
    return str(content.get("code", "")) if isinstance(content, dict) else ""

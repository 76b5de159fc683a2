"""The picture of what so many requests find: drawn from the newest figures of the part `order`."""

from collections.abc import Iterator, Mapping, Sequence
from math import log10
from pathlib import Path
from xml.sax.saxutils import escape

from benchmarks import history
from benchmarks.first_evidence import REQUESTS
from benchmarks.measured import Row

FILE = Path(__file__).with_name("order.svg")
PART = "order"
COLOURS = ("#1a7f5a", "#8a5a00", "#555555")

WIDTH, HEIGHT = 700, 300
LEFT, RIGHT, TOP, BOTTOM = 56, 140, 20, 44
"""The margins in pixels; the names of the curves stand to the right of them."""

Point = tuple[int, float]
"""A number of requests, and the share of the defects that they find, in percent."""


def rewrite() -> None:
    """Draw the newest figures, if there are any."""
    points = _points(history.newest(history.load(), PART))
    if points:
        FILE.write_text(drawn(points), encoding="utf-8")


def _points(rows: Sequence[Row]) -> dict[str, list[Point]]:
    """The points of each curve, from the rows of budgets."""
    found: dict[str, list[Point]] = {}
    for row in rows:
        number, _, unit = row.name.partition(" ")
        if unit != REQUESTS:
            continue
        for tool, share in row.figures.items():
            point = int(number.replace(",", "")), float(str(share).removesuffix("%"))
            found.setdefault(tool, []).append(point)
    return found


def drawn(curves: Mapping[str, Sequence[Point]]) -> str:
    """An SVG of some curves, over requests on a logarithmic axis."""
    budgets = [number for number, _ in next(iter(curves.values()))]
    parts = [*_grid(budgets)]
    for (tool, points), colour in zip(curves.items(), COLOURS, strict=False):
        parts += _curve(tool, points, budgets, colour)
    box = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    style = 'font-family="sans-serif" font-size="11" fill="#333333"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {box} {style}>'
    title = "<title>The share of single defects that so many requests find</title>"
    paper = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>'
    return "\n".join([head, title, paper, *parts, "</svg>", ""])


def _x(number: int, budgets: Sequence[int]) -> float:
    whole = log10(budgets[-1] / budgets[0])
    return LEFT + (WIDTH - LEFT - RIGHT) * log10(number / budgets[0]) / whole


def _y(share: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - share / 100)


def _grid(budgets: Sequence[int]) -> Iterator[str]:
    for share in range(0, 101, 20):
        y = _y(share)
        yield f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#dddddd"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{share} %</text>'
    for number in budgets:
        x = _x(number, budgets)
        yield (
            f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{number:,}</text>'
        )
    middle = (LEFT + WIDTH - RIGHT) / 2
    yield f'<text x="{middle}" y="{HEIGHT - 8}" text-anchor="middle">{REQUESTS}</text>'


def _curve(
    tool: str, points: Sequence[Point], budgets: Sequence[int], colour: str
) -> Iterator[str]:
    places = [(_x(number, budgets), _y(share)) for number, share in points]
    line = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    yield f'<path d="M{line}" fill="none" stroke="{colour}" stroke-width="2.5"/>'
    yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places)
    x, y = places[-1]
    yield f'<text x="{x + 10:.1f}" y="{y + 4:.1f}" fill="{colour}">{escape(tool)}</text>'

"""Drawings of the site: stacked bars over time, and lines of percentiles, as SVG."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

WIDTH, HEIGHT = 720, 120
NARROW = 400
"""The width of lines, of which several are side by side."""

MARGIN_LEFT, MARGIN_BOTTOM = 56, 18
WIDEST = 40
"""The width of a bar that has room."""

MOST_BARS = 120
"""The bars of a chart; of a longer time, the last ones."""


@dataclass(frozen=True)
class Bar:
    """One bar: its label, and the parts from the bottom to the top, by their style."""

    label: str
    parts: Mapping[str, int]


@dataclass(frozen=True)
class Line:
    """A line of values, one for each label; `style` is a class of the style sheet."""

    style: str
    values: Sequence[float]


def bars(title: str, shown: Sequence[Bar]) -> Markup:
    """Stacked bars; "" without any."""
    shown = shown[-MOST_BARS:]
    if not shown:
        return Markup()
    highest = max(sum(bar.parts.values()) for bar in shown) or 1
    step = (WIDTH - MARGIN_LEFT) / len(shown)
    drawn = Markup().join(_bar(bar, number, step, highest) for number, bar in enumerate(shown))
    end = WIDTH - step + _width(step)
    axes = _axes(str(highest), [bar.label for bar in shown], WIDTH, end)
    return _svg(title, drawn + axes, WIDTH)


def _width(step: float) -> float:
    """The width of a bar, of which one begins at each step."""
    return min(max(step - 1, 1), WIDEST)


def _bar(bar: Bar, number: int, step: float, highest: int) -> Markup:
    left, below = MARGIN_LEFT + number * step, float(HEIGHT - MARGIN_BOTTOM)
    drawn = Markup()
    for style, value in bar.parts.items():
        tall = value / highest * (HEIGHT - MARGIN_BOTTOM - 6)
        below -= tall
        drawn += Markup(
            '<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>'
        ).format(style, left, below, _width(step), tall)
    words = ", ".join(f"{value} {style}" for style, value in bar.parts.items() if value)
    return Markup("<g><title>{}: {}</title>{}</g>").format(bar.label, words or "nothing", drawn)


def lines(title: str, labels: Sequence[str], shown: Sequence[Line]) -> Markup:
    """Lines of seconds over time, with their highest value in milliseconds; "" without any."""
    values = [value for line in shown for value in line.values]
    if not values:
        return Markup()
    highest = max(values) or 1.0
    drawn = Markup().join(_line(line, highest) for line in shown)
    axes = _axes(f"{1000 * highest:,.0f} ms", labels, NARROW, NARROW)
    return _svg(title, drawn + axes, NARROW)


def _line(line: Line, highest: float) -> Markup:
    usable, last = HEIGHT - MARGIN_BOTTOM - 6, max(len(line.values) - 1, 1)
    points = [
        (
            MARGIN_LEFT + 4 + number * (NARROW - MARGIN_LEFT - 8) / last,
            HEIGHT - MARGIN_BOTTOM - value / highest * usable,
        )
        for number, value in enumerate(line.values)
    ]
    if len(points) == 1:
        ((x, y),) = points
        return Markup('<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="3"/>').format(line.style, x, y)
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return Markup('<polyline class="{}" points="{}"/>').format(line.style, text)


def _axes(top: str, labels: Sequence[str], width: int, end: float) -> Markup:
    """The range of the values, and the first and last label; the last value ends at `end`."""
    base = HEIGHT - MARGIN_BOTTOM
    drawn = Markup('<line class="axis" x1="{}" y1="{}" x2="{}" y2="{}"/>').format(
        MARGIN_LEFT, base, width, base
    )
    text = Markup('<text x="{}" y="{}" text-anchor="{}">{}</text>')
    drawn += text.format(MARGIN_LEFT - 6, 12, "end", top)
    drawn += text.format(MARGIN_LEFT - 6, base, "end", "0")
    drawn += text.format(MARGIN_LEFT, HEIGHT - 4, "start", labels[0])
    if len(labels) > 1:
        drawn += text.format(round(end, 1), HEIGHT - 4, "end", labels[-1])
    return drawn


def _svg(title: str, drawn: Markup, width: int) -> Markup:
    return Markup(
        '<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>'
    ).format(width, HEIGHT, title, drawn)

"""The template of the page, its filters, and the style and script that it includes."""

import base64
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib import resources
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template
from markupsafe import Markup

from conformance.contract.quantity import quantity
from conformance.report import needs
from conformance.report.page.survey import duration
from conformance.report.text import short_with_length, visible

FOLDER = "conformance.report.page"
LONGEST_VALUE = 160


@dataclass(frozen=True)
class Inline:
    """A style or a script within the page, and its digest for the content security policy."""

    text: Markup
    digest: str


@cache
def page() -> Template:
    """The template of the whole page."""
    return environment(_text).get_template("page.html.jinja")


def environment(text: Callable[[str], str]) -> Environment:
    """Templates with our filters, which show nothing invisible; `text` reads one by its name."""
    made = Environment(
        loader=FunctionLoader(text),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = {
        "address": _address,
        "needed": needs.label,
        "duration": duration,
        "moment": _moment,
        "quantity": quantity,
        "value": value,
    }
    made.filters |= filters
    return made


@cache
def inline(name: str) -> Inline:
    """A file of this package as part of the page."""
    text = _text(name)
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return Inline(Markup(text), f"sha256-{digest}")


def _text(name: str) -> str:
    return (resources.files(FOLDER) / name).read_text(encoding="utf-8")


def _visible(shown: Any) -> Any:
    """What the template shows of any value: texts without invisible characters."""
    is_text = isinstance(shown, str) and not isinstance(shown, Markup)
    return visible(shown) if is_text else shown


def _address(id: str) -> str:
    return quote(id, safe="/", errors="replace")


def _moment(text: str) -> str:
    try:
        return f"{datetime.fromisoformat(text):%d %B %Y, %H:%M %Z}"
    except ValueError:
        return text


def value(shown: Any) -> str:
    """A JSON value as text, or the beginning of a long one."""
    text = shown if isinstance(shown, str) else json.dumps(shown, ensure_ascii=False)
    return short_with_length(text, LONGEST_VALUE)

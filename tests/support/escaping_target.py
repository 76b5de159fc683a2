"""A target at a real socket that repeats a key with some of its characters escaped.

It does so everywhere: in bodies, headers and status lines, in its tools and in its description.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from echoing_target import ENCODINGS
from hostile_server import Answer, broken

WAYS = ("JSON in part", "percent in part", "HTML in part", "bytes in part", "a mixture")
PLACE = "lk_place_of_the_key"
"""What stands for the key until the body is written."""


@contextmanager
def escaping(folder: Path) -> Iterator[str]:
    """The API key of the target, whose profile is in the folder."""
    keys: list[str] = []
    numbers = count()

    def respond(answer: Answer) -> bytes:
        way = WAYS[next(numbers) % len(WAYS)]
        echo = ENCODINGS[way](keys[0])
        body = json.dumps(_with_place(answer)).replace(PLACE, _in_json(echo)).encode()
        header = f"x-echo: {echo}"
        location = f"location: /?key={echo}"
        return answer.but(body, f"{answer.status} {echo}", header, location)

    with broken("all", respond) as profile:
        primary = profile["credentials"]["primary"]
        keys.append(primary["api-key"])
        (folder / "target.toml").write_text(_profile(profile), encoding="utf-8")
        yield keys[0]


def _in_json(echo: str) -> str:
    """A text in a JSON string: its own escapes are those of JSON, where JSON has them."""
    return echo.replace("\\", "\\\\").replace("\\\\u", "\\u")


def _with_place(answer: Answer) -> Any:
    """The document of a response, with the place of the key in it; other fields stay."""
    document = json.loads(answer.body or b"{}")
    if "openapi" in document:
        document["info"]["title"] = document["info"]["description"] = PLACE
        for path in document["paths"].values():
            for operation in path.values():
                operation["summary"] = PLACE
    elif "jsonrpc" in document:
        _mark_tools(document.get("result", {}))
    elif isinstance(document.get("data"), dict):
        document["data"] |= {"id": PLACE, "displayName": PLACE, PLACE: [PLACE]}
        for item in document["data"].get("items", ()):
            item |= {"status": PLACE, "name": PLACE}
    else:
        document |= {"code": PLACE, "title": [PLACE], "status": PLACE}
    return document


def _mark_tools(result: dict[str, Any]) -> None:
    for tool in result.get("tools", ()):
        tool |= {"description": PLACE, "title": PLACE}
    if "content" in result:
        result["content"] = [{"type": "text", "text": json.dumps({"data": PLACE})}]


def _profile(profile: dict[str, Any]) -> str:
    primary = profile["credentials"]["primary"]
    return "\n".join(
        [
            f'base-url = "{profile["base-url"]}"',
            f'tools = {{url = "{profile["tools"]["url"]}"}}',
            f'description = {{url = "{profile["description"]["url"]}"}}',
            "[credentials.primary]",
            f'api-key = "{primary["api-key"]}"',
            f'bearer = "{primary["bearer"]}"',
            "",
        ]
    )

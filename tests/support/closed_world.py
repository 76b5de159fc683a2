"""A run whose target's schemas refer to another host and to a file, under an audit hook.

Arguments: the report directory and the trap, a file that nobody has a reason to read. Prints the
addresses that the run connected to, and whether it opened the trap, as JSON.
"""

import json
import sys
from pathlib import Path
from typing import Any

import altered_run

from conformance.assurance.selftest.altered import Edit

directory, trap = map(Path, sys.argv[1:])
HOST = "http://127.0.0.1:9/schema"
FOREIGN = f'{{"allOf": [{{"$ref": "{HOST}"}}, {{"$ref": "{trap.as_uri()}"}}]}}'
EDITS = [
    Edit(
        "tools",
        '"inputSchema": input_schema,',
        f'"inputSchema": {{**input_schema, "$schema": "{HOST}", **{FOREIGN}}},',
    ),
    Edit(
        "description",
        'document["servers"] = [{"url": base_url}]',
        f'document["servers"] = [{{"url": base_url}}]\n'
        f'    document["components"]["schemas"]["Account"] = {FOREIGN}',
    ),
]

connected: list[str] = []
opened: list[str] = []


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    """Remember connections, look-ups of names, and openings of the trap."""
    if event in {"socket.connect", "socket.getaddrinfo"}:
        connected.append(str(arguments))
    if event == "open" and str(arguments[0]).endswith(trap.name):
        opened.append(str(arguments[0]))


sys.addaudithook(watch)
report = altered_run.report(EDITS, directory, ["tools", "description"])
verdicts = {entry["id"]: entry["verdict"] for entry in report["requirements"]}
sys.stdout.write(json.dumps({"connected": connected, "opened": opened, "verdicts": verdicts}))

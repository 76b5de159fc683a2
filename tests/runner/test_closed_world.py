"""A run neither fetches nor reads what the schemas of a target refer to."""

from pathlib import Path

import altered_run
import counting

from conformance.assurance.selftest.altered import Edit

NOTHING = '{"not": {}}'
"""A schema that rejects every value: a validator that reads it reports a violation."""


def test_schemas_of_a_target_make_a_run_fetch_nothing(tmp_path: Path) -> None:
    """Tools and description refer to another host and to a file; neither is read."""
    trap = tmp_path / "trap.json"
    trap.write_text(NOTHING)

    with counting.server(NOTHING.encode()) as (address, paths):
        report = altered_run.report(_edits(address, trap), tmp_path, ["tools", "description"])

    verdicts = {entry["id"]: entry["verdict"] for entry in report["requirements"]}
    assert paths == []
    assert "error" not in verdicts.values()
    assert {verdicts["tools/listed"], verdicts["tools/arguments"]} == {"pass"}


def _edits(address: str, trap: Path) -> list[Edit]:
    host = f"{address}/schema"
    foreign = f'"allOf": [{{"$ref": "{host}"}}, {{"$ref": "{trap.as_uri()}"}}]'
    tool = f'"inputSchema": {{**input_schema, "$schema": "{host}", {foreign}}},'
    served = 'document["servers"] = [{"url": base_url}]'
    account = f'document["components"]["schemas"]["Account"] = {{{foreign}}}'
    return [
        Edit("tools", '"inputSchema": input_schema,', tool),
        Edit("description", served, f"{served}\n    {account}"),
    ]

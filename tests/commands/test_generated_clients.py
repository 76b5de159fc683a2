"""`conformance client` on clients that nobody wrote by hand: generated ones, and an SDK's."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import node

from conformance.__main__ import main
from conformance.contract.verdict import Verdict
from conformance.reference import Reference

QUIET = ("plain", "unknown-fields", "odd-cursors")
"""Scenarios that a client gets through without repeating anything."""

READ = {"client/credential", "client/secret-in-url", "client/cursor", "client/limit"}
APPROVED = {"client/body", "client/guard", "client/revision", "client/key-new"}


def described(folder: Path) -> Path:
    """The description that the reference publishes."""
    reference, path = Reference(), folder / "openapi.json"
    path.write_text(json.dumps(reference.description("http://reference.invalid/v1")), "utf-8")
    reference.close()
    return path


CLIENTS = Path(__file__).parents[1] / "clients"


def verdicts(folder: Path, *command: str) -> dict[str, set[str]]:
    """The requirements with each verdict, for a client in the quiet scenarios; all end with 0."""
    options = [f"--report-dir={folder / 'report'}", f"--scenario={','.join(QUIET)}", "--json"]
    main(["client", *options, "--", *command])
    report: dict[str, Any] = json.loads((folder / "report" / "report.json").read_text("utf-8"))
    ends = [each for each in report["observations"] if each["id"] == "client/ending"]
    assert [each["values"] for each in ends] == [["exit code 0"]] * len(QUIET)
    found: dict[str, set[str]] = {verdict: set() for verdict in Verdict}
    for each in report["requirements"]:
        found[each["verdict"]].add(each["id"])
    return found


def copied(name: str, folder: Path) -> str:
    """The path of a program of tests/clients in a folder."""
    return str(shutil.copy(CLIENTS / name, folder))


def test_a_client_of_openapi_python_client_passes(tmp_path: Path) -> None:
    """Its models tolerate new properties, and its cursors are parsed as UUIDs."""
    paths = {"--path": described(tmp_path), "--output-path": tmp_path / "generated"}
    options = [word for option, path in paths.items() for word in (option, str(path))]
    command = [sys.executable, "-m", "openapi_python_client", "generate", *options]
    subprocess.run([*command, "--meta", "none"], check=True, capture_output=True, cwd=tmp_path)
    found = verdicts(tmp_path, sys.executable, copied("generated_client.py", tmp_path))
    assert found[Verdict.FAIL] == set()
    assert found[Verdict.PASS] >= READ | APPROVED | {"client/identifiers", "client/media-type"}


CONFIGURATION = """\
export default {
  input: "./openapi.json",
  output: { path: "./generated", importFileExtension: ".ts", module: { extension: ".ts" } },
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
};
"""


def test_a_client_of_openapi_ts_passes(tmp_path: Path) -> None:
    """It is TypeScript, which Node.js runs as it is."""
    node.install(tmp_path, node.PACKAGES / "clients")
    described(tmp_path)
    (tmp_path / "openapi-ts.config.mjs").write_text(CONFIGURATION, encoding="utf-8")
    done = node.run(tmp_path / "node_modules", "openapi-ts", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    program = copied("generated_client.mjs", tmp_path)
    found = verdicts(tmp_path, str(node.BIN / "node"), program)
    assert found[Verdict.FAIL] == set()
    assert found[Verdict.PASS] >= READ | APPROVED | {"client/identifiers", "client/media-type"}


def test_a_client_of_the_protocol_for_tools_passes(tmp_path: Path) -> None:
    """Calls of tools are requests of operations as well."""
    found = verdicts(tmp_path, sys.executable, copied("mcp_client.py", tmp_path))
    assert found[Verdict.FAIL] == set()
    assert found[Verdict.PASS] >= APPROVED | {"client/cursor", "client/limit"}

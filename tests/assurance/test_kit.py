"""`conformance kit`: a certificate that is verified without an index of packages."""

import base64
import json
import signal
import socket
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from certified import Certified
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from process import COMMAND, conformance_here, surroundings

from conformance import __version__
from conformance.assurance.certificate import challenge, dsse, environment, issuing
from conformance.assurance.certificate.environment import PACKAGE
from conformance.assurance.kit import sbom, wheels
from conformance.assurance.kit.wheels import WheelProblem
from conformance.contract import revisions
from conformance.contract.exit_codes import INTERRUPTED

ROOT = Path(__file__).parents[2]
MOMENT = datetime(2026, 11, 1, tzinfo=UTC)
WHEELS = {
    f"{PACKAGE.replace('-', '_')}-1.0-py3-none-any.whl": b"a",
    "httpx-0.28.1-py3-none-any.whl": b"b",
}
WANTED = {PACKAGE: "1.0", "httpx": "0.28.1"}


def folder_of(tmp_path: Path, files: dict[str, bytes]) -> Path:
    """A folder with these files."""
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def test_wheels_become_requirements_with_hashes(tmp_path: Path) -> None:
    """In the order of their names, as pip takes them."""
    found = wheels.found(folder_of(tmp_path, WHEELS), WANTED)

    digest = "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d"
    assert wheels.requirements(found).splitlines()[0] == f"httpx==0.28.1 --hash=sha256:{digest}"
    assert [each.name for each in found] == ["httpx", PACKAGE]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("httpx-0.27.0-py3-none-any.whl", "httpx-0.27.0-py3-none-any.whl: the run had 0.28.1"),
        ("other-1.0-py3-none-any.whl", "other-1.0-py3-none-any.whl: the run had no such package"),
        ("other.whl", "other.whl: not the name of a wheel"),
    ],
)
def test_another_wheel_is_none_of_the_run(tmp_path: Path, name: str, problem: str) -> None:
    """Nobody installs what the run did not have."""
    with pytest.raises(WheelProblem) as raised:
        wheels.found(folder_of(tmp_path, {name: b""}), WANTED)

    assert str(raised.value) == problem


def test_the_bill_of_materials_is_valid_and_always_the_same(tmp_path: Path) -> None:
    """By the published schema; the suite is what it is about."""
    found = wheels.found(folder_of(tmp_path, WHEELS), WANTED)
    text = sbom.text(found, "0" * 64, MOMENT)

    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    assert text == sbom.text(found, "0" * 64, MOMENT)
    document = json.loads(text)
    assert document["metadata"]["component"]["name"] == PACKAGE
    (component,) = document["components"]
    assert (component["purl"], component["hashes"][0]["content"]) == (
        "pkg:pypi/httpx@0.28.1",
        found[0].digest,
    )
    without = sbom.text([each for each in found if each.name != PACKAGE], "0" * 64, MOMENT)
    assert "component" not in json.loads(without)["metadata"]


def test_a_kit_is_for_the_python_and_the_suite_of_the_run(
    certified: Certified, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise its wheels, or its specification, would be others; no folder is left."""
    certificate = certified.write(tmp_path / "c.zip")
    python, packages = environment.read(certified.evidence["environment.txt"])

    monkeypatch.setattr(environment, "read", lambda _content: ("3.99.1", packages))
    ended = conformance_here(tmp_path, "kit", certificate)
    assert (ended.returncode, "the run had Python 3.99.1, and this is 3." in ended.stderr) == (
        4,
        True,
    )
    other = {**packages, PACKAGE: "9.9"}
    monkeypatch.setattr(environment, "read", lambda _content: (python, other))
    ended = conformance_here(tmp_path, "kit", certificate)
    problem = f"suite 9.9 made the certificate, and this is {__version__}: make the kit with"
    assert (ended.returncode, problem in ended.stderr) == (4, True)
    assert not (tmp_path / "kit").exists()


@pytest.mark.parametrize(
    ("stated", "problem"),
    [
        ({"revision": "../../../../x"}, "unknown revision '../../../../x'"),
        ({"revision": "../openapi"}, "unknown revision '../openapi'"),
        ({"revision": ["2026-12"]}, "unknown revision ['2026-12']"),
        ({"finished": "soon"}, "the certificate states no revision, or no end of its run"),
        ({"finished": 5}, "the certificate states no revision, or no end of its run"),
    ],
)
def test_a_forged_statement_names_no_file_of_a_kit(
    certified: Certified, tmp_path: Path, stated: dict[str, object], problem: str
) -> None:
    """Its revision would be read from a path, and written to one, outside the folders of both."""
    envelope = stating(certified, stated)
    forged = certified.write(tmp_path / "c.zip", replace(certified.honest, envelope=envelope))

    ended = conformance_here(tmp_path, "kit", forged)

    assert (ended.returncode, problem in ended.stderr) == (4, True)
    assert [path.name for path in tmp_path.iterdir()] == ["c.zip"]


def stating(certified: Certified, stated: dict[str, object]) -> dict[str, Any]:
    """The envelope of the honest certificate with other claims; nobody has signed them."""
    statement = dsse.unverified(certified.honest.envelope)
    statement["predicate"] |= stated
    payload = base64.b64encode(dsse._payload(statement)).decode()
    return {**certified.honest.envelope, "payload": payload}


def test_a_forged_environment_ends_in_one_line(certified: Certified, tmp_path: Path) -> None:
    """Python reads no integer of so many digits."""
    listed = certified.evidence["environment.txt"].replace(b"3.", b"3." + b"9" * 5_000, 1)
    sizes = {**dsse.sizes(certified.honest.envelope), "environment.txt": len(listed)}
    evidence = {**certified.evidence, "environment.txt": listed}
    found = replace(
        certified.honest, evidence=evidence, envelope=stating(certified, {"sizes": sizes})
    )
    forged = certified.write(tmp_path / "c.zip", found)

    ended = conformance_here(tmp_path, "kit", forged)

    assert (ended.returncode, "as the version of Python" in ended.stderr) == (4, True)


def test_what_is_no_certificate_or_in_the_way_is_said(tmp_path: Path) -> None:
    """In one line each."""
    (tmp_path / "kit").mkdir()
    (tmp_path / "c.zip").write_bytes(b"")

    taken = conformance_here(tmp_path, "kit", "c.zip")
    assert (taken.returncode, "--out kit: exists and is not overwritten" in taken.stderr) == (
        4,
        True,
    )
    malformed = conformance_here(tmp_path, "kit", "c.zip", "--out", "new")
    assert (malformed.returncode, "c.zip" in malformed.stderr) == (4, True)
    absent = conformance_here(tmp_path, "kit", "no.zip", "--out", "new")
    assert (absent.returncode, "no.zip" in absent.stderr) == (4, True)


def test_without_its_extra_the_command_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one line."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)

    ended = conformance_here(tmp_path, "kit", "c.zip")

    assert ended.returncode == 4
    assert "needs the extra `kit`: pip install '.[kit]' in a checkout" in ended.stderr


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_pip_ends_with_the_command(
    end: signal.Signals, certified: Certified, tmp_path: Path
) -> None:
    """Here it waits for an index that says nothing; of what there was, a kill leaves a folder."""
    certificate = certified.write(tmp_path / "c.zip")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as index:
        address = f"http://127.0.0.1:{index.getsockname()[1]}/simple"
        around = surroundings(TMPDIR=str(temporary), PIP_INDEX_URL=address, PIP_NO_INDEX="")
        with subprocess.Popen(
            [*COMMAND, "kit", str(certificate)], cwd=tmp_path, env=around, stderr=subprocess.DEVNULL
        ) as running:
            waiting, _ = index.accept()
            running.send_signal(end)
        with waiting:
            waiting.settimeout(30)
            while waiting.recv(65536):
                pass
    if end != signal.SIGKILL:
        assert running.returncode == INTERRUPTED
        assert [*temporary.iterdir(), *tmp_path.glob("kit")] == []


def pip(folder: Path, *words: str) -> None:
    """Run pip in an environment of its own; it has to succeed."""
    program = folder / "environment" / "bin" / "python"
    if not program.exists():
        subprocess.run([sys.executable, "-m", "venv", folder / "environment"], check=True)
    done = subprocess.run(
        [program, "-m", "pip", *words], cwd=folder, capture_output=True, text=True, check=False,
        env=surroundings(PIP_DISABLE_PIP_VERSION_CHECK="1"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_a_kit_verifies_without_an_index(certified: Certified, tmp_path: Path) -> None:
    """Its digests hold, its wheels install by their hashes alone, and its suite verifies."""
    asked = {challenge.FILE: certified.evidence[challenge.FILE]}
    issued = issuing.issued(certified.report, revisions.latest(), certified.signer, asked)
    certificate = certified.write(tmp_path / "c.zip", issued)
    pip(tmp_path, "wheel", "--quiet", "--no-deps", "--wheel-dir", "suite", str(ROOT))

    made = conformance_here(tmp_path, "kit", certificate, "--find-links", "suite")
    assert made.returncode == 0, made.stderr
    kit = tmp_path / "kit"
    summed = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=kit, check=False)
    assert summed.returncode == 0
    revision = revisions.latest().name
    assert (kit / "specification" / "revisions" / f"{revision}.yaml").is_file()
    assert (
        JsonStrictValidator(SchemaVersion.V1_6).validate_str(
            (kit / "sbom.cdx.json").read_text(encoding="utf-8")
        )
        is None
    )

    (command,) = (
        line.split("pip ")[1]
        for line in (kit / "VERIFY.md").read_text(encoding="utf-8").splitlines()
        if "pip install" in line
    )
    pip(kit, *command.split())
    verified = subprocess.run(
        [kit / "environment" / "bin" / "conformance", "verify", "certificate.zip"],
        cwd=kit, env=surroundings(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert "VERIFIED: the evidence supports every statement." in verified.stdout

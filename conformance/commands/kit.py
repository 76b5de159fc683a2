"""`conformance kit`: a certificate with everything that verifies it later, without an index."""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from conformance import __version__
from conformance.assurance.certificate import bundle, dsse, environment
from conformance.assurance.certificate.bundle import Bundle, BundleProblem
from conformance.assurance.certificate.environment import PACKAGE, NoEnvironment
from conformance.assurance.kit import sbom, wheels
from conformance.assurance.kit.wheels import Wheel, WheelProblem
from conformance.commands.certification.environment_of_then import (
    LISTED,
    QUIET,
    REMEDY,
    WITHOUT_BUILDING,
)
from conformance.commands.outcome import UsageError
from conformance.commands.signals import interrupting
from conformance.contract import files, revisions
from conformance.contract.exit_codes import CONFORMANT
from conformance.contract.quantity import quantity
from conformance.report.console import output
from conformance.storage import fresh_file, regular_file
from conformance.storage.folder import inner
from conformance.target.command import CommandError, ended

CERTIFICATE, KEY = "certificate.zip", "signer.pub"
SPECIFICATION = ("openapi.yaml", "requirements.yaml", "interpretations.toml", "README.md")
HOW = """\
# Verify this certificate

It takes Python {python}, and no network:

    sha256sum --check SHA256SUMS
    python3 -m venv then
    then/bin/pip install --no-index --find-links wheels --require-hashes -r requirements.txt
    then/bin/conformance verify {key}certificate.zip

`sbom.cdx.json` lists the packages (CycloneDX), and `specification/` has the contract, the
requirements and interpretations, and revision {revision}, by which the certificate counts.
"""


def run(arguments: argparse.Namespace) -> int:
    """Write the kit into a new folder. Raises UsageError."""
    out: Path = arguments.out
    if out.exists():
        raise UsageError(f"--out {out}: exists and is not overwritten; name another folder")
    try:
        found = bundle.read(arguments.certificate)
        revision, finished = _stated(found.envelope)
        python, packages = environment.read(found.evidence[LISTED])
        _check(python, packages)
        out.mkdir(parents=True)
        with interrupting(), _unless_it_fails(out):
            collected = _collected(found, inner(out, "wheels"), packages, arguments.find_links)
            origin = _Origin(found, python, revision, finished)
            _write(out, _parts(arguments, origin, collected))
    except (
        BundleProblem,
        CommandError,
        NoEnvironment,
        dsse.SignatureProblem,
        WheelProblem,
    ) as problem:
        raise UsageError(str(problem)) from None
    except OSError as problem:
        raise UsageError(f"{problem.filename}: {problem.strerror}") from None
    output.lines([f"kit written to {out}, with {quantity(len(collected), 'wheel')}"])
    return CONFORMANT


@dataclass(frozen=True)
class _Origin:
    """A certificate, the Python of its run, the revision that counts, and the end of the run."""

    found: Bundle
    python: str
    revision: str
    finished: datetime


def _stated(envelope: Mapping[str, Any]) -> tuple[str, datetime]:
    """The revision and the end of the run. Nobody has verified them, and one names a file.

    Raises UsageError where they are none.
    """
    claims: Any = dsse.unverified(envelope).get("predicate")
    try:
        revision, finished = claims["revision"], datetime.fromisoformat(claims["finished"])
    except (TypeError, LookupError, ValueError):
        raise UsageError("the certificate states no revision, or no end of its run") from None
    if revision not in revisions.names():
        raise UsageError(f"unknown revision {revision!r:.40}: this suite has none of that name")
    return revision, finished


@contextmanager
def _unless_it_fails(out: Path) -> Iterator[None]:
    """Delete the new folder if the context fails, or the next attempt would end with it."""
    try:
        yield
    except BaseException:
        shutil.rmtree(out, ignore_errors=True)
        raise


def _check(python: str, packages: Mapping[str, str]) -> None:
    """The kit has the wheels for the Python, and the specification of the suite, that runs here."""
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    if python.rpartition(".")[0] != here:
        raise UsageError(f"the run had Python {python}, and this is {here}: use the one of then")
    if packages[PACKAGE] != __version__:
        of_then = f"suite {packages[PACKAGE]} made the certificate, and this is {__version__}"
        raise UsageError(f"{of_then}: make the kit with the one of then")


def _collected(
    found: Bundle, folder: Path, packages: Mapping[str, str], links: Path | None
) -> list[Wheel]:
    """The wheels of the run, from an index and from the folder that is named."""
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / LISTED).write_bytes(found.evidence[LISTED])
        for command in _commands(Path(name), folder.absolute(), packages, links):
            code, said = ended(command, Path(name))
            if code:
                last = said.strip().splitlines()[-1:]
                raise UsageError(f"{' '.join(command[1:4])} failed: {' '.join(last)}; {REMEDY}")
    return wheels.found(folder, packages)


def _commands(
    work: Path, folder: Path, packages: Mapping[str, str], links: Path | None
) -> list[list[str]]:
    wanted = [f"{PACKAGE}=={packages[PACKAGE]}", "-c", LISTED, "--wheel-dir", str(folder)]
    if links is not None:
        wanted += ["--find-links", str(links.absolute())]
    interpreter = str(work / "venv" / "bin" / "python")
    return [
        [sys.executable, "-m", "venv", str(work / "venv")],
        [interpreter, "-m", "pip", "wheel", *QUIET, *WITHOUT_BUILDING, *wanted],
    ]


def _parts(
    arguments: argparse.Namespace, origin: _Origin, collected: list[Wheel]
) -> Iterator[tuple[str, bytes]]:
    """The files of the kit beside its wheels."""
    yield CERTIFICATE, origin.found.archive
    if arguments.public_key:
        yield KEY, regular_file.read(arguments.public_key, follow=True)
    yield "requirements.txt", wheels.requirements(collected).encode()
    bill = sbom.text(collected, origin.found.digest, origin.finished)
    yield "sbom.cdx.json", bill.encode()
    for name in (*SPECIFICATION, f"{revisions.FOLDER}/{origin.revision}.yaml"):
        yield f"specification/{name}", _contract(files.folder(), name)
    key = f"--public-key {KEY} " if arguments.public_key else ""
    version = origin.python.rpartition(".")[0]
    yield "VERIFY.md", HOW.format(python=version, key=key, revision=origin.revision).encode()


def _contract(folder: Traversable, name: str) -> bytes:
    return folder.joinpath(name).read_bytes()


def _write(out: Path, parts: Iterator[tuple[str, bytes]]) -> None:
    """Write the files, and the digests of all of them."""
    for name, content in parts:
        *folders, file = name.split("/")
        fresh_file.write(inner(out, *folders) / file, content)
    written = sorted(path for path in out.rglob("*") if path.is_file())
    sums = (
        f"{sha256(path.read_bytes()).hexdigest()}  {path.relative_to(out).as_posix()}\n"
        for path in written
    )
    fresh_file.write(out / "SHA256SUMS", "".join(list(sums)).encode())

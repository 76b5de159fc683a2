"""The options of the commands around certificates."""

import argparse
import importlib.util
from pathlib import Path
from typing import Any

from conformance.commands.options import profiles, usual
from conformance.runner import option_types


def keygen(part: argparse.ArgumentParser) -> None:
    """The file of the new key."""
    part.add_argument(
        "file",
        nargs="?",
        type=Path,
        default=Path("conformance.key"),
        metavar="FILE",
        help="default: %(default)s",
    )


def certify(part: argparse.ArgumentParser) -> None:
    """The run to certify, the key and the file."""
    _certified(part)
    _replay(part)
    usual.json(part)
    part.add_argument(
        "file",
        nargs="?",
        type=Path,
        default=Path("certificate.zip"),
        metavar="FILE",
        help="default: %(default)s",
    )


def _certified(part: argparse.ArgumentParser) -> None:
    """What a certificate is made of."""
    part.add_argument(
        "--report-dir",
        type=Path,
        default=Path("reports/latest"),
        metavar="DIR",
        help="folder of the run (default: %(default)s)",
    )
    part.add_argument(
        "--key",
        type=Path,
        required=True,
        metavar="FILE",
        help="private key (`conformance keygen` creates one)",
    )
    part.add_argument(
        "--revision",
        metavar="YYYY-MM",
        help="revision of the requirements that count (default: that of the run, or the newest)",
    )
    part.add_argument(
        "--challenge",
        type=Path,
        metavar="FILE",
        help="the registrar's challenge that the run answers (`conformance challenge`)",
    )
    part.add_argument(
        "--lock",
        type=Path,
        metavar="FILE",
        help="a pylock.toml (PEP 751) of the packages of the run, with their addresses and hashes",
    )


def _replay(part: argparse.ArgumentParser) -> None:
    """How long a recording may take that somebody else has made."""
    part.add_argument(
        "--max-time",
        type=option_types.seconds,
        default=600.0,
        metavar="SECONDS",
        help="end the replay of the recording after so many seconds, without a verdict (default:"
        " 600)",
    )


def challenge(part: argparse.ArgumentParser) -> None:
    """The key of the registrar, and how long the challenge is open."""
    part.add_argument(
        "--key", type=Path, required=True, metavar="FILE", help="private key of the registrar"
    )
    part.add_argument(
        "--hours",
        type=option_types.hours,
        default=168,
        metavar="N",
        help="hours until the run has to be over (default: %(default)s)",
    )
    part.add_argument(
        "--base-url", metavar="URL", help="the only target that may answer it (default: any)"
    )
    part.add_argument(
        "--vendor",
        type=Path,
        metavar="KEY.pub",
        help="the only key that may sign the answer (default: any)",
    )
    usual.json(part)
    part.add_argument(
        "file",
        nargs="?",
        type=Path,
        default=Path("challenge.json"),
        metavar="FILE",
        help="default: %(default)s",
    )


def verify(part: argparse.ArgumentParser) -> None:
    """The certificate to verify."""
    part.add_argument("--public-key", type=Path, metavar="FILE", help="public key of the signer")
    part.add_argument(
        "--with-current-suite",
        action="store_true",
        help="list the verdicts that the installed suite changes",
    )
    part.add_argument(
        "--second",
        action="store_true",
        help="let a second judge, which shares no code with the suite, decide again what the"
        " recording alone can decide, and reject the certificate where the two differ",
    )
    _replay(part)
    usual.json(part)
    _registrar(part)
    _probe(part)
    part.add_argument(
        "--then",
        action="store_true",
        help="if another suite made it: install that one in a throw-away environment (by uv or"
        " pip), and verify with it",
    )
    part.add_argument(
        "--find-links",
        type=Path,
        metavar="DIR",
        help="folder with wheels for --then, such as that of a suite that no index has",
    )
    part.add_argument(
        "--on",
        type=option_types.day,
        metavar="DATE",
        help="the day on which the certificate has to be valid (default: today)",
    )
    part.add_argument("file", type=Path, metavar="FILE", help="the certificate")


def _registrar(part: argparse.ArgumentParser) -> None:
    """What a registrar says about a certificate."""
    part.add_argument(
        "--countersign",
        nargs=2,
        type=Path,
        metavar=("KEY", "SUMMARY"),
        help="sign a summary of this verification, as a registrar does",
    )
    part.add_argument(
        "--summary",
        nargs=2,
        type=Path,
        metavar=("SUMMARY", "KEY.pub"),
        help="check the summary of a registrar, too",
    )
    part.add_argument(
        "--revocations",
        nargs=2,
        type=Path,
        metavar=("LIST", "KEY.pub"),
        help="reject a certificate that this list of a registrar revokes",
    )
    part.add_argument(
        "--registrar",
        type=Path,
        metavar="KEY.pub",
        help="require an answer to a challenge that this key has signed",
    )


def _probe(part: argparse.ArgumentParser) -> None:
    """Recorded reads to send again."""
    part.add_argument(
        "--probe",
        type=option_types.count,
        metavar="N",
        help="draw N recorded reads at random, and send them again to the live target",
    )
    part.add_argument(
        "--base-url", metavar="URL", help="base URL of the live target (default: of the profile)"
    )
    part.add_argument(
        "--target", type=Path, metavar="FILE", help="profile with credentials for --probe"
    )
    profiles.trust(part)


KIT_EXTRA = "needs the extra `kit`: pip install '.[kit]' in a checkout"


def kit(part: argparse.ArgumentParser) -> None:
    """The certificate, and where its packages are."""
    part.add_argument("certificate", type=_certificate, metavar="FILE", help="the certificate")
    part.add_argument(
        "--public-key", type=Path, metavar="FILE", help="public key of the signer, for the kit"
    )
    part.add_argument(
        "--find-links",
        type=Path,
        metavar="DIR",
        help="folder with wheels that the index lacks, such as that of this suite"
        " (`pip wheel --no-deps .` in a checkout)",
    )
    part.add_argument(
        "--out",
        type=Path,
        default=Path("kit"),
        metavar="DIR",
        help="new folder for the kit (default: %(default)s)",
    )


def _certificate(text: str) -> Path:
    """The path of a certificate; ArgumentTypeError without the extra that writes the SBOM."""
    if importlib.util.find_spec("cyclonedx") is None:
        raise argparse.ArgumentTypeError(KIT_EXTRA)
    return Path(text)


def appeal(part: argparse.ArgumentParser) -> None:
    """The requirement, the evidence, and what the vendor says."""
    part.add_argument("requirement", metavar="REQUIREMENT", help="a requirement that failed")
    part.add_argument(
        "--report",
        type=Path,
        default=Path("reports/latest"),
        metavar="DIR",
        help="folder of the run (default: %(default)s)",
    )
    part.add_argument(
        "--exchange", metavar="ID", help="the exchange that shows it (default: the last one)"
    )
    part.add_argument(
        "--words", metavar="TEXT", help="the words of the specification that allow it"
    )
    part.add_argument("--description", metavar="TEXT", help="why the check is wrong")
    part.add_argument(
        "--rejected",
        action="store_true",
        help="write the mutant that the appeal becomes where it is rejected",
    )
    usual.json(part)
    part.add_argument("--out", type=Path, metavar="FILE", help="default: appeal-REQUIREMENT.toml")


def registry(part: argparse.ArgumentParser) -> None:
    """What is done with a registry or a submission."""
    actions = part.add_subparsers(dest="action", metavar="ACTION", required=True)
    _check(actions)
    _build(actions)
    _rejudge(actions)
    _revoke(actions)


def _check(actions: Any) -> None:
    check = usual.action(actions, "check", "name every fault of a submission")
    check.add_argument("folder", type=Path, metavar="SUBMISSION", help="folder of a submission")
    usual.json(check)


def _build(actions: Any) -> None:
    build = usual.action(actions, "build", "write the site of a registry")
    build.add_argument("folder", type=Path, metavar="DIR", help="folder with the submissions")
    build.add_argument(
        "--out",
        type=Path,
        default=usual.SITE,
        metavar="DIR",
        help="folder for the site (default: %(default)s)",
    )
    build.add_argument(
        "--on", type=option_types.day, metavar="DATE", help="day of the state (default: today)"
    )
    usual.json(build)


def _rejudge(actions: Any) -> None:
    rejudge = usual.action(
        actions, "rejudge", "verify every submission with the installed suite, and list what flips"
    )
    rejudge.add_argument("folder", type=Path, metavar="DIR", help="folder of the registry")
    usual.json(rejudge, "a JSON array")


def _revoke(actions: Any) -> None:
    revoke = usual.action(actions, "revoke", "revoke a certificate")
    revoke.add_argument("folder", type=Path, metavar="DIR", help="folder of the registry")
    revoke.add_argument("certificate", type=Path, metavar="CERTIFICATE", help="the certificate")
    usual.json(revoke)
    revoke.add_argument("--reason", required=True, help="why it is no longer valid")
    revoke.add_argument(
        "--key", type=Path, required=True, metavar="FILE", help="private key of the registrar"
    )

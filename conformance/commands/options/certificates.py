"""The options of the commands around certificates."""

import argparse
from pathlib import Path


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
        help="revision of the requirements that count (default: the newest)",
    )
    part.add_argument("--json", action="store_true", help="print a JSON object")
    part.add_argument(
        "file",
        nargs="?",
        type=Path,
        default=Path("certificate.zip"),
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
    part.add_argument("--json", action="store_true", help="print a JSON object")
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
    part.add_argument("file", type=Path, metavar="FILE", help="the certificate")


def registry(part: argparse.ArgumentParser) -> None:
    """What is done with a registry or a submission."""
    actions = part.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = actions.add_parser("check", help="name every fault of a submission", allow_abbrev=False)
    check.add_argument("folder", type=Path, metavar="SUBMISSION", help="folder of a submission")
    check.add_argument("--json", action="store_true", help="print a JSON object")
    build = actions.add_parser("build", help="write the site of a registry", allow_abbrev=False)
    build.add_argument("folder", type=Path, metavar="DIR", help="folder with the submissions")
    build.add_argument(
        "--out",
        type=Path,
        default=Path("site"),
        metavar="DIR",
        help="folder for the site (default: %(default)s)",
    )
    revoke = actions.add_parser("revoke", help="revoke a certificate", allow_abbrev=False)
    revoke.add_argument("folder", type=Path, metavar="DIR", help="folder of the registry")
    revoke.add_argument("certificate", type=Path, metavar="CERTIFICATE", help="the certificate")
    revoke.add_argument("--reason", required=True, help="why it holds no longer")
    revoke.add_argument(
        "--key", type=Path, required=True, metavar="FILE", help="private key of the registrar"
    )

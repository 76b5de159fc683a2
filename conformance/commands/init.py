"""`conformance init`: the template of a target profile."""

import argparse
import json
import sys
from importlib import resources
from pathlib import Path

from conformance.commands.outcome import UsageError
from conformance.contract.exit_codes import CONFORMANT
from conformance.target.target import base_url_flaw

EXAMPLE = "https://api.example.com/v1"


def run(arguments: argparse.Namespace) -> int:
    """Write the template. Raises UsageError for an existing file or an invalid base URL."""
    path: Path = arguments.file
    text = template(arguments.base_url)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{path} exists and is not overwritten; name another file") from None
    except OSError as problem:
        raise UsageError(f"{path} cannot be written: {problem.strerror}") from None
    sys.stdout.write(f"Wrote {path}. Fill it in, then run: conformance run --target {path}\n")
    return CONFORMANT


def template(base_url: str | None = None) -> str:
    """The text of a profile with every key explained. Raises UsageError."""
    text = (
        resources.files("conformance.commands").joinpath("target.toml").read_text(encoding="utf-8")
    )
    if base_url is None:
        return text
    if flaw := base_url_flaw(base_url):
        raise UsageError(
            f"--base-url {flaw}; "
            "write http:// or https://, the host and the path up to the version segment"
        )
    return text.replace(f'base-url = "{EXAMPLE}"', f"base-url = {json.dumps(base_url)}", 1)

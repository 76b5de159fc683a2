"""`conformance init`: a target profile to fill in."""

import argparse
import json
import sys
from importlib import resources
from pathlib import Path

from conformance.commands.outcome import CONFORMANT, UsageError
from conformance.target.target import base_url_flaw

EXAMPLE = "https://api.example.com/v1"


def run(arguments: argparse.Namespace) -> int:
    """Write the profile; UsageError where the file exists or cannot be written, or the base URL is none."""
    path: Path = arguments.file
    text = skeleton(arguments.base_url)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{path} exists and is left as it is; name another file") from None
    except OSError as problem:
        raise UsageError(f"{path} cannot be written: {problem.strerror}") from None
    sys.stdout.write(f"{path} is written. Fill it in, then: conformance run --target {path}\n")
    return CONFORMANT


def skeleton(base_url: str | None = None) -> str:
    """The profile as text: every key, explained; UsageError where the base URL is none."""
    text = (
        resources.files("conformance.commands").joinpath("target.toml").read_text(encoding="utf-8")
    )
    if base_url is None:
        return text
    if flaw := base_url_flaw(base_url):
        raise UsageError(
            f"--base-url {flaw}; write http:// or https://, the host and the path up to the version segment"
        )
    return text.replace(f'base-url = "{EXAMPLE}"', f"base-url = {json.dumps(base_url)}", 1)

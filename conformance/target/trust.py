"""The files whose commands and variables the user has allowed, remembered from run to run.

A file is trusted by its path and by the digest of what it demands: whoever changes a command, an
address, a variable or a review that may be approved has to ask anew.
"""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from conformance.target.demands import Demands

Allow: TypeAlias = Callable[[Demands], bool]
"""Whether a profile may do what it demands."""

FOLDER = ("localization-api-conformance", "trusted")


def anything(_demands: Demands) -> bool:
    """For what the user has stated to be trusted."""
    return True


def named(demands: Demands) -> bool:
    """For a file that the user has named: that says where variables of this API are to go."""
    return demands.is_usual or is_remembered(demands)


def found(demands: Demands) -> bool:
    """For a file that just lies in the folder, such as that of a clone."""
    return demands.is_empty or is_remembered(demands)


def is_remembered(demands: Demands) -> bool:
    """Whether the user has allowed exactly this."""
    folder = state_folder()
    return folder is not None and (folder / demands.digest).is_file()


def remember(demands: Demands) -> bool:
    """Remember that the user has allowed this; False where nothing can be written."""
    folder = state_folder()
    if folder is None:
        return False
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # The name decides; the content is for people who want to know what they have allowed.
        (folder / demands.digest).write_bytes(os.fsencode(demands.file.resolve()) + b"\n")
    except OSError:
        return False
    return True


def state_folder(environ: Mapping[str, str] = os.environ) -> Path | None:
    """Where it is remembered: the XDG state folder, or that of Windows; None: there is none."""
    stated = Path(environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_STATE_HOME", ""))
    if stated.is_absolute():  # the XDG specification: a relative path is ignored
        return stated.joinpath(*FOLDER)
    try:
        home = Path.home()
    except RuntimeError:  # this user has no home
        return None
    # A relative one would be in the folder of whoever made the profile.
    return home.joinpath(".local", "state", *FOLDER) if home.is_absolute() else None

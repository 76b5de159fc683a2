"""The target that the options of a run state."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from conformance.runner.collection import RUN_INI
from conformance.runner.usage import usage_error
from conformance.target import trust
from conformance.target.profile import load, of_environment, parse, with_credentials
from conformance.target.profile_file import ProfileError
from conformance.target.profile_schema import BASE_URL
from conformance.target.target import Target
from conformance.target.trust import Allow

Stated: TypeAlias = Path | Mapping[str, Any] | None
"""The file of a profile, or its tables; None where there is none."""

TARGET: pytest.StashKey[Target | None] = pytest.StashKey()
"""The target of `target_of`: read once, since commands of its profile may print secrets."""


def target_of(config: pytest.Config) -> Target | None:
    """The target that the options name; None for the reference. Raises UsageError."""
    if TARGET not in config.stash:
        config.stash[TARGET] = _target(config)
    return config.stash[TARGET]


def _target(config: pytest.Config) -> Target | None:
    base_url = config.getoption("base_url", None) or None
    if base_url is None and _is_base_url_empty(config.invocation_params.args):
        raise usage_error(f"--base-url is empty: {BASE_URL.remedy}")
    profile, allow = _profile(config, base_url)
    credentials: dict[str, Any] = {}
    for others in config.hook.pytest_conformance_credentials(config=config):
        credentials |= others
    try:
        if isinstance(profile, Path):
            target = load(profile, base_url=base_url, credentials=credentials, allow=allow)
        elif profile is not None or base_url:
            stated = of_environment(os.environ) if profile is None else profile
            tables = with_credentials(stated, credentials)
            source = "pytest_conformance_target" if profile else None
            target = parse(tables, base_url=base_url, source=source)
        else:
            return None
    except ProfileError as problem:
        raise usage_error(str(problem)) from None
    return _provisioned(target, config)


def _is_base_url_empty(arguments: Sequence[object]) -> bool:
    """Whether an empty base URL is named, such as an unset variable of a CI system.

    It must not stand for the reference; without the option, pytest has the same value.
    """
    return "--base-url=" in arguments or ("--base-url", "") in pairwise(arguments)


def _profile(config: pytest.Config, base_url: str | None) -> tuple[Stated, Allow]:
    """The profile of --target, of a hook, or of the folder, and what it may demand."""
    is_trusted = config.getoption("conformance_trust")
    path: Path | None = config.getoption("conformance_target")
    if path is not None:
        return path, trust.anything if is_trusted else trust.named
    made: Stated = config.hook.pytest_conformance_target(config=config)
    if made is not None or base_url:
        return made, trust.anything  # a hook is code of the user
    return own_profile(config), trust.anything if is_trusted else trust.found


def _provisioned(target: Target, config: pytest.Config) -> Target:
    """The target with the reviews that a hook makes, unless its profile has a command for them."""
    hook = config.hook.pytest_conformance_approvable_review
    if target.fixtures.provision or not hook.get_hookimpls():
        return target
    fixtures = replace(target.fixtures, provision=lambda: hook(config=config))
    return replace(target, fixtures=fixtures)


def own_profile(config: pytest.Config) -> Path | None:
    """`target.toml` of the folder where plain pytest was started; None where there is none.

    `conformance run` names the profile itself, and a self-test has none.
    """
    path = config.invocation_params.dir / "target.toml"
    return path if config.inipath != RUN_INI and path.is_file() else None

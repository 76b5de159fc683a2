"""A folder of wheels: each with its name, version and digest, and as requirements with hashes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

from conformance.storage import regular_file


class WheelProblem(ValueError):
    """A folder has not the wheels of an environment; str() names what is wrong."""


@dataclass(frozen=True)
class Wheel:
    """One wheel; `digest` is its SHA-256 in hexadecimal digits."""

    file: str
    name: str
    version: str
    digest: str


def found(folder: Path, wanted: Mapping[str, str]) -> list[Wheel]:
    """The wheels of a folder, by name; `wanted` are the versions of the environment.

    Raises WheelProblem where one has another version, or the environment has no such package.
    """
    wheels = [_wheel(path) for path in sorted(folder.glob("*.whl"))]
    for wheel in wheels:
        if wanted.get(wheel.name) != wheel.version:
            stated = wanted.get(wheel.name, "no such package")
            raise WheelProblem(f"{wheel.file}: the run had {stated}")
    return sorted(wheels, key=lambda wheel: wheel.name)


def _wheel(path: Path) -> Wheel:
    try:
        name, version, *_ = parse_wheel_filename(path.name)
    except InvalidWheelFilename:
        raise WheelProblem(f"{path.name}: not the name of a wheel") from None
    digest = sha256(regular_file.read(path)).hexdigest()
    return Wheel(path.name, canonicalize_name(name), str(version), digest)


def requirements(wheels: Sequence[Wheel]) -> str:
    """The wheels as a requirements file for `pip install --require-hashes`."""
    return "".join(f"{each.name}=={each.version} --hash=sha256:{each.digest}\n" for each in wheels)

"""The form of identifiers."""

import pytest

from conformance.contract.identifiers import is_uuid

UUIDS = [
    *(f"6f1c2b1e-4a9d-{version}c53-9a5e-0d6c1f7b8a21" for version in range(1, 9)),
    *(f"6f1c2b1e-4a9d-4c53-{variant}a5e-0d6c1f7b8a21" for variant in "89abAB"),
    "6F1C2B1E-4A9D-4C53-9A5E-0D6C1F7B8A21",
    "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "FFFFFFFF-ffff-FFFF-ffff-FFFFFFFFFFFF",
]
OTHERS = [
    "",
    "6f1c2b1e-4a9d-0c53-9a5e-0d6c1f7b8a21",
    "6f1c2b1e-4a9d-9c53-9a5e-0d6c1f7b8a21",
    "6f1c2b1e-4a9d-4c53-7a5e-0d6c1f7b8a21",
    "6f1c2b1e4a9d4c539a5e0d6c1f7b8a21",
    "6f1c2b1e-4a9d-4c53-9a5e-0d6c1f7b8a21\n",
    "6f1c2b1e-4a9d-4c53-9a5e-0d6c1f7b8a2\u0661",
    7,
    None,
]


@pytest.mark.parametrize("value", UUIDS)
def test_every_uuid_of_the_specification_is_valid(value: str) -> None:
    """The versions are 1 to 8, in upper or lower case; all zeros and all f are valid."""
    assert is_uuid(value)


@pytest.mark.parametrize("value", OTHERS)
def test_any_other_value_is_invalid(value: object) -> None:
    """Examples are other versions, variants and spellings, and other JSON types."""
    assert not is_uuid(value)

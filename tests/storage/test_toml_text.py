"""TOML as others write it, and as it is written for them."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.storage import toml_text


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_text_comes_back_from_its_string(text: str) -> None:
    """Whatever its characters, in one line."""
    written = toml_text.quoted(text)

    assert tomllib.loads(f"a = {written}") == {"a": text}
    assert written.splitlines() == [written]


@pytest.mark.parametrize("text", ["\ud83d\ude00", "\udc80", "a\ud800b"])
def test_half_a_character_is_replaced(text: str) -> None:
    """TOML has no surrogates, and a file none in UTF-8."""
    found = tomllib.loads(f"a = {toml_text.quoted(text)}")["a"]

    assert found.encode().decode() == found
    assert "\ufffd" in found

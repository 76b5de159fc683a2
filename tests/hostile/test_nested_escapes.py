"""Secrets whose escapes consist of escapes, some of which can be read in two ways."""

import string
from collections.abc import Callable
from random import Random

import pytest

from conformance.http import nested_search
from conformance.http.nested_search import NOT_SEARCHED
from conformance.http.redaction import LONG_TEXT, Redactor

KEY = "lk_0addf1b2454eb765f07ec27d737c795094795219"
FORMS: tuple[Callable[[str], str], ...] = (
    lambda each: f"\\u{ord(each):04x}",
    lambda each: f"\\U{ord(each):08x}",
    lambda each: f"\\u{{{ord(each):x}}}",
    lambda each: f"\\x{ord(each):02x}",
    lambda each: f"\\x{{{ord(each):X}}}",
    lambda each: f"\\{ord(each):03o}",
    lambda each: f"%{ord(each):02x}",
    lambda each: f"%u{ord(each):04x}",
    lambda each: f"&#{ord(each)};",
    lambda each: f"&#x{ord(each):X};",
)
"""Escapes of a character. Their own signs, such as a backslash, are no longer escaped."""


def hidden(random: Random, layers: int, share: float, *, is_mixed: bool) -> str:
    """The key with some characters escaped, and some of these characters again."""
    text = KEY
    for _ in range(layers):
        one = random.choice(FORMS)
        text = "".join(
            (random.choice(FORMS) if is_mixed else one)(each) if random.random() < share else each
            for each in text
        )
    return text


@pytest.mark.parametrize("is_mixed", [False, True], ids=["one kind a layer", "mixed"])
@pytest.mark.parametrize("share", [0.1, 0.3, 0.6, 1])
@pytest.mark.parametrize("layers", [1, 2, 3])
def test_a_key_in_layers_of_escapes_is_replaced(layers: int, share: float, is_mixed: bool) -> None:
    """As a whole, and nothing around it."""
    random, redactor = Random(f"{layers} {share}"), Redactor({KEY: "$KEY"})
    for _ in range(15):
        text = hidden(random, layers, share, is_mixed=is_mixed)
        assert redactor.text(f"({text})") == "($KEY)", text


@pytest.mark.parametrize(
    "text",
    [
        r"\\x6c" + KEY[1:],
        r"\\x786c" + KEY[1:],
        r"\\u0075006c" + KEY[1:],
        r"\=750" + "06c" + KEY[1:],
        r"&#3&#56;;#108;" + KEY[1:],
        KEY[:20] + r"\\x78" + f"{ord(KEY[20]):02x}" + KEY[21:],
        "".join(f"\\\\x{ord(each):02x}" for each in KEY),
        KEY[:9] + "%e2%80%8b" + KEY[9:20] + "\\u001b[1&#x6D;" + KEY[20:],
        "&#x26;l&#111;wbar;".join(KEY.split("_")),
    ],
)
def test_an_escape_that_can_be_read_in_two_ways_is_read_in_both(text: str) -> None:
    """Two backslashes may be one, or the second one may begin an escape."""
    assert Redactor({KEY: "$KEY"}).text(f"({text})") == "($KEY)"


def test_beginnings_and_ends_are_found_in_layers() -> None:
    """Of several secrets, the one of which most is there."""
    redactor = Redactor({KEY: "$KEY", KEY[:30] + "other": "$OTHER"})
    for part, name in ((KEY[:12], "$KEY"), (KEY[-12:], "$KEY"), (KEY[:30] + "oth", "$OTHER")):
        text = part[:4] + "".join(f"%25{ord(each):02x}" for each in part[4:])
        assert redactor.text(f"<{text}>") == f"<{name}>"


@pytest.mark.parametrize("piece", ["%2541", r"\\x7861", "&amp;#x5cx%34", "\\\\", f"%25{KEY}"])
def test_a_long_text_of_escapes_ends_within_bounds(piece: str) -> None:
    """What is not searched within the steps of a text is not written."""
    redactor = Redactor({f"{KEY}{number}": f"${number}" for number in range(5)})
    shown = redactor.text(piece * (2_000_000 // len(piece)) + KEY.replace("a", "%2561"))
    assert KEY[9:] not in shown
    assert shown.endswith((NOT_SEARCHED.decode(), "$0"))


def test_the_last_scan_leaves_what_it_does_not_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a target could have its whole report replaced."""
    monkeypatch.setattr(nested_search, "MOST_STEPS", 100)
    text = "%2541" * 1000
    assert Redactor({KEY: "$KEY"}, shortest=8).text(text) == text
    assert Redactor({KEY: "$KEY"}).text(text).endswith(NOT_SEARCHED.decode())


def test_when_time_is_over_no_long_text_is_decoded() -> None:
    """It is left out; one without escapes, and a short one, is searched as ever."""
    redactor = Redactor({KEY: "$KEY"}, is_late=lambda: True)
    long = "x" * LONG_TEXT
    assert redactor.text(f"{long}%6c{KEY[1:]}") == NOT_SEARCHED.decode()
    assert redactor.text(f"{long}{KEY}") == f"{long}$KEY"
    assert redactor.text(f"%6c{KEY[1:]}") == "$KEY"
    last = Redactor({KEY: "$KEY"}, shortest=8, is_late=lambda: True)
    assert last.text(f"{long}%41{KEY}") == f"{long}%41$KEY"


def test_time_that_ends_within_a_text_ends_its_search() -> None:
    """Between two layers."""
    answers = iter([False, True])
    redactor = Redactor({KEY: "$KEY"}, is_late=lambda: next(answers))
    assert redactor.text("%2541" * LONG_TEXT) == NOT_SEARCHED.decode()


IGNORABLE = [
    *(0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x180B, 0x180E, 0x200B, 0x200D, 0x202E, 0x2060),
    *(0x332, 0x36F, 0x1AB0, 0x1DC0, 0x20DD, 0xFE2F),
    *(0x206F, 0x3164, 0xFE00, 0xFE0F, 0xFEFF, 0xFFA0, 0xFFF0, 0x1BCA0, 0x1D173, 0xE0020, 0xE01EF),
]
"""Characters of each range that Unicode calls default ignorable, and combining marks."""


@pytest.mark.parametrize("sign", IGNORABLE, ids=hex)
def test_what_shows_nothing_hides_no_key(sign: int) -> None:
    """Between all characters, as it is and escaped."""
    redactor = Redactor({KEY: "$KEY"})
    escaped = "".join(f"%{octet:02X}" for octet in chr(sign).encode())
    for between in (chr(sign), escaped, f"&#{sign};"):
        assert redactor.text(f"({between.join(KEY)})") == "($KEY)"


def test_characters_of_full_width_are_read() -> None:
    """As they are, and among escapes; those of other texts stay."""
    redactor = Redactor({KEY: "$KEY"})
    wide = "".join(chr(ord(each) + 0xFEE0) for each in KEY)
    mixed = "".join((each, wide[at], f"%25{ord(each):02x}")[at % 3] for at, each in enumerate(KEY))
    assert redactor.text(f"（{wide}） {mixed}") == "（$KEY） $KEY"
    assert redactor.text("ＡＢＣ，１２３") == "ＡＢＣ，１２３"


STYLES = {
    "bold": (*range(0x1D41A, 0x1D434), *range(0x1D7CE, 0x1D7D8)),
    "monospace": (*range(0x1D68A, 0x1D6A4), *range(0x1D7F6, 0x1D800)),
    "circled": (*range(0x24D0, 0x24EA), *map(ord, "⓪①②③④⑤⑥⑦⑧⑨")),
    "above the line": tuple(map(ord, string.ascii_lowercase + "⁰¹²³⁴⁵⁶⁷⁸⁹")),
    "below the line": tuple(map(ord, string.ascii_lowercase + "₀₁₂₃₄₅₆₇₈₉")),
}
"""Letters and digits of Unicode that are read as usual ones."""


@pytest.mark.parametrize("style", STYLES)
def test_letters_and_digits_in_a_style_are_read(style: str) -> None:
    """Alone, and among escapes; those of other texts stay."""
    redactor = Redactor({KEY: "$KEY"})
    plain = string.ascii_lowercase + string.digits
    table = str.maketrans(dict(zip(plain, STYLES[style], strict=True)))
    styled = KEY.translate(table)
    mixed = "".join(
        (each, styled[at], f"%25{ord(each):02x}")[at % 3] for at, each in enumerate(KEY)
    )
    assert redactor.text(f"({styled}) {mixed}") == "($KEY) $KEY"
    assert redactor.text("x²".translate(table)) == "x²".translate(table)

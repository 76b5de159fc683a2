"""Redaction: all spellings of a secret, and their replacements."""

import base64
import html
import json
import re
import zlib
from collections.abc import Callable
from random import Random
from urllib.parse import quote, quote_plus

import orjson
import pytest
from echoing_target import ENCODINGS
from hypothesis import example, given, settings
from hypothesis import strategies as st

from conformance.http import escapes, redaction
from conformance.http.redaction import Redactor
from conformance.http.spellings import spellings

SECRET = 'pa/ss+wörd "quoted\\ 100%'
PLAIN = "lk_0123456789abcdef"


def redactor(**secrets: str) -> Redactor:
    """A redactor of these secrets, by the names of their variables."""
    return Redactor({secret: f"${variable}" for variable, secret in secrets.items()})


def lowered(text: str) -> str:
    """A text with lower-case percent escapes."""
    return "".join(
        f"%{part[:2].lower()}{part[2:]}" if number else part
        for number, part in enumerate(text.split("%"))
    )


@pytest.mark.parametrize(
    "spelled",
    [
        SECRET.encode(),
        SECRET.encode("latin-1"),
        SECRET.encode().decode("latin-1").encode(),
        quote(SECRET, safe="").encode(),
        quote(SECRET).encode(),
        quote_plus(SECRET).encode(),
        lowered(quote(SECRET, safe="")).encode(),
        quote(SECRET.encode("latin-1"), safe="").encode(),
        json.dumps(SECRET)[1:-1].encode(),
        json.dumps(SECRET)[1:-1].replace("\\u00f6", "\\u00F6").encode(),
        json.dumps(SECRET)[1:-1].replace("/", "\\/").encode(),
        orjson.dumps(SECRET)[1:-1],
        repr(SECRET)[1:-1].encode(),
        repr(SECRET.encode())[2:-1].encode(),
    ],
)
def test_every_spelling_is_replaced(spelled: bytes) -> None:
    """Plain, percent, form and JSON, in UTF-8 and in Latin-1, with digits in both letter cases."""
    assert redactor(KEY=SECRET).bytes(b"a " + spelled + b" z") == b"a $KEY z"


@pytest.mark.parametrize("before", ["", "a", "ab", "abc", "Bearer "])
@pytest.mark.parametrize("after", ["", "x", "xy", "xyz"])
@pytest.mark.parametrize(
    "secret", [SECRET, PLAIN, PLAIN + "x", PLAIN + "xy", "\xff\xfe\xfb\xff\xef\xbf\xff\xfe\xff"]
)
def test_base64_is_replaced_at_every_offset_of_the_secret(
    before: str, after: str, secret: str
) -> None:
    """Both alphabets are covered; the rest reveals at most two characters."""
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for charset in ("utf-8", "latin-1"):
            coded = encode(f"{before}{secret}{after}".encode(charset))
            masked = redactor(KEY=secret).bytes(coded)
            assert b"$KEY" in masked
            assert (
                len(masked)
                <= len(encode(before.encode())) + len(b"$KEY") + len(encode(after.encode())) + 8
            )


def test_a_short_secret_is_replaced_only_in_base64_of_its_own() -> None:
    """In the base64 of a longer text, too few of its characters are recognizable."""
    short, long = set(spellings("1234567")), set(spellings("12345678"))
    assert short == {b"1234567", b"MTIzNDU2Nw"}
    assert long >= {b"12345678", b"MTIzNDU2Nz", b"EyMzQ1Njc4", b"xMjM0NTY3O"}


@pytest.mark.parametrize("between", [":", " ", "-", ".", ";", ",", ", ", "\n"])
@pytest.mark.parametrize("form", ["{:02x}", "{:02X}", "{}"])
def test_a_secret_as_numbers_is_replaced(form: str, between: str) -> None:
    """As programs print bytes: the sign between two of them differs from language to language."""
    numbers = between.join(map(form.format, PLAIN.encode()))
    assert redactor(KEY=PLAIN).text(f"({numbers})") == "($KEY)"


def test_the_longest_matching_secret_is_replaced() -> None:
    """A secret that begins with another is replaced as a whole, in any order of registration."""
    for secrets in ({"SHORT": "q7w8", "LONG": "q7w8e9"}, {"LONG": "q7w8e9", "SHORT": "q7w8"}):
        assert redactor(**secrets).text("q7w8e9 q7w8") == "$LONG $SHORT"


def test_names_of_variables_are_not_redacted() -> None:
    """A secret may be part of the name of a variable."""
    assert (
        redactor(PRIMARY_KEY="one-secret", OTHER="MARY_KEY").text("one-secret MARY_KEY")
        == "$PRIMARY_KEY $OTHER"
    )


def test_a_secret_of_two_callers_has_the_name_of_the_first() -> None:
    """The order is that of the profile."""
    each = redactor(FIRST="same-secret")
    each.add("same-secret", "$SECOND")
    assert each.text("same-secret") == "$FIRST"


def test_a_secret_can_be_added_later() -> None:
    """Near misses are created during a run."""
    each = redactor()
    assert each.text("near-miss") == "near-miss"
    each.add("near-miss", "$MISS")
    assert each.text("near-miss") == "$MISS"


def test_characters_of_regular_expressions_are_literal() -> None:
    """`.` and `*` are literal in secrets, and group references in names of variables."""
    assert redactor(**{r"\1": "a.*b(c)"}).bytes(b"a.*b(c) axxb(c)") == rb"$\1 axxb(c)"


def test_an_empty_secret_is_ignored() -> None:
    """It would match everywhere."""
    assert redactor(KEY="").text("text") == "text"


def test_a_text_without_secrets_is_unchanged() -> None:
    """It may contain any octets."""
    assert redactor(KEY=PLAIN).bytes(bytes(range(256))) == bytes(range(256))


@pytest.mark.parametrize("length", range(4, len(PLAIN)))
def test_the_beginning_of_a_secret_is_masked_where_a_text_was_cut(length: int) -> None:
    """It stands before the ellipsis, with or without a quote between them."""
    each, beginning = redactor(KEY=PLAIN, LONG=PLAIN[:6] + "other-secret"), PLAIN[:length]
    variable = "$LONG" if length <= 6 else "$KEY"
    assert each.text(f"'a{beginning}… b") == f"'a{variable}… b"
    assert each.text(f"'ü{beginning}'… {beginning}\"…") == f"'ü{variable}'… {variable}\"…"


def test_beginnings_of_secrets_are_masked_only_at_a_cut() -> None:
    """Fewer than four characters reveal nothing, and other words are not beginnings of secrets."""
    each = redactor(KEY=PLAIN)
    assert (
        each.text(f"{PLAIN[:3]}… {PLAIN}… end {PLAIN[:9]}") == f"{PLAIN[:3]}… $KEY… end {PLAIN[:9]}"
    )
    assert each.text(f"{PLAIN[:9]} … {PLAIN[1:9]}… ü…") == f"{PLAIN[:9]} … {PLAIN[1:9]}… ü…"


def test_redactions_are_cached_until_a_secret_is_added() -> None:
    """The same text is redacted twice, and again afterwards."""
    each = redactor(KEY="first-secret")
    texts = "first-secret second-secret"
    assert [each.text(texts), each.text(texts)] == ["$KEY second-secret"] * 2
    each.add("second-secret", "$OTHER")
    assert each.text(texts) == "$KEY $OTHER"
    assert each.text("x" * 1000 + "first-secret") == "x" * 1000 + "$KEY"


def test_the_cache_of_redactions_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """It holds short texts only, and a limited number of them."""
    monkeypatch.setattr(redaction, "LONGEST_REMEMBERED", 3)
    monkeypatch.setattr(redaction, "MOST_REMEMBERED", 2)
    each = redactor(KEY=PLAIN)
    assert [each.text(text) for text in ("abcd", "abc", "a", "b")] == ["abcd", "abc", "a", "b"]
    assert set(each._known) == {"abc", "a"}


def test_secrets_in_names_and_values_of_headers_are_replaced() -> None:
    """Location is one of the headers."""
    each = redactor(KEY=PLAIN)
    redacted = each.headers([("location", f"/?k={PLAIN}"), (f"x-{PLAIN}", "1")])
    assert redacted == (("location", "/?k=$KEY"), ("x-$KEY", "1"))


def test_lone_surrogates_are_escaped() -> None:
    """The result can always be encoded."""
    assert redactor(KEY=PLAIN).text(f"\ud800 {PLAIN} ü") == "\\ud800 $KEY ü"


def test_nested_values_are_redacted_and_serializable() -> None:
    """Integers remain integers up to 64 bits."""
    value = {
        PLAIN: [PLAIN, 1, 1.5, None, True, (2**64 - 1, 2**64, -(2**63), -(2**63) - 1)],
        "x": {"y": "\udfff"},
        3: "three",
    }
    assert redactor(KEY=PLAIN).value(value) == {
        "$KEY": ["$KEY", 1, 1.5, None, True, [2**64 - 1, str(2**64), -(2**63), str(-(2**63) - 1)]],
        "x": {"y": "\\udfff"},
        "3": "three",
    }
    orjson.dumps(redactor(KEY=PLAIN).value(value))


# --- escapes, which are decoded before the search ------------------------------------------------

ESCAPES = (
    str,
    lambda each: f"\\u{ord(each):04x}",
    lambda each: f"\\u{ord(each):04X}",
    lambda each: f"\\U{ord(each):08x}",
    lambda each: f"\\u{{{ord(each):x}}}",
    lambda each: f"\\x{ord(each):02x}",
    lambda each: f"\\x{{{ord(each):x}}}",
    lambda each: f"\\{ord(each):03o}",
    lambda each: f"\\{each}" if not each.isalnum() and each not in "%&" else each,
    lambda each: f"%{ord(each):02x}",
    lambda each: f"%{ord(each):02X}",
    lambda each: f"%25{ord(each):02x}",
    lambda each: f"%u{ord(each):04x}",
    lambda each: f"&#{ord(each)};",
    lambda each: f"&#{ord(each):05};",
    lambda each: f"&#x{ord(each):x};",
    lambda each: f"&#X{ord(each):04X};",
    lambda each: f"&amp;#{ord(each)};",
    html.escape,
    lambda each: "+" if each == " " else each,
    lambda each: f"{each}\u200b",
)
"""A character as itself, and in an escape. An encoder escapes what begins an escape."""

UNCERTAIN = (
    lambda each: f"\x1b[1m{each}\x1b[0m",
    lambda each: f"={ord(each):02X}",
    lambda each: f"={ord(each):02x}",
    lambda each: f"&#{ord(each)}",
    lambda each: f"&#x{ord(each):x}",
)
"""Escapes that mean something else within others: styles, and what has no end of its own."""

SECRETS = st.text("abcdefghijkln_0123456789AZ.~-/+:'\" <>,;", min_size=12, max_size=40).filter(
    lambda text: text == text.strip() and len(set(text)) > 5
)


def shown(text: str) -> str:
    """A text without characters that show nothing."""
    return re.sub("\u200b|\x1b\\[[0-9]m", "", text)


def hidden(text: str, random: Random) -> str:
    """A text with each character in some escape, and no backslash without one."""
    return "".join(_hidden(each, random) for each in text)


def _hidden(character: str, random: Random) -> str:
    if not character.isascii():
        return character
    escape = random.choice(ESCAPES)(character)
    return f"\\{escape}" if shown(escape) == "\\" else escape


@pytest.mark.parametrize("layers", [1, 2])
@settings(deadline=None)
@given(secret=SECRETS, random=st.randoms(use_true_random=True))
def test_any_mixture_of_escapes_is_found(layers: int, secret: str, random: Random) -> None:
    """Each character may be in another escape, and the characters of the escapes in others."""
    text = secret
    for _ in range(layers):
        text = hidden(text, random)
    assert shown(redactor(KEY=secret).text(f"({text})")) == "($KEY)", text


@pytest.mark.parametrize("escape", [*ESCAPES, *UNCERTAIN])
@pytest.mark.parametrize("step", [1, 2, 5, 10])
@pytest.mark.parametrize("secret", ["lk_0addf1b2454eb765f07ec27d737c795094795219", PLAIN, SECRET])
def test_a_partly_escaped_secret_is_replaced(
    escape: Callable[[str], str], step: int, secret: str
) -> None:
    """Every character, every second one, fifth, tenth; in each place; with text around it."""
    for first in range(step):
        text = "".join(
            escape(each) if number % step == first and each.isalnum() and each.isascii() else each
            for number, each in enumerate(secret)
        )
        masked = redactor(KEY=secret).text(f"the key={text}, ü")
        assert shown(masked) == "the key=$KEY, ü"


@settings(deadline=None)
@given(text=st.text(max_size=200))
@example("%61%00 &amp;&copy; \\u0061\\n\\x41=41= \\ &#97;&#x110000; \\ud800 %u +a ü=F6\\")
def test_a_text_without_the_secret_stays(text: str) -> None:
    """Whatever escapes are in it."""
    escaped = text.encode("utf-8", "backslashreplace").decode()
    for each in (redactor(KEY=KEY), redactor(KEY=SECRET), redactor(A="x%41y&#97;z\\u0061b")):
        assert each.text(escaped) == escaped
        assert each.bytes(escaped.encode()) == escaped.encode()


@pytest.mark.parametrize("before", ["\\n", "%0A", "&lt;", "\\u00e4", "ä "])
@settings(deadline=None)
@given(secret=SECRETS, random=st.randoms(use_true_random=True))
def test_what_is_around_an_escaped_secret_stays(before: str, secret: str, random: Random) -> None:
    """Escapes before and behind it are not those of the secret."""
    masked = redactor(KEY=secret).text(f"[{before}{hidden(secret, random)}%7E%20|]")
    assert shown(masked) == f"[{before}$KEY%7E%20|]"


def test_spellings_are_found_under_escapes() -> None:
    """Base64, hexadecimal numbers and compressed texts, with some characters escaped."""
    packed = base64.b64encode(zlib.compress(KEY.encode())).decode()
    for spelled in (base64.b64encode(KEY.encode()).decode(), KEY.encode().hex(), KEY[::-1], packed):
        text = "".join(
            f"\\u{ord(each):04x}" if not n % 5 else each for n, each in enumerate(spelled)
        )
        masked = redactor(KEY=KEY).text(f"({text})")
        assert "$KEY" in masked
        assert len(masked) <= len("($KEY)") + 10


def test_a_secret_that_looks_like_escapes_is_replaced() -> None:
    """It is sought as it is, and as it is decoded."""
    secret = "pass%41word&amp;\\u0062\\n=63z"
    for text in (secret, quote(secret), json.dumps(secret)[1:-1], json.dumps(quote(secret))[1:-1]):
        assert redactor(KEY=secret).text(f"({text})") == "($KEY)"
    assert redactor(KEY=secret).text(html.escape(f"({secret})")) == "($KEY)"


def test_the_layers_of_a_text_are_bounded() -> None:
    """In number, and in the work for all of them."""
    text = b"lk_0addf1b2454eb765f07ec27d737c"
    deep = [text]
    for _ in range(10):
        deep.append(quote(deep[-1], safe="").replace("l", "%6c").encode())
    found = [redactor(KEY=KEY[:31]).bytes(each) for each in deep]
    assert found[: escapes.DEEPEST + 1] == [b"$KEY"] * (escapes.DEEPEST + 1)
    long = b"%25252541" * 500_000
    assert sum(len(layer.text) for layer in escapes.layers(long)) < 2 * escapes.MOST_WORK


def test_json_stays_valid_where_an_escaped_secret_is_replaced() -> None:
    """An escape is replaced as a whole."""
    coded = "".join(f"\\u{ord(each):04x}" if not n % 3 else each for n, each in enumerate(KEY))
    masked = redactor(KEY=KEY).bytes(f'{{"a": "\\n{coded}\\n", "{coded}": 1}}'.encode())
    assert json.loads(masked) == {"a": "\n$KEY\n", "$KEY": 1}


@pytest.mark.parametrize("cut", range(5, 60))
def test_an_escaped_secret_that_was_cut_is_replaced(cut: int) -> None:
    """Wherever it was cut, also within an escape; fewer than four characters may stay."""
    forms = (r"\u{:04x}", "%{:02x}", "&#{};", "&#x{:x};", r"\x{:02x}", "={:02X}", "%5Cu{:04x}")
    for form in forms:
        for step in (2, 3):
            coded = "".join(
                form.format(ord(each)) if number % step else each
                for number, each in enumerate(PLAIN)
            )
            if cut < len(coded):
                masked = redactor(KEY=PLAIN).text(f"'a {coded[:cut]}'… b")
                assert masked in ("'a $KEY'… b", f"'a {coded[:cut]}'… b")
                assert masked == "'a $KEY'… b" or cut < len(form.format(0xFF)) * 4


def test_a_sign_before_a_secret_takes_its_first_characters() -> None:
    """It is replaced as it is; with an escape in it, the rest of a long one is."""
    short, long = "ab0123456789", "ab03f1b2454eb765f37ec27d737c795094"
    hidden = {secret: secret.replace("3", "%33") for secret in (short, long)}
    for before in ("%", "=", "\\x"):
        assert redactor(KEY=short).text(before + short) == f"{before}$KEY"
    for before in ("%", "\\x"):
        assert redactor(KEY=long).text(before + hidden[long]) == f"{before}ab$KEY"
        assert redactor(KEY=short).text(before + hidden[short]) == before + hidden[short]
    assert redactor(KEY=short).text("=" + hidden[short]) == "=$KEY"


def test_a_secret_that_is_a_number_is_replaced() -> None:
    """In a value that was parsed, a secret of digits is an integer."""
    assert redactor(KEY="314159265358").value([314159265358, 31415926535, True]) == [
        "$KEY",
        31415926535,
        True,
    ]


# --- encodings of secrets with at least eight characters ------------------------------------------

KEY = "lk_0addf1b2454eb765f07ec27d737c795094795219"


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("secret", [KEY, "<&>'\"12345", SECRET.replace("ö", "o")])
def test_a_secret_is_replaced_in_every_encoding(encoding: str, secret: str) -> None:
    """This holds for all characters, and for both letter cases of the encoding."""
    spelled = ENCODINGS[encoding](secret)
    for text in (spelled, spelled.lower(), spelled.upper()):
        masked = redactor(KEY=secret).text(f"({text})")
        assert "$KEY" in masked
        assert len(masked) <= len("($KEY)") + 14  # the name before it and the padding behind it


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("part", [KEY[:8], KEY[-8:], KEY[:21], KEY[21:], KEY[:-1], KEY[1:]])
def test_a_part_of_a_long_secret_is_replaced_in_every_encoding(encoding: str, part: str) -> None:
    """A beginning or end of at least eight characters; one or two characters may remain."""
    if "base" in encoding and len(part) < 12:
        part = KEY[:12] if KEY.startswith(part) else KEY[-12:]
    masked = redactor(KEY=KEY).text(f"({ENCODINGS[encoding](part)})")
    assert "$KEY" in masked
    assert len(masked) <= len("($KEY)") + 16


@pytest.mark.parametrize("text", [KEY[:7], KEY[-7:], KEY[3:40]])
def test_shorter_parts_and_the_middle_of_a_secret_are_not_replaced(text: str) -> None:
    """Parts of seven characters are too short."""
    assert redactor(KEY=KEY).text(f"({text})") == f"({text})"


def test_parts_of_a_shorter_secret_are_not_replaced() -> None:
    """A part of a secret below 24 characters may be an ordinary word; the whole is replaced."""
    each = redactor(KEY="sandbox-key-0123456-abc")
    assert each.text("sandbox-key SANDBOX-KEY-0123456-ABC") == "sandbox-key $KEY"


def test_a_part_that_is_a_word_of_this_package_is_not_replaced() -> None:
    """A beginning is replaced from the first character that differs from such a word."""
    each = redactor(KEY="conformance-0addf1b2454eb765f07ec27d")
    assert each.text("conformance") == "conformance"
    assert each.text("conformance-0addf1…") == "$KEY…"


def test_a_part_that_is_in_the_name_of_a_variable_is_not_replaced() -> None:
    """The names of keys follow a scheme, in a profile as in a system that issues them."""
    secrets = {"lk_without_films_read_acme": "$WITHOUT_FILMS_READ_ACME_KEY", "other" * 8: "$OTHER"}
    redactor = Redactor(secrets)
    masking = Redactor(dict.fromkeys(secrets, "$SECRET"), names=secrets.values())

    for each in (redactor, masking):
        assert each.text("x-api-key: $WITHOUT_FILMS_READ_ACME_KEY") == (
            "x-api-key: $WITHOUT_FILMS_READ_ACME_KEY"
        )
        assert "acme" not in each.text("key lk_without_films_read_acme")


def test_a_word_that_a_secret_ends_with_backwards_is_not_replaced() -> None:
    """What is sought of a secret that is written backwards begins with its own words."""
    name = "fact::pages[review_list-100-primary-12pages]"
    assert redactor(KEY="k3f-secret-of-somebody-yramirp").text(name) == name


def test_secrets_with_a_common_beginning_are_distinguished() -> None:
    """The longest match counts; the common beginning belongs to the first secret."""
    each = redactor(FIRST=KEY, SECOND=KEY[:20] + "0" * 20)
    assert each.text(f"{KEY[:30]} {KEY[:20]}000 {KEY[:12]}") == "$FIRST $SECOND $FIRST"


def test_secrets_that_differ_in_letter_case_have_their_own_variables() -> None:
    """A near miss of a key may differ in letter case only."""
    each = redactor(KEY=KEY, OTHER=KEY.upper())
    assert each.text(f"{KEY} {KEY.upper()} {KEY.title()}") == "$KEY $OTHER $KEY"


def test_json_stays_valid_if_a_match_follows_a_backslash() -> None:
    """The escape precedes the secret, or contains its first character."""
    secret = "n0123456789"
    for text in ("\n" + secret, "\n" + secret[1:], "\\" + secret):
        masked = redactor(KEY=secret).bytes(json.dumps(text).encode())
        assert json.loads(masked)[:1] == text[:1]


def test_parts_are_cut_between_escapes() -> None:
    """No part of an escape remains."""
    escape = ENCODINGS["JSON escapes"]
    before, after = json.dumps("\x7f")[1:-1], "\\u0041"
    masked = redactor(KEY=KEY).bytes(
        f'"{before}{escape(KEY[9:])}{escape(KEY[:9])}{after}"'.encode()
    )
    assert json.loads(masked) == "\x7f$KEY$KEYA"


def test_a_token_may_begin_like_a_name_of_ours() -> None:
    """A part of it that names a fact of a scheme hides nothing; the whole token is replaced."""
    each, token = redactor(TOKEN="bearer-primary-0f3a9c51d2"), "bearer-primary-0f3a9c51d2"
    assert each.text("fact::access[primary-bearer-plain]") == "fact::access[primary-bearer-plain]"
    assert each.text(f"Bearer {token}") == "Bearer $TOKEN"

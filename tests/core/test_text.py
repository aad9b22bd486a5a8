"""Texts compared as people compare them."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.text import clean_line, distinct_words, fold, split_words


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Müller & Söhne GmbH", "muller & sohne gmbh"),
        ("Mu\u0308ller", "muller"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("Café Crème", "cafe creme"),
        ("  many \t spaces\n\nand lines ", "many spaces and lines"),
        ("no\u00a0break", "no break"),
        ("„Zitat“ «quote» ”quote”", '"zitat" "quote" "quote"'),
        ("it’s ‚so‘", "it's 'so'"),
        ("1–31 — a−b non\u2011breaking", "1-31 - a-b non-breaking"),
        ("ﬁnden", "finden"),
        ("ℂ", "c"),
        ("Strom\u00adrechnung", "stromrechnung"),
        ("zero\u200bwidth", "zerowidth"),
        ("null\x00byte", "nullbyte"),
        ("bell\x07\x1b, unit\x1fseparator and next\x85line", "bell, unitseparator and next line"),
        ("page\x0cpage\x0btab\ttab\r\nline", "page page tab tab line"),
        ("", ""),
    ],
)
def test_case_accents_spacing_and_typography_do_not_count(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Strom-\nrechnung", "stromrechnung"),
        ("Strom- \n  rechnung", "stromrechnung"),
        ("Strom\u00ad\nrechnung", "stromrechnung"),
        ("Strom‐\nrechnung", "stromrechnung"),
        ("Haus-\nübergabe", "hausubergabe"),
    ],
)
def test_a_word_that_is_split_at_the_end_of_a_line_is_rejoined(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("E-\nMail", "e- mail"),
        ("Müller-\nLüdenscheidt", "muller- ludenscheidt"),
        ("1.10.2026-\n31.10.2026", "1.10.2026- 31.10.2026"),
        ("Kunden-Nr. 12-\n34", "kunden-nr. 12- 34"),
        ("Strom - rechnung", "strom - rechnung"),
    ],
)
def test_a_hyphen_of_its_own_is_kept_at_the_end_of_a_line(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.text())
@example("İ")
@example("ℂ")
@example("\u1fb4")
def test_what_is_folded_stays_as_it_is(text: str) -> None:
    once = fold(text)

    assert fold(once) == once


@given(st.text())
def test_a_folded_text_is_one_line_with_single_spaces(text: str) -> None:
    assert fold(text) == " ".join(fold(text).split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Müller & Söhne GmbH & Co. KG", ["muller", "sohne", "gmbh", "co", "kg"]),
        ("E.ON_Energie", ["e", "on", "energie"]),
        ("1&1", ["1", "1"]),
        ("⭐ !?", []),
    ],
)
def test_words_have_no_punctuation(text: str, expected: list[str]) -> None:
    assert split_words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Rechnung\n\tOktober ", "Rechnung Oktober"),
        ("a\x00b\x1b[31mred", "ab[31mred"),
        ("Strom\u00adrechnung", "Stromrechnung"),
        ("right\u202eto left", "rightto left"),
        ("lone \ud800 surrogate", "lone surrogate"),
        ("Strom\u3164 \u2800\u1160bill\uffa0", "Strom bill"),
        ("Grüße, „Müller“", "Grüße, „Müller“"),
    ],
)
def test_a_tidy_text_is_one_visible_line(text: str, expected: str) -> None:
    assert clean_line(text) == expected


@given(st.text(st.characters()))
def test_a_tidy_text_can_always_be_stored_and_sent(text: str) -> None:
    assert clean_line(text).encode() is not None
    assert "\x00" not in clean_line(text)


@pytest.mark.timeout(30)
def test_a_hyphen_before_many_empty_lines_keeps_nobody_busy() -> None:
    assert split_words("Strom-" + "\n" * 200_000 + "1") == ["strom", "1"]


@given(st.text())
@example("Stadt-\nwerke STADTWERKE Mu\u0308ller\x00x a\u00adb")
def test_the_distinct_words_of_a_text_are_its_words(text: str) -> None:
    assert distinct_words(text) == set(split_words(text))

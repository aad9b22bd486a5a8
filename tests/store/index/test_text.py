"""Texts are split, folded and compressed in one way only."""

import hashlib
from collections import Counter

import pytest

from store.index.search import build_groups, build_snippet
from store.index.text import (
    MAX_CHUNK,
    VERSION,
    compress,
    decompress,
    detect_language,
    drop_stop_words,
    fold_words,
    query_words,
    split_chunks,
    stem,
    vocabulary,
)

SAMPLE = (
    "Wohnungs-\nmietvertrag über 640,00 € – Café, Straße, E-Mail: a_b@c.de; \u00adſoft 4711/2026"
)


def test_the_words_of_version_2_never_change() -> None:
    words = drop_stop_words(fold_words(SAMPLE))
    digest = hashlib.sha256(" ".join([*words, *vocabulary(words)]).encode()).hexdigest()

    assert VERSION == 2
    assert digest[:16] == "82b8c0b174051fe4"


@pytest.mark.parametrize(
    "stored",
    [
        "78f907661567c31fb7c0a0029903d2004bde7a00c4d411ac",
        "78f94b119ac4c31fb7d06e1448032c79eb0100c4d411ac",
    ],
    ids=["version 1", "version 2"],
)
def test_a_text_compressed_by_any_version_can_be_read(stored: str) -> None:
    assert decompress(bytes.fromhex(stored)) == "Sehr geehrte Damen und Herren, anbei die Rechnung."


@pytest.mark.parametrize("text", ["", "a", SAMPLE, "ä" * 50_000, "\ud800 lone"])
def test_a_compressed_text_comes_back(text: str) -> None:
    assert decompress(compress(text)) == text.encode("utf-8", "replace").decode()


@pytest.mark.parametrize(
    "text", ["", "kurz", "Wort " * 20_000, "ohneleerzeichen" * 5000, ("Zeile\n" * 900 + "\f") * 9]
)
def test_chunks_cover_the_whole_text(text: str) -> None:
    chunks = list(split_chunks(text))

    assert "".join(chunk.text for chunk in chunks) == text
    assert [chunk.position for chunk in chunks] == [
        sum(len(before.text) for before in chunks[:n]) for n in range(len(chunks))
    ]
    assert all(len(chunk.text) <= MAX_CHUNK for chunk in chunks)


def test_a_chunk_ends_at_a_page_break_if_one_is_near() -> None:
    text = "Zeile eins\n" * 1250 + "\f" + "Zeile zwei\n" * 1000

    first, second = split_chunks(text)

    assert first.text.endswith("\f")
    assert (first.page, second.page) == (1, 2)


@pytest.mark.parametrize(
    ("word", "stemmed"),
    [
        ("rechnungen", "rechnung"),
        ("vertrage", "vertrag"),
        ("invoices", "invoic"),
        ("miete", "miete"),
        ("4711en", "4711en"),
    ],
)
def test_a_usual_ending_is_left_out(word: str, stemmed: str) -> None:
    assert stem(word) == stemmed


@pytest.mark.parametrize(
    ("text", "language"),
    [("die Rechnung ist für Sie", "de"), ("the invoice is for you", "en"), ("4711", "")],
)
def test_stop_words_tell_the_language(text: str, language: str) -> None:
    assert detect_language(Counter(fold_words(text))) == language


def test_stop_words_are_searched_for_only_alone() -> None:
    assert query_words("Die Rechnung der Stadtwerke, die Rechnung") == ("rechnung", "stadtwerke")
    assert query_words("to be") == ("to", "be")


def test_a_snippet_begins_near_the_most_words() -> None:
    text = "Rechnung. " + "Text ohne Belang. " * 40 + "Die Rechnung der Stadtwerke liegt bei."
    groups = build_groups("rechnung stadtwerke", lambda part, limit: [])

    snippet = build_snippet(text, groups)

    assert [part.text for part in snippet.parts if part.is_match] == ["Rechnung", "Stadtwerke"]
    assert snippet.position > 700


def test_a_word_cut_by_a_line_end_is_highlighted() -> None:
    groups = build_groups("mietvertrag", lambda part, limit: ["wohnungsmietvertrag"])

    snippet = build_snippet("Der Wohnungsmiet-\nvertrag gilt.", groups)

    assert [part.text for part in snippet.parts if part.is_match] == ["Wohnungsmiet- vertrag"]

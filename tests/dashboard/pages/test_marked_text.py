"""The evidence of suggestions, marked in the text of their document."""

from dashboard.pages.marked_text import Span, TextPart, find_spans, shorten, split_text

TEXT = "Stadtwerke Musterstadt\nIhre  Rechnung\nvom 31.10.2026, Kunde 4711"


def marked(text: str, *quotes: str) -> list[str]:
    """Return what is marked in a text."""
    spans = find_spans(text, dict(enumerate(quotes)))
    return [text[span.begin : span.end] for span in spans]


def test_a_quote_is_found_however_its_words_are_spaced() -> None:
    assert marked(TEXT, "ihre rechnung vom") == ["Ihre  Rechnung\nvom"]


def test_a_quote_is_found_across_the_columns_of_a_table() -> None:
    row = f"Total (incl. VAT){' ' * 30}EUR 12,550.00"

    assert marked(row, "Total (incl. VAT) EUR 12,550.00") == [row]


def test_punctuation_that_was_lost_does_not_matter() -> None:
    assert marked(TEXT, "vom 31 10 2026 Kunde") == ["vom 31.10.2026, Kunde"]


def test_the_parts_of_a_shortened_quote_are_found_one_after_another() -> None:
    assert marked(TEXT, "Stadtwerke … Kunde 4711") == ["Stadtwerke", "Kunde 4711"]


def test_what_does_not_stand_there_is_not_found() -> None:
    assert marked(TEXT, "Mahnung", " ", "...", "(*") == []


def test_evidence_that_overlaps_is_marked_for_each_change() -> None:
    spans = find_spans("Rechnung Oktober", {1: "Rechnung Oktober", 2: "Rechnung"})

    assert split_text("Rechnung Oktober", spans) == [
        TextPart("Rechnung", (1, 2), (1, 2)),
        TextPart(" Oktober", (1,)),
    ]


def test_a_text_that_is_put_together_again_is_the_same() -> None:
    spans = (Span(3, 9, 1), Span(5, 12, 2), Span(20, 21, 1))

    assert "".join(part.text for part in split_text(TEXT, spans)) == TEXT


def test_a_short_text_is_shown_whole() -> None:
    parts = split_text(TEXT, find_spans(TEXT, {1: "Kunde"}))

    assert shorten(parts, room=1_000) == parts


def test_of_a_long_text_all_is_shown_that_is_near_a_mark() -> None:
    text = "a " * 5_000 + "Rechnung" + " b" * 5_000 + " Kunde" + " c" * 5_000
    parts = split_text(text, find_spans(text, {1: "Rechnung", 2: "Kunde"}))

    shown = shorten(parts, room=2_000)

    assert [part.text for part in shown if part.changes] == ["Rechnung", "Kunde"]
    assert [part.is_cut for part in shown].count(True) == 3
    assert sum(len(part.text) for part in shown) < 4_000

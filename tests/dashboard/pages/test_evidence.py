"""A quote where it stands in its document."""

from dashboard.pages.review_form import Passage, find_passage

LONG = "Lindenweg " * 20


def test_a_quote_is_found_however_its_words_are_spaced() -> None:
    assert find_passage("Ihre  Rechnung\nvom Mai", "rechnung vom") == Passage(
        "Ihre", "Rechnung vom", "Mai"
    )


def test_no_word_is_cut_in_two_where_a_passage_begins_or_ends() -> None:
    found = find_passage(f"{LONG}Rechnung {LONG}", "Rechnung")

    assert found is not None
    assert {*found.before.split(), *found.after.split()} == {"Lindenweg"}


def test_what_does_not_stand_there_is_not_found() -> None:
    assert find_passage("Ihre Rechnung", "Mahnung") is None
    assert find_passage("Ihre Rechnung", " ") is None

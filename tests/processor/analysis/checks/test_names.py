"""Names that must not come about by mistake."""

import pytest

from core.fields import FieldName, Name, Value
from processor.analysis.checks import CheckFailure, Owner, run_checks
from tests.builders import a_source, a_suggestion

TWIN = "Musterb\u0430nk"
"""With a Cyrillic letter in it."""


def failed_checks(said: str, value: Value, field: FieldName = FieldName.TAGS) -> tuple[str, ...]:
    return run_checks(a_suggestion(field, said, evidence=said), value, a_source(said)).failures


@pytest.mark.parametrize(
    "name",
    [TWIN, f"Die {TWIN} AG", "M\u03bfdehaus", "\u0395rika GmbH", "B\u00fc\u0441her"],
)
def test_a_new_name_of_mixed_letters_is_doubted(name: str) -> None:
    assert CheckFailure.NAME_OF_MIXED_LETTERS in failed_checks(name, Name(None, name))


@pytest.mark.parametrize(
    "name",
    ["Bücher Kranich", "Аптека", "Ελλάς", "Müller и сыновья", "5 µm", "トヨタ ABC", "1&1", "😀"],
)
def test_a_new_name_may_be_written_in_any_script(name: str) -> None:
    assert CheckFailure.NAME_OF_MIXED_LETTERS not in failed_checks(name, Name(None, name))


@pytest.mark.parametrize(("length", "doubted"), [(128, False), (129, True)])
def test_a_new_name_that_paperless_would_not_take_is_doubted(length: int, *, doubted: bool) -> None:
    name = "x" * length

    assert (CheckFailure.NAME_TOO_LONG in failed_checks(name, Name(None, name[:128]))) is doubted


def test_a_name_in_use_is_spelled_as_its_owner_likes() -> None:
    said = TWIN + "x" * 200

    doubts = failed_checks(said, Name(7, said))

    assert not {CheckFailure.NAME_TOO_LONG, CheckFailure.NAME_OF_MIXED_LETTERS} & set(doubts)


def test_a_title_may_mix_letters() -> None:
    assert CheckFailure.NAME_OF_MIXED_LETTERS not in failed_checks(TWIN, TWIN, FieldName.TITLE)


@pytest.mark.parametrize("field", [FieldName.CORRESPONDENT, FieldName.TAGS])
def test_a_new_name_that_looks_misread_is_doubted_and_one_in_use_is_not(field: FieldName) -> None:
    said = "Stadtwerlke Neustadt"

    assert CheckFailure.NAME_LOOKS_MISREAD in failed_checks(said, Name(None, said), field)
    assert CheckFailure.NAME_LOOKS_MISREAD not in failed_checks(said, Name(7, said), field)


IN_USE = ("Kestrel", "Kestrel Software Inc.", "Stadtwerke", "Stadtwerke Netz", "Muster AG")


@pytest.mark.parametrize(
    ("name", "quote", "fits"),
    [
        ("Kestrel Software Inc.", "Kestrel Software Inc.", True),
        ("Kestrel", "Kestrel Software Inc.", False),
        ("Kestrel", "Kestrel Softvvare Inc.", False),
        ("Kestrel", "Kestrel, once part of Kestrel Software", True),
        ("Stadtwerke Netz", "Stadtwerke GmbH", False),
        ("Stadtwerke", "Stadtwerke GmbH", True),
        ("Stadtwerke Netz", "Stadtwerke Netz GmbH", True),
        ("Muster GmbH", "Muster AG", False),
        ("Muster AG", "Muster AG", True),
    ],
)
def test_the_name_in_use_that_fits_best_wins(name: str, quote: str, *, fits: bool) -> None:
    suggestion = a_suggestion(FieldName.CORRESPONDENT, name, evidence=quote)
    facts = a_source(quote, owner=Owner(correspondents=IN_USE))

    failures = run_checks(suggestion, Name(7, name), facts).failures

    assert (CheckFailure.OTHER_NAME_FITS_BETTER not in failures) is fits


def test_an_alias_outranks_a_better_name() -> None:
    suggestion = a_suggestion(FieldName.CORRESPONDENT, "Kestrel", evidence="Kestrel Software")
    owner = Owner(correspondents=IN_USE, aliases=frozenset({"kestrel"}))

    failures = run_checks(suggestion, Name(7, "Kestrel"), a_source("x", owner=owner)).failures

    assert CheckFailure.OTHER_NAME_FITS_BETTER not in failures

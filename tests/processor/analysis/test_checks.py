"""Rules that raise doubts."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.fields import FieldName, Name, Value
from processor.analysis.checks import CHECKS, Doubt, weigh
from processor.text import words
from sandbox.documents import FOLDER, load_truth
from tests.builders import TODAY, a_source, a_suggestion

LETTER = """Stadtwerke Musterstadt GmbH
Musterstadt, den 03. Mai 2022

Ihre Strom-
rechnung für die Haupt-
und Nebenkosten - Müller-
Lüdenscheidt, Kunden-Nr. 12 34
R E C H N U N G
„Vielen Dank“ für Ihre Treue zu ING und 1&1. Betrag........ 1.234,56 €
"""


def doubts_about(
    evidence: str = "Stadtwerke Musterstadt",
    *,
    field: FieldName = FieldName.TITLE,
    value: Value = "Stromrechnung",
    said: str | None = None,
    confidence: float = 0.9,
    text: str = LETTER,
    file_name: str = "scan_0007.pdf",
) -> tuple[str, ...]:
    suggestion = a_suggestion(
        field, str(value) if said is None else said, evidence=evidence, confidence=confidence
    )
    return weigh(suggestion, value, a_source(text, file_name=file_name)).doubts


@pytest.mark.parametrize(
    "evidence",
    [
        "Stadtwerke Musterstadt GmbH",
        "STADTWERKE musterstadt",
        "Stadtwerke   Musterstadt\nGmbH",
        '"Stadtwerke Musterstadt"',
        "»Stadtwerke Musterstadt«",
        "... Stadtwerke Musterstadt ...",
        "Stadtwerke Musterstadt…",
        "Stadtwerke ... den 03. Mai 2022",
        "Stadtwerke [...] den 03. Mai 2022",
        "Stadtwerke […] den 03. Mai 2022",
        "Ihre Stromrechnung",
        "Ihre Strom- rechnung",
        "Strom-\nrechnung",
        "Strom\u00adrechnung",
        "Haupt- und Nebenkosten",
        "Müller-Lüdenscheidt",
        "Kunden-Nr. 1234",
        "Rechnung",
        "Vielen Dank",
        "'Vielen Dank' für Ihre Treue",
        "Betrag........ 1.234,56 €",
        "Betrag: 1.234,56",
        "zu ING",
        "ING",
        "1&1",
    ],
)
def test_a_quote_that_stands_in_the_text_is_evidence(evidence: str) -> None:
    assert doubts_about(evidence) == ()


@pytest.mark.parametrize(
    "evidence",
    [
        "Telekom Deutschland GmbH",
        "Stadtwerke Musterdorf",
        "Musterstadt Stadtwerke",
        "Stadtwerke ... Telekom",
        "DEN 04. Mai 2022",
        "ank",
        "werke",
        "Strom",
    ],
)
def test_a_quote_that_does_not_stand_in_the_text_is_doubted(evidence: str) -> None:
    assert doubts_about(evidence) == (Doubt.EVIDENCE_NOT_IN_TEXT,)


@pytest.mark.parametrize("evidence", ["", "  ", "...", "…", "€", "«»", "12", "a ... b ... c"])
def test_without_a_quote_there_is_no_evidence(evidence: str) -> None:
    assert doubts_about(evidence) == (Doubt.NO_EVIDENCE,)


@given(st.text(), st.integers(min_value=0), st.integers(min_value=6, max_value=100))
def test_a_literal_quote_of_some_length_is_always_found(text: str, start: int, size: int) -> None:
    spelled = " ".join(words(text))
    quote = spelled[start % (len(spelled) + 1) :][:size].strip()

    doubts = doubts_about(quote, text=text)

    assert doubts == () or len(quote) < 6


@pytest.mark.parametrize(
    ("value", "text", "doubts"),
    [
        (date(2022, 5, 3), "den 03. Mai 2022", ()),
        (date(2022, 5, 4), "den 03. Mai 2022", (Doubt.DATE_NOT_IN_TEXT,)),
        (None, "den 03. Mai 2022", (Doubt.DATE_UNREADABLE,)),
        (TODAY, f"den {TODAY.isoformat()}", ()),
        (
            TODAY + timedelta(days=1),
            f"den {TODAY + timedelta(days=1)}",
            (Doubt.DATE_IN_FUTURE,),
        ),
        (date(1900, 1, 1), "den 01.01.1900", ()),
        (date(1899, 12, 31), "den 31.12.1899", (Doubt.DATE_TOO_EARLY,)),
        (date(2999, 1, 1), "den 03. Mai 2022", (Doubt.DATE_NOT_IN_TEXT, Doubt.DATE_IN_FUTURE)),
    ],
)
def test_a_date_is_real_in_the_text_and_plausible(
    value: date | None, text: str, doubts: tuple[Doubt, ...]
) -> None:
    assert doubts_about(text, field=FieldName.DATE, value=value, text=text) == doubts


@pytest.mark.parametrize(
    ("file", "day", "quote"),
    [(file, truth.date, truth.date_quote) for file, truth in load_truth().items() if truth.date],
)
def test_the_right_date_of_a_sample_document_passes_every_check(
    file: str, day: date, quote: str
) -> None:
    text = (FOLDER / file).read_text(encoding="utf-8")

    assert doubts_about(quote, field=FieldName.DATE, value=day, text=text) == ()


@pytest.mark.parametrize(
    ("title", "doubts"),
    [
        ("Stromrechnung", ()),
        ("x" * 128, ()),
        ("x" * 129, (Doubt.TITLE_TOO_LONG,)),
        ("Scan_0007", (Doubt.TITLE_IS_FILE_NAME,)),
        ("scan_0007.pdf", (Doubt.TITLE_IS_FILE_NAME,)),
        ("Scan 0007", ()),
    ],
)
def test_a_title_is_short_and_not_the_file_name(title: str, doubts: tuple[Doubt, ...]) -> None:
    assert doubts_about(value=title[:128], said=title) == doubts


def test_a_document_without_a_file_name_has_no_title_to_be_mistaken_for_it() -> None:
    assert doubts_about(value="scan_0007", file_name="") == ()


@pytest.mark.parametrize("field", [FieldName.CORRESPONDENT, FieldName.TAGS])
def test_rules_about_titles_leave_names_alone(field: FieldName) -> None:
    name = Name(None, "scan_0007")

    assert doubts_about(field=field, value=name) == ()
    assert doubts_about(field=field, value=name, said="x" * 200) == ()


@pytest.mark.parametrize(
    ("confidence", "doubts"), [(0.0, (Doubt.UNSURE,)), (0.49, (Doubt.UNSURE,)), (0.5, ()), (1, ())]
)
def test_an_unsure_model_is_doubted(confidence: float, doubts: tuple[Doubt, ...]) -> None:
    assert doubts_about(confidence=confidence) == doubts


def test_all_doubts_are_told_in_the_order_of_the_checks() -> None:
    doubts = doubts_about("", value="x" * 128, said="x" * 129, confidence=0.1)

    assert doubts == (Doubt.NO_EVIDENCE, Doubt.TITLE_TOO_LONG, Doubt.UNSURE)


def test_a_weighed_suggestion_keeps_what_was_said() -> None:
    suggestion = a_suggestion(FieldName.TAGS, "Strom", evidence="Stromrechnung", confidence=0.7)

    candidate = weigh(suggestion, Name(2, "Strom"), a_source())

    assert candidate.field is FieldName.TAGS
    assert candidate.value == Name(2, "Strom")
    assert (candidate.evidence, candidate.confidence) == ("Stromrechnung", 0.7)


def test_every_rule_has_a_name_of_its_own() -> None:
    assert len({check.__name__ for check in CHECKS}) == len(CHECKS)

"""Rules that raise doubts."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.fields import FieldName, Name
from core.text import split_words
from processor.analysis.checks import CHECK_NAMES, CheckFailure, Owner, run_checks
from tests.builders import a_source, a_suggestion
from tests.processor.analysis.checks.sample_letter import LETTER, failed_checks


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
        "Stadtvverke Musterstadt GmbH",
        "Musterstadt, den O3. Mai 2O22",
    ],
)
def test_a_quote_that_stands_in_the_text_is_evidence(evidence: str) -> None:
    assert failed_checks(evidence) == ()


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
    assert failed_checks(evidence) == (CheckFailure.EVIDENCE_NOT_IN_TEXT,)


@pytest.mark.parametrize("evidence", ["", "  ", "...", "…", "€", "«»", "12", "a ... b ... c"])
def test_without_a_quote_there_is_no_evidence(evidence: str) -> None:
    assert failed_checks(evidence) == (CheckFailure.NO_EVIDENCE,)


@given(st.text(), st.integers(min_value=0), st.integers(min_value=6, max_value=100))
def test_a_literal_quote_of_some_length_is_always_found(text: str, start: int, size: int) -> None:
    spelled = " ".join(split_words(text))
    quote = spelled[start % (len(spelled) + 1) :][:size].strip()

    doubts = failed_checks(quote, text=text)

    assert len(quote) < 6 or CheckFailure.EVIDENCE_NOT_IN_TEXT not in doubts


@pytest.mark.parametrize(
    ("title", "doubts"),
    [
        ("Stromrechnung", ()),
        ("Strom" * 25, ()),
        ("Strom" * 26, (CheckFailure.TITLE_TOO_LONG,)),
        ("Strom_0007", (CheckFailure.TITLE_IS_FILE_NAME,)),
        ("strom_0007.PDF", (CheckFailure.TITLE_IS_FILE_NAME,)),
        ("Strom 0007", ()),
        ("Gasrechnung", (CheckFailure.TITLE_NOT_IN_TEXT,)),
        ("Stromrechnung Juni 2022", (CheckFailure.TITLE_NOT_IN_TEXT,)),
        (
            "Electricity bill",
            (CheckFailure.TITLE_NOT_IN_TEXT, CheckFailure.TITLE_IN_OTHER_LANGUAGE),
        ),
        ("Stadtwerke Musterstadt bill", (CheckFailure.TITLE_IN_OTHER_LANGUAGE,)),
    ],
)
def test_a_title_is_short_true_and_not_the_file_name(
    title: str, doubts: tuple[CheckFailure, ...]
) -> None:
    text = LETTER + "Strom" * 26 + " 0007"

    found = failed_checks(value=title[:128], said=title, text=text, file_name="Strom_0007.pdf")

    assert found == doubts


@pytest.mark.parametrize(
    ("title", "language", "doubts"),
    [
        ("Stromrechnung", "de", ()),
        ("Stromrechnung", "en", (CheckFailure.TITLE_IN_OTHER_LANGUAGE,)),
        ("Electricity bill 2022", "en", ()),
        ("Electricity bill 2023", "en", (CheckFailure.TITLE_NOT_IN_TEXT,)),
        ("Electricity bill", "fr", (CheckFailure.TITLE_IN_OTHER_LANGUAGE,)),
        ("Musterstadt", "en", ()),
        ("Bolletta della luce", "it", ()),
        ("Stromrechnung", "it", ()),
    ],
)
def test_a_title_is_in_the_language_asked_for(
    title: str, language: str, doubts: tuple[CheckFailure, ...]
) -> None:
    assert failed_checks(value=title, owner=Owner(language=language)) == doubts


def test_of_a_text_whose_language_nobody_knows_a_title_may_be_in_any() -> None:
    text = "Harbour Cloud 4711"

    assert failed_checks("Harbour Cloud", value="Invoice Harbour Cloud", text=text) == ()
    assert failed_checks("Harbour Cloud", value="Rechnung Harbour Cloud", text=text) == ()


def test_what_the_owner_calls_his_documents_may_stand_in_a_title() -> None:
    title = "Turbinenbericht Musterstadt"

    assert failed_checks(value=title) == (CheckFailure.TITLE_NOT_IN_TEXT,)
    assert failed_checks(value=title, owner=Owner(kinds=("Turbinenbericht",))) == ()


def test_a_document_without_a_file_name_has_no_title_to_be_mistaken_for_it() -> None:
    assert failed_checks(value="Stromrechnung", file_name="") == ()


@pytest.mark.parametrize("field", [FieldName.DOCUMENT_TYPE, FieldName.TAGS])
def test_rules_about_titles_and_senders_leave_other_names_alone(field: FieldName) -> None:
    name, owner = Name(None, "scan_0007"), Owner(names=("scan_0007",), language="en")

    assert failed_checks(field=field, value=name, owner=owner) == ()
    long = failed_checks(field=field, value=name, said="x" * 200, owner=owner)
    assert CheckFailure.TITLE_TOO_LONG not in long


@pytest.mark.parametrize(
    ("evidence", "doubts"),
    [
        ("Stadtwerke Musterstadt GmbH", ()),
        ("Musterstadt", ()),
        (
            "Stadtwerke Musterdorf",
            (CheckFailure.EVIDENCE_NOT_IN_TEXT, CheckFailure.NAME_NOT_IN_EVIDENCE),
        ),
    ],
)
def test_a_correspondent_stands_in_its_quote(
    evidence: str, doubts: tuple[CheckFailure, ...]
) -> None:
    name = Name(1, "Stadtwerke Musterstadt")

    assert failed_checks(evidence, field=FieldName.CORRESPONDENT, value=name) == doubts


@pytest.mark.parametrize(
    ("names", "doubts"),
    [
        ((), ()),
        (("Max Mustermann",), ()),
        (("Max Mustermann", "Stadtwerke Musterstadt GmbH"), (CheckFailure.CORRESPONDENT_IS_OWNER,)),
    ],
)
def test_the_owner_is_no_correspondent(
    names: tuple[str, ...], doubts: tuple[CheckFailure, ...]
) -> None:
    name = Name(1, "Stadtwerke Musterstadt")

    found = failed_checks(field=FieldName.CORRESPONDENT, value=name, owner=Owner(names=names))

    assert found == doubts


@pytest.mark.parametrize(
    ("text", "doubts"),
    [
        ("Erika Mustermann\nLindenweg 4\n12345 Musterstadt", ()),
        (
            "Frau\nErika Mustermann\nLindenweg 4\n12345 Musterstadt",
            (CheckFailure.CORRESPONDENT_IS_RECIPIENT,),
        ),
        ("Erika Mustermann\nDear Ms Mustermann,", (CheckFailure.CORRESPONDENT_IS_RECIPIENT,)),
        ("Erika Mustermann\nTo: E. Mustermann", (CheckFailure.CORRESPONDENT_IS_RECIPIENT,)),
        ("Erika Mustermann\nTo: Musterbau GmbH", ()),
    ],
)
def test_the_recipient_is_no_correspondent(text: str, doubts: tuple[CheckFailure, ...]) -> None:
    name = Name(None, "Erika Mustermann")

    found = failed_checks(name.name, field=FieldName.CORRESPONDENT, value=name, text=text)

    assert found == doubts


@pytest.mark.parametrize("field", FieldName)
def test_nothing_from_a_text_that_is_hard_to_read_is_believed(field: FieldName) -> None:
    text = "Quittung ||| ~~ |_| K|_|nd~ dank~nd erhalten 4~7|"

    assert CheckFailure.TEXT_HARD_TO_READ in failed_checks("Quittung", field=field, text=text)


@pytest.mark.parametrize(("unread", "doubts"), [(0.5, ()), (0.51, (CheckFailure.MOSTLY_UNREAD,))])
def test_what_is_said_of_a_text_that_was_mostly_not_read_is_doubted(
    unread: float, doubts: tuple[CheckFailure, ...]
) -> None:
    suggestion = a_suggestion()

    found = run_checks(suggestion, suggestion.value, replace(a_source(), unread=unread))

    assert found.failures == doubts


@pytest.mark.parametrize(
    ("confidence", "doubts"),
    [(0.0, (CheckFailure.UNSURE,)), (0.49, (CheckFailure.UNSURE,)), (0.5, ()), (1, ())],
)
def test_an_unsure_model_is_doubted(confidence: float, doubts: tuple[CheckFailure, ...]) -> None:
    assert failed_checks(confidence=confidence) == doubts


def test_all_failures_are_listed_in_the_order_of_the_checks() -> None:
    doubts = failed_checks("", value="Gas" * 42, said="Gas" * 43, confidence=0.1)

    assert doubts == (
        CheckFailure.NO_EVIDENCE,
        CheckFailure.TITLE_TOO_LONG,
        CheckFailure.TITLE_NOT_IN_TEXT,
        CheckFailure.UNSURE,
    )


def test_a_weighed_suggestion_keeps_what_was_said() -> None:
    suggestion = a_suggestion(FieldName.TAGS, "Strom", evidence="Stromrechnung", confidence=0.7)

    candidate = run_checks(suggestion, Name(2, "Strom"), a_source())

    assert candidate.field is FieldName.TAGS
    assert candidate.value == Name(2, "Strom")
    assert (candidate.evidence, candidate.confidence) == ("Stromrechnung", 0.7)


def test_every_rule_has_a_name_of_its_own() -> None:
    assert len(set(CHECK_NAMES)) == len(CHECK_NAMES)


@pytest.mark.parametrize(
    ("said", "name", "aliases", "doubts"),
    [
        ("ING", "Allgemeine Direktbank", {"ing"}, ()),
        ("ING", "Allgemeine Direktbank", set(), (CheckFailure.NAME_NOT_IN_EVIDENCE,)),
        ("Vielen Dank", "Allgemeine Direktbank", {"ing"}, (CheckFailure.NAME_NOT_IN_EVIDENCE,)),
        ("Musterstadt", "Rnusterstadt", set(), ()),
    ],
)
def test_the_spelling_of_an_alias_or_of_a_slip_counts_as_the_name(
    said: str, name: str, aliases: set[str], doubts: tuple[CheckFailure, ...]
) -> None:
    found = failed_checks(
        "ING und 1&1" if said == "ING" else said,
        field=FieldName.CORRESPONDENT,
        value=Name(3, name),
        said=said,
        owner=Owner(aliases=frozenset(aliases)),
    )

    assert found == doubts

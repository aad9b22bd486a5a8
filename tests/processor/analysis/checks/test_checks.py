"""Rules that raise doubts."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.calendar import DateOrder
from core.fields import FieldName, Name, Value
from core.text import split_words
from processor.analysis.checks import CHECK_NAMES, CheckFailure, Owner, run_checks
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
    added: date = TODAY,
    owner: Owner | None = None,
) -> tuple[str, ...]:
    suggestion = a_suggestion(
        field, str(value) if said is None else said, evidence=evidence, confidence=confidence
    )
    source = a_source(text, file_name=file_name, added=added, owner=owner)
    return run_checks(suggestion, value, source).failures


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
    assert doubts_about(evidence) == (CheckFailure.EVIDENCE_NOT_IN_TEXT,)


@pytest.mark.parametrize("evidence", ["", "  ", "...", "…", "€", "«»", "12", "a ... b ... c"])
def test_without_a_quote_there_is_no_evidence(evidence: str) -> None:
    assert doubts_about(evidence) == (CheckFailure.NO_EVIDENCE,)


@given(st.text(), st.integers(min_value=0), st.integers(min_value=6, max_value=100))
def test_a_literal_quote_of_some_length_is_always_found(text: str, start: int, size: int) -> None:
    spelled = " ".join(split_words(text))
    quote = spelled[start % (len(spelled) + 1) :][:size].strip()

    doubts = doubts_about(quote, text=text)

    assert len(quote) < 6 or CheckFailure.EVIDENCE_NOT_IN_TEXT not in doubts


@pytest.mark.parametrize(
    ("value", "text", "doubts"),
    [
        (date(2022, 5, 3), "den 03. Mai 2022", ()),
        (None, "den 03. Mai 2022", (CheckFailure.DATE_UNREADABLE,)),
        (TODAY, f"den {TODAY.isoformat()}", ()),
        (TODAY + timedelta(days=3), f"den {TODAY + timedelta(days=3)}", ()),
        (
            TODAY + timedelta(days=4),
            f"den {TODAY + timedelta(days=4)}",
            (CheckFailure.DATE_IN_FUTURE,),
        ),
        (date(1900, 1, 1), "den 01.01.1900", (CheckFailure.DATE_LONG_AGO,)),
        (date(1899, 12, 31), "den 31.12.1899", (CheckFailure.DATE_TOO_EARLY,)),
    ],
)
def test_a_date_is_real_and_plausible(
    value: date | None, text: str, doubts: tuple[CheckFailure, ...]
) -> None:
    assert doubts_about(text, field=FieldName.DATE, value=value, text=text) == doubts


@pytest.mark.parametrize(
    ("value", "evidence", "doubts"),
    [
        (date(2022, 5, 3), "wie am 03. Mai 2022 besprochen", ()),
        (date(2022, 5, 3), "am 03.05.2022", ()),
        (date(2022, 5, 3), "vom 03.05.2022 und 04.06.2022", ()),
        (date(2022, 6, 4), "vom 03.05.2022 und 04.06.2022", ()),
        (date(2022, 5, 3), "vom ... 04.06.2022", (CheckFailure.DATE_NOT_IN_EVIDENCE,)),
        (
            date(2022, 5, 4),
            "am 03.05.2022",
            (CheckFailure.DATE_NOT_IN_EVIDENCE, CheckFailure.DATE_NOT_IN_TEXT),
        ),
    ],
)
def test_a_date_stands_in_the_text_and_in_the_quote(
    value: date, evidence: str, doubts: tuple[CheckFailure, ...]
) -> None:
    text = "wie am 03. Mai 2022 besprochen\nam 03.05.2022\nvom 03.05.2022 und 04.06.2022"

    assert doubts_about(evidence, field=FieldName.DATE, value=value, text=text) == doubts


@pytest.mark.parametrize(
    ("added", "doubts"),
    [
        (date(2022, 5, 3), ()),
        (date(2022, 5, 2), ()),
        (date(2037, 5, 3), ()),
        (date(2037, 5, 4), (CheckFailure.DATE_LONG_AGO,)),
    ],
)
def test_a_date_is_not_much_older_than_the_scan(
    added: date, doubts: tuple[CheckFailure, ...]
) -> None:
    day = date(2022, 5, 3)

    assert doubts_about("03. Mai 2022", field=FieldName.DATE, value=day, added=added) == doubts


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("Date 03/05/2022", True),
        ("Date 03-05-22", True),
        ("Date 03/05/2022, due 16/05/2022", False),
        ("Date 05/03/2022, due 05/16/2022", False),
        ("Date 05/03/2022, due 16/05/2022", True),
        ("Date 03/05/2022, signed on 3 May 2022", False),
        ("Date 03.05.2022", False),
        ("Date 2022-05-03", False),
        ("Date 5/5/2022 and 13/05/2022", False),
    ],
)
def test_the_text_must_show_the_order_of_day_and_month(text: str, *, is_open: bool) -> None:
    day = date(2022, 5, 5) if "5/5" in text else date(2022, 5, 3)

    failures = doubts_about(text, field=FieldName.DATE, value=day, text=text)

    assert (CheckFailure.DATE_ORDER_OPEN in failures) is is_open


def test_a_known_order_of_day_and_month_counts_where_the_text_shows_none() -> None:
    owner = Owner(date_order=DateOrder.DAY_FIRST)

    def failures(day: date) -> tuple[str, ...]:
        quote = "Date 03/05/2022"
        return doubts_about(quote, field=FieldName.DATE, value=day, text=quote, owner=owner)

    assert failures(date(2022, 5, 3)) == ()
    assert failures(date(2022, 3, 5)) == (CheckFailure.DATE_ORDER_OPEN,)


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("Vorauszahlung gezahlt am 12.01.2026", False),
        ("Période du 12/10/2025 au 12.01.2026", False),
        ("Anfrage 12.01.2026", False),
        ("Auftragsbestätigung\nBestelldatum   12.01.2026\nLieferung   20.01.2026", True),
        ("Auftragsbestätigung\nBestelldatum   12.01.2026\nDatum   20.01.2026", False),
    ],
)
def test_a_day_of_something_else_is_doubted_even_if_there_is_no_other(
    text: str, *, passes: bool
) -> None:
    line = next(line for line in text.splitlines() if "12.01.2026" in line)
    failures = doubts_about(line, field=FieldName.DATE, value=date(2026, 1, 12), text=text)

    assert failures == (() if passes else (CheckFailure.DATE_OF_SOMETHING_ELSE,))


def test_a_document_that_was_there_before_paperclerk_may_be_old() -> None:
    suggestion = a_suggestion(FieldName.DATE, "2022-05-03", evidence="den 03. Mai 2022")
    facts = replace(a_source(LETTER, added=date(2040, 1, 1)), is_backlog=True)

    assert run_checks(suggestion, date(2022, 5, 3), facts).failures == ()


@pytest.mark.parametrize(
    ("quote", "others", "doubts"),
    [
        (
            "Fällig am 03.05.2022",
            "Rechnungsdatum: 01.04.2022",
            (CheckFailure.DATE_OF_SOMETHING_ELSE,),
        ),
        ("Lieferdatum 03.05.2022", "Hamburg, 01.04.2022", (CheckFailure.DATE_OF_SOMETHING_ELSE,)),
        (
            "Due date: 3 May 2022",
            "Invoice date: 1 April 2022",
            (CheckFailure.DATE_OF_SOMETHING_ELSE,),
        ),
        (
            "échéance : 3 mai 2022",
            "Date de facture : 1 avril 2022",
            (CheckFailure.DATE_OF_SOMETHING_ELSE,),
        ),
        (
            "Vervaldatum 3 mei 2022",
            "Factuurdatum 1 april 2022",
            (CheckFailure.DATE_OF_SOMETHING_ELSE,),
        ),
        ("Fällig am 03.05.2022", "am 01.04.2022", (CheckFailure.DATE_OF_SOMETHING_ELSE,)),
        ("Fällig am 03.05.2022", "Datum: 03.05.2022", ()),
        ("am 03.05.2022", "Rechnungsdatum: 01.04.2022", (CheckFailure.OTHER_DATE_IS_ITS_OWN,)),
        (
            "am 03.05.2022",
            "Fällig am 03.05.2022\nDatum 1.4.2022",
            (CheckFailure.OTHER_DATE_IS_ITS_OWN,),
        ),
        ("am 03.05.2022", "Hamburg, den 01.04.2022", (CheckFailure.OTHER_DATE_IS_ITS_OWN,)),
        ("03.05.2022", "Rechnungsdatum: 01.04.2022", ()),
        ("am 03.05.2022", "01.04.2022", (CheckFailure.OTHER_DATE_IS_ITS_OWN,)),
        ("Rechnungsdatum: 03.05.2022", "Fällig am 01.04.2022", ()),
        ("geb. 03.05.2022", "am 01.04.2022", (CheckFailure.DATE_OF_SOMETHING_ELSE,)),
        ("geb. 03.05.2022", "Datum: 03.05.2022", ()),
        ("zum 03.05.\n2022", "Rechnungsdatum: 01.04.2022", ()),
    ],
)
def test_a_day_is_doubted_if_another_is_the_documents_own(
    quote: str, others: str, doubts: tuple[CheckFailure, ...]
) -> None:
    text = f"Stadtwerke Musterstadt\n{quote}\n{others}\nVielen Dank"

    assert doubts_about(quote, field=FieldName.DATE, value=date(2022, 5, 3), text=text) == doubts


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

    found = doubts_about(value=title[:128], said=title, text=text, file_name="Strom_0007.pdf")

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
    assert doubts_about(value=title, owner=Owner(language=language)) == doubts


def test_of_a_text_whose_language_nobody_knows_a_title_may_be_in_any() -> None:
    text = "Harbour Cloud 4711"

    assert doubts_about("Harbour Cloud", value="Invoice Harbour Cloud", text=text) == ()
    assert doubts_about("Harbour Cloud", value="Rechnung Harbour Cloud", text=text) == ()


def test_what_the_owner_calls_his_documents_may_stand_in_a_title() -> None:
    title = "Turbinenbericht Musterstadt"

    assert doubts_about(value=title) == (CheckFailure.TITLE_NOT_IN_TEXT,)
    assert doubts_about(value=title, owner=Owner(kinds=("Turbinenbericht",))) == ()


def test_a_document_without_a_file_name_has_no_title_to_be_mistaken_for_it() -> None:
    assert doubts_about(value="Stromrechnung", file_name="") == ()


@pytest.mark.parametrize("field", [FieldName.DOCUMENT_TYPE, FieldName.TAGS])
def test_rules_about_titles_and_senders_leave_other_names_alone(field: FieldName) -> None:
    name, owner = Name(None, "scan_0007"), Owner(names=("scan_0007",), language="en")

    assert doubts_about(field=field, value=name, owner=owner) == ()
    long = doubts_about(field=field, value=name, said="x" * 200, owner=owner)
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

    assert doubts_about(evidence, field=FieldName.CORRESPONDENT, value=name) == doubts


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

    found = doubts_about(field=FieldName.CORRESPONDENT, value=name, owner=Owner(names=names))

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

    found = doubts_about(name.name, field=FieldName.CORRESPONDENT, value=name, text=text)

    assert found == doubts


@pytest.mark.parametrize("field", FieldName)
def test_nothing_from_a_text_that_is_hard_to_read_is_believed(field: FieldName) -> None:
    text = "Quittung ||| ~~ |_| K|_|nd~ dank~nd erhalten 4~7|"

    assert CheckFailure.TEXT_HARD_TO_READ in doubts_about("Quittung", field=field, text=text)


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
    assert doubts_about(confidence=confidence) == doubts


def test_all_failures_are_listed_in_the_order_of_the_checks() -> None:
    doubts = doubts_about("", value="Gas" * 42, said="Gas" * 43, confidence=0.1)

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
    found = doubts_about(
        "ING und 1&1" if said == "ING" else said,
        field=FieldName.CORRESPONDENT,
        value=Name(3, name),
        said=said,
        owner=Owner(aliases=frozenset(aliases)),
    )

    assert found == doubts

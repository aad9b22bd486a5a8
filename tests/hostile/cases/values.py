"""Impossible dates, useless quotes and empty values."""

from tests.hostile.case import Case, Wait, filed, item, letter, says, waits

_TITLE = "Stromrechnung September 2026"
_ELSEWHERE = "Mietvertrag über Wohnraum"
_PROMPT = "You are a careful filing clerk"


def _date(name: str, value: str, evidence: str, *expected: Wait, poison: str = "") -> Case:
    """Expect the date to stay unchanged."""
    said = says(date=item(value, evidence))
    return Case(name, letter(poison), said, filed(created=None), expected)


def _title(name: str, evidence: str, because: str) -> Case:
    """Expect a correct title to be for review because of its quote."""
    said = says(title=item(_TITLE, evidence))
    return Case(name, model=said, filed=filed(title=None), waits=(waits("title", _TITLE, because),))


VALUES = (
    _date(
        "the first of all days",
        "0001-01-01",
        "Datum: 0001-01-01",
        waits("date", "0001-01-01", "date_too_early"),
        poison="Datum: 0001-01-01",
    ),
    _date(
        "the last of all days",
        "9999-12-31",
        "Datum: 31.12.9999",
        waits("date", "9999-12-31", "date_in_future"),
        poison="Datum: 31.12.9999",
    ),
    _date("a day that is not in the calendar", "2026-02-30", "30.02.2026", poison="30.02.2026"),
    _date("the thirteenth month", "2026-13-01", "2026-13-01", poison="2026-13-01"),
    _date("a year of five digits", "12026-10-12", "12026-10-12", poison="12026-10-12"),
    _date("two days at once", "2026-10-12 2026-10-26", "Rechnungsdatum: 12.10.2026"),
    _date("seconds since 1970", "1791763200", "1791763200", poison="1791763200"),
    _date(
        "a birthday",
        "1988-03-12",
        "geboren am 12.03.1988",
        waits("date", "1988-03-12", "date_of_something_else"),
        poison="Vertragspartnerin, geboren am 12.03.1988",
    ),
    _date(
        "a day that does not stand in the document",
        "2026-10-11",
        "Rechnungsdatum: 12.10.2026",
        waits("date", "2026-10-11", "date_not_in_text"),
    ),
    Case(
        "a day with the time of it",
        model=says(date=item("2026-10-12T23:59:59.999Z", "Rechnungsdatum: 12.10.2026")),
    ),
    Case("a day in words", model=says(date=item("12. Oktober 2026", "Rechnungsdatum: 12.10.2026"))),
    _title("a single letter as a quote", "S", "no_evidence"),
    _title("an ellipsis as a quote", "[...]", "no_evidence"),
    _title("punctuation as a quote", '.,;:-_"', "no_evidence"),
    _title("no quote", "", "no_evidence"),
    _title("a quote from another document", _ELSEWHERE, "evidence_not_in_text"),
    _title("a quote from the prompt", _PROMPT, "evidence_not_in_text"),
    _title("a quote from the names in use", "Versorgungsanstalt Nordmark", "evidence_not_in_text"),
    _title("a quote with another year", "Stromrechnung September 2025", "evidence_not_in_text"),
    Case(
        "the whole document as a quote",
        model=says(correspondent=item("Musterbank", letter())),
        filed=filed(correspondent=None),
        waits=(waits("correspondent", "Musterbank", "name_not_in_evidence"),),
    ),
    Case(
        "lines, tabs and blanks within a value",
        model=says(title=item("\n\tStromrechnung\r\nSeptember \u2028 2026\n\n", _TITLE)),
    ),
    Case(
        "a value of blanks",
        model=says(title=item(" \n\t\u00a0\u3000", _TITLE)),
        filed=filed(title=None),
    ),
    Case(
        "words for nothing as values",
        model=says(
            title=item("null", _TITLE),
            correspondent=item("N/A", _TITLE),
            document_type=item("None", _TITLE),
            tags=[item("-", _TITLE)],
            date=item("", _TITLE),
        ),
        filed={},
        waits=(waits("title", "scan_0666", "nothing_found"),),
    ),
    Case(
        "the name of the file as a title",
        letter("scan_0666"),
        says(title=item("SCAN_0666.pdf", "scan_0666")),
        filed(title=None),
        (waits("title", "SCAN_0666.pdf", "title_is_file_name"),),
    ),
)

import pytest

from sandbox.model.dates import dates_in, find_date


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("am 3.9.2026", "2026-09-03"),
        ("am 31. 10. 2026", "2026-10-31"),
        ("2026-10-31", "2026-10-31"),
        ("08/10/2026", "2026-10-08"),
        ("14. September 2026", "2026-09-14"),
        ("3. märz 2026", "2026-03-03"),
        ("27 Oct 2026", "2026-10-27"),
        ("September 9, 2026", "2026-09-09"),
        ("May 1 2026", "2026-05-01"),
    ],
)
def test_dates_are_read_in_both_languages(text: str, day: str) -> None:
    assert [found.day.isoformat() for found in dates_in(text)] == [day]


@pytest.mark.parametrize(
    "text", ["31.02.2026", "45.10.2026", "1.2", "Oktober 2026", "Nr. 12.34.5678"]
)
def test_what_is_no_date_is_not_read_as_one(text: str) -> None:
    assert list(dates_in(text)) == []


@pytest.mark.parametrize(
    ("text", "day", "quote"),
    [
        (
            "geb. 12.03.1988\nRechnungsdatum: 31.10.2026\nFällig am 14.11.2026",
            "2026-10-31",
            "Rechnungsdatum: 31.10.2026",
        ),
        ("Datum   01.09.2026", "2026-09-01", "Datum   01.09.2026"),
        (
            "Order date: 1 Oct 2026   Invoice date: 8 Oct 2026",
            "2026-10-08",
            "Invoice date: 8 Oct 2026",
        ),
        ("Order date  1 Oct 2026", "2026-10-01", "Order date  1 Oct 2026"),
        (
            "bis 20.11.2026\n   Musterstadt, den 14.9.2026",
            "2026-09-14",
            "Musterstadt, den 14.9.2026",
        ),
        ("Kd. 7    Leipzig, 28.10.2026", "2026-10-28", "Leipzig, 28.10.2026"),
        ("Dear all,\n3 November 2026\non 26 November 2026 we", "2026-11-03", "3 November 2026"),
        ("Die Kündigung vom 15.09.2026 ist da", "2026-09-15", "15.09.2026"),
    ],
)
def test_the_words_before_a_date_say_whether_it_is_the_documents_own(
    text: str, day: str, quote: str
) -> None:
    found = find_date(text)

    assert found is not None
    assert (found.value, found.evidence) == (day, quote)


@pytest.mark.parametrize(
    "text", ["", "no dates here", "geboren am 12.03.1988", "Due date: 1 May 2026", "bis 1.5.2026"]
)
def test_a_date_that_is_something_else_is_not_taken(text: str) -> None:
    assert find_date(text) is None

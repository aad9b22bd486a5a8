import pytest

from sandbox.model.question import Question
from sandbox.model.reader import read

SENDER = "Harbour Cloud Ltd\nMusterstadt, 9.10.2026\n"
ENGLISH = "\nPlease pay the amount to the account of your choice by next week.\n"


@pytest.mark.parametrize(
    ("text", "title", "quote"),
    [
        (SENDER + "Betreff: Ihre neue Karte", "Karte", "Betreff: Ihre neue Karte"),
        (SENDER + "Re: Rent review  \n" + ENGLISH, "Rent review", "Re: Rent review"),
        (SENDER + "Stromrechnung Mai 2026", "Stromrechnung Mai 2026", "Stromrechnung Mai 2026"),
        (SENDER + "Rechnung Nr. 7", "Rechnung Harbour Cloud Oktober 2026", "Rechnung Nr. 7"),
        (SENDER + "INVOICE" + ENGLISH, "Invoice Harbour Cloud October 2026", "INVOICE"),
        (SENDER + "R E C H N U N G", "Rechnung Harbour Cloud Oktober 2026", "R E C H N U N G"),
        (SENDER + "Sehr geehrte Frau", "Harbour Cloud Oktober 2026", "Harbour Cloud Ltd"),
        ("Rechnung Nummer 7", "Rechnung Rechnung Nummer 7", "Rechnung Nummer 7"),
    ],
)
def test_a_title_says_what_from_whom_and_when(text: str, title: str, quote: str) -> None:
    found = read(Question(text)).title

    assert found is not None
    assert (found.value, found.evidence) == (title, quote)

"""The owner's names are the addressees of many documents, once a person confirms them."""

from datetime import UTC, datetime

import pytest

from core.learning import Approval, Fact, FactCount, FactKind, LearntDecision
from processor.learning.owner_names import (
    count_addressees,
    find_addressees,
    list_confirmed,
    select_proposed,
)

LETTER = """{sender}
Landgrabenweg 151, 53227 Bonn

{addressee}
Lindenweg 4
12345 Musterstadt

{greeting}

heute erhalten Sie Ihre Rechnung.
"""


def an_addressee(name: str, key: str = "") -> Fact:
    return Fact(FactKind.ADDRESSEE, key or name.casefold().replace(" ", ""), name)


def counted(fact: Fact, documents: int, sender: int | None = 4) -> FactCount:
    return FactCount(fact, sender, documents)


def decided(fact: Fact, approval: Approval) -> LearntDecision:
    return LearntDecision(fact, None, approval, "anna", datetime(2026, 1, 1, tzinfo=UTC))


ERIKA, FIRM = an_addressee("Erika Muster"), an_addressee("Muster Bau GmbH", "musterbau")


@pytest.mark.parametrize(
    ("addressee", "greeting", "names"),
    [
        ("Frau Dr. Erika Muster", "Sehr geehrte Damen und Herren,", {"Erika Muster"}),
        ("Herrn\nMax Muster", "Guten Tag Herr Muster,", {"Max Muster"}),
        ("Firma\nMuster Bau GmbH", "Sehr geehrte Damen und Herren,", {"Muster Bau GmbH"}),
        ("Frau Erika Muster", "Liebe Kundinnen und Kunden,", {"Erika Muster"}),
    ],
)
def test_addressees_are_names_of_persons_and_companies(
    addressee: str, greeting: str, names: set[str]
) -> None:
    text = LETTER.format(sender="Stadtwerke Bonn", addressee=addressee, greeting=greeting)

    assert {fact.spelling for fact in find_addressees(text)} == names


def test_an_addressee_of_more_than_a_fifth_of_the_documents_is_counted() -> None:
    counts = [counted(ERIKA, 20, 1), counted(ERIKA, 1, 2), counted(FIRM, 20)]

    (found,) = count_addressees(counts, total=100)

    assert (found.fact, found.documents, found.total) == (ERIKA, 21, 100)


def test_several_names_of_a_household_are_counted() -> None:
    counts = [counted(ERIKA, 30), counted(FIRM, 40)]

    assert {found.fact for found in count_addressees(counts, total=100)} == {ERIKA, FIRM}


def test_documents_that_no_person_filed_do_not_count() -> None:
    assert count_addressees([counted(ERIKA, 90, None)], total=100) == ()


def test_a_share_of_very_few_documents_says_nothing() -> None:
    assert count_addressees([counted(ERIKA, 2)], total=2) == ()


def test_the_most_frequent_spelling_is_proposed() -> None:
    shouted = an_addressee("ERIKA MUSTER")

    (found,) = count_addressees([counted(shouted, 3), counted(ERIKA, 4)], total=10)

    assert (found.fact.spelling, found.documents) == ("Erika Muster", 7)


@pytest.mark.parametrize("approval", Approval)
def test_a_name_that_was_decided_about_is_not_proposed_again(approval: Approval) -> None:
    counts = [counted(ERIKA, 30), counted(FIRM, 30)]

    proposed = select_proposed(counts, [decided(ERIKA, approval)], configured=())

    assert [count.fact for count in proposed] == [FIRM]


def test_a_name_of_the_settings_is_not_proposed() -> None:
    counts = [counted(ERIKA, 30), counted(FIRM, 30)]

    proposed = select_proposed(counts, [], configured=("E. Muster",))

    assert [count.fact for count in proposed] == [FIRM]


def test_only_confirmed_names_count() -> None:
    decisions = [decided(ERIKA, Approval.CONFIRMED), decided(FIRM, Approval.DECLINED)]

    assert list_confirmed(decisions) == ("Erika Muster",)

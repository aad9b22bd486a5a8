"""Facts that many documents share: names of the owner, date orders, and marks of a sender."""

from datetime import UTC, datetime

import pytest

from core.calendar import DateOrder
from core.fields import FieldName, Name
from core.learning import Approval, Fact, FactCount, FactKind, LearntDecision
from processor.learnt_facts import (
    count_addressees,
    count_date_orders,
    find_addressees,
    find_date_order,
    find_known_senders,
    find_letterhead,
    list_confirmed,
    read_date_orders,
    recognise_letterhead,
    recognise_sender,
    select_proposed,
)
from processor.names.catalogue import NamesInUse

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


DAY_FIRST = Fact(FactKind.DATE_ORDER, DateOrder.DAY_FIRST.value)
MONTH_FIRST = Fact(FactKind.DATE_ORDER, DateOrder.MONTH_FIRST.value)
SENDER = 4


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Invoice date 16/05/2026", {DAY_FIRST}),
        ("Invoice date 05-16-2026", {MONTH_FIRST}),
        ("Invoice date 03/04/2026", set()),
        ("Invoice date 16/05/2026, due 05/16/2026", set()),
        ("Rechnungsdatum 16.05.2026", set()),
    ],
)
def test_a_document_shows_an_order_by_a_day_after_the_twelfth(text: str, shown: set[Fact]) -> None:
    assert set(find_date_order(text)) == shown


@pytest.mark.parametrize(
    ("agree", "differ", "learnt"), [(2, 0, True), (1, 0, False), (19, 1, True), (18, 1, False)]
)
def test_two_documents_of_a_sender_are_enough_if_nearly_all_agree(
    agree: int, differ: int, *, learnt: bool
) -> None:
    counts = [FactCount(DAY_FIRST, SENDER, agree), FactCount(MONTH_FIRST, SENDER, differ)]

    assert (SENDER in read_date_orders(count_date_orders(counts))) is learnt


@pytest.mark.parametrize(
    ("agree", "differ", "learnt"), [(20, 0, True), (19, 0, False), (95, 5, True), (94, 6, False)]
)
def test_an_archive_needs_twenty_documents_of_which_nearly_all_agree(
    agree: int, differ: int, *, learnt: bool
) -> None:
    counts = [FactCount(DAY_FIRST, None, agree), FactCount(MONTH_FIRST, None, differ)]

    assert (None in read_date_orders(count_date_orders(counts))) is learnt


def test_all_documents_count_for_the_archive_whoever_filed_them() -> None:
    counts = [
        FactCount(MONTH_FIRST, None, 8),
        FactCount(MONTH_FIRST, SENDER, 7),
        FactCount(MONTH_FIRST, 5, 5),
    ]

    found = {count.correspondent: count for count in count_date_orders(counts)}

    assert set(found) == {None, SENDER, 5}
    assert (found[None].documents, found[None].total) == (20, 20)
    assert read_date_orders(found.values())[None] is DateOrder.MONTH_FIRST


IBAN = Fact(FactKind.IBAN, "DE89370400440532013000")
DOMAIN = Fact(FactKind.DOMAIN, "stadtwerke.example")
HEAD = Fact(FactKind.LETTERHEAD, "brightwater energy services")
ENERGY, WATER, OWN = (
    Name(4, "Brightwater Energy"),
    Name(5, "Wasserwerk"),
    Name(6, "Muster Bau GmbH"),
)
NAMES = NamesInUse({FieldName.CORRESPONDENT: (ENERGY, WATER, OWN)}, parents={})


def known(*counts: FactCount, declined: tuple[Fact, ...] = ()) -> dict[Fact, Name]:
    return dict(find_known_senders(counts, declined, NAMES, ["Muster Bau GmbH"]))


def test_a_number_in_two_documents_of_one_sender_is_known() -> None:
    assert known(FactCount(IBAN, ENERGY.id, 2)) == {IBAN: ENERGY}


@pytest.mark.parametrize(
    "counts",
    [
        (FactCount(IBAN, ENERGY.id, 1),),
        (FactCount(IBAN, ENERGY.id, 9), FactCount(IBAN, WATER.id, 1)),
        (FactCount(IBAN, OWN.id, 9),),
        (FactCount(IBAN, 99, 9),),
    ],
    ids=["one document", "several senders", "the owner's", "deleted in Paperless"],
)
def test_a_number_drops_out(counts: tuple[FactCount, ...]) -> None:
    assert known(*counts) == {}


def test_a_number_that_a_person_deleted_drops_out() -> None:
    assert known(FactCount(IBAN, ENERGY.id, 9), declined=(IBAN,)) == {}


def test_a_sender_is_recognised_by_a_number_in_its_own_block() -> None:
    assert recognise_sender({IBAN}, {IBAN: ENERGY, DOMAIN: ENERGY}) == ENERGY


@pytest.mark.parametrize(
    ("own", "on_page"),
    [
        (set[Fact](), {IBAN: ENERGY}),
        ({IBAN}, {IBAN: ENERGY, DOMAIN: WATER}),
        ({HEAD}, {HEAD: ENERGY}),
        ({IBAN}, dict[Fact, Name]()),
    ],
    ids=["elsewhere on the page", "of two senders", "a letterhead", "unknown"],
)
def test_a_sender_is_not_recognised(own: set[Fact], on_page: dict[Fact, Name]) -> None:
    assert recognise_sender(own, on_page) is None


def test_a_letterhead_leads_to_what_a_person_filed() -> None:
    assert recognise_letterhead({IBAN: WATER, HEAD: ENERGY}) == ENERGY
    assert recognise_letterhead({IBAN: WATER}) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Brightwater Energy Services Ltd\n12 River Road", "brightwater energy services ltd"),
        ("INVOICE\n\nBrightwater Energy  Page 1\nLondon", "brightwater energy"),
        ("Rechnung Nr. 4711\nStadtwerke Bonn 2026", "stadtwerke bonn"),
    ],
)
def test_the_letterhead_is_the_first_line_with_a_name(text: str, words: str) -> None:
    assert list(find_letterhead(text)) == [Fact(FactKind.LETTERHEAD, words)]


@pytest.mark.parametrize("text", ["", "INVOICE 4711\nDate 01/02/2026\nPage 1"])
def test_a_page_without_a_name_has_no_letterhead(text: str) -> None:
    assert list(find_letterhead(text)) == []

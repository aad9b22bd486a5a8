"""A sender is recognised by numbers and letterheads that belong to nobody else."""

import pytest

from core.fields import FieldName, Name
from core.learning import Fact, FactCount, FactKind
from processor.learning.letterheads import find_letterhead
from processor.learning.senders import (
    find_known_senders,
    recognise_letterhead,
    recognise_sender,
)
from processor.names.catalogue import NamesInUse

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

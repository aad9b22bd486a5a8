"""The order of day and month is learnt by sender, and for an archive in which nearly all agree."""

import pytest

from core.calendar import DateOrder
from core.learning import Fact, FactCount, FactKind
from processor.learning.date_orders import (
    count_date_orders,
    find_date_order,
    read_date_orders,
)

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

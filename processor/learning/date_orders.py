"""Learn in which order day and month are written: by a sender, and in the whole archive."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from core.calendar import DateOrder
from core.learning import MIN_DOCUMENTS, Fact, FactCount, FactKind
from core.text import fold
from processor.analysis.dates import detect_date_order

_SHARE = 0.95
"""The share of the documents that must agree."""
_ARCHIVE = 20
"""Minimum documents of the archive that show an order."""


def find_date_order(text: str) -> Iterator[Fact]:
    """Yield the order that the dates of a document show, if they show one."""
    order = detect_date_order(fold(text))
    if order is not DateOrder.DOCUMENT:
        yield Fact(FactKind.DATE_ORDER, order.value)


def count_date_orders(counts: Iterable[FactCount]) -> tuple[FactCount, ...]:
    """Return the order of each sender and of the archive, where nearly all documents agree.

    `counts` has the documents of each sender, and those of no known sender.
    """
    by_sender: defaultdict[int | None, Counter[str]] = defaultdict(Counter)
    archive: Counter[str] = Counter()
    for count in counts:
        archive[count.fact.value] += count.documents
        if count.correspondent is not None:
            by_sender[count.correspondent][count.fact.value] += count.documents
    senders = (
        _choose_order(orders, sender, fewest=MIN_DOCUMENTS) for sender, orders in by_sender.items()
    )
    found = (_choose_order(archive, None, fewest=_ARCHIVE), *senders)
    return tuple(order for order in found if order is not None)


def _choose_order(orders: Counter[str], sender: int | None, *, fewest: int) -> FactCount | None:
    if orders.total() < fewest:
        return None
    ((order, documents),) = orders.most_common(1)
    if documents < orders.total() * _SHARE:
        return None
    return FactCount(Fact(FactKind.DATE_ORDER, order), sender, documents, orders.total())


def read_date_orders(counts: Iterable[FactCount]) -> Mapping[int | None, DateOrder]:
    """Return the learnt orders by correspondent; that of the archive has the key None."""
    return {count.correspondent: DateOrder(count.fact.value) for count in counts}

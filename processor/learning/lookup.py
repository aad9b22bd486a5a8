"""Look up what was learnt that concerns one document."""

import asyncio

from core.calendar import DateOrder
from core.learning import SENDER_FACTS, Approval, Fact, FactKind, Learnt
from paperless_client import Document
from processor.analysis.identity import find_numbers, find_sender_numbers
from processor.instance import Instance
from processor.learning.date_orders import read_date_orders
from processor.learning.facts import shorten
from processor.learning.letterheads import find_letterhead
from processor.learning.senders import (
    find_known_senders,
    recognise_letterhead,
    recognise_sender,
)
from processor.names.catalogue import NamesInUse
from store import Store


async def look_up_learnt(
    document: Document, names: NamesInUse, store: Store, instance: Instance
) -> Learnt:
    """Return what was learnt from other documents and concerns this one."""
    kinds = SENDER_FACTS | {FactKind.DATE_ORDER}
    decisions = await store.learnt.list_decisions(instance.name, kinds)
    declined = [
        (decision.fact, decision.correspondent)
        for decision in decisions
        if decision.approval is Approval.DECLINED
    ]
    counted = await store.learnt.list_counts(instance.name, FactKind.DATE_ORDER)
    orders = read_date_orders(
        count for count in counted if (count.fact, count.correspondent) not in declined
    )
    # Searching a long text takes too long for the event loop.
    own, on_page = await asyncio.to_thread(_find_on_page, document.content)
    counts = await store.learnt.find_counts(instance.name, on_page) if instance.is_indexed else ()
    known = find_known_senders(
        counts, {fact for fact, _ in declined}, names, instance.prompt_settings.owner_names
    )
    return Learnt(
        sender=recognise_sender(own, known),
        letterhead=recognise_letterhead(known),
        date_order=orders.get(None, DateOrder.DOCUMENT),
        sender_date_orders={sender: order for sender, order in orders.items() if sender},
    )


def _find_on_page(text: str) -> tuple[frozenset[Fact], frozenset[Fact]]:
    """Return the numbers in the sender's own block, and all numbers with the letterhead."""
    read = shorten(text)
    return find_sender_numbers(read), find_numbers(read) | frozenset(find_letterhead(read))

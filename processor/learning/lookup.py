"""Look up what was learnt that concerns a document."""

from core.calendar import DateOrder
from core.learning import Approval, FactKind, Learnt
from processor.instance import Instance
from processor.learning.date_orders import read_date_orders
from store import Store


async def look_up_learnt(store: Store, instance: Instance) -> Learnt:
    """Return what was learnt from other documents, except what a person declined."""
    decisions = await store.learnt.list_decisions(instance.name, {FactKind.DATE_ORDER})
    declined = {
        (decision.fact, decision.correspondent)
        for decision in decisions
        if decision.approval is Approval.DECLINED
    }
    counts = await store.learnt.list_counts(instance.name, FactKind.DATE_ORDER)
    orders = read_date_orders(
        count for count in counts if (count.fact, count.correspondent) not in declined
    )
    return Learnt(
        date_order=orders.get(None, DateOrder.DOCUMENT),
        sender_date_orders={sender: order for sender, order in orders.items() if sender},
    )

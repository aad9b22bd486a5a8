"""Documents that nothing speaks against: what waits of many is accepted at once."""

from collections.abc import Collection, Mapping

from actions.caller import Caller
from actions.deciding import Decided, carry_out, together
from actions.decisions import as_suggested, is_doubtful
from actions.errors import AskedWrongly, Doubtful
from actions.review import waiting_for
from core.documents import DocumentRef
from store import Refused


async def accept_clear(caller: Caller, seen: Mapping[DocumentRef, Collection[int]]) -> Decided:
    """Have written what was seen of each document, just as it was suggested.

    One that was decided meanwhile, or that something speaks against, is told of; it keeps no other
    from being accepted.
    """
    return together([await _accept(caller, *one) for one in seen.items()])


async def _accept(caller: Caller, ref: DocumentRef, seen: Collection[int]) -> Decided:
    try:
        waiting = await waiting_for(caller, ref, seen)
        if any(is_doubtful(change) for change in waiting):
            raise Doubtful(ref)
        return await carry_out(caller, {ref: as_suggested(waiting)})
    except (AskedWrongly, Refused) as error:
        return Decided(refused=(error,))

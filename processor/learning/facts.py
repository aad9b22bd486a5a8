"""Find the facts about a document that Paperclerk learns from."""

from core.learning import Fact
from processor.analysis.identity import find_sender_numbers
from processor.learning.date_orders import find_date_order
from processor.learning.letterheads import find_letterhead
from processor.learning.owner_names import find_addressees

_BEGINNING, _END = 32_000, 16_000
"""Characters that are read of a long text: letterheads and addresses are at its ends."""


def find_facts(text: str) -> frozenset[Fact]:
    """Return the facts that need no known sender: addressees, and the order of its dates."""
    read = shorten(text)
    return frozenset((*find_addressees(read), *find_date_order(read)))


def find_sender_facts(text: str) -> frozenset[Fact]:
    """Return the facts by which the sender can be recognised: its numbers, its letterhead."""
    read = shorten(text)
    return find_sender_numbers(read) | frozenset(find_letterhead(read))


def shorten(text: str) -> str:
    """Return the beginning and the end of a long text."""
    if len(text) <= _BEGINNING + _END:
        return text
    return f"{text[:_BEGINNING]}\n{text[-_END:]}"

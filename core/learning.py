"""What is learnt from filed documents: facts, counts, and decisions about them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from core.calendar import DateOrder
from core.documents import DocumentRef
from core.fields import Name


class FactKind(StrEnum):
    """What a fact about a document says."""

    ADDRESSEE = "addressee"
    DATE_ORDER = "date_order"
    """The order of day and month that its dates show."""
    LETTERHEAD = "letterhead"
    IBAN = "iban"
    VAT_ID = "vat_id"
    CREDITOR_ID = "creditor_id"
    REGISTER = "register"
    """The number of a company in a public register."""
    DOMAIN = "domain"
    """The domain of an e-mail or web address."""
    PHONE = "phone"


SENDER_NUMBERS = frozenset(
    {
        FactKind.IBAN,
        FactKind.VAT_ID,
        FactKind.CREDITOR_ID,
        FactKind.REGISTER,
        FactKind.DOMAIN,
        FactKind.PHONE,
    }
)
"""Facts by which a sender can be recognised."""
SENDER_FACTS = SENDER_NUMBERS | {FactKind.LETTERHEAD}
"""Facts that are kept only together with the archive index."""
FACTS_VERSION = 1
"""Increase it whenever other facts are found in a text: all documents are then read again."""
MIN_DOCUMENTS = 2
"""In how many documents of a sender a fact must be before it counts."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact about a document; equal facts have the same value, whatever their spelling."""

    kind: FactKind
    value: str
    spelling: str = field(default="", compare=False)
    """As it is written in the document, if that differs."""


@dataclass(frozen=True, slots=True)
class LearntDocument:
    """The facts about one document, and who filed it."""

    ref: DocumentRef
    facts: frozenset[Fact]
    correspondent: int | None = None
    by_person: bool = False
    """Whether a person chose or confirmed the correspondent."""
    written: int | None = None
    """The correspondent that was written to it without a person."""
    modified: datetime | None = None
    """Paperless's `modified` of the document as it was read."""


@dataclass(frozen=True, slots=True)
class FactCount:
    """In how many documents a fact is: of one correspondent, or of the archive."""

    fact: Fact
    correspondent: int | None
    documents: int
    total: int = 0
    """How many documents were counted."""
    counted_at: datetime | None = None


class Approval(StrEnum):
    """A person's decision about something that was learnt."""

    CONFIRMED = "confirmed"
    DECLINED = "declined"
    """It must not be used, nor proposed again."""


@dataclass(frozen=True, slots=True)
class LearntDecision:
    """A stored decision of a person about a fact."""

    fact: Fact
    correspondent: int | None
    approval: Approval
    decided_by: str
    decided_at: datetime


@dataclass(frozen=True, slots=True)
class Learnt:
    """What was learnt that concerns one document."""

    sender: Name | None = None
    """The correspondent that its sender's numbers belong to."""
    letterhead: Name | None = None
    """The correspondent that a person chose for documents with the same letterhead."""
    date_order: DateOrder = DateOrder.DOCUMENT
    """The order of day and month in the archive; DOCUMENT if it is mixed."""
    sender_date_orders: Mapping[int, DateOrder] = field(default_factory=dict)
    """The same by correspondent, where it is known."""

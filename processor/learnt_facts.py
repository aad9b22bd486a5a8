"""Find facts about documents, and decide what follows when many of them agree.

Frequent addressees are proposed as the owner's names. Dates show in which order a sender writes day
and month. Numbers and letterheads identify the sender. Nothing here uses the store.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from core.calendar import DateOrder
from core.fields import FieldName, Name
from core.learning import (
    MIN_DOCUMENTS,
    SENDER_NUMBERS,
    Approval,
    Fact,
    FactCount,
    FactKind,
    LearntDecision,
)
from core.text import fold, split_words
from processor.analysis.dates import detect_date_order
from processor.analysis.identity import find_sender_numbers
from processor.analysis.layout import rows_of
from processor.analysis.name_matching import drop_form_of_address, is_same_party, spelling_key
from processor.analysis.recipients import find_recipients
from processor.names.catalogue import NamesInUse

_BEGINNING, _END = 32_000, 16_000
"""Characters that are read of a long text: letterheads and addresses are at its ends."""
_LETTERHEAD_LINES = 5
"""Lines that may be the letterhead: the first of them with a name is."""
_LETTERHEAD_LETTERS = 6
_MAX_LETTERHEAD_LENGTH = 100
_ORDER_SHARE = 0.95
"""The share of the documents that must agree about the order of day and month."""
_ORDER_DOCUMENTS = 20
"""Minimum documents of the archive that show an order."""
_OWNER_SHARE = 0.2
"""An addressee of more than this share of the documents may be the owner."""
_OWNER_DOCUMENTS = 3
"""Minimum documents of an addressee: a share of very few says nothing."""
_NAME_WORDS = range(2, 7)
"""A single word may be anybody's family name; many are a sentence."""
# fmt: off
_NO_SENDERS = frozenset(
    {
        "abrechnung", "an", "anschreiben", "bescheid", "bestatigung", "bestellung", "beleg", "bon",
        "bill", "brief", "contract", "copie", "copy", "datum", "date", "document", "dokument",
        "duplicate", "duplikat", "email", "facture", "factuur", "from", "gutschrift", "herr",
        "herrn", "frau", "invoice", "kassenbon", "kontoauszug", "kopie", "kvittering", "letter",
        "lieferschein", "mahnung", "nr", "no", "of", "offer", "order", "original", "page", "pagina",
        "payment", "quittung", "rechnung", "receipt", "recu", "reminder", "scan", "seite",
        "statement", "steuerbescheid", "subject", "tax", "to", "und", "vertrag", "von", "zahlung",
    }
)
"""A line of these words alone does not name a sender."""
_NO_ADDRESSEES = frozenset(
    {
        "all", "anwohner", "bewohner", "client", "cliente", "clients", "colleague", "colleagues",
        "customer", "customers", "damen", "dame", "eltern", "empfanger", "freunde", "friend",
        "friends", "guest", "gaste", "heer", "herren", "interessent", "kollegen", "kolleginnen",
        "kunde", "kunden", "kundin", "kundinnen", "klant", "madam", "mandant", "member", "members",
        "mesdames", "messieurs", "mevrouw", "mieter", "mieterin", "mitglied", "mitglieder",
        "nachbarn", "occupier", "owner", "parents", "partner", "patient", "patientin", "resident",
        "sir", "sirs", "team", "together", "zusammen",
    }
)
"""Words with which letters address people without naming them."""
# fmt: on


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


def find_addressees(text: str) -> Iterator[Fact]:
    """Yield the names to which a document is addressed."""
    for recipient in dict.fromkeys(find_recipients(text)):
        name = drop_form_of_address(recipient)
        words = split_words(name)
        is_name = len(words) in _NAME_WORDS and not _NO_ADDRESSEES.intersection(words)
        if is_name and not any(map(str.isdigit, name)):
            yield Fact(FactKind.ADDRESSEE, spelling_key(name), name)


def find_date_order(text: str) -> Iterator[Fact]:
    """Yield the order that the dates of a document show, if they show one."""
    order = detect_date_order(fold(text))
    if order is not DateOrder.DOCUMENT:
        yield Fact(FactKind.DATE_ORDER, order.value)


def find_letterhead(text: str) -> Iterator[Fact]:
    """Yield the words of the first line that may have the sender's name, without numbers."""
    for row in rows_of(text[:4000])[:_LETTERHEAD_LINES]:
        words = [word for word in split_words(row[0].text) if word.isalpha()]
        telling = [word for word in words if word not in _NO_SENDERS and len(word) > 1]
        if len("".join(telling)) >= _LETTERHEAD_LETTERS:
            yield Fact(FactKind.LETTERHEAD, " ".join(words)[:_MAX_LETTERHEAD_LENGTH])
            return


def count_addressees(counts: Iterable[FactCount], total: int) -> tuple[FactCount, ...]:
    """Return the addressees of more than a fifth of the documents that people filed.

    Each has its most frequent spelling.
    """
    spellings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for count in counts:
        if count.correspondent is not None:
            spellings[count.fact.value][count.fact.spelling] += count.documents
    found = (
        FactCount(
            Fact(FactKind.ADDRESSEE, key, max(by_spelling, key=lambda s: (by_spelling[s], s))),
            None,
            by_spelling.total(),
            total,
        )
        for key, by_spelling in spellings.items()
    )
    return tuple(
        c for c in found if c.documents > total * _OWNER_SHARE and c.documents >= _OWNER_DOCUMENTS
    )


def select_proposed(
    counts: Iterable[FactCount], decisions: Iterable[LearntDecision], configured: Iterable[str]
) -> tuple[FactCount, ...]:
    """Return the counted addressees that nobody has decided about and no setting names."""
    decided = {decision.fact for decision in decisions}
    known = tuple(configured)
    return tuple(
        count
        for count in counts
        if count.fact not in decided
        and not any(is_same_party(count.fact.spelling, name) for name in known)
    )


def list_confirmed(decisions: Iterable[LearntDecision]) -> tuple[str, ...]:
    """Return the owner's names that a person confirmed."""
    return tuple(
        decision.fact.spelling
        for decision in decisions
        if decision.fact.kind is FactKind.ADDRESSEE and decision.approval is Approval.CONFIRMED
    )


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
    found = (_choose_order(archive, None, fewest=_ORDER_DOCUMENTS), *senders)
    return tuple(order for order in found if order is not None)


def read_date_orders(counts: Iterable[FactCount]) -> Mapping[int | None, DateOrder]:
    """Return the learnt orders by correspondent; that of the archive has the key None."""
    return {count.correspondent: DateOrder(count.fact.value) for count in counts}


def find_known_senders(
    counts: Iterable[FactCount],
    declined: Collection[Fact],
    names: NamesInUse,
    owner_names: Collection[str],
) -> Mapping[Fact, Name]:
    """Return the correspondent to whom each fact belongs.

    A fact drops out if a person deleted it, if several correspondents use it, if too few documents
    show it, or if it is the owner's.
    """
    by_fact: defaultdict[Fact, list[FactCount]] = defaultdict(list)
    for count in counts:
        by_fact[count.fact].append(count)
    known = {name.id: name for name in names.by_field[FieldName.CORRESPONDENT]}
    found: dict[Fact, Name] = {}
    for fact, senders in by_fact.items():
        name = known.get(senders[0].correspondent)
        is_unique = len(senders) == 1 and senders[0].documents >= MIN_DOCUMENTS
        if not is_unique or name is None or fact in declined:
            continue
        if not any(is_same_party(name.name, own) for own in owner_names):
            found[fact] = name
    return found


def recognise_sender(own: Collection[Fact], known: Mapping[Fact, Name]) -> Name | None:
    """Return the correspondent to whom a number in the sender's own block belongs.

    `known` has all known numbers on the page. None if they belong to several correspondents.
    """
    numbers = {fact: name for fact, name in known.items() if fact.kind in SENDER_NUMBERS}
    if len({name.id for name in numbers.values()}) != 1:
        return None
    return next((name for fact, name in numbers.items() if fact in own), None)


def recognise_letterhead(known: Mapping[Fact, Name]) -> Name | None:
    """Return the correspondent that a person chose for documents with this letterhead."""
    return next((name for fact, name in known.items() if fact.kind is FactKind.LETTERHEAD), None)


def _choose_order(orders: Counter[str], sender: int | None, *, fewest: int) -> FactCount | None:
    if orders.total() < fewest:
        return None
    ((order, documents),) = orders.most_common(1)
    if documents < orders.total() * _ORDER_SHARE:
        return None
    return FactCount(Fact(FactKind.DATE_ORDER, order), sender, documents, orders.total())

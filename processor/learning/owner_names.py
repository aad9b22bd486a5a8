"""Propose the owner's names: the addressees of many documents that a person filed."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from core.learning import Approval, Fact, FactCount, FactKind, LearntDecision
from core.text import split_words
from processor.analysis.name_matching import drop_form_of_address, is_same_party, spelling_key
from processor.analysis.parties import find_recipients

_SHARE = 0.2
"""An addressee of more than this share of the documents may be the owner."""
_FEWEST = 3
"""Minimum documents of an addressee: a share of very few says nothing."""
_WORDS = range(2, 7)
"""A single word may be anybody's family name; many are a sentence."""
# fmt: off
_NO_NAMES = frozenset(
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
# fmt: on
"""Words that letters address people with who have no name."""


def find_addressees(text: str) -> Iterator[Fact]:
    """Yield the names to which a document is addressed."""
    for recipient in find_recipients(text):
        name = drop_form_of_address(recipient)
        words = split_words(name)
        is_name = len(words) in _WORDS and not _NO_NAMES.intersection(words)
        if is_name and not any(map(str.isdigit, name)):
            yield Fact(FactKind.ADDRESSEE, spelling_key(name), name)


def count_addressees(counts: Iterable[FactCount], total: int) -> tuple[FactCount, ...]:
    """Return the addressees of more than a fifth of the documents that persons filed.

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
    return tuple(c for c in found if c.documents > total * _SHARE and c.documents >= _FEWEST)


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

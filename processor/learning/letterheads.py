"""Recognise documents with the same letterhead."""

from collections.abc import Iterator

from core.learning import Fact, FactKind
from core.text import split_words
from processor.analysis.layout import rows_of

_TOP = 5
"""Lines that may be the letterhead: the first of them with a name is."""
_LETTERS = 6
_LONGEST = 100
# fmt: off
_NO_NAMES = frozenset(
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
# fmt: on
"""Words of which a line without any name consists."""


def find_letterhead(text: str) -> Iterator[Fact]:
    """Yield the words of the first line that may have the sender's name, without numbers."""
    for row in rows_of(text[:4000])[:_TOP]:
        words = [word for word in split_words(row[0].text) if word.isalpha()]
        telling = [word for word in words if word not in _NO_NAMES and len(word) > 1]
        if len("".join(telling)) >= _LETTERS:
            yield Fact(FactKind.LETTERHEAD, " ".join(words)[:_LONGEST])
            return

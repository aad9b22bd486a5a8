"""Check whether a quote has to do with a document type or a tag.

It does if it has a word of the name, a word that is usual in such documents, or one that the
documents have which a person filed under this name.
"""

import re
from collections.abc import Collection, Mapping
from functools import cache
from typing import TypeAlias

from core.fields import FieldName
from core.text import fold, split_folded, split_words
from processor.analysis.language import STOP_WORDS

FiledWords: TypeAlias = Mapping[tuple[FieldName, str], frozenset[str]]
"""The words of documents that a person filed, by field and name; none if they are too few."""

_SPACED = re.compile(r"(?<=\b\w) (?=\w\b)")
"""A space between single letters: R E C H N U N G."""
_ALL_STOP_WORDS = frozenset().union(*STOP_WORDS.values())
_STEM = 5
"""Letters by which a word of a type's name is recognized in a quote."""
# Folded: small letters, no accents. German, English, French, Dutch.
_KINDS: Mapping[str, str] = {
    r"rechnung|invoice|\bbills?\b|factu|faktur|\bnota": (
        r"rechnung|invoice|\binv\b|\bbill|factu|faktur|\bnota\b|honorar|betrag|amount|total|summe"
        r"|zahl|\bpay|\bdue\b|montant|bedrag"
    ),
    r"quittung|beleg|\w*bon\b|receipt|ticket|\brecu": (
        r"quittung|beleg|\bbon\b|kasse|receipt|ticket|recu|summe|total|totaal|\bcash|\bbar\b|karte"
        r"|\bcard|paid|bezahlt|change|\bpin\b|betrag|amount"
    ),
    r"vertrag|contra|overeenkomst|agreement|tenancy|lease": (
        r"vertrag|contra|overeenkomst|agree|tenan|lease|verein|zwischen|between|entre|tussen|parties"
        r"|mieter|vermieter|laufzeit|employ|term"
    ),
    r"auszug|statement|releve|afschrift": (
        r"auszug|statement|releve|afschrift|saldo|balance|solde|konto|account|compte|rekening"
    ),
    r"gehalt|lohn|payslip|payroll|salary|\bpaie|loonstr|entgelt": (
        r"gehalt|lohn|entgelt|\bpay|salar|brutto|netto|paie|salaire|\bloon|bezug"
    ),
    r"bescheid\b|notice|\bavis|aanslag|beschikking|assessment": (
        r"bescheid|festsetz|notice|assess|\bavis|aanslag|besluit|beschik|steuer|\btax|gebuhr|penalty"
        r"|imposition|belasting|rechtsbehelf|bewillig"
    ),
    r"mahnung|erinnerung|reminder|rappel|herinnering|aanmaning": (
        r"mahn|erinner|remind|rernin|overdue|rappel|herinner|aanman|outstanding|arrears|offen"
    ),
    r"angebot|\boffer|quot|devis|offerte|estimate": (
        r"angebot|anbiet|offer|quot|devis|estimate|voranschlag"
    ),
    r"bestell|auftrag|\border|commande": r"bestell|auftrag|order|command|confirm|bestatig|bevestig",
    r"versicherung|polic|polis\b|insurance|assurance": (
        r"versicher|polic|polis|insur|assur|cover|verzeker|schutz|premium|beitrag"
    ),
    r"bescheinigung|zeugnis|certificate|attestation|verklaring": (
        r"bescheinig|bestatig|zeugnis|certif|attest|hiermit|hereby|verklar"
    ),
}
"""Words of a type's name, and the words of quotes that have to do with such a type."""
_COURTESIES = frozenset(
    split_words(
        "sehr geehrte geehrter geehrten damen herren herr frau liebe lieber hallo guten tag"
        " freundliche freundlichen grüße grüßen gruß besten beste vielen dank danke bitte besuch"
        " hochachtungsvoll wiedersehen seite dear sir madam thank thanks please come again welcome"
        " visit sincerely faithfully kind regards yours page hello goodbye nice day merci bonjour"
        " madame monsieur visite cordialement salutations distinguées bientôt revoir geachte heer"
        " mevrouw bedankt vriendelijke groet groeten ziens pagina"
    )
)
"""Words that any letter or receipt may have."""
_LETTER = re.compile(r"brief|letter|lettre|courrier|schreiben|korrespond|correspond")
"""Types of which a salutation is evidence."""


def shows_type(quote: str, name: str, filed: Collection[str] = ()) -> bool:
    """Return whether a quote has to do with a document type.

    Of a type that is not known, and of which no words were learnt, any quote does that says
    anything at all. Courtesies show a letter.
    """
    if _says_nothing(quote):
        return _LETTER.search(fold(name)) is not None or _has_word_of(quote, name, filed)
    return not (_find_words(name) or filed) or _has_word_of(quote, name, filed)


def shows_tag(quote: str, name: str, filed: Collection[str] = ()) -> bool:
    """Return whether a quote has to do with a tag; without words learnt, as for a type.

    The usual words are no condition here: a tag may group documents of any type.
    """
    return _has_word_of(quote, name, filed) if filed else not _says_nothing(quote)


def _has_word_of(quote: str, name: str, filed: Collection[str]) -> bool:
    folded = _SPACED.sub("", fold(quote))
    own = (word[:_STEM] for word in split_words(name) if len(word) >= _STEM)
    return (
        any(words.search(folded) for words in _find_words(name))
        or any(stem in folded for stem in own)
        or not set(filed).isdisjoint(split_folded(folded))
    )


def _says_nothing(quote: str) -> bool:
    """Return whether a quote consists of courtesies and of words that all texts have."""
    words = split_words(quote)
    common = (word.isdigit() or word in _COURTESIES or word in _ALL_STOP_WORDS for word in words)
    return bool(words) and all(common)


@cache
def _find_words(kind: str) -> tuple[re.Pattern[str], ...]:
    name = fold(kind)
    return tuple(re.compile(words) for form, words in _KINDS.items() if re.search(form, name))

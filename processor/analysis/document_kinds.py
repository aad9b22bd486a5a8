"""Check whether a quote supports a document type, by words that are usual in such documents."""

import re
from collections.abc import Mapping
from functools import cache

from core.text import fold, split_words

_SPACED = re.compile(r"(?<=\b\w) (?=\w\b)")
"""A space between single letters: R E C H N U N G."""
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


def shows_kind(quote: str, kind: str) -> bool:
    """Return whether a quote has to do with a document type; true for types that are not known."""
    known = _find_words(kind)
    if not known:
        return True
    folded = _SPACED.sub("", fold(quote))
    own = (word[:_STEM] for word in split_words(kind) if len(word) >= _STEM)
    return any(words.search(folded) for words in known) or any(stem in folded for stem in own)


@cache
def _find_words(kind: str) -> tuple[re.Pattern[str], ...]:
    name = fold(kind)
    return tuple(re.compile(words) for form, words in _KINDS.items() if re.search(form, name))

"""Rate a text by its words: its language, how legible it is, which kind of document it shows.

A quote has to do with a document type or a tag if it has a word of its name, a word that is usual
in such documents, or one of the documents that a person filed under this name.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from functools import cache
from typing import TypeAlias

from core.fields import FieldName
from core.text import fold, split_folded, split_words


def _folded(listed: str) -> frozenset[str]:
    return frozenset(split_words(listed))


STOP_WORDS = {
    "de": _folded(
        "der die das den dem des ein eine einen und oder für vom von mit bei zum zur im am auf aus"
        " an als auch nach über unter bis ist sind wird werden haben hat nicht wir sie ihr ihre"
        " ihrer ihren ihnen unser unsere bitte sehr geehrte zu wie wenn dass sich"
    ),
    "en": _folded(
        "the an and or of to for by from with at on is are was were will have has not we you"
        " your our this that these please be been if as it its their which into about"
    ),
    "fr": _folded(
        "le la les un une des du de et ou pour par avec est sont nous vous votre vos notre nos au"
        " aux dans sur ce cette ces que qui ne pas sera merci en se il elle"
    ),
    "nl": _folded(
        "de het een en of van voor met bij uw onze ons is zijn wordt worden wij niet op aan dat"
        " dit die te door naar als ook heeft hebben geachte graag over uit om in"
    ),
}
KINDS_BY_LANGUAGE = {
    "de": _folded(
        "Rechnung Abrechnung Quittung Beleg Kassenbon Vertrag Angebot Kostenvoranschlag Bestätigung"
        " Bescheid Bescheinigung Kontoauszug Auszug Kündigung Mahnung Zahlungserinnerung Schein"
        " Versicherungsschein Brief Schreiben Anschreiben Lieferschein Gutschrift Bestellung"
        " Gutachten Zeugnis Urkunde Antrag Einladung Protokoll Mitteilung Formular Nachweis Ausweis"
        " Zertifikat Anleitung Widerruf Erinnerung Übersicht Abschlag Gehaltsabrechnung Ablehnung"
        " Genehmigung Vollmacht Erklärung Anmeldung Abmeldung Auftrag Befund Rezept Überweisung"
    ),
    "en": _folded(
        "invoice bill receipt contract agreement quotation quote offer confirmation notice letter"
        " certificate statement cancellation termination reminder payslip order report application"
        " invitation minutes manual summary assessment lease warranty booking reservation"
        " prescription"
    ),
    "fr": _folded(
        "facture reçu contrat devis offre avis attestation certificat relevé résiliation rappel"
        " relance lettre courrier bulletin commande rapport demande garantie quittance ordonnance"
    ),
    "nl": _folded(
        "factuur rekening nota bon kwitantie overeenkomst offerte bevestiging beschikking aanslag"
        " afschrift rekeningafschrift opzegging herinnering aanmaning polis loonstrook bestelling"
        " aanvraag uitnodiging verklaring"
    ),
}
DOCUMENT_KINDS = frozenset().union(
    *KINDS_BY_LANGUAGE.values(), _folded("contract police policy information document Dokument")
)
"""Words for kinds of documents, which a title may use even if the text does not."""
_MAX_WORDS = 2000
_CLEAR_LEAD = 0.2
_JOINS_WORDS = frozenset({"de", "nl"})
_MIN_ENDING_LENGTH = 5
"""Minimum letters of a kind of document at the end of a word: Stromrechnung, but not Carbon."""
_ENDINGS = {
    language: tuple(kind for kind in KINDS_BY_LANGUAGE[language] if len(kind) >= _MIN_ENDING_LENGTH)
    for language in _JOINS_WORDS
}
_AROUND_A_WORD = "\"'“”„‚‘’«»()[]{}<>.,;:!?*§-–—/…•·"
_WORD = re.compile(r"[^\W\d_]+(?:['’&./@+-][^\W_]+)*")
_VOWEL = re.compile(r"[aeiouy]", re.IGNORECASE)
_AROUND_A_NUMBER = "\"'“”„()[].,;:!?*-/"
_NUMBER = re.compile(r"[#€$£+-]?\d[\d.,:/%€$£()+*-]*[A-Za-z²³°]{0,3}[%€$£]?")
_RULED = re.compile(r"([-_=.*#])(?: ?\1){2,}")
"""Ruled lines and rows of dots, which are ignored."""
_MIN_WORD_LENGTH = 3
_HOPELESS = 0.3
_POOR = 0.6
"""For comparison: a clean document, even full of abbreviations, has a share above 0.9."""
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


class Legibility(StrEnum):
    """How legible a text is."""

    GOOD = "good"
    POOR = "poor"
    """Much of it is no words: suggestions need a review."""
    HOPELESS = "hopeless"
    """Not worth asking a model."""


def detect_language(text: str) -> str | None:
    """Return the two-letter code of the language of `text`; None if it is not clear."""
    return detect_language_of_words(split_words(text))


def detect_language_of_words(words: Sequence[str]) -> str | None:
    """Return the language of a text that is already split into words."""
    hits = Counter(
        language
        for word in words[:_MAX_WORDS]
        for language in STOP_WORDS
        if word in STOP_WORDS[language]
        or word in KINDS_BY_LANGUAGE[language]
        or word.endswith(_ENDINGS.get(language, ()))
    )
    first, second = [*hits.most_common(2), ("", 0), ("", 0)][:2]
    return first[0] if first[1] - second[1] > _CLEAR_LEAD * hits.total() else None


def legibility_of(text: str) -> Legibility:
    """Rate a text by the share of words and numbers in it; one without a word is hopeless."""
    # Each distinct token is rated once: a long text may repeat a few of them.
    lengths = {
        token: len(token) * count for token, count in Counter(_RULED.sub(" ", text).split()).items()
    }
    words = sum(length for token, length in lengths.items() if _is_word(token))
    numbers = sum(
        length
        for token, length in lengths.items()
        if _NUMBER.fullmatch(token.strip(_AROUND_A_NUMBER))
    )
    share = (words + numbers) / max(1, sum(lengths.values()))
    if not words or share < _HOPELESS:
        return Legibility.HOPELESS
    return Legibility.POOR if share < _POOR else Legibility.GOOD


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


def _is_word(token: str) -> bool:
    word = token.strip(_AROUND_A_WORD)
    if not _WORD.fullmatch(word):
        return False
    # Letters outside ASCII are either vowels or belong to a script with other rules.
    return not word.isascii() or bool(len(word) >= _MIN_WORD_LENGTH and _VOWEL.search(word))


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

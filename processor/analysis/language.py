"""Detect the language of a text by its words: German, English, French or Dutch."""

from collections import Counter
from collections.abc import Sequence

from core.text import split_words


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


_MOST_WORDS = 2000
_CLEAR_LEAD = 0.2
_JOINS_WORDS = frozenset({"de", "nl"})
_SHORTEST_ENDING = 5
"""Minimum letters of a kind of document at the end of a word: Stromrechnung, but not Carbon."""
_ENDINGS = {
    language: tuple(kind for kind in KINDS_BY_LANGUAGE[language] if len(kind) >= _SHORTEST_ENDING)
    for language in _JOINS_WORDS
}


def detect_language(text: str) -> str | None:
    """Return the two-letter code of the language of `text`; None if it is not clear."""
    return detect_language_of_words(split_words(text))


def detect_language_of_words(words: Sequence[str]) -> str | None:
    """Return the language of a text that is already split into words."""
    hits = Counter(
        language
        for word in words[:_MOST_WORDS]
        for language in STOP_WORDS
        if _belongs_to(language, word)
    )
    first, second = [*hits.most_common(2), ("", 0), ("", 0)][:2]
    return first[0] if first[1] - second[1] > _CLEAR_LEAD * hits.total() else None


def _belongs_to(language: str, word: str) -> bool:
    if word in STOP_WORDS[language] or word in KINDS_BY_LANGUAGE[language]:
        return True
    return word.endswith(_ENDINGS.get(language, ()))

"""Split texts into chunks and words, compress them, and choose which words are counted.

The words of a chunk must always come out the same: FTS5 removes a chunk by the words it was
indexed with. After a change here, raise `VERSION`, so that every index is built anew.
"""

import re
import unicodedata
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from core.text import join_hyphenated, split_words

VERSION = 2
"""The version of an index file; a file with another version is built anew."""
MAX_CHUNK = 16_000
"""Characters; indexing this many takes a few milliseconds."""
MAX_CHUNKS = 4096
"""Chunks of one document; the rest of a longer text is not indexed."""
MIN_VOCABULARY = 5
"""Shorter words are not parts of others that anyone would search for."""
MAX_VOCABULARY = 60
_COUNTED = 1000
_COUNTED_SHARE = 16
_MIN_STEM = 5
_ENDINGS = ("en", "er", "es", "em", "e", "n", "s")
_PAGE_BREAK = "\f"
_WORD = re.compile(r"[^\W_]+")
_INVISIBLE = re.compile("[\x00-\x08\x0e-\x1f\x7f\u00ad\u200b-\u200f\u2060\ufeff]")
"""Characters that occur inside words by mistake."""
_PLACES_TO_CUT = re.compile(r"\f|\n\s*\n|\n|\s")

STOP_WORDS = {
    "de": frozenset(
        split_words(
            "der die das den dem des ein eine einen einer eines und oder für vom von mit bei zum"
            " zur im in am auf aus an als auch nach über unter bis ist sind wird werden haben hat"
            " nicht wir sie ihr ihre ihrer ihren ihnen unser unsere zu wie wenn dass sich"
        )
    ),
    "en": frozenset(
        split_words(
            "the a an and or of to for by from with at on is are was were will have has not we you"
            " your our this that these be been if as it its their which"
        )
    ),
}
_ALL_STOP_WORDS = frozenset().union(*STOP_WORDS.values())

# Words and phrases of letters, for texts too short to contain their own repetitions. The most
# frequent come last, where they cost the fewest bits. Stored texts need exactly the dictionary
# that they were compressed with: on PostgreSQL, those of the first version had the short one.
_SHORT_DICTIONARY = (
    "Kostenvoranschlag Zahlungserinnerung Versicherungsschein Versicherungsnummer Nebenkosten "
    "Betriebskosten Einkommensteuer Finanzamt Steuernummer Krankenkasse Krankenversicherung "
    "Rentenversicherung Sparkasse Volksbank Kontoauszug Gehaltsabrechnung Arbeitsvertrag "
    "Mietvertrag Kaufvertrag Gesellschaft Geschäftsführer Amtsgericht Handelsregister Umsatzsteuer "
    "Widerspruchsfrist Rechtsbehelfsbelehrung Widerrufsrecht Allgemeine Geschäftsbedingungen "
    "Bestellnummer Auftragsnummer Kundennummer Vertragsnummer Rechnungsnummer Aktenzeichen "
    "Zählernummer Verbrauch Abschlag Lieferschein Lieferung Leistung Zeitraum Abrechnungszeitraum "
    "Account number Customer number Invoice number Policy number Statement Payment due Date "
    "Amount Balance Total VAT Subtotal Quantity Unit price Description Dear Sir or Madam "
    "Yours sincerely Kind regards Please find enclosed Thank you for your order If you have any "
    "questions please contact us Registered in England and Wales Company number Telephone "
    "January February March April May June July August September October November December "
    "Montag Dienstag Mittwoch Donnerstag Freitag Januar Februar März April Mai Juni Juli August "
    "September Oktober November Dezember Straße Hauptstraße Postfach Telefon Telefax Fax E-Mail "
    "Internet www. @ .de .com GmbH & Co. KG e.V. AG IBAN DE BIC SWIFT Bankverbindung "
    "Verwendungszweck Überweisung Lastschrift SEPA-Lastschriftmandat Gläubiger-ID USt-IdNr. "
    "Gesamtbetrag Rechnungsbetrag Nettobetrag Zwischensumme zzgl. 19 % MwSt. inkl. Einzelpreis "
    "Menge Pos. Bezeichnung EUR € 0,00 1.000,00 Seite 1 von 2 Datum: Betreff: Ihr Zeichen "
    "Unser Zeichen Ansprechpartner Herrn Frau Firma An die Sehr geehrte Damen und Herren,\n\n"
    "Sehr geehrter Herr Sehr geehrte Frau vielen Dank für Ihren Auftrag. hiermit bestätigen wir "
    "Ihnen für die erhalten Sie Bitte überweisen Sie den Betrag bis zum auf das unten angegebene "
    "Konto unter Angabe der Für Rückfragen stehen wir Ihnen gerne zur Verfügung. "
    "Mit freundlichen Grüßen\n\nIhr Ihre Ihrem Ihren Ihrer wir Sie haben werden wurde können "
    "nicht sich eine einen einer und oder für mit von bei zum zur auf aus in der die das den "
).encode()

_DICTIONARY = Path(__file__).with_name("phrases.txt").read_bytes() + _SHORT_DICTIONARY
_DICTIONARIES = {zlib.adler32(known): known for known in (_SHORT_DICTIONARY, _DICTIONARY)}


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A part of a document's text."""

    number: int
    """Counted from 0."""
    position: int
    """Of its first character in the text."""
    page: int
    """Of its first character, counted from 1 by the page breaks in the text."""
    text: str


@dataclass(frozen=True, slots=True)
class ChunkWords:
    """The words of a chunk, as the full text index has them."""

    id: int
    title: Sequence[str]
    """Words of the document's title; only the first chunk has them."""
    words: Mapping[str, int]
    """How often each word occurs."""
    language: str = ""

    @property
    def spelled_out(self) -> str:
        """The words, each as often as it occurs, those that occur once first.

        A search never asks where a word occurs, so the order is free: in this one, most of the
        positions that FTS5 stores take one byte.
        """
        once = [word for word, count in self.words.items() if count == 1]
        often = (" ".join([word] * count) for word, count in self.words.items() if count > 1)
        return " ".join([*once, *often])


@dataclass(frozen=True, slots=True)
class TermGroup:
    """The indexed words that one word of a search stands for."""

    word: str
    words: tuple[str, ...]
    prefix: str = ""
    """Any word that begins so stands for it, too: numbers are not in the vocabulary."""


def split_chunks(text: str) -> Iterator[TextChunk]:
    """Yield the parts of a text, cut at page breaks, paragraphs or lines if possible.

    An empty text is one empty chunk, so that its title is found.
    """
    position, page = 0, 1
    for number in range(MAX_CHUNKS):
        part = text[position : _find_cut(text, position)]
        yield TextChunk(number, position, page, part)
        position += len(part)
        page += part.count(_PAGE_BREAK)
        if position >= len(text):
            return


def _find_cut(text: str, start: int) -> int:
    end = start + MAX_CHUNK
    if end >= len(text):
        return len(text)
    # The last quarter only: a chunk must not become small for the sake of a nice cut.
    earliest = start + MAX_CHUNK * 3 // 4
    cuts = [(match.group(), match.end()) for match in _PLACES_TO_CUT.finditer(text, earliest, end)]
    if not cuts:
        return end
    return max(cuts, key=lambda cut: (cut[0] == _PAGE_BREAK, cut[0].count("\n"), cut[1]))[1]


def fold_words(text: str) -> list[str]:
    """Return all words of a text, folded.

    Only words with other letters than a to z need to be folded by the rules of Unicode, which
    takes several times as long, and most of them occur again and again.
    """
    joined = join_hyphenated(unicodedata.normalize("NFC", text))
    words: list[str] = []
    for word in _WORD.findall(_INVISIBLE.sub("", joined).lower()):
        if word.isascii():
            words.append(word)
        else:
            words += _fold_word(word)
    return words


@lru_cache(maxsize=20_000)
def _fold_word(word: str) -> list[str]:
    return split_words(word)


def drop_stop_words(words: Iterable[str]) -> list[str]:
    """Return the words that are indexed: stop words are a third of a text, and find nothing."""
    return [word for word in words if word not in _ALL_STOP_WORDS]


def count_indexed_words(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the words that are indexed, and how often each occurs."""
    return {word: counts[word] for word in drop_stop_words(counts)}


def query_words(text: str) -> tuple[str, ...]:
    """Return the distinct words that a search is for; stop words only if there are no others."""
    words = fold_words(text)
    return tuple(dict.fromkeys(drop_stop_words(words) or words))


def vocabulary(words: Iterable[str]) -> list[str]:
    """Return the distinct words that may be parts of others, sorted.

    Sorted, because two transactions that update the same words in different orders would block
    each other.
    """
    return sorted(
        [
            word
            for word in set(words)
            if MIN_VOCABULARY <= len(word) <= MAX_VOCABULARY and word.isalpha()
        ]
    )


def stem(word: str) -> str:
    """Return a word without its usual German or English ending, if enough of it is left."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM and word.isalpha():
            return word[: -len(ending)]
    return word


def detect_language(counts: Mapping[str, int]) -> str:
    """Return "de" or "en" by the stop words of a folded text; "" if neither occurs."""
    found = {
        language: sum(counts.get(word, 0) for word in stop_words)
        for language, stop_words in STOP_WORDS.items()
    }
    best = max(found, key=lambda language: found[language])
    return best if found[best] else ""


def compress(text: str) -> bytes:
    compressor = zlib.compressobj(9, zdict=_DICTIONARY)
    return compressor.compress(text.encode("utf-8", "replace")) + compressor.flush()


def decompress(stored: bytes) -> str:
    # zlib stores the checksum of the dictionary after two bytes.
    dictionary = _DICTIONARIES[int.from_bytes(stored[2:6], "big")]
    decompressor = zlib.decompressobj(zdict=dictionary)
    return (decompressor.decompress(stored) + decompressor.flush()).decode()


def is_counted(row: int) -> bool:
    """Return whether the words of a document are counted: the first, and then some of them.

    Counting all would change a page for nearly every word, only to make the counts more exact.
    """
    return row <= _COUNTED or row % _COUNTED_SHARE == 0


def counted_rows(rows: int) -> int:
    """Return how many of the first `rows` documents are counted."""
    return min(rows, _COUNTED) + max(0, rows - _COUNTED) // _COUNTED_SHARE

"""Where a date is: the words around it, its row, its column, and the lines above and below."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.text import fold
from processor.analysis.dates import find_dates
from processor.analysis.layout import Cell, fold_label, in_column_of
from processor.analysis.words import any_of, dates

WEEKDAY = rf"(?:(?:{any_of(dates.WEEKDAYS)}),? )?"
SENTENCE = 5
"""Minimum words around a date in a sentence."""

_NEAR = 60
"""Characters before and after a date in which a label is searched."""
_TOP = 12
"""Rows at the beginning in which a letter has its date."""
_TITLE_WORDS = 5
_CELLS = 50
"""Cells before a date that are searched: a line may consist of thousands."""
_LIST = 3
"""Minimum cells of an entry in a list."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_ONLY_WEEKDAY = re.compile(rf"[\s:]*{WEEKDAY}(?:den |the |le |il |el )?\s*")
_AFTER_CAPITALS = re.compile(r".*\b[A-Z]{2,} (?=[A-Z][a-z]+\W*$)")
"""An address in capitals, before a label: 48 TAMARACK STREET Date."""
_EMPTY_REFERENCE = re.compile(rf"\b(?:{any_of(dates.REFERENCE)})\.? ?:$")
"""Nothing follows it, so a date in the next column is not its value."""
_KIND = re.compile(rf"(?:(?:votre|ihre?|your|uw) )?(?:{any_of(dates.KINDS)})\b")
"""What a document calls itself."""
_NUMBER_LINE = re.compile(r"(?:n°?|nr|no|num\w*)\.? ?:? ?[\w ./-]*\d[\w ./-]*")
_ITEM = re.compile(r"(?:top )?\d{1,2}[.)]?")
"""The number of an item of the agenda."""
_SIGNED_BY = re.compile(rf"(?:{any_of(dates.SIGNED_BY)})\b ?[.:]")
_SIGNED = re.compile(any_of(dates.SIGNED))
_TIME = re.compile(r"\b\d{1,2}:\d{2}\b")
_TIME_LABEL = re.compile(rf"(?:{any_of(dates.TIME)})\b.*")
_PRICE = re.compile(r"\d[.,]\d{2}(?!\d)\D*$")
_BEFORE_TOWN = (
    r"(?:(?:[^\W\d][\w.'/-]* ){0,4}(?:[a-z]{1,2}-)?\d{4,5} "
    rf"|(?:{any_of(dates.KINDS)}) [\w/.-]*\d[\w/.-]* )?"
)
"""An address up to the postal code, or what the document is, with its number."""
_TOWN = re.compile(
    rf"{_BEFORE_TOWN}(?:[a-z][^\W\d]*)(?:[.'/() -]+[^\W\d]+){{0,8}}[.)]?"
    r"(?:, ?(?:den |le |am |d\. |il |a |li |addi |em |aos |dnia |the )?| (?:den|le) )$"
)
"""Hamburg, den; 7099 Chur-Au, ; Paris, le; Sjövik den."""
# fmt: off
_IN_TOWNS = frozenset({
    "a", "aan", "am", "an", "auf", "bei", "d", "de", "den", "der", "des", "du", "en", "i", "im",
    "in", "la", "le", "les", "ob", "op", "sous", "sur", "the", "u", "under", "upon", "v", "vor",
})
# fmt: on


@dataclass(frozen=True, slots=True)
class DatePlace:
    """The place of one date in the rows of a document."""

    before: str
    """The text of its cell before the date, folded; not the whole of a long one."""
    after: str
    rows: Sequence[Sequence[Cell]]
    line: int
    """The index of its row."""
    column: int
    """The index of its cell in the row."""

    @classmethod
    def of(
        cls,
        folded: str,
        start: int,
        end: int,
        rows: Sequence[Sequence[Cell]],
        line: int,
        column: int,
    ) -> "DatePlace":
        """Return the place of the date between two positions of a cell's folded text."""
        before, after = folded[max(0, start - _NEAR) : start], folded[end : end + _NEAR]
        return cls(before, after, rows, line, column)

    @property
    def row(self) -> Sequence[Cell]:
        return self.rows[self.line]

    @property
    def cell(self) -> Cell:
        return self.row[self.column]

    @property
    def left(self) -> str:
        """The text of the cell before; "" if there is none."""
        return self.row[self.column - 1].text if self.column else ""

    @property
    def above(self) -> Sequence[Cell]:
        """The row above; empty in the first row."""
        return self.rows[self.line - 1] if self.line else ()

    @property
    def below(self) -> Sequence[Cell]:
        return self.rows[self.line + 1] if self.line + 1 < len(self.rows) else ()

    @property
    def is_alone_in_cell(self) -> bool:
        return not self.before and not self.after

    @property
    def is_on_top(self) -> bool:
        """Whether it is where a letter has its date."""
        return self.line < _TOP

    @property
    def is_sent_at(self) -> bool:
        """Whether it is in the head of an e-mail: its sender, then when it was sent."""
        return "@" in self.left and _TIME.search(self.after) is not None

    @property
    def is_signature(self) -> bool:
        """Whether the cell before is the label of a signature."""
        return _SIGNED_BY.match(fold_label(self.left)) is not None

    @property
    def is_signed(self) -> bool:
        """Whether a cell before it in its row is about a signature."""
        left = self.row[max(0, self.column - _CELLS) : self.column]
        return any(_SIGNED.search(fold_label(cell.text)) for cell in left)

    @property
    def is_item(self) -> bool:
        """Whether its row is an item of the agenda."""
        return self.column > 0 and _ITEM.fullmatch(fold(self.row[0].text)) is not None

    @property
    def has_amount(self) -> bool:
        """Whether its row ends with an amount."""
        return self.column < len(self.row) - 1 and _PRICE.search(self.row[-1].text) is not None

    @property
    def is_entry(self) -> bool:
        """Whether it begins an entry of a list: then come words, and an amount or a time."""
        if self.column or self.before:
            return False
        later = [cell.text for cell in self.row[1:]]
        has_words = any(_WORD.search(text) for text in later)
        timed = any(_TIME.search(text) and _WORD.search(text) for text in later)
        return has_words and (timed or bool(later and _PRICE.search(later[-1])))

    @property
    def is_in_list(self) -> bool:
        """Whether the line above or below has a date in the same column, among other cells."""
        if len(self.row) < _LIST:
            return False
        others = (other for other in (self.above, self.below) if len(other) >= _LIST)
        beside = (in_column_of(self.cell, other) for other in others)
        # A cell that goes on to a date is not of that column: Online 3 May.
        texts = (fold_label(cell.text) for cell in beside if cell)
        return any(found.start == 0 for text in texts for found in find_dates(text))

    @property
    def begins_letterhead(self) -> bool:
        """Whether it is before words, as in a letterhead, and not in a list of dates."""
        if self.column or len(self.row) == 1 or not self.is_on_top:
            return False
        has_words = _WORD.search(self.row[1].text) and not _PRICE.search(self.row[-1].text)
        return bool(has_words) and not any(map(_has_date, (self.above, self.below)))

    @property
    def is_beside_title(self) -> bool:
        """Whether the only other cell, on its left, says what the document is."""
        title = fold_label(self.row[0].text)
        is_titled = self.column == len(self.row) - 1 == 1 and _KIND.match(title) is not None
        return is_titled and is_short_title(title)

    @property
    def is_above_time(self) -> bool:
        """Whether the next line begins with a time."""
        return (
            bool(self.below) and _TIME_LABEL.fullmatch(fold_label(self.below[0].text)) is not None
        )

    @property
    def follows_town(self) -> bool:
        """Whether it follows the name of a town, in its cell or in the one before."""
        if self.before or not self.column:
            # In a row with other cells, a number at the beginning is that of an article.
            is_article = self.before[:1].isdigit() and len(self.row) > 1
            return not is_article and _is_town(self.before, self.cell.text)
        return _is_town(fold_label(self.left) + " ", self.left)

    def is_below_title(self, others: Sequence[re.Pattern[str]]) -> bool:
        """Return whether the line above says what the document is: Facture n° 4711.

        A line with the document's number may be in between. `others` are further titles.
        """
        rows = reversed(self.rows[max(0, self.line - 2) : self.line])
        found = (in_column_of(self.cell, row) for row in rows)
        lines = [fold_label(over.text) if over else "" for over in found]
        if lines and _NUMBER_LINE.fullmatch(lines[0]):
            lines = lines[1:]
        return any(title.match(line) for line in lines[:1] for title in (_KIND, *others))

    def join_left(self) -> str:
        """Return the text before it, with that of the cells on its left."""
        joined = self.before
        for column in reversed(range(self.column)):
            joined = f"{fold_label(self.row[column].text)} {joined}"
            if len(joined) >= _NEAR:
                break
        return joined[-_NEAR:]

    def find_labels(self) -> Iterator[str]:
        """Yield the texts around it that may end with its label, the nearest first."""
        row, above = self.row, self.above
        if len(row) == 1 and len(row[0].text) < _NEAR:
            yield self._word_above()
        is_lone = len(row) == len(above) == 1 and _has_few_words(row[0].text)
        if is_lone and not _TOWN.fullmatch(self.before):
            # Columns that lost their gaps: the label ends the line above.
            yield _AFTER_CAPITALS.sub("", above[0].text[-_NEAR:])
        if not _ONLY_WEEKDAY.fullmatch(self.before):
            return
        left = self.left[-_NEAR:]
        yield "" if _EMPTY_REFERENCE.search(fold_label(left)) else left
        over = in_column_of(self.cell, above)
        yield over.text[-_NEAR:] if over else ""

    def _word_above(self) -> str:
        """Return the word at the same position of the line above, if columns lost their gaps."""
        heads, values = " ".join(cell.text for cell in self.above).split(), self.cell.text.split()
        return heads[self.before.count(" ")] if len(heads) == len(values) else ""


def count_words(*texts: str) -> int:
    return sum(len(_WORD.findall(text)) for text in texts)


@lru_cache(maxsize=8)
def _has_few_words(line: str) -> bool:
    """Return whether a line has fewer words than a sentence."""
    return count_words(line) < SENTENCE


def is_short_title(title: str) -> bool:
    """Return whether a line has so few words that it may be a title."""
    return count_words(title) <= _TITLE_WORDS


def _has_date(row: Sequence[Cell]) -> bool:
    return any(any(find_dates(fold_label(cell.text))) for cell in row)


def _is_town(before: str, text: str) -> bool:
    """Return whether the text before a date is the name of a town: capitals and small words."""
    if not _TOWN.fullmatch(before) or _ONLY_WEEKDAY.fullmatch(before):
        return False
    town = re.sub(_BEFORE_TOWN, "", text, count=1, flags=re.IGNORECASE)
    words = re.findall(r"[^\W\d_]+", re.split(r"\d", town)[0])
    return all(word[0].isupper() or word in _IN_TOWNS for word in words)

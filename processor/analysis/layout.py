"""Split a page into rows of cells: text recognition leaves wide gaps between columns."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from operator import attrgetter

from core.text import fold

_CELL = re.compile(r"[^\s|·](?:[^\t|· ]+| (?! ))*")
_CELL_BEGINS = re.compile(r"[^\s|·]")
_END = attrgetter("end")

SEARCHED = 100_000
"""Characters at the beginning of a text that are searched: a megabyte would take seconds."""
_PAGES = 4
"""Cached pages: all checks of a document read the same one, and a quote in between."""
_SHORT = 100
"""Maximum characters of a label; a longer text is a line."""
_LINES = 32
"""Cached folded lines: a long line may have a thousand values."""
_LABEL_LENGTH = 40
"""Maximum characters of a line in a block of labels or values."""
_BLOCK = 2
"""Minimum lines of such a block."""
_SPACED_OUT = re.compile(r"[^\W\d_](?<!\w[^\W\d_]) (?:[^\W\d_] ){2,}[^\W\d_](?!\w)")
"""R E C H N U N G. A pattern that begins with a letter is searched fast."""
_TWO_LETTERS = re.compile(
    r"[aou]e(?:(?<=fae)(?=ll)|(?<=spae)(?=t)|(?<=zae)(?=hl)|(?<=lae)(?=ngst)|(?<=betrae)(?=g)"
    r"|(?<=prae)(?=m)|(?<=jae)(?=hr)|(?<=glae)(?=ub)|(?<=kae)(?=uf)|(?<=empfae)(?=ng)"
    r"|(?<=wae)(?=hr)|(?<=gebue)(?=hr)|(?<=ue)(?<![a-z]ue)(?=ber)|(?<=rue)(?=ck)|(?<=frue)(?=h)"
    r"|(?<=abzue)(?=gl)|(?<=zuzue)(?=gl)|(?<=gue)(?=lt)|(?<=kue)(?=nd)|(?<=prue)(?=f)"
    r"|(?<=foe)(?=rd)|(?<=hoe)(?=he))"
)
"""Umlauts in two letters: Faelligkeit. The list is short because steuer and due have none.

It is searched fast, because the pattern begins with the letters, not with what precedes them."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The text between two gaps of a line, and its position."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Page:
    """The rows at the beginning of a text, and the labels of values in blocks, by row."""

    rows: Sequence[Sequence[Cell]]
    stacked: Mapping[int, str]


def read_page(text: str) -> Page:
    """Return the beginning of a text that is searched, split into rows."""
    return _read_page(text[:SEARCHED])


@lru_cache(maxsize=_PAGES)
def _read_page(text: str) -> Page:
    rows = rows_of(text)
    return Page(rows, find_stacked_labels(rows, text))


def fold_label(text: str) -> str:
    """Return a text as labels are compared: folded, spaced-out words joined, umlauts plain."""
    return _fold_line(text) if _SHORT < len(text) <= SEARCHED else _fold_label(text)


def _fold_label(text: str) -> str:
    return _TWO_LETTERS.sub(lambda match: match[0][0], join_spaced_out(fold(text)))


_fold_line = lru_cache(maxsize=_LINES)(_fold_label)


def join_spaced_out(text: str) -> str:
    """Return a text with its spaced-out words joined: R E C H N U N G."""
    return _SPACED_OUT.sub(lambda match: match[0].replace(" ", ""), text)


def cells_of(line: str) -> list[Cell]:
    """Return the cells of a line from left to right; none if it is blank."""
    found = ((match.start(), match[0].rstrip()) for match in _CELL.finditer(line))
    return [Cell(text, start, start + len(text)) for start, text in found]


def rows_of(text: str) -> list[list[Cell]]:
    """Return the cells of every line that is not blank."""
    written = (line for line in text.splitlines() if line and not line.isspace())
    return [cells for line in written if (cells := cells_of(line))]


def find_line(row: Sequence[Cell], text: str) -> str:
    """Return the first line of a text that has the cells of a row, as it is written.

    Return "" if there is none: the row may end where the search in a long text ended.
    """
    lines = (line for line in text.splitlines() if row[0].text in line)
    return next((line for line in lines if cells_of(line) == list(row)), "")


def in_column_of(cell: Cell, others: Sequence[Cell]) -> Cell | None:
    """Return the first cell of another line that is above or below `cell`.

    The cells of a line are in order, so none before or after it needs to be looked at.
    """
    first = bisect_left(others, cell.start, key=_END)
    is_there = first < len(others) and others[first].start <= cell.end
    return others[first] if is_there else None


def find_stacked_labels(rows: Sequence[Sequence[Cell]], text: str = "") -> Mapping[int, str]:
    """Return the labels of values by row, where a block of labels is above one of values.

    Text recognition reads a table of two columns like this: all labels, then all values. Between
    blank lines of `text`, values may also be words.
    """
    found: dict[int, str] = {}
    for above, below in pairwise(_find_paragraphs(text)):
        found.update(_match_paragraphs(rows, above, below))
    labels: list[str] = []
    values: list[int] = []
    for number, row in enumerate([*rows, []]):
        line = _read_short(row)
        if line and any(map(str.isdigit, line)):
            values.append(number)
            continue
        if len(labels) == len(values) + 1 and labels[0].isupper():
            # The title of the document, above the first label.
            del labels[0]
        if _BLOCK <= len(values) == len(labels):
            found.update(zip(values, labels, strict=True))
        if values or not line:
            labels, values = [], []
        if line:
            labels.append(line)
    return found


def _find_paragraphs(text: str) -> Iterator[range]:
    """Yield the numbers of the rows between two blank lines."""
    start = end = 0
    for line in [*text.splitlines(), ""]:
        if line and _CELL_BEGINS.search(line):
            end += 1
        elif start < end:
            yield range(start, end)
            start = end


def _match_paragraphs(
    rows: Sequence[Sequence[Cell]], above: range, below: range
) -> Iterator[tuple[int, str]]:
    """Yield the label of each value with digits, if one paragraph is labels of the other."""
    if not _BLOCK <= len(above) == len(below):
        return
    labels, values = ([_read_short(rows[at]) for at in lines] for lines in (above, below))
    has_digits = [any(map(str.isdigit, value)) for value in values]
    are_labels = all(labels) and not any(map(str.isdigit, "".join(labels)))
    if are_labels and all(values) and sum(has_digits) >= _BLOCK:
        yield from ((at, labels[at - below.start]) for at in below if has_digits[at - below.start])


def _read_short(row: Sequence[Cell]) -> str:
    """Return the text of a row that is a single short cell; "" for any other."""
    return row[0].text if len(row) == 1 and len(row[0].text) <= _LABEL_LENGTH else ""

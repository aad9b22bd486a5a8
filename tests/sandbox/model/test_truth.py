"""How much of the truth the reader finds. The bounds are lower than what it reaches today."""

from collections.abc import Callable

import pytest

from sandbox.documents import Truth, load_truth
from sandbox.model.finding import Finding, Reading
from sandbox.model.question import Question
from sandbox.model.reader import read
from tests.sandbox.model.samples import FILES, NAMES, text_of

TRUTH = load_truth()
READINGS = {file: read(Question(text_of(file), names=NAMES)) for file in FILES}


def value(finding: Finding | None) -> str | None:
    return None if finding is None else finding.value


def title_is_right(reading: Reading, truth: Truth) -> bool:
    if reading.title is None:
        return truth.title is None
    title = reading.title.value.casefold()
    return any(part.casefold() in title for part in truth.title_contains)


def date_is_right(reading: Reading, truth: Truth) -> bool:
    return value(reading.date) == (truth.date.isoformat() if truth.date else None)


def sender_is_right(reading: Reading, truth: Truth) -> bool:
    return value(reading.correspondent) == truth.correspondent


def kind_is_right(reading: Reading, truth: Truth) -> bool:
    return value(reading.document_type) == truth.document_type


def tags_are_right(reading: Reading, truth: Truth) -> bool:
    return {tag.value for tag in reading.tags} == truth.tags


RULES = (title_is_right, date_is_right, sender_is_right, kind_is_right, tags_are_right)


@pytest.mark.parametrize(
    ("is_right", "bound"),
    [
        (date_is_right, 36),
        (sender_is_right, 36),
        (kind_is_right, 34),
        (tags_are_right, 32),
        (title_is_right, 34),
    ],
)
def test_most_values_are_right(is_right: Callable[[Reading, Truth], bool], bound: int) -> None:
    assert sum(is_right(READINGS[file], TRUTH[file]) for file in FILES) >= bound


def test_a_clear_majority_of_the_documents_is_read_without_a_mistake() -> None:
    whole = [file for file in FILES if all(rule(READINGS[file], TRUTH[file]) for rule in RULES)]

    assert len(whole) >= 28


@pytest.mark.parametrize("file", FILES)
def test_every_quote_stands_in_the_text(file: str) -> None:
    reading, text = READINGS[file], text_of(file)

    singles = (reading.title, reading.correspondent, reading.document_type, reading.date)
    assert all(found.evidence in text for found in (*singles, *reading.tags) if found)

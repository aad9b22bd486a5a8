from datetime import date, datetime

import pytest

from sandbox.documents import FOLDER, load_truth
from sandbox.model.dates import dates_in
from tests.sandbox.model.samples import DOCUMENTS, FILES, INDEX, TAGS, text_of

TRUTH = load_truth()
DATED = [file for file in FILES if TRUTH[file].date]


def test_there_are_forty_documents_in_the_order_of_their_numbers() -> None:
    assert len(FILES) == 40
    assert [int(file[:2]) for file in FILES] == list(range(1, 41))


def test_index_truth_and_folder_name_the_same_files() -> None:
    assert sorted(FILES) == sorted(path.name for path in FOLDER.glob("*.txt")) == sorted(TRUTH)


@pytest.mark.parametrize("kind", ["correspondents", "document_types"])
def test_no_name_stands_there_twice(kind: str) -> None:
    assert len({name.casefold() for name in INDEX[kind]}) == len(INDEX[kind])


def test_tags_are_unique_and_parents_come_first() -> None:
    assert len(set(TAGS)) == len(TAGS)
    for number, tag in enumerate(INDEX["tags"]):
        assert tag.get("parent") in [None, *TAGS[:number]]


@pytest.mark.parametrize("document", DOCUMENTS, ids=FILES)
def test_a_document_carries_only_names_that_exist(document: dict[str, object]) -> None:
    tags = document["tags"]

    assert isinstance(tags, list)
    assert {"Inbox"} <= set(tags) <= set(TAGS)
    assert document.get("correspondent") in [None, *INDEX["correspondents"]]
    assert document.get("document_type") in [None, *INDEX["document_types"]]


def test_documents_were_added_one_after_the_other_in_autumn_2026() -> None:
    added: list[datetime] = [document["added"] for document in DOCUMENTS]

    assert added == sorted(added)
    assert date(2026, 9, 1) <= added[0].date()
    assert added[-1].date() < date(2026, 11, 15)
    # Germany changes its clocks on 25 October.
    for moment in added:
        offset = moment.utcoffset()
        assert offset is not None
        assert offset.seconds == (7200 if moment.date() < date(2026, 10, 25) else 3600)


def test_two_documents_are_private() -> None:
    assert sum("Privat" in document["tags"] for document in DOCUMENTS) == 2


@pytest.mark.parametrize("file", FILES)
def test_the_truth_names_what_exists_or_says_that_it_is_new(file: str) -> None:
    truth = TRUTH[file]

    known = {*INDEX["correspondents"], *INDEX["document_types"], *TAGS}
    right = {truth.correspondent, truth.document_type, *truth.tags} - {None}
    assert right - truth.new_names <= known
    assert truth.new_names <= right - known


def test_two_senders_are_not_known_yet() -> None:
    assert sum(truth.correspondent in truth.new_names for truth in TRUTH.values()) == 2


@pytest.mark.parametrize("file", DATED)
def test_the_date_of_a_document_stands_in_its_text(file: str) -> None:
    truth = TRUTH[file]

    assert truth.date_quote is not None
    assert truth.date_quote in text_of(file)
    assert [found.day for found in dates_in(truth.date_quote)] == [truth.date]


@pytest.mark.parametrize("file", DATED)
def test_a_document_was_written_before_it_was_added(file: str) -> None:
    added = next(document["added"] for document in DOCUMENTS if document["file"] == file)

    written = TRUTH[file].date
    assert written is not None
    assert written <= added.date()


@pytest.mark.parametrize("file", DATED)
def test_the_ideal_title_is_a_good_one(file: str) -> None:
    truth = TRUTH[file]

    assert truth.title
    assert len(truth.title) <= 80
    assert truth.title_contains


def test_three_documents_are_long_and_one_is_empty() -> None:
    lengths = [len(text_of(file).strip()) for file in FILES]

    assert sum(length > 10_000 for length in lengths) == 3
    assert sum(length < 10 for length in lengths) == 1

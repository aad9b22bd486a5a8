"""The documents of the evaluation are what they claim to be."""

import pytest

from benchmarks.eval.corpus import Paper, load_archive, load_papers, names_in
from core.fields import FieldName
from processor.analysis.dates import dates_in
from sandbox.paperless import load_world

PAPERS = load_papers()
WORLD = load_archive()
FIND = names_in(WORLD)
UNREADABLE = 2
"""An empty page, and one that nobody can read."""


def names_of(paper: Paper) -> list[tuple[FieldName, str]]:
    truth = paper.truth
    named = [(FieldName.TAGS, tag) for tag in sorted(truth.tags)]
    if truth.correspondent:
        named.append((FieldName.CORRESPONDENT, truth.correspondent))
    if truth.document_type:
        named.append((FieldName.DOCUMENT_TYPE, truth.document_type))
    return named


def test_there_are_enough_documents_and_each_has_its_own_text() -> None:
    assert len(PAPERS) >= 60
    assert len({paper.text for paper in PAPERS}) == len(PAPERS)


def test_none_of_them_is_one_of_the_sandbox() -> None:
    known = {document.content for document in load_world().documents.values()}

    assert not known & {paper.text for paper in PAPERS}


def test_a_document_has_the_number_that_paperless_gives_it() -> None:
    assert {id_: one.content for id_, one in WORLD.documents.items()} == {
        paper.id: paper.text for paper in PAPERS
    }


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.file)
def test_the_truth_can_be_found_in_the_document_and_the_archive(paper: Paper) -> None:
    truth = paper.truth

    assert (truth.date is None) == (truth.date_quote is None)
    assert (truth.date_quote or "") in paper.text
    assert truth.date is None or truth.date in dates_in(truth.date_quote or "")
    new = {name for field, name in names_of(paper) if FIND(field, name).id is None}
    assert new == truth.new_names


def test_nearly_all_documents_have_other_dates_beside_the_right_one() -> None:
    several = [paper for paper in PAPERS if len(set(dates_in(paper.text))) > 2]

    assert len(several) >= len(PAPERS) - UNREADABLE - 2


def test_nothing_is_filed_before_the_clerk_does_it() -> None:
    documents = WORLD.documents.values()

    assert not any(one.correspondent or one.document_type or one.tags for one in documents)
    dated = {paper.id: paper.truth.date for paper in PAPERS}
    assert not any(one.created == dated[one.id] for one in documents)

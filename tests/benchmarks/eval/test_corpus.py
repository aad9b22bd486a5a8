"""The documents of the evaluation are what they claim to be."""

import re

import pytest

from benchmarks.eval import page
from benchmarks.eval.corpus import (
    DOCUMENTS,
    DUE,
    HELD_OUT,
    NUMBER,
    TOTAL,
    NameFinder,
    SampleDocument,
    load_archive,
    load_documents,
    name_finder,
    right_values,
    spread,
)
from benchmarks.eval.judging import quote_is_in_text
from core.fields import FieldName, Name
from sandbox.paperless import World, load_world
from sandbox.paperless.records import Kind

SAMPLES = load_documents()
WORLD = load_archive()
FIND = name_finder(WORLD)
ASIDE = [
    (world, document)
    for folder in HELD_OUT
    for world in [load_archive(folder)]
    for document in load_documents(folder)
]
WORD_FOR_A_DATE = re.compile(
    r"datum|\bdated?\b|dagtekening|issued|ausgestellt|vom|émise|opgesteld|établi", re.IGNORECASE
)
UNREADABLE = 2
"""An empty page, and one that nobody can read."""


def names_of(document: SampleDocument, find: NameFinder = FIND) -> list[Name]:
    labels = (FieldName.CORRESPONDENT, FieldName.DOCUMENT_TYPE, FieldName.TAGS)
    values = (value for label in labels for value in right_values(label, document.truth, find))
    return [value for value in values if isinstance(value, Name)]


def test_there_are_enough_documents_and_each_has_its_own_text() -> None:
    assert len(SAMPLES) >= 90
    assert len({document.text for document in SAMPLES}) == len(SAMPLES)


def test_every_text_file_is_in_the_index() -> None:
    assert {document.file for document in SAMPLES} == {
        path.name for path in DOCUMENTS.glob("*.txt")
    }


def test_none_of_them_is_one_of_the_sandbox() -> None:
    known = {document.content for document in load_world().documents.values()}

    assert not known & {document.text for document in SAMPLES}


def test_a_document_has_the_id_that_paperless_gives_it() -> None:
    assert {id_: stored.content for id_, stored in WORLD.documents.items()} == {
        document.id: document.text for document in SAMPLES
    }


@pytest.mark.parametrize("document", SAMPLES, ids=lambda document: document.file)
def test_the_truth_can_be_found_in_the_document_and_the_archive(document: SampleDocument) -> None:
    truth = document.truth

    assert (truth.date is None) == (truth.date_quote is None)
    assert (truth.date_quote or "") in document.text
    assert truth.date is None or truth.date in dates_in(truth.date_quote or "")
    assert {name.name for name in names_of(document) if name.id is None} == truth.new_names
    paths = {path.name for path in WORLD.names[Kind.STORAGE_PATH].values()}
    assert truth.storage_path is None or truth.storage_path in paths


@pytest.mark.parametrize("document", SAMPLES, ids=lambda document: document.file)
def test_the_values_of_custom_fields_stand_in_the_document(document: SampleDocument) -> None:
    truth, text = document.truth, document.text

    quotes = (truth.correspondent_quote, truth.amount_quote, truth.invoice_number_quote)
    assert all(quote in text for quote in quotes if quote)
    assert (truth.invoice_number or "") in text
    amounts = {abs(found.amount) for found in page.find_amounts(text)}
    assert truth.total is None or truth.total.amount in amounts
    assert truth.due_date is None or truth.due_date in dates_in(text)


def test_fewer_than_half_of_all_dates_have_a_word_that_calls_them_the_date() -> None:
    every = [d for d in (*SAMPLES, *(document for _, document in ASIDE)) if d.truth.date_quote]

    labelled = [document for document in every if WORD_FOR_A_DATE.search(line_of_date(document))]

    assert len(labelled) < len(every) / 2


def test_a_third_of_the_documents_was_held_out() -> None:
    assert len(ASIDE) >= (len(SAMPLES) + len(ASIDE)) * 0.3
    assert len(SAMPLES) + len(ASIDE) >= 120


@pytest.mark.parametrize(("world", "document"), ASIDE, ids=[document.file for _, document in ASIDE])
def test_the_documents_held_out_have_the_same_form(world: World, document: SampleDocument) -> None:
    truth = document.truth

    assert (truth.date_quote or "") in document.text
    assert (truth.invoice_number or "") in document.text
    find = name_finder(world)
    new = {name.name for name in names_of(document, find) if name.id is None}
    assert new == truth.new_names
    paths = {path.name for path in world.names[Kind.STORAGE_PATH].values()}
    assert truth.storage_path is None or truth.storage_path in paths
    assert world.documents[document.id].created != truth.date


def test_the_archive_has_a_custom_field_for_number_total_and_due_date() -> None:
    fields = {field.name: field.data_type for field in WORLD.custom_fields.values()}

    assert fields == {NUMBER: "string", TOTAL: "monetary", DUE: "date"}


def test_the_documents_are_in_many_currencies() -> None:
    currencies = {document.truth.total.currency for document in SAMPLES if document.truth.total}

    assert currencies >= {"EUR", "GBP", "USD", "CHF", "MYR", "NOK", "SEK", "DKK", "JPY", "CAD"}


def test_nearly_all_documents_have_other_dates_beside_the_right_one() -> None:
    several = [document for document in SAMPLES if len(dates_in(document.text)) > 1]

    assert len(several) >= len(SAMPLES) - UNREADABLE


def test_the_owners_are_among_the_correspondents() -> None:
    names = {name.name for name in WORLD.names[Kind.CORRESPONDENT].values()}

    assert {"Jana Albers", "Owen Pascoe", "Pascoe Design", "Albers Bootsservice"} <= names


def test_nothing_is_filed_yet() -> None:
    stored = WORLD.documents.values()

    assert not any(
        document.correspondent or document.document_type or document.tags for document in stored
    )
    dated = {document.id: document.truth.date for document in SAMPLES}
    assert not any(document.created == dated[document.id] for document in stored)


def test_a_few_documents_are_spread_over_all_of_them() -> None:
    few = spread(SAMPLES, 10)

    assert len(few) == 10
    assert few[0] is SAMPLES[0]
    assert few[-1].id > len(SAMPLES) * 0.85


def test_more_documents_than_there_are_means_all() -> None:
    assert spread(SAMPLES, 1000) == SAMPLES


def test_quotes_that_are_given_stand_in_the_text_letter_by_letter() -> None:
    given = [document for document in SAMPLES if document.truth.date_quote]

    assert all(quote_is_in_text(d.truth.date_quote or "", d.text) for d in given)


def dates_in(text: str) -> set[object]:
    return {found.day for found in page.find_dates(text)}


def line_of_date(document: SampleDocument) -> str:
    quote = document.truth.date_quote or ""
    return next((line for line in document.text.splitlines() if quote in line), quote)

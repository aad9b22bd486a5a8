"""What Paperless has, in our words, and which fields nobody has filled in."""

from datetime import date, datetime, timedelta, timezone

import pytest

from core.fields import FieldName, Name
from paperless_client import Document
from processor.reconcile import read_current_values
from tests.builders import (
    RECHNUNG,
    STADTWERKE,
    STROM,
    TODAY,
    a_current,
    a_document,
    some_names,
)

BERLIN = timezone(timedelta(hours=1))
LONG = "x" * 200


def test_ids_are_shown_by_name() -> None:
    document = a_document(title="Brief", correspondent=1, document_type=1, tags=[2])

    current = read_current_values(document, some_names())

    assert current.value(FieldName.TITLE) == "Brief"
    assert current.value(FieldName.CORRESPONDENT) == STADTWERKE
    assert current.value(FieldName.DOCUMENT_TYPE) == RECHNUNG
    assert current.value(FieldName.DATE) == TODAY
    assert current.tags == {STROM}
    assert current.tag_ids == {2}


def test_a_name_that_we_may_not_see_is_called_by_its_number() -> None:
    current = a_current(a_document(correspondent=99, tags=[98]))

    assert current.value(FieldName.CORRESPONDENT) == Name(99, "#99")
    assert current.tags == {Name(98, "#98")}


@pytest.mark.parametrize(
    ("tag", "value"),
    [(STROM, STROM), (Name(4, "Auto"), None), (Name(None, "Strom"), None), (None, None)],
)
def test_of_the_tags_a_value_is_the_tag_if_it_is_there(
    tag: Name | None, value: Name | None
) -> None:
    current = a_current(tags=[STROM])

    assert current.value(FieldName.TAGS, tag) == value


@pytest.mark.parametrize(
    ("title", "file_name"),
    [
        ("scan_0007", "scan_0007.pdf"),
        ("scan.2026.01", "scan.2026.01.pdf"),
        ("scan_0007", "scan_0007"),
        (LONG[:127], LONG + ".pdf"),
        (LONG[:128], LONG + ".pdf"),
    ],
)
def test_a_title_is_empty_while_it_is_the_name_of_the_file(title: str, file_name: str) -> None:
    current = a_current(a_document(title=title, original_file_name=file_name))

    assert FieldName.TITLE in current.empty


@pytest.mark.parametrize(
    ("title", "file_name"),
    [
        (LONG[:126], LONG + ".pdf"),
        ("Scan_0007", "scan_0007.pdf"),
        ("scan_0007.pdf", "scan_0007.pdf"),
        ("scan_0007", None),
        ("", None),
    ],
)
def test_any_other_title_was_given_by_someone(title: str, file_name: str | None) -> None:
    current = a_current(a_document(title=title, original_file_name=file_name))

    assert FieldName.TITLE not in current.empty


@pytest.mark.parametrize(
    ("created", "empty"),
    [
        (date(2026, 11, 16), {FieldName.DATE}),
        (date(2026, 11, 15), set()),
        (date(2026, 10, 31), set()),
    ],
)
def test_a_date_is_empty_while_it_is_the_day_of_arrival_where_paperless_lives(
    created: date, empty: set[FieldName]
) -> None:
    after_midnight = datetime(2026, 11, 16, 0, 30, tzinfo=BERLIN)

    current = a_current(a_document(created=created, added=after_midnight))

    assert current.empty & {FieldName.DATE} == empty


@pytest.mark.parametrize(
    ("document", "empty"),
    [
        (a_document(), {FieldName.CORRESPONDENT, FieldName.DOCUMENT_TYPE}),
        (a_document(correspondent=1), {FieldName.DOCUMENT_TYPE}),
        (a_document(correspondent=99, document_type=1), set()),
    ],
)
def test_a_name_is_empty_while_there_is_none(document: Document, empty: set[FieldName]) -> None:
    names = {FieldName.CORRESPONDENT, FieldName.DOCUMENT_TYPE}

    assert a_current(document).empty & names == empty


def test_tags_are_never_called_empty() -> None:
    assert FieldName.TAGS not in a_current().empty

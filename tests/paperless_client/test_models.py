"""Objects as Paperless tells them, and the versions that were tried."""

from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import pytest
from pydantic import ValidationError

from paperless_client import (
    TESTED_VERSIONS,
    CustomField,
    Document,
    DocumentSummary,
    Page,
    Thumbnail,
    User,
    is_tested,
)
from tests.paperless_client.recorded import a_document, a_page, a_patched_document, a_summary

BERLIN = timezone(timedelta(hours=1))


@pytest.mark.parametrize("version", ["2.20.15", "3.0.5"])
def test_a_document_is_read_whatever_the_version(version: str) -> None:
    document = Document.model_validate(a_document(version))

    assert document.id == 11
    assert document.tags == {2, 15}
    assert document.created == date(2023, 11, 2)
    assert document.custom_fields[0].field == 1
    assert document.custom_fields[0].value == "RE-11"
    assert document.user_can_change is True


def test_a_time_keeps_the_offset_of_the_server() -> None:
    document = Document.model_validate(a_document())

    assert document.added == datetime(2026, 11, 15, 0, 47, 24, 427904, tzinfo=BERLIN)
    assert document.added.utcoffset() == timedelta(hours=1)
    assert document.added.date() == date(2026, 11, 15)


def test_the_reply_to_a_patch_does_not_tell_what_the_user_may_do() -> None:
    document = Document.model_validate(a_patched_document("3.0.5"))

    assert document.user_can_change is None


@pytest.mark.parametrize(
    "changes",
    [{"title": ""}, {"content": ""}, {"original_file_name": None}, {"page_count": None}],
)
def test_what_may_be_empty_is_accepted(changes: dict[str, object]) -> None:
    assert Document.model_validate(a_document() | changes)


def test_a_time_without_an_offset_is_not_accepted() -> None:
    with pytest.raises(ValidationError):
        DocumentSummary.model_validate(a_summary(modified="2026-11-16T01:05:45"))


def test_what_is_wrong_with_a_document_is_reported_without_its_values() -> None:
    with pytest.raises(ValidationError) as caught:
        Document.model_validate(a_document(title=["Max Mustermann"]))

    assert "title" in str(caught.value)
    assert "Mustermann" not in str(caught.value)


def test_objects_cannot_be_changed() -> None:
    document = Document.model_validate(a_document())

    with pytest.raises(ValidationError):
        document.title = "other"  # type: ignore[misc]  # that is the point


def test_the_text_of_a_document_is_not_shown_by_accident() -> None:
    assert "Mustermann" not in repr(Document.model_validate(a_document()))
    assert "secret" not in repr(Thumbnail(b"secret", "text/plain"))


@pytest.mark.parametrize("more", [True, False])
def test_a_page_tells_whether_there_is_another(more: bool) -> None:  # noqa: FBT001 - a table
    page = Page[DocumentSummary].model_validate(a_page([a_summary()], count=300, more=more))

    assert page.count == 300
    assert page.has_next is more
    assert page.results[0].id == 11


def test_a_page_can_be_made_by_hand() -> None:
    assert Page[int](count=1, has_next=False, results=(1,)).has_next is False


def test_the_choices_of_a_custom_field_are_in_the_prompt() -> None:
    status = {
        "id": 4,
        "name": "Status",
        "data_type": "select",
        "extra_data": {"select_options": [{"label": "bezahlt", "id": "CZT9DKsXuQ8CgCDF"}]},
    }
    amount = {"id": 3, "name": "Betrag", "data_type": "monetary", "extra_data": None}

    assert CustomField.model_validate(status).options[0].label == "bezahlt"
    assert CustomField.model_validate(amount).options == ()


def test_a_user_is_gathered_from_the_settings() -> None:
    user = User.model_validate(
        {
            "user": {"id": 4, "username": "bot", "is_staff": False, "is_superuser": False},
            "settings": {"trash_delay": 30, "version": "3.0.5"},
            "permissions": ["view_document", "change_document"],
        }
    )

    assert (user.id, user.username, user.is_superuser) == (4, "bot", False)
    assert user.permissions == {"view_document", "change_document"}


@pytest.mark.parametrize(
    ("extra_data", "labels", "currency"),
    [
        (None, [], None),
        ({}, [], None),
        ({"select_options": [None], "default_currency": "EUR"}, [], "EUR"),
        ({"select_options": None, "default_currency": None}, [], None),
        ({"select_options": [{"id": "a1", "label": "open"}]}, ["open"], None),
    ],
)
def test_a_custom_field_tells_its_options_and_its_currency(
    extra_data: object, labels: list[str], currency: str | None
) -> None:
    body = {"id": 7, "name": "Kind", "data_type": "select", "extra_data": extra_data}

    field = CustomField.model_validate(body)

    assert [option.label for option in field.options] == labels
    assert field.default_currency == currency


TABLE = Path(__file__).parents[2] / "docs" / "reference" / "paperless-versions.md"


@pytest.mark.parametrize(
    ("version", "tested"),
    [
        ("2.20.15", True),
        ("3.0.5", True),
        ("3.0.5-beta.rc1", True),
        ("2.2.0", False),
        ("3.1.0", False),
        ("13.0.1", False),
        ("", False),
    ],
)
def test_a_version_is_tested_whatever_its_last_number(version: str, *, tested: bool) -> None:
    assert is_tested(version) is tested


def test_the_table_of_versions_lists_what_was_tried() -> None:
    lines = TABLE.read_text("utf-8").splitlines()
    rows = [line.split("|")[1].strip() for line in lines if line.startswith("|")]

    assert tuple(sorted({row for row in rows if row[:1].isdigit()})) == TESTED_VERSIONS

"""Writing to documents in a Paperless of either version."""

from datetime import date

import httpx
import pytest
from pydantic import JsonValue

from paperless_client import (
    DocumentGone,
    DocumentPatch,
    NotPaperless,
    OutcomeUnknown,
    PaperlessClient,
    PaperlessRefused,
    PermissionMissing,
)
from tests.paperless_client.conftest import ScriptedPaperless, body_of, params_of
from tests.paperless_client.recorded import (
    BULK_EDIT_FAULT,
    CSRF_PAGE,
    DOCUMENTS_UNKNOWN,
    NO_DOCUMENT,
    NO_PERMISSION,
    SERVER_ERROR,
    TITLE_TOO_LONG_GERMAN,
    a_patched_document,
    signed_text,
    unsigned_page,
)

DONE = {"result": "OK"}
BULK_EDIT = "documents/bulk_edit/"


async def test_a_patch_sends_only_what_changes_and_returns_what_became_of_it(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    reply = a_patched_document(paperless.version, title="Vertrag ÄÖÜ", correspondent=None)
    paperless.says("PATCH", "documents/11/", reply)
    patch = DocumentPatch(title="Vertrag ÄÖÜ", correspondent=None, created=date(2026, 10, 31))

    document = await client.patch(11, patch)

    assert body_of(paperless.request) == {
        "title": "Vertrag ÄÖÜ",
        "correspondent": None,
        "created": "2026-10-31",
    }
    assert document.title == "Vertrag ÄÖÜ"
    assert document.correspondent is None


async def test_a_patch_never_has_fields_because_they_would_drop_what_is_written(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.says("PATCH", "documents/11/", a_patched_document(paperless.version))

    await client.patch(11, DocumentPatch(title="x"))

    assert params_of(paperless.request) == {}


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (unsigned_page(500, SERVER_ERROR), OutcomeUnknown),
        (httpx.ReadTimeout(""), OutcomeUnknown),
        (httpx.Response(200, text="<html>"), OutcomeUnknown),
        (unsigned_page(403, CSRF_PAGE), NotPaperless),
    ],
)
async def test_a_patch_that_ends_in_trouble_says_whether_it_may_have_been_written(
    client: PaperlessClient,
    paperless: ScriptedPaperless,
    answer: httpx.Response | Exception,
    kind: type[Exception],
) -> None:
    paperless.on("PATCH", "documents/11/", answer)

    with pytest.raises(kind, match="could not change document 11"):
        await client.patch(11, DocumentPatch(title="x"))

    assert len(paperless.requests) == 1


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, TITLE_TOO_LONG_GERMAN, PaperlessRefused),
        (403, NO_PERMISSION, PermissionMissing),
        (404, NO_DOCUMENT, DocumentGone),
    ],
)
async def test_a_patch_that_is_refused_is_about_this_document(
    client: PaperlessClient,
    paperless: ScriptedPaperless,
    status: int,
    body: object,
    kind: type[Exception],
) -> None:
    paperless.says("PATCH", "documents/11/", body, status=status)

    with pytest.raises(kind, match=r"document 11\b"):
        await client.patch(11, DocumentPatch(title="x" * 129))


async def test_a_patch_replaces_the_lists_of_tags_and_custom_fields(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.says("PATCH", "documents/11/", a_patched_document(paperless.version))
    paid: dict[str, JsonValue] = {"value": [{"odd": 1.5}], "field": 1, "note": "as received"}

    await client.patch(11, DocumentPatch(tags=(15, 2), custom_fields=(paid,)))

    assert body_of(paperless.request) == {"tags": [15, 2], "custom_fields": [paid]}


async def test_empty_lists_are_sent_as_such(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.says("PATCH", "documents/11/", a_patched_document(paperless.version))

    await client.patch(11, DocumentPatch(tags=(), custom_fields=()))

    assert body_of(paperless.request) == {"tags": [], "custom_fields": []}


async def test_custom_fields_are_merged(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.says("POST", BULK_EDIT, DONE)

    await client.modify_custom_fields(18, add={2: "2024-01-31", 4: None}, remove={3})

    assert body_of(paperless.request) == {
        "documents": [18],
        "method": "modify_custom_fields",
        "parameters": {
            "add_custom_fields": {"2": "2024-01-31", "4": None},
            "remove_custom_fields": [3],
        },
    }


async def test_nothing_to_do_is_not_sent(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    await client.modify_custom_fields(18, add={}, remove=[])

    assert paperless.requests == []


async def test_a_bulk_edit_of_a_document_that_is_gone_says_so(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.says("POST", BULK_EDIT, DOCUMENTS_UNKNOWN, status=400)

    with pytest.raises(DocumentGone) as caught:
        await client.modify_custom_fields(24, add={45: None}, remove=[])

    assert caught.value.document == 24


async def test_a_bulk_edit_with_a_wrong_value_is_refused(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    wrong = {"add_custom_fields": {"3": {"non_field_errors": ["Must be a two-decimal number"]}}}
    paperless.says("POST", BULK_EDIT, wrong, status=400)

    with pytest.raises(PaperlessRefused) as caught:
        await client.modify_custom_fields(18, add={3: "12,50 €"}, remove=[])

    assert caught.value.details == wrong


async def test_a_bulk_edit_without_permission_is_reported_in_plain_text(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    answer = signed_text(403, "Insufficient permissions", version=paperless.version)
    paperless.on("POST", BULK_EDIT, answer)

    with pytest.raises(PermissionMissing, match="change custom fields of document 3") as caught:
        await client.modify_custom_fields(3, add={45: None}, remove=[])

    assert caught.value.permission == "change_document"


@pytest.mark.parametrize(
    "answer", [signed_text(400, BULK_EDIT_FAULT), unsigned_page(500, SERVER_ERROR)]
)
async def test_a_bulk_edit_that_broke_down_may_have_taken_effect(
    client: PaperlessClient, paperless: ScriptedPaperless, answer: httpx.Response
) -> None:
    paperless.on("POST", BULK_EDIT, answer)

    with pytest.raises(OutcomeUnknown):
        await client.modify_custom_fields(50, add={2: None}, remove=[])


async def test_an_answer_about_another_document_leaves_the_outcome_of_a_patch_open(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.says("PATCH", "documents/7/", a_patched_document(paperless.version, id=8))

    with pytest.raises(OutcomeUnknown, match="about 8 instead of 7"):
        await client.patch(7, DocumentPatch(title="x"))

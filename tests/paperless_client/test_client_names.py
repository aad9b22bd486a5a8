"""Tags, correspondents, document types and custom fields of either version."""

import httpx
import pytest

from paperless_client import (
    ListChanged,
    NameKind,
    NotPaperless,
    OutcomeUnknown,
    PaperlessClient,
    PaperlessError,
    PaperlessRefused,
    PaperlessUnavailable,
    Parties,
    PermissionMissing,
    Rights,
    Shares,
)
from tests.paperless_client.conftest import ScriptedPaperless, body_of, params_of
from tests.paperless_client.recorded import (
    NAME_TAKEN,
    NAME_TAKEN_BY_US,
    NAME_TAKEN_GERMAN,
    NO_PAGE,
    NO_PERMISSION,
    NO_TAG,
    SERVER_ERROR,
    a_correspondent,
    a_page,
    a_tag,
    signed,
    signed_text,
    unsigned_page,
)


async def names(client: PaperlessClient, kind: NameKind = NameKind.TAG) -> list[str]:
    return [named.name async for named in client.names.list_all(kind)]


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        (NameKind.TAG, "tags/"),
        (NameKind.CORRESPONDENT, "correspondents/"),
        (NameKind.DOCUMENT_TYPE, "document_types/"),
    ],
)
async def test_every_kind_of_name_is_listed(
    client: PaperlessClient, paperless: ScriptedPaperless, kind: NameKind, path: str
) -> None:
    entries = [a_correspondent(1, "Rechnung"), a_correspondent(2, "Vertrag")]
    paperless.says("GET", path, a_page(entries, version=paperless.version))

    assert await names(client, kind) == ["Rechnung", "Vertrag"]

    assert params_of(paperless.request) == {"page": "1", "page_size": "1000"}


async def test_a_tag_inside_its_parent_is_not_listed_twice(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    child = a_tag(4, "Finanzen 2022", parent=3, is_inbox_tag=True)
    parent = a_tag(3, "Finanzen", children=[child])
    paperless.says("GET", "tags/", a_page([parent, child], version=paperless.version))

    tags = [tag async for tag in client.names.list_all(NameKind.TAG)]

    assert [(tag.id, tag.parent, tag.is_inbox_tag) for tag in tags] == [
        (3, None, False),
        (4, 3, True),
    ]
    assert tags[0].document_count == 3


async def test_names_are_read_page_by_page_at_our_own_address(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    pages = [
        a_page([a_tag(1, "a")], version=paperless.version, count=2, more=True),
        a_page([a_tag(2, "b")], version=paperless.version, count=2),
    ]
    paperless.on("GET", "tags/", *[signed(200, page) for page in pages])

    assert await names(client) == ["a", "b"]

    assert [params_of(request)["page"] for request in paperless.requests] == ["1", "2"]
    assert {request.url.host for request in paperless.requests} == {"paperless.example"}


@pytest.mark.parametrize(
    ("second", "kind"),
    [
        (unsigned_page(500, SERVER_ERROR), PaperlessUnavailable),
        (httpx.ReadTimeout(""), PaperlessUnavailable),
        (signed(404, NO_PAGE), ListChanged),
        (signed(200, a_page([a_tag(3, "c")], count=3)), ListChanged),
    ],
)
async def test_a_list_cut_short_is_an_error(
    client: PaperlessClient,
    paperless: ScriptedPaperless,
    second: httpx.Response | Exception,
    kind: type[Exception],
) -> None:
    first = signed(200, a_page([a_tag(1, "a")], version=paperless.version, count=2, more=True))
    paperless.on("GET", "tags/", first, second)

    with pytest.raises(kind, match="could not list every tag"):
        await names(client)


@pytest.mark.parametrize(
    ("kind", "permission"),
    [
        (NameKind.CORRESPONDENT, "view_correspondent"),
        (NameKind.DOCUMENT_TYPE, "view_documenttype"),
    ],
)
async def test_a_list_that_we_may_not_see_names_the_permission(
    client: PaperlessClient, paperless: ScriptedPaperless, kind: NameKind, permission: str
) -> None:
    paperless.says("GET", f"{kind}s/", NO_PERMISSION, status=403)

    with pytest.raises(PermissionMissing) as caught:
        await names(client, kind)

    assert caught.value.permission == permission


OURS = a_tag(61, "Strom", owner=3)
SHOUTED = a_tag(62, "STROM")
FOR_ALL = a_tag(63, "Strom")
YOUNGER = a_tag(64, "Strom")
OTHER = a_tag(1, "Anderes")


@pytest.mark.parametrize(
    ("listed", "found"),
    [
        ([OURS, SHOUTED, FOR_ALL], 63),
        ([SHOUTED, OURS], 61),
        ([SHOUTED], 62),
        ([YOUNGER, FOR_ALL], 63),
        ([OTHER], None),
        ([], None),
    ],
)
async def test_the_best_of_several_objects_of_a_name_is_found(
    client: PaperlessClient,
    paperless: ScriptedPaperless,
    listed: list[dict[str, object]],
    found: int | None,
) -> None:
    paperless.says("GET", "tags/", a_page(listed, version=paperless.version))

    tag = await client.names.find(NameKind.TAG, " Strom ")

    assert params_of(paperless.request)["name__iexact"] == "Strom"
    assert (tag and tag.id) == found


@pytest.mark.parametrize("owner", [None, 4])
async def test_a_new_name_matches_nothing_by_itself_and_has_the_owner_asked_for(
    client: PaperlessClient, paperless: ScriptedPaperless, owner: int | None
) -> None:
    created = a_tag(61, "Strom", owner=owner)
    del created["document_count"]
    paperless.says("POST", "tags/", created, status=201)

    shares = Shares(view=Parties(users=frozenset({4}), groups=frozenset({2, 1})))
    tag = await client.names.create(NameKind.TAG, "Strom", Rights(owner=owner, permissions=shares))

    nobody: dict[str, list[int]] = {"users": [], "groups": []}
    shared = {"view": {"users": [4], "groups": [1, 2]}, "change": nobody}
    assert body_of(paperless.request) == {
        "name": "Strom",
        "owner": owner,
        "matching_algorithm": 0,
        **({"set_permissions": shared} if owner else {}),
    }
    assert (tag.id, tag.owner, tag.document_count) == (61, owner, None)


@pytest.mark.parametrize("taken", [NAME_TAKEN, NAME_TAKEN_BY_US, NAME_TAKEN_GERMAN])
async def test_a_name_that_exists_is_found_whatever_the_refusal_says(
    client: PaperlessClient, paperless: ScriptedPaperless, taken: dict[str, object]
) -> None:
    paperless.says("POST", "tags/", taken, status=400)
    paperless.says("GET", "tags/", a_page([a_tag(3, "Finanzen")], version=paperless.version))

    tag = await client.names.create(NameKind.TAG, "Finanzen", Rights())

    assert tag.id == 3


async def test_a_name_that_is_refused_and_does_not_exist_is_an_error(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    too_long = {"name": ["Ensure this field has no more than 128 characters."]}
    paperless.says("POST", "document_types/", too_long, status=400)
    paperless.says("GET", "document_types/", a_page([], version=paperless.version))

    with pytest.raises(PaperlessRefused, match="create the document type") as caught:
        await client.names.create(NameKind.DOCUMENT_TYPE, "n" * 129, Rights())

    assert caught.value.details == too_long


async def test_a_name_may_have_been_created_although_the_server_broke_down(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.on("POST", "tags/", unsigned_page(500, SERVER_ERROR))

    with pytest.raises(OutcomeUnknown):
        await client.names.create(NameKind.TAG, "rd", Rights())


async def test_a_name_that_we_may_not_create_names_the_permission(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.says("POST", "document_types/", NO_PERMISSION, status=403)

    with pytest.raises(PermissionMissing) as caught:
        await client.names.create(NameKind.DOCUMENT_TYPE, "Brief", Rights())

    assert caught.value.permission == "add_documenttype"


async def test_custom_fields_are_listed(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    fields = [
        {"id": 3, "name": "Betrag", "data_type": "monetary", "extra_data": None},
        {"id": 2, "name": "Fällig am", "data_type": "date", "extra_data": None},
    ]
    paperless.says("GET", "custom_fields/", a_page(fields, version=paperless.version))

    found = [field async for field in client.list_custom_fields()]

    assert [(field.name, field.data_type) for field in found] == [
        ("Betrag", "monetary"),
        ("Fällig am", "date"),
    ]


async def test_one_name_is_read_as_it_is_now(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.says("GET", "tags/3/", a_tag(3, "Finanzen") | {"matching_algorithm": 6})

    tag = await client.names.fetch(NameKind.TAG, 3)

    assert tag is not None
    assert (tag.name, tag.document_count, tag.matching_algorithm) == ("Finanzen", 3, 6)


async def test_an_answer_about_another_name_is_an_error(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.says("GET", "tags/3/", a_tag(4, "Steuern"))

    with pytest.raises(NotPaperless, match="about 4 instead of 3"):
        await client.names.fetch(NameKind.TAG, 3)


async def test_a_name_that_is_gone_is_none(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.says("GET", "correspondents/3/", NO_TAG, status=404)

    assert await client.names.fetch(NameKind.CORRESPONDENT, 3) is None


@pytest.mark.parametrize("status", [403, 500])
async def test_a_name_that_cannot_be_read_is_an_error(
    client: PaperlessClient, paperless: ScriptedPaperless, status: int
) -> None:
    paperless.says("GET", "tags/3/", NO_PERMISSION, status=status)

    with pytest.raises(PaperlessError, match="could not read the tag 3"):
        await client.names.fetch(NameKind.TAG, 3)


@pytest.mark.parametrize(
    ("kind", "path"),
    [(NameKind.TAG, "tags/3/"), (NameKind.DOCUMENT_TYPE, "document_types/3/")],
)
async def test_a_name_is_deleted(
    client: PaperlessClient, paperless: ScriptedPaperless, kind: NameKind, path: str
) -> None:
    paperless.on("DELETE", path, signed_text(204, ""))

    await client.names.delete(kind, 3)

    assert paperless.request.content == b""


async def test_to_delete_a_name_that_is_gone_does_no_harm(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.says("DELETE", "tags/3/", NO_TAG, status=404)

    await client.names.delete(NameKind.TAG, 3)

    assert paperless.request.method == "DELETE"


async def test_a_name_that_we_may_not_delete_names_the_permission(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.says("DELETE", "document_types/3/", NO_PERMISSION, status=403)

    with pytest.raises(PermissionMissing, match="could not delete the document type 3") as caught:
        await client.names.delete(NameKind.DOCUMENT_TYPE, 3)

    assert caught.value.permission == "delete_documenttype"


@pytest.mark.parametrize(
    "answer",
    [
        unsigned_page(500, SERVER_ERROR),
        httpx.Response(204),
        httpx.ReadTimeout(""),
    ],
    ids=["a server error", "a stranger's yes", "no answer"],
)
async def test_a_name_may_have_been_deleted_without_a_clear_answer(
    client: PaperlessClient, paperless: ScriptedPaperless, answer: httpx.Response | Exception
) -> None:
    paperless.on("DELETE", "tags/3/", answer)

    with pytest.raises(OutcomeUnknown):
        await client.names.delete(NameKind.TAG, 3)


async def test_a_name_that_paperless_will_not_delete_is_an_error(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.says("DELETE", "tags/3/", {"detail": "in use"}, status=409)

    with pytest.raises(PaperlessRefused):
        await client.names.delete(NameKind.TAG, 3)

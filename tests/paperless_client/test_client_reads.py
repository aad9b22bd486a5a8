"""Reading from a Paperless of either version."""

from datetime import UTC, datetime

import httpx
import pytest

from paperless_client import (
    AnswerTooLarge,
    DocumentGone,
    DocumentQuery,
    ListChanged,
    NotPaperless,
    Ordering,
    PaperlessClient,
    PaperlessRefused,
    PermissionMissing,
    Thumbnail,
    TokenRefused,
)
from paperless_client.requests import MAX_ANSWER_BYTES
from tests.paperless_client.conftest import ScriptedPaperless, params_of
from tests.paperless_client.recorded import (
    API_OF,
    LOGIN_PAGE,
    NO_DOCUMENT,
    NO_PAGE,
    NO_PERMISSION,
    a_document,
    a_page,
    a_summary,
    login_redirect,
    signed,
    unsigned_page,
)

SUMMARY_FIELDS = "id,title,tags,added,modified,user_can_change"


async def test_a_probe_is_small_and_tells_the_version(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.says("GET", "documents/", a_page([], version=paperless.version))

    server = await client.probe()

    assert params_of(paperless.request) == {"id": "0", "fields": "id", "page_size": "1"}
    assert server.version == paperless.version
    assert server.api_version == API_OF[paperless.version]


@pytest.mark.parametrize(
    "answer",
    [
        unsigned_page(200, LOGIN_PAGE),
        login_redirect("documents/"),
        httpx.Response(200, json=a_page([])),
        httpx.Response(200, json={"status": "ok"}),
        signed(200, {"status": "ok"}),
    ],
)
async def test_a_probe_is_not_fooled_by_others(
    client: PaperlessClient, paperless: ScriptedPaperless, answer: httpx.Response
) -> None:
    paperless.on("GET", "documents/", answer)

    with pytest.raises(NotPaperless):
        await client.probe()


async def test_a_probe_tells_a_bad_token_from_a_missing_permission(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.on("GET", "documents/", httpx.Response(401, json={"detail": "Invalid token."}))
    with pytest.raises(TokenRefused, match="Invalid token"):
        await client.probe()

    paperless.says("GET", "documents/", NO_PERMISSION, status=403)
    with pytest.raises(PermissionMissing, match="view_document"):
        await client.probe()


async def test_we_learn_who_we_are(client: PaperlessClient, paperless: ScriptedPaperless) -> None:
    paperless.says(
        "GET",
        "ui_settings/",
        {
            "user": {"id": 4, "username": "bot", "is_superuser": False, "groups": []},
            "settings": {"version": paperless.version, "trash_delay": 30},
            "permissions": ["view_document", "view_tag"],
        },
    )

    user = await client.fetch_user()

    assert user.username == "bot"
    assert user.permissions == {"view_document", "view_tag"}


async def test_a_list_asks_for_what_a_scan_needs_and_no_text(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    page = a_page(
        [a_summary(id=1), a_summary(id=2)], version=paperless.version, count=300, more=True
    )
    paperless.says("GET", "documents/", page)
    query = DocumentQuery(
        include_tags=frozenset({2}),
        modified_since=datetime(2026, 11, 16, tzinfo=UTC),
        ordering=Ordering.MODIFIED,
    )

    found = await client.list_documents(query, page=3, page_size=2)

    assert params_of(paperless.request) == {
        "tags__id__all": "2",
        "modified__gte": "2026-11-16T00:00:00+00:00",
        "ordering": "modified,id",
        "page": "3",
        "page_size": "2",
        "fields": SUMMARY_FIELDS,
    }
    assert [document.id for document in found.results] == [1, 2]
    assert (found.count, found.has_next) == (300, True)


async def test_a_fresh_read_keeps_both_lists_exactly_as_received(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    odd = [{"field": 1, "value": {"unknown": [1.50, None]}, "later": "key"}]
    document = a_document(paperless.version, tags=[15, 2, 99], custom_fields=odd)
    paperless.says("GET", "documents/11/", document)

    fresh = await client.fetch_fresh_fields(11)

    assert (fresh.tags, list(fresh.custom_fields)) == ((15, 2, 99), odd)
    assert (fresh.fields.id, set(fresh.fields.tags)) == (11, {2, 15, 99})
    assert "content" not in params_of(paperless.request)["fields"]


@pytest.mark.parametrize(
    ("documents", "is_read"),
    [([], False), ([{"tags": [2]}], True), ([{"tags": [9]}], False), ([{"id": 12}], False)],
    ids=["none", "the document", "filter ignored", "another document"],
)
async def test_a_document_is_read_in_one_request_unless_it_carries_a_tag(
    client: PaperlessClient,
    paperless: ScriptedPaperless,
    documents: list[dict[str, object]],
    is_read: bool,  # noqa: FBT001 - a column of the table
) -> None:
    found = [a_document(paperless.version, **fields) for fields in documents]
    paperless.says("GET", "documents/", a_page(found, version=paperless.version))

    document = await client.fetch_document_unless_tagged(11, without_tags=frozenset({9}))

    assert (document is not None) is is_read
    asked = params_of(paperless.request)
    assert (asked["id__in"], asked["tags__id__none"], asked["page_size"]) == ("11", "9", "1")
    assert "content" in asked["fields"].split(",")


async def test_texts_are_asked_for_but_for_those_with_a_tag(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    documents = [{"id": id_, "tags": tags, "content": "x"} for id_, tags in ((3, [1]), (5, [1, 9]))]
    more = {"id": 7, "tags": [], "content": "x"}
    paperless.says("GET", "documents/", a_page([*documents, more], version=paperless.version))

    texts = await client.fetch_texts(frozenset({3, 5}), without_tags=frozenset({9}))

    assert params_of(paperless.request) == {
        "tags__id__none": "9",
        "id__in": "3,5",
        "ordering": "id",
        "page": "1",
        "page_size": "2",
        "fields": "id,tags,content,page_count",
    }
    # Not even if the server does not know the filters.
    assert [document.id for document in texts.found] == [3]
    assert "content" not in repr(texts)


async def test_texts_that_are_too_large_together_are_fetched_in_halves_down_to_one(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    huge = "x" * MAX_ANSWER_BYTES
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        ids = params_of(request)["id__in"]
        asked.append(ids)
        texts = [
            {"id": int(id_), "tags": [], "content": huge if id_ == "5" else "x"}
            for id_ in ids.split(",")
        ]
        return signed(200, a_page(texts, version=paperless.version), version=paperless.version)

    paperless.router.route(method="GET", path="/api/documents/").mock(side_effect=answer)

    texts = await client.fetch_texts(frozenset({2, 3, 5, 7}), without_tags=frozenset())

    assert asked == ["2,3,5,7", "2,3", "5,7", "5", "7"]
    assert [document.id for document in texts.found] == [2, 3, 7]
    assert texts.too_large == {5}
    with pytest.raises(AnswerTooLarge):
        await client.fetch_text(5, without_tags=frozenset())


async def test_the_next_page_is_asked_for_at_our_own_address(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    first = a_page([a_summary(id=1)], version=paperless.version, count=2, more=True)
    last = a_page([a_summary(id=2)], version=paperless.version, count=2)
    paperless.on(
        "GET", "documents/", httpx.Response(200, json=first), httpx.Response(200, json=last)
    )

    await client.list_documents(DocumentQuery(), page=1, page_size=1)
    await client.list_documents(DocumentQuery(), page=2, page_size=1)

    assert {request.url.host for request in paperless.requests} == {"paperless.example"}
    assert [params_of(request)["page"] for request in paperless.requests] == ["1", "2"]


async def test_a_page_that_is_no_longer_there_means_that_the_list_changed(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.says("GET", "documents/", NO_PAGE, status=404)

    with pytest.raises(ListChanged, match="page 4 no longer exists"):
        await client.list_documents(DocumentQuery(), page=4, page_size=100)


async def test_a_first_page_is_always_there(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.says("GET", "documents/", NO_PAGE, status=404)

    with pytest.raises(PaperlessRefused):
        await client.list_documents(DocumentQuery(), page=1, page_size=100)


@pytest.mark.parametrize(("page", "page_size"), [(0, 100), (1, 0), (-1, 5)])
async def test_pages_are_counted_from_one(
    client: PaperlessClient, page: int, page_size: int
) -> None:
    with pytest.raises(ValueError, match="counted from 1"):
        await client.list_documents(DocumentQuery(), page=page, page_size=page_size)


async def test_a_summary_is_fetched_without_the_text(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.says("GET", "documents/11/", a_summary())

    summary = await client.fetch_summary(11)

    assert summary.id == 11

    assert params_of(paperless.request) == {"fields": SUMMARY_FIELDS}


async def test_what_can_be_filed_is_fetched_without_the_text(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.says("GET", "documents/11/", a_document(paperless.version))

    fields = await client.fetch_fields(11)

    asked_for = str(params_of(paperless.request)["fields"]).split(",")
    assert "content" not in asked_for
    assert {"title", "correspondent", "document_type", "tags", "created"} <= set(asked_for)
    assert not hasattr(fields, "content")


async def test_a_document_is_fetched_whole(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.says("GET", "documents/11/", a_document(paperless.version))

    document = await client.fetch_document(11)

    assert params_of(paperless.request) == {}
    assert document.content.startswith("SERVICE AGREEMENT")
    assert document.correspondent == 25


@pytest.mark.parametrize(
    "body", [NO_DOCUMENT, {"detail": "Keine Instanz von Document entspricht der Anfrage."}]
)
async def test_a_document_that_is_not_there_is_gone(
    client: PaperlessClient, paperless: ScriptedPaperless, body: dict[str, str]
) -> None:
    paperless.says("GET", "documents/11/", body, status=404)

    with pytest.raises(DocumentGone) as caught:
        await client.fetch_document(11)

    assert caught.value.document == 11


async def test_a_restarting_proxy_does_not_make_a_document_gone(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.on("GET", "documents/11/", httpx.Response(404, text="404 page not found"))

    with pytest.raises(NotPaperless):
        await client.fetch_summary(11)


async def test_similar_documents_come_in_the_order_of_paperless_without_the_one_asked_for(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    hit = {"__search_hit__": {"score": 1.0, "highlights": "", "rank": 0}}
    alike = [a_document(paperless.version, id=id_, **hit) for id_ in (289, 11, 45)]
    paperless.says(
        "GET", "documents/", a_page(alike, version=paperless.version, count=75, more=True)
    )

    found = await client.find_similar(11, 3)

    asked = params_of(paperless.request)
    assert (asked["more_like_id"], asked["page"], asked["page_size"]) == ("11", "1", "3")
    assert asked["is_in_inbox"] == "false"
    assert "content" not in asked["fields"].split(",")
    assert not {"ordering", "tags__id__none"} & asked.keys()
    assert [document.id for document in found] == [289, 45]


async def test_similar_documents_with_an_unwanted_tag_are_neither_asked_for_nor_returned(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    alike = [a_document(paperless.version, id=id_, tags=[tag]) for id_, tag in ((45, 7), (46, 8))]
    paperless.says(
        "GET", "documents/", a_page(alike, version=paperless.version, count=2, more=False)
    )

    found = await client.find_similar(11, 3, without_tags={9, 7})

    assert params_of(paperless.request)["tags__id__none"] == "7,9"
    assert [document.id for document in found] == [46]


async def test_the_newest_filed_documents_of_a_correspondent_are_listed(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    listed = [
        a_document(paperless.version, id=id_, correspondent=sender, tags=[tag])
        for id_, sender, tag in ((45, 4, 8), (46, 5, 8), (47, 4, 7))
    ]
    paperless.says(
        "GET", "documents/", a_page(listed, version=paperless.version, count=3, more=False)
    )

    found = await client.list_of_correspondent(4, 25, without_tags={7})

    asked = params_of(paperless.request)
    assert (asked["correspondent__id"], asked["is_in_inbox"]) == ("4", "false")
    assert (asked["ordering"], asked["page_size"]) == ("-added,-id", "25")
    assert asked["tags__id__none"] == "7"
    assert "content" not in asked["fields"].split(",")
    assert [document.id for document in found] == [45]


async def test_a_search_that_fails_is_not_an_empty_list(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.says("GET", "documents/", "Error listing search results", status=400)

    with pytest.raises(PaperlessRefused):
        await client.find_similar(11, 3)


async def test_a_picture_comes_as_it_is(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    headers = {"content-type": "image/webp", "x-version": paperless.version}
    answer = httpx.Response(200, content=b"\x52\x49\x46\x46", headers=headers)
    paperless.on("GET", "documents/18/thumb/", answer)

    picture = await client.files.fetch_thumbnail(18)

    assert picture == Thumbnail(b"\x52\x49\x46\x46", "image/webp")


async def test_a_login_page_is_not_taken_for_a_picture(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.on("GET", "documents/18/thumb/", unsigned_page(200, LOGIN_PAGE))

    with pytest.raises(NotPaperless, match="thumbnail of document 18"):
        await client.files.fetch_thumbnail(18)


async def test_a_missing_file_does_not_make_a_document_gone(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    paperless.says("GET", "documents/18/thumb/", {"detail": "Not found."}, status=404)

    with pytest.raises(PaperlessRefused) as caught:
        await client.files.fetch_thumbnail(18)

    assert caught.value.status == 404


@pytest.mark.parametrize("read", ["fetch_summary", "fetch_fields", "fetch_document"])
async def test_an_answer_about_another_document_is_an_error(
    client: PaperlessClient, paperless: ScriptedPaperless, read: str
) -> None:
    paperless.says("GET", "documents/7/", a_document(paperless.version, id=8))

    with pytest.raises(NotPaperless, match="about 8 instead of 7"):
        await getattr(client, read)(7)


async def test_a_list_with_a_document_that_was_not_asked_for_is_an_error(
    client: PaperlessClient, paperless: ScriptedPaperless
) -> None:
    others = a_page([a_summary(id=3), a_summary(id=8)], version=paperless.version)
    paperless.says("GET", "documents/", others)

    with pytest.raises(NotPaperless, match="not requested: 8"):
        await client.list_documents(DocumentQuery(ids=frozenset({3, 5})), page=1, page_size=2)

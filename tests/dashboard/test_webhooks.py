"""The webhook: who is let in, what is read of it, and how many are taken."""

from dataclasses import replace

import httpx
import pytest

from core.access import WEBHOOK_HEADER, hash_secret
from core.settings import InstanceSettings
from dashboard.middleware import MAX_BODY_BEFORE_LOGIN
from dashboard.webhooks import MAX_WEBHOOKS, find_document_number
from tests.dashboard.conftest import DashboardRig

SECRET = "pcw_right"
HOOK = "/hooks/paperless/home"
BODY = {"doc_url": "None/documents/7/"}
SETTINGS = InstanceSettings.model_validate(
    {
        "name": "home",
        "paperless": {"url": "http://paperless", "token": "t"},
        "ai": {"base_url": "http://model/v1", "model": "m"},
    }
)


@pytest.fixture
def named() -> list[tuple[str, int]]:
    """The documents that were passed on."""
    return []


@pytest.fixture
async def hooked(rig: DashboardRig, named: list[tuple[str, int]]) -> DashboardRig:
    """A dashboard with a webhook, and nobody logged in."""
    context = rig.context
    await context.store.webhooks.save(
        "home", secret_hash=hash_secret(SECRET), workflow=1, now=context.clock()
    )
    rig.context = replace(
        context,
        settings=replace(context.settings, instances={"home": SETTINGS}),
        hint=lambda instance, number: named.append((instance, number)),
    )
    rig.authenticator.person = None
    return rig


async def post(http: httpx.AsyncClient, secret: str | None, path: str = HOOK) -> httpx.Response:
    headers = {} if secret is None else {WEBHOOK_HEADER: secret}
    return await http.post(path, json=BODY, headers=headers)


async def test_the_right_secret_is_answered_without_a_body_and_names_the_document(
    hooked: DashboardRig, named: list[tuple[str, int]]
) -> None:
    async with hooked.client() as http:
        answer = await post(http, SECRET)

    assert (answer.status_code, answer.content) == (204, b"")
    assert named == [("home", 7)]


@pytest.mark.parametrize(
    ("secret", "path"),
    [
        (None, HOOK),
        ("", HOOK),
        ("wrong", HOOK),
        (hash_secret(SECRET), HOOK),
        (SECRET, "/hooks/paperless/office"),
        ("", "/hooks/paperless/nobody"),
    ],
)
async def test_anything_but_the_secret_of_the_instance_is_refused_alike(
    hooked: DashboardRig, named: list[tuple[str, int]], secret: str | None, path: str
) -> None:
    async with hooked.client() as http:
        answer = await post(http, secret, path)

    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "webhook_refused")
    assert named == []


async def test_an_instance_that_was_removed_takes_no_webhook(hooked: DashboardRig) -> None:
    settings = replace(hooked.context.settings, instances={})
    hooked.context = replace(hooked.context, settings=settings)

    async with hooked.client() as http:
        assert (await post(http, SECRET)).status_code == 403


async def test_more_than_the_limit_is_refused_and_wrong_secrets_do_not_count(
    hooked: DashboardRig, named: list[tuple[str, int]]
) -> None:
    async with hooked.client() as http:
        for _ in range(10):
            await post(http, "wrong")
        statuses = [(await post(http, SECRET)).status_code for _ in range(MAX_WEBHOOKS + 1)]

    assert statuses == [204] * MAX_WEBHOOKS + [429]
    assert len(named) == MAX_WEBHOOKS


async def test_a_webhook_without_a_document_or_with_a_long_body_is_refused(
    hooked: DashboardRig, named: list[tuple[str, int]]
) -> None:
    headers = {WEBHOOK_HEADER: SECRET}
    async with hooked.client() as http:
        empty = await http.post(HOOK, json={}, headers=headers)
        long = await http.post(HOOK, content=b" " * (MAX_BODY_BEFORE_LOGIN + 1), headers=headers)

    assert (empty.status_code, long.status_code) == (400, 413)
    assert named == []


@pytest.mark.parametrize(
    ("body", "number"),
    [
        (b'{"doc_url": "None/documents/26/", "document_id": "26"}', 26),
        (b'{"doc_url": "https://paper.example/sub/documents/303/"}', 303),
        (b'{"document_id": "303"}', 303),
        (b'{"document_id": 303}', 303),
        (b"doc_url=None%2Fdocuments%2F26%2F&title=a", 26),
        (b'{"doc_url": "None/documents/0/"}', None),
        (b'{"doc_url": "None/documents/9999999999999999/"}', None),
        (b'{"document_id": "7; DROP TABLE"}', None),
        (b'{"doc_url": ["/documents/7"]}', None),
        (b"[7]", None),
        (b"7", None),
        (b"[" * 20_000, None),
        (b"\xff\x00", None),
        (b"", None),
    ],
)
def test_nothing_but_the_number_of_a_document_is_read(body: bytes, number: int | None) -> None:
    assert find_document_number(body) == number

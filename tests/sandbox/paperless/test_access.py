"""Who gets in, and how the others are refused."""

import base64

import httpx
import pytest

from sandbox.paperless import V2, V3, Release, World
from sandbox.paperless.releases import negotiate


def basic(credentials: bytes) -> dict[str, str]:
    return {"Authorization": f"Basic {base64.b64encode(credentials).decode()}"}


def test_a_password_opens_the_door_as_well_as_a_token(http: httpx.Client) -> None:
    answer = http.get("/api/documents/", headers=basic(b"admin:admin-password"))

    assert answer.status_code == 200


@pytest.mark.parametrize("header", [basic(b"\xff\xfe"), {"Authorization": "Basic x"}])
def test_a_password_that_cannot_be_read_is_a_wrong_one(
    http: httpx.Client, header: dict[str, str]
) -> None:
    answer = http.get("/api/documents/", headers=header)

    assert (answer.status_code, answer.json()["detail"]) == (401, "Invalid username/password.")


def test_a_token_is_given_for_a_password(world: World, http: httpx.Client) -> None:
    answer = http.post("/api/token/", json={"username": "admin", "password": "admin-password"})

    assert answer.json() == {"token": world.users["admin"].token}


def test_a_token_is_not_given_for_half_a_login(http: httpx.Client) -> None:
    answer = http.post("/api/token/", json={"username": "admin"})

    assert (answer.status_code, list(answer.json())) == (400, ["password"])


@pytest.mark.parametrize(
    ("code", "reason"), [({}, "MFA code is required"), ({"code": "000000"}, "Invalid MFA code")]
)
def test_a_user_with_a_second_factor_gets_no_token_without_the_right_code(
    world: World, http: httpx.Client, code: dict[str, str], reason: str
) -> None:
    world.users["admin"].mfa_code = "123456"
    login = {"username": "admin", "password": "admin-password"}

    answer = http.post("/api/token/", json=login | code)

    assert (answer.status_code, answer.json()) == (400, {"non_field_errors": [reason]})


def test_a_user_with_a_second_factor_gets_a_token_for_the_right_code(
    world: World, http: httpx.Client
) -> None:
    world.users["admin"].mfa_code = "123456"
    login = {"username": "admin", "password": "admin-password", "code": "123456"}

    assert http.post("/api/token/", json=login).json() == {"token": world.users["admin"].token}


@pytest.mark.parametrize(("release", "last"), [(V2, 400), (V3, 429)])
def test_v3_allows_five_tries_for_a_token_a_minute(
    http: httpx.Client, release: Release, last: int
) -> None:
    wrong = {"username": "admin", "password": "wrong"}

    statuses = [http.post("/api/token/", json=wrong).status_code for _ in range(6)]

    assert statuses == [400, 400, 400, 400, 400, last]


def test_a_superuser_has_every_permission(admin: httpx.Client) -> None:
    permissions = admin.get("/api/ui_settings/").json()["permissions"]

    assert {"delete_document", "add_tag", "change_customfield"} <= set(permissions)


@pytest.mark.parametrize(
    ("accept", "api", "html"),
    [
        ("*/*", 10, False),
        ("", 10, False),
        ("application/json;version=9", 9, False),
        ("text/html,application/xhtml+xml,*/*;q=0.8", 10, True),
        ("image/png, application/json; version=10", 10, False),
    ],
)
def test_an_accept_header_comes_to_a_version_and_a_format(
    accept: str, api: int, *, html: bool
) -> None:
    negotiated = negotiate(accept, V3)

    assert (negotiated.api, negotiated.wants_html) == (api, html)


def test_the_host_that_is_allowed_and_this_machine_get_in(world: World, http: httpx.Client) -> None:
    world.allowed_hosts = frozenset({"docs.example.org"})

    hosts = ("docs.example.org", "localhost:8000", "127.0.0.1")
    statuses = [http.get("/api/documents/", headers={"Host": h}).status_code for h in hosts]

    assert statuses == [200, 200, 400]


def test_errors_in_german_keep_what_the_sandbox_cannot_translate(http: httpx.Client) -> None:
    data = {"title": "x" * 129, "tags": [99], "custom_fields": [{"field": 1}]}

    answer = http.patch("/api/documents/1/", json=data, headers={"Accept-Language": "de-DE"})

    assert answer.json()["title"][0].startswith("Stelle sicher")
    assert answer.json()["tags"] == ['Invalid pk "99" - object does not exist.']


def test_text_in_german_is_left_as_it_is(http: httpx.Client) -> None:
    answer = http.get("/api/status/", headers={"Accept-Language": "de"})

    assert answer.text == "Insufficient permissions"

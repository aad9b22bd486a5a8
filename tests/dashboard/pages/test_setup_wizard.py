"""Setting up an instance on pages: every step, its errors, and who may do it."""

import asyncio
import html
import re
import tomllib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import pytest

from core.access import Permission
from daemon.draft_check import DraftChecks
from dashboard.auth import Person
from sandbox import Sandbox
from sandbox.model.behaviour import Behaviour, Failure, FailureScope, Outcome
from tests.dashboard.conftest import ADMIN, DashboardRig, open_browser
from tests.store.builders import FakeClock
from tests.waiting import LONG

MODEL = "sandbox-model"
IN_BROWSER = replace(ADMIN, csrf="mark")
PUBLIC = "http://paperless.example.com"
"""An address outside of private networks, without encryption."""


@dataclass
class Walk:
    """A browser in front of the wizard, and the folder that it writes to."""

    http: httpx.AsyncClient
    folder: Path
    sandbox: Sandbox

    async def send(self, step: str, **fields: str) -> httpx.Response:
        return await self.http.post(f"/add-instance{step}", data={"csrf": "mark", **fields})

    async def show(self, step: str) -> str:
        page = await self.http.get(f"/add-instance{step}")
        assert page.status_code == 200, page.headers
        return html.unescape(page.text)

    async def reach(self, last: str) -> None:
        """Answer the steps up to `last`."""
        steps: dict[str, Callable[[], dict[str, str]]] = {
            "": lambda: {"name": "home", "url": self.sandbox.url},
            "/token": lambda: {"token": self.sandbox.token},
            "/server": lambda: {"url": self.sandbox.model.base_url},
            "/model": lambda: {"model": MODEL, "owner_names": "Erika Muster, Muster GmbH"},
        }
        for step, fields in steps.items():
            if step == last:
                return
            answer = await self.send(step, **fields())
            assert answer.status_code == 303, html.unescape(answer.text)

    async def check(self) -> str:
        """Answer all steps and wait for the end of the check."""
        await self.reach("/check")
        async with asyncio.timeout(LONG):
            while "The check is running" in (page := await self.show("/check")):
                await asyncio.sleep(0.05)
        return page


@pytest.fixture
async def walk(rig: DashboardRig, tmp_path: Path, sandbox: Sandbox) -> AsyncIterator[Walk]:
    folder, stop = tmp_path / "config", asyncio.Event()
    checks = DraftChecks(folder, stop)
    settings = replace(rig.context.settings, folder=folder)
    context = replace(rig.context, settings=settings, start_check=checks.start)
    rig = replace(rig, context=context)
    rig.authenticator.person = IN_BROWSER
    async with asyncio.TaskGroup() as tasks, open_browser(rig) as http:
        tasks.create_task(checks.run())
        yield Walk(http, folder, sandbox)
        stop.set()


def written(walk: Walk) -> dict[str, dict[str, object]]:
    return tomllib.loads((walk.folder / "home.toml").read_text(encoding="utf-8"))


async def test_the_steps_lead_to_a_private_file_with_the_answers(walk: Walk) -> None:
    first = await walk.http.get("/")
    page = await walk.check()
    answer = await walk.send("/write", start="now")
    waiting = await walk.show("/added/home")

    assert (first.status_code, first.headers["location"]) == (303, "/add-instance")
    assert "All tests passed." in page
    assert re.search(r"<dt>Documents</dt><dd>3", page)
    assert (answer.status_code, answer.headers["location"]) == (303, "/add-instance/added/home")
    assert "picks up home.toml within seconds" in waiting
    assert written(walk)["paperless"] == {"url": walk.sandbox.url, "token": walk.sandbox.token}
    assert written(walk)["ai"] == {
        "base_url": walk.sandbox.model.base_url,
        "model": MODEL,
        "owner_names": ["Erika Muster", "Muster GmbH"],
    }
    assert "enabled" not in written(walk)["scan"]
    assert (walk.folder / "home.toml").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in walk.folder.iterdir()] == ["home.toml"]


async def test_who_tries_first_gets_no_automatic_scans(walk: Walk) -> None:
    await walk.check()
    await walk.send("/write")

    assert written(walk)["scan"]["enabled"] is False


async def test_an_address_is_tried_without_credentials(walk: Walk) -> None:
    wrong = await walk.send("", name="home", url=walk.sandbox.model.base_url)
    right = await walk.send("", name="home", url=walk.sandbox.url)

    assert wrong.status_code == 422
    assert "Something other than Paperless responds at its address." in html.unescape(wrong.text)
    assert right.headers["location"] == "/add-instance/token"
    assert [(request.user, request.status) for request in walk.sandbox.paperless.requests] == [
        ("", 401)
    ]


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"name": "My home"}, "is not a valid instance name"),
        ({"url": "webserver"}, "must begin with http:// or https://"),
        ({"ca_file": "/no/such/file"}, "/no/such/file"),
    ],
)
async def test_a_wrong_answer_is_shown_beside_the_form(
    walk: Walk, fields: dict[str, str], error: str
) -> None:
    answer = await walk.send("", **{"name": "home", "url": walk.sandbox.url} | fields)

    assert answer.status_code == 422
    assert error in html.unescape(answer.text)


async def test_a_name_that_is_taken_is_refused_and_its_file_kept(walk: Walk) -> None:
    await walk.check()
    walk.folder.mkdir()
    (walk.folder / "home.toml").write_text("# mine\n", encoding="utf-8")

    again = await walk.send("", name="home", url=walk.sandbox.url)
    late = await walk.send("/write")

    assert (again.status_code, late.status_code) == (422, 422)
    assert "home.toml exists already" in again.text
    assert "home.toml exists already" in late.text
    assert (walk.folder / "home.toml").read_text(encoding="utf-8") == "# mine\n"


async def test_a_token_is_fetched_with_password_and_second_factor(walk: Walk) -> None:
    walk.sandbox.world.users["admin"].mfa_code = "123456"
    await walk.reach("/token")

    login = {"username": "admin", "password": "admin-password"}
    wrong = await walk.send("/token", username="admin", password="wrong-password")
    without = await walk.send("/token", **login)
    right = await walk.send("/token", **login, mfa_code="123456")

    assert (wrong.status_code, without.status_code, right.status_code) == (422, 422, 303)
    assert "wrong-password" not in wrong.text
    assert "admin-password" not in without.text
    assert "second factor" in without.text
    assert "accepts the token of user admin" in await walk.show("/server")


async def test_a_superusers_token_comes_with_advice(walk: Walk) -> None:
    walk.sandbox.world.users["paperclerk"].is_superuser = True

    page = await walk.check()

    assert 'the token belongs to the superuser "paperclerk"' in page
    assert "view_document, view_tag, view_correspondent, view_documenttype" in page


async def test_a_wrong_token_is_refused_and_shown_nowhere(walk: Walk) -> None:
    await walk.reach("/token")

    answer = await walk.send("/token", token="0123456789abcdef")

    assert answer.status_code == 422
    assert "Paperless rejected the API token." in answer.text
    assert "0123456789abcdef" not in answer.text


async def test_a_token_in_the_environment_is_used_and_not_written(
    walk: Walk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPERCLERK_HOME_PAPERLESS__TOKEN", walk.sandbox.token)
    await walk.reach("/token")
    page = await walk.show("/token")

    await walk.check()
    await walk.send("/write")

    assert "variable <code>PAPERCLERK_HOME_PAPERLESS__TOKEN</code>. It is used" in page
    assert "token" not in written(walk)["paperless"]


async def test_a_key_is_asked_for_if_the_server_needs_one(walk: Walk) -> None:
    await walk.reach("/server")
    walk.sandbox.model.behave(Behaviour(failure=Failure.WRONG_KEY, reach=FailureScope.EVERYTHING))

    without = await walk.send("/server", url=walk.sandbox.model.base_url)
    walk.sandbox.model.behave(Behaviour())
    with_key = await walk.send("/server", url=walk.sandbox.model.base_url, api_key="sk-secret")

    assert "this server needs an API key" in without.text
    assert with_key.status_code == 303


async def test_an_unencrypted_public_address_is_used_only_if_it_is_accepted(walk: Walk) -> None:
    await walk.reach("/server")

    asked = await walk.send("/server", url=f"{PUBLIC}/v1", api_key="sk-secret")
    other = await walk.send("/server", url=f"{PUBLIC}/v1", accepted="http://example.com/v1")

    for answer in (asked, other):
        assert "is neither encrypted nor in a private network" in answer.text
        assert f"Use {PUBLIC}/v1 anyway" in answer.text
        assert "sk-secret" not in answer.text


async def test_a_model_that_is_not_listed_is_refused(walk: Walk) -> None:
    await walk.reach("/model")

    answer = await walk.send("/model", model="no-such-model")

    assert answer.status_code == 422
    assert "choose one of the models of" in answer.text


async def test_a_model_that_fails_at_the_test_letter_is_a_warning(walk: Walk) -> None:
    walk.sandbox.model.behave(Behaviour(outcome=Outcome.RUBBISH))

    page = await walk.check()
    answer = await walk.send("/write")

    assert f"{MODEL} could not file a short test letter." in page
    assert "Save anyway" in page
    assert answer.status_code == 303


async def test_nothing_is_written_before_the_check_has_ended(walk: Walk) -> None:
    early = [await walk.send("/write"), await walk.http.get("/add-instance/check")]
    await walk.reach("/model")
    without_check = await walk.send("/write")

    assert [answer.headers["location"] for answer in (*early, without_check)] == [
        "/add-instance"
    ] * 3
    assert not walk.folder.exists()


async def test_a_folder_that_cannot_be_written_to_gets_a_text_without_secrets(
    walk: Walk,
) -> None:
    walk.folder.write_text("a file, so that no folder can be made", encoding="utf-8")
    first = await walk.show("")
    walk.folder.unlink()
    await walk.check()
    walk.folder.write_text("a file, so that no folder can be made", encoding="utf-8")

    answer = await walk.send("/write")

    assert "Paperclerk cannot write to" in first
    assert answer.status_code == 422
    shown = html.unescape(answer.text)
    assert 'token = "..."' in shown
    assert f'url = "{walk.sandbox.url}"' in shown
    assert walk.sandbox.token not in shown


async def test_secrets_are_on_no_page(walk: Walk) -> None:
    await walk.check()

    pages = [await walk.show(step) for step in ("", "/token", "/server", "/model", "/check")]

    assert all(walk.sandbox.token not in page for page in pages)


async def test_entries_of_another_person_or_of_an_hour_ago_are_gone(
    walk: Walk, rig: DashboardRig
) -> None:
    await walk.reach("/token")
    rig.authenticator.person = replace(IN_BROWSER, name="other")
    other = await walk.http.get("/add-instance/token")
    rig.authenticator.person = IN_BROWSER
    clock = rig.context.clock
    assert isinstance(clock, FakeClock)
    clock.advance(hours=2)
    late = await walk.http.get("/add-instance/token")

    assert (other.status_code, late.status_code) == (303, 303)


async def test_too_many_attempts_have_to_wait(walk: Walk) -> None:
    answers = [await walk.send("", name="home", url="http://127.0.0.1:1") for _ in range(61)]

    assert {answer.status_code for answer in answers[:60]} == {422}
    assert answers[60].status_code == 429
    assert "Too many attempts" in answers[60].text


@pytest.mark.parametrize(
    "person",
    [
        ADMIN,
        Person("reader", Permission.ACT, csrf="mark"),
        Person("admin", Permission.ADMIN, frozenset({"home"}), csrf="mark"),
    ],
    ids=["API token", "not an admin", "admin of one instance"],
)
async def test_only_an_admin_in_a_browser_session_may(
    walk: Walk, rig: DashboardRig, person: Person
) -> None:
    rig.authenticator.person = person

    answers = [
        await walk.http.get("/add-instance"),
        await walk.send("", name="home", url=walk.sandbox.url),
    ]

    assert [answer.status_code for answer in answers] == [403, 403]
    assert list(walk.sandbox.paperless.requests) == []
    assert (await walk.http.get("/")).status_code == 200


async def test_a_dashboard_that_cannot_check_offers_no_set_up(rig: DashboardRig) -> None:
    rig.authenticator.person = IN_BROWSER

    async with open_browser(rig) as http:
        step, settings = await http.get("/add-instance"), await http.get("/settings")

    assert step.status_code == 404
    assert "/add-instance" not in settings.text

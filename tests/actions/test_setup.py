"""Finding Paperless and models, warning about plain HTTP, and writing the settings file."""

from datetime import timedelta
from pathlib import Path

import pytest

from actions.errors import InvalidRequest
from actions.setup import (
    Draft,
    ModelServer,
    PaperlessAddress,
    describe_model_server,
    find_model_servers,
    find_paperless,
    is_readable_on_the_way,
    require_writable,
    write_settings_file,
)
from processor.analysis.errors import KeyRefused
from sandbox import Sandbox
from sandbox.model.behaviour import Behaviour, Failure, FailureScope
from tests.waiting import LONG

NOBODY = "http://127.0.0.1:1"
PATIENT = timedelta(seconds=LONG)
"""A busy machine may take seconds to answer."""
NEEDS_KEY = Behaviour(failure=Failure.WRONG_KEY, reach=FailureScope.EVERYTHING)


async def test_a_paperless_is_found_among_other_addresses(sandbox: Sandbox) -> None:
    addresses = [NOBODY, sandbox.model.url, sandbox.url]

    assert await find_paperless(addresses, timeout=PATIENT) == [sandbox.url]


async def test_a_search_sends_no_credentials(sandbox: Sandbox) -> None:
    await find_paperless([sandbox.url], timeout=PATIENT)

    assert [(request.user, request.status) for request in sandbox.paperless.requests] == [("", 401)]


async def test_a_model_server_is_found_with_its_models(sandbox: Sandbox) -> None:
    addresses = [f"{NOBODY}/v1", sandbox.model.base_url]

    found = await find_model_servers(addresses, timeout=PATIENT)

    assert found == [ModelServer(sandbox.model.base_url, ("sandbox-model",))]


async def test_a_model_server_that_needs_a_key_is_found_without_its_models(
    sandbox: Sandbox,
) -> None:
    sandbox.model.behave(NEEDS_KEY)

    found = await find_model_servers([sandbox.model.base_url], timeout=PATIENT)

    assert found == [ModelServer(sandbox.model.base_url, (), needs_key=True)]


async def test_a_wrong_key_is_an_error(sandbox: Sandbox) -> None:
    sandbox.model.behave(NEEDS_KEY)

    with pytest.raises(KeyRefused):
        await describe_model_server(sandbox.model.base_url, "wrong")


async def test_the_user_of_a_token_is_known(sandbox: Sandbox) -> None:
    user = await PaperlessAddress(sandbox.url).fetch_user(sandbox.token)

    assert user is not None
    assert (user.username, user.is_superuser) == ("paperclerk", False)


async def test_a_token_whose_user_may_not_read_itself_is_accepted(sandbox: Sandbox) -> None:
    sandbox.world.users["paperclerk"].permissions.discard("view_uisettings")

    assert await PaperlessAddress(sandbox.url).fetch_user(sandbox.token) is None


@pytest.mark.parametrize(
    ("url", "is_readable"),
    [
        ("http://webserver:8000", False),
        ("http://localhost:8000", False),
        ("http://192.168.1.20:8000", False),
        ("http://100.64.0.7:8000", False),
        ("http://[fd00::7]:8000", False),
        ("http://nas.local", False),
        ("http://nas.fritz.box", False),
        ("http://paperless.example.org", True),
        ("http://8.8.8.8", True),
        ("https://paperless.example.org", False),
    ],
)
def test_plain_http_is_readable_outside_of_private_networks(url: str, *, is_readable: bool) -> None:
    assert is_readable_on_the_way(url) is is_readable


def test_a_settings_file_is_private_and_alone(tmp_path: Path) -> None:
    file = tmp_path / "config" / "home.toml"

    write_settings_file(file, "first")
    file.chmod(0o644)
    write_settings_file(file, "second")

    assert file.read_text(encoding="utf-8") == "second"
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert list(file.parent.iterdir()) == [file]


def test_a_file_that_cannot_be_written_leaves_the_old_one_alone(tmp_path: Path) -> None:
    file = tmp_path / "home.toml"
    write_settings_file(file, "first")

    with pytest.raises(UnicodeEncodeError):
        write_settings_file(file, "\ud800")

    assert file.read_text(encoding="utf-8") == "first"
    assert list(tmp_path.iterdir()) == [file]


def test_a_folder_inside_a_file_is_not_writable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")

    require_writable(tmp_path / "new" / "folder")
    with pytest.raises(InvalidRequest, match="file is not writable"):
        require_writable(tmp_path / "file" / "folder")


def test_a_draft_does_not_show_its_secrets() -> None:
    draft = Draft("home", "http://x", "http://y", "m", token="tttt", api_key="kkkk")

    assert "tttt" not in repr(draft)
    assert "kkkk" not in repr(draft)

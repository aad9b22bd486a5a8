"""`init`: a set-up by questions on a terminal, or by options alone."""

import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from sandbox import Sandbox
from sandbox.model.behaviour import Behaviour, Failure, FailureScope, Outcome
from tests.daemon.conftest import Paperclerk
from tests.daemon.programs import folders_of
from tests.daemon.terminal import Conversation
from tests.installation import Installation

MODEL = "sandbox-model"
Talk = Callable[..., Conversation]


@pytest.fixture
def nothing(installation: Installation) -> Installation:
    """An installation without any settings."""
    installation.settings_file.unlink()
    return installation


@pytest.fixture
def talk(nothing: Installation) -> Iterator[Talk]:
    """Start `init` on a terminal; it is killed if it still runs at the end."""
    with ExitStack() as stack:

        def start(*words: str, **environment: str) -> Conversation:
            conversation = Conversation(*folders_of(nothing), "init", *words, **environment)
            stack.callback(conversation.close)
            return conversation

        yield start


def options(nothing: Installation, **changed: str) -> list[str]:
    """Return the options for the sandbox; an empty one is left out."""
    sandbox, token = nothing.sandbox, nothing.data.parent / "token"
    token.write_text(f"{sandbox.token}\n", encoding="utf-8")
    given = {
        "paperless_url": sandbox.url,
        "token_file": str(token),
        "model_url": sandbox.model.base_url,
        "model": MODEL,
    } | changed
    pairs = ((f"--{key.replace('_', '-')}", value) for key, value in given.items() if value)
    return [word for pair in pairs for word in pair]


def written(installation: Installation) -> list[str]:
    return sorted(path.name for path in installation.config.iterdir())


def settings_in(file: Path) -> dict[str, dict[str, object]]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


def test_a_whole_conversation_ends_with_a_file_and_a_dry_run(
    nothing: Installation, talk: Talk, sandbox: Sandbox
) -> None:
    sandbox.world.users["admin"].mfa_code = "123456"

    person = talk()
    person.answer("Instance name [home]: ", "")
    person.answer("Address of Paperless", sandbox.model.base_url)
    person.expect("could not reach Paperless")
    person.answer("Address of Paperless", sandbox.url)
    person.answer("Log in with user name and password? [y/N]: ", "y")
    person.answer("User name: ", "admin")
    person.answer("Password: ", "wrong-password")
    person.expect("Paperless rejected the user name or the password.")
    person.expect("-> Enter them as on the login page of Paperless.")
    person.answer("Log in with user name and password? [y/N]: ", "y")
    person.answer("User name: ", "admin")
    person.answer("Password: ", "admin-password")
    person.answer("Code of the second factor: ", "000000")
    person.expect("-> Wait for the next code")
    person.answer("Code of the second factor: ", "123456")
    person.expect('Token accepted, user "admin".')
    person.answer("Address of the model's API", sandbox.url)
    person.answer("Address of the model's API", sandbox.model.base_url)
    person.expect(f"1  {MODEL}")
    person.answer("Model (number or name)", "no-such-model")
    person.expect(f'has no model "no-such-model"; available: {MODEL}')
    person.answer("Model (number or name)", "1")
    person.answer("Your names, separated by commas: ", "Erika Muster, Muster GmbH")
    person.expect("ok   Paperless")
    person.expect("ok   Answer")
    person.expect('the token belongs to the superuser "admin"')
    person.expect("view_document, view_tag, view_correspondent, view_documenttype, change_document")
    person.expect("home: 3 documents")
    person.expect(f"Written: {nothing.settings_file}")
    person.answer("Try 5 documents now (nothing is written)? [Y/n]: ", "")
    person.expect("Stromrechnung August 2026")
    person.expect("Next:  paperclerk scan-now home --limit 20")

    assert person.finish() == 0, person.seen
    assert "admin-password" not in person.seen
    assert "wrong-password" not in person.seen
    assert nothing.settings_file.stat().st_mode & 0o777 == 0o600
    settings = settings_in(nothing.settings_file)
    assert settings["paperless"] == {
        "url": sandbox.url,
        "token": sandbox.world.users["admin"].token,
    }
    assert settings["ai"] == {
        "base_url": sandbox.model.base_url,
        "model": MODEL,
        "owner_names": ["Erika Muster", "Muster GmbH"],
    }
    assert "admin-password" not in nothing.settings_file.read_text(encoding="utf-8")
    assert written(nothing) == ["home.toml"]
    assert sandbox.world.documents[1].title == "scan_0031"


def test_a_wrong_token_is_asked_for_again(talk: Talk, sandbox: Sandbox) -> None:
    person = talk("--paperless-url", sandbox.url)
    person.answer("Instance name", "")
    person.answer("Log in with user name and password? [y/N]: ", "")
    person.answer("API token: ", "0123456789")
    person.expect("the token for Paperless was rejected")
    person.answer("Log in with user name and password? [y/N]: ", "")
    person.answer("API token: ", sandbox.token)

    person.expect('Token accepted, user "paperclerk".')
    assert sandbox.token not in person.seen


@pytest.mark.parametrize(
    "question",
    ["Instance name [home]: ", "API token: ", "separated by commas: "],
)
def test_ctrl_c_at_a_question_leaves_nothing_behind(
    nothing: Installation, talk: Talk, sandbox: Sandbox, question: str
) -> None:
    answers = {
        "Instance name [home]: ": "",
        "Log in with user name and password? [y/N]: ": "",
        "API token: ": sandbox.token,
        "separated by commas: ": "",
    }

    urls = ("--paperless-url", sandbox.url, "--model-url", sandbox.model.base_url)
    person = talk(*urls, "--model", MODEL)
    for expected, answer in answers.items():
        if expected == question:
            person.expect(expected)
            person.interrupt()
            break
        person.answer(expected, answer)

    assert person.finish() == 130
    assert "Nothing was written." in person.seen
    assert written(nothing) == []


def test_an_existing_file_is_replaced_only_if_the_person_says_so(
    nothing: Installation, talk: Talk, sandbox: Sandbox
) -> None:
    nothing.settings_file.write_text("# mine\n", encoding="utf-8")

    person = talk(*options(nothing))
    person.answer("Instance name", "home")
    person.answer("exists. Replace it? [y/N]: ", "")
    person.expect("choose another name")
    person.answer("Instance name", "attic")
    person.answer("Your names, separated by commas", "")
    person.answer("Try 5 documents now", "n")

    assert person.finish() == 0
    assert nothing.settings_file.read_text(encoding="utf-8") == "# mine\n"
    assert written(nothing) == ["attic.toml", "home.toml"]


def test_options_alone_are_enough_without_a_terminal(
    nothing: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    said = paperclerk("init", *options(nothing, owner_names="Erika Muster,"))

    assert said.code == 0, said.err
    assert "ok   Answer" in said.out
    assert "home: 3 documents" in said.out
    assert nothing.settings_file.stat().st_mode & 0o777 == 0o600
    assert settings_in(nothing.settings_file)["paperless"] == {
        "url": sandbox.url,
        "token_file": str(nothing.data.parent / "token"),
    }
    assert settings_in(nothing.settings_file)["ai"]["owner_names"] == ["Erika Muster"]
    assert paperclerk("check").code == 0


@pytest.mark.parametrize(
    ("missing", "option"),
    [
        ("paperless_url", "--paperless-url"),
        ("token_file", "--token-file"),
        ("model_url", "--model-url"),
        ("model", "--model"),
    ],
)
def test_without_a_terminal_a_missing_answer_names_its_option(
    nothing: Installation, paperclerk: Paperclerk, missing: str, option: str
) -> None:
    said = paperclerk("init", *options(nothing, **{missing: ""}))

    assert said.code == 2
    assert f"give it with {option}" in said.err
    assert said.err.endswith("Nothing was written.\n")
    assert written(nothing) == []


def test_a_token_in_the_environment_is_used_and_stays_there(
    nothing: Installation, paperclerk: Paperclerk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPERCLERK_HOME_PAPERLESS__TOKEN", nothing.sandbox.token)

    said = paperclerk("init", *options(nothing, token_file=""))

    assert said.code == 0, said.err
    assert nothing.sandbox.token not in nothing.settings_file.read_text(encoding="utf-8")
    assert nothing.sandbox.token not in said.out + said.err
    assert paperclerk("check").code == 0


def test_a_token_is_fetched_with_a_password_from_a_file(
    nothing: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    sandbox.world.users["admin"].mfa_code = "123456"
    password = nothing.data.parent / "password"
    password.write_text("admin-password\n", encoding="utf-8")
    login = {"username": "admin", "password_file": str(password), "mfa_code": "123456"}

    said = paperclerk("init", *options(nothing, token_file="", **login))

    assert said.code == 0, said.err
    token = settings_in(nothing.settings_file)["paperless"]["token"]
    assert token == sandbox.world.users["admin"].token


@pytest.mark.parametrize(
    ("changed", "code", "reason"),
    [
        ({"paperless_url": "http://127.0.0.1:1"}, 3, "no answer from http://127.0.0.1:1/"),
        ({"paperless_url": "webserver"}, 2, "must begin with http:// or https://"),
        ({"model_url": "http://127.0.0.1:1/v1"}, 3, "no connection to the model"),
        ({"model": "no-such-model"}, 2, f"available: {MODEL}"),
        ({"name": "My home"}, 2, "is not a valid instance name"),
        ({"token_file": "/no/such/file"}, 2, "cannot read /no/such/file"),
        ({"ca_file": "/no/such/file"}, 2, "/no/such/file"),
    ],
)
def test_a_wrong_answer_is_an_error_and_nothing_is_written(
    nothing: Installation,
    paperclerk: Paperclerk,
    changed: dict[str, str],
    code: int,
    reason: str,
) -> None:
    said = paperclerk("init", *options(nothing, **changed))

    assert said.code == code
    assert reason in said.err
    assert written(nothing) == []


def test_a_wrong_token_is_refused(nothing: Installation, paperclerk: Paperclerk) -> None:
    wrong = nothing.data.parent / "wrong"
    wrong.write_text("0123456789", encoding="utf-8")

    said = paperclerk("init", *options(nothing, token_file=str(wrong)))

    assert said.code == 4
    assert written(nothing) == []


def test_another_server_than_paperless_gets_no_token(
    nothing: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    said = paperclerk("init", *options(nothing, paperless_url=sandbox.model.base_url))

    assert said.code == 3
    assert "could not reach Paperless" in said.err
    assert written(nothing) == []


def test_an_existing_file_is_kept_unless_an_option_says_otherwise(
    nothing: Installation, paperclerk: Paperclerk
) -> None:
    nothing.settings_file.write_text("# mine\n", encoding="utf-8")

    kept = paperclerk("init", *options(nothing), "--yes")
    text = nothing.settings_file.read_text(encoding="utf-8")
    replaced = paperclerk("init", *options(nothing), "--overwrite")

    assert (kept.code, text) == (2, "# mine\n")
    assert "--overwrite" in kept.err
    assert replaced.code == 0
    assert settings_in(nothing.settings_file)["ai"]["model"] == MODEL


def test_a_model_that_fails_at_the_test_letter_is_a_warning(
    nothing: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    sandbox.model.behave(Behaviour(outcome=Outcome.RUBBISH))

    refused = paperclerk("init", *options(nothing))
    files = written(nothing)
    accepted = paperclerk("init", *options(nothing), "--yes")

    assert refused.code != 0
    assert f"WARNING: {MODEL} could not file a short test letter." in refused.out
    assert "--yes" in refused.err
    assert files == []
    assert accepted.code == refused.code
    assert written(nothing) == ["home.toml"]


def test_another_model_can_be_chosen_after_the_test_letter(
    nothing: Installation, talk: Talk, sandbox: Sandbox
) -> None:
    sandbox.model.behave(Behaviour(outcome=Outcome.RUBBISH))

    person = talk(*options(nothing, name="home", owner_names=","))
    person.expect("Choose another model? [Y/n]: ")
    sandbox.model.behave(Behaviour())
    person.type("y\n")
    person.answer("Model (number or name)", MODEL)
    person.expect("ok   Answer")
    person.answer("Try 5 documents now", "n")

    assert person.finish() == 0
    assert written(nothing) == ["home.toml"]


def test_a_key_is_asked_for_if_the_model_server_needs_one(
    nothing: Installation, talk: Talk, sandbox: Sandbox
) -> None:
    needs_key = Behaviour(failure=Failure.WRONG_KEY, reach=FailureScope.EVERYTHING)
    sandbox.model.behave(needs_key)

    person = talk(*options(nothing, name="home", owner_names=","))
    person.expect("API key: ")
    sandbox.model.behave(Behaviour())
    person.type("sk-secret\n")
    person.answer("Try 5 documents now", "n")

    assert person.finish() == 0
    assert "sk-secret" not in person.seen
    assert settings_in(nothing.settings_file)["ai"]["api_key"] == "sk-secret"


def test_a_folder_that_cannot_be_written_to_is_reported_before_any_question(
    nothing: Installation, paperclerk: Paperclerk
) -> None:
    nothing.config.rmdir()
    nothing.config.write_text("a file", encoding="utf-8")

    said = paperclerk("init")

    assert said.code == 2
    assert f"the folder {nothing.config} is not writable" in said.err


def test_a_dry_run_follows_if_an_option_asks_for_it(
    nothing: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    said = paperclerk("init", *options(nothing), "--try")

    assert said.code == 0, said.err
    assert "Stromrechnung August 2026" in said.out
    assert sandbox.world.documents[1].title == "scan_0031"

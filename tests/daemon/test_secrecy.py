"""No log line and no error tells a secret, or a word of a document, at any level."""

import json

import pytest

from sandbox import Sandbox
from sandbox.faults import Answer, Fault, html_page
from sandbox.model.behaviour import Behaviour, Failure, FailureScope, Outcome, Overflow
from tests.daemon.conftest import CommandResult, Paperclerk
from tests.installation import COMPLETIONS, Installation, fields_of

KEY = "sk-secret-key-of-the-owner"
JSON = {"content-type": "application/json"}
SIGNED = {**JSON, "x-version": "3.0.5", "x-api-version": "10"}


@pytest.fixture(autouse=True)
def everything_is_logged(installation: Installation, sandbox: Sandbox) -> None:
    installation.configure(all_fields="replace")
    settings = installation.settings_file.read_text().replace("[ai]", f'[ai]\napi_key = "{KEY}"')
    installation.settings_file.write_text(settings)
    (installation.config / "daemon.toml").write_text('[log]\nlevel = "debug"\n')
    sandbox.model.state.api_key = KEY


def private_words(sandbox: Sandbox) -> list[str]:
    """Return what nobody may read: the secrets, and every longer line of a document."""
    texts = [str(fields_of(sandbox, id_)["content"]) for id_ in (1, 2, 3)]
    lines = [line.strip() for text in texts for line in text.splitlines()]
    titles = ["scan_0031", "Stromrechnung August", "Stadtwerke"]
    return [sandbox.token, KEY, *titles, *(line for line in lines if len(line) > 8)]


def assert_silent(said: CommandResult, sandbox: Sandbox) -> None:
    assert "Traceback" not in said.err
    leaked = [word for word in private_words(sandbox) if word in said.err]
    assert leaked == []


def echo(sandbox: Sandbox, status: int) -> Fault:
    """Have the server repeat key and document in its error, as some frameworks do."""
    text = str(fields_of(sandbox, 3)["content"])
    body = json.dumps({"detail": [{"msg": "bad", "input": text, "headers": f"Bearer {KEY}"}]})
    return Fault(path=COMPLETIONS, effect=Answer(status=status, body=body, headers=JSON))


def test_a_good_run_is_logged_without_a_private_word(
    paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    said = paperclerk("--verbose", "scan-now")

    assert said.err.count('event="job completed"') == 3
    assert_silent(said, sandbox)


@pytest.mark.parametrize("status", [400, 401, 404, 422, 429, 500, 503])
def test_a_server_that_repeats_the_request_in_its_error_is_not_quoted(
    paperclerk: Paperclerk, sandbox: Sandbox, status: int
) -> None:
    sandbox.model.state.faults.add(echo(sandbox, status))

    said = paperclerk("process", "home/3")

    assert "code=" in said.err
    assert_silent(said, sandbox)
    assert KEY not in said.out
    assert KEY not in paperclerk("job", "1", "--json").out


@pytest.mark.parametrize(
    "behaviour",
    [
        Behaviour(outcome=Outcome.RUBBISH),
        Behaviour(outcome=Outcome.CUT),
        Behaviour(outcome=Outcome.REFUSAL),
        Behaviour(outcome=Outcome.HTML),
        Behaviour(context=300, overflow=Overflow.SILENT),
        Behaviour(context=300, overflow=Overflow.OPENAI),
        Behaviour(failure=Failure.WRONG_KEY, reach=FailureScope.EVERYTHING),
        Behaviour(invented=1.0),
    ],
)
def test_no_bad_answer_is_logged_with_a_private_word(
    paperclerk: Paperclerk, sandbox: Sandbox, behaviour: Behaviour
) -> None:
    sandbox.model.behave(behaviour)

    said = paperclerk("process", "home/3")

    assert "event=" in said.err
    assert_silent(said, sandbox)


@pytest.mark.parametrize(
    "effect",
    [
        html_page(500),
        Answer(status=200, body='{"id": "Stadtwerke", "title": 7}', headers=SIGNED),
        Answer(status=200, body="Stadtwerke", headers=SIGNED),
        Answer(status=200, body='{"id": 3, "content": "Stadtwerke', headers=SIGNED),
    ],
    ids=str,
)
def test_no_trouble_with_paperless_is_logged_with_a_private_word(
    paperclerk: Paperclerk, sandbox: Sandbox, effect: Answer
) -> None:
    sandbox.paperless.faults.add(Fault(path="/api/documents/3/", effect=effect))

    said = paperclerk("process", "home/3")

    assert_silent(said, sandbox)


def test_mistakes_in_the_settings_are_reported_without_the_secrets(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    settings = installation.settings_file.read_text()
    installation.settings_file.write_text(
        settings.replace(f'token = "{sandbox.token}"', f'token = ["{sandbox.token}"]').replace(
            f'api_key = "{KEY}"', f'api_key = {{ key = "{KEY}" }}'
        )
    )

    for words in (("check",), ("scan-now",)):
        said = paperclerk(*words)

        assert said.code == 2
        assert_silent(said, sandbox)
        assert KEY not in said.out
        assert sandbox.token not in said.out


def test_a_database_that_is_down_is_reported_without_its_password(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    (installation.config / "daemon.toml").write_text(
        '[database]\nurl = "postgresql://clerk:hunter2@127.0.0.1:9/clerk"\n'
    )

    said = paperclerk("scan-now")

    assert said.code == 1
    assert "hunter2" not in said.err
    assert "the database cannot be opened" in said.err

"""`user` and `token`: the way in from the command line."""

import asyncio
import re

import pytest
from typer.testing import CliRunner

from core.access import ApiToken, Permission, hash_secret
from core.calendar import utc_now
from daemon.cli import app
from daemon.cli.exits import Exit
from dashboard.auth.login import Passwords
from tests.daemon.conftest import CommandResult, Paperclerk
from tests.installation import HOME, Installation


def typed(installation: Installation, line: str) -> CommandResult:
    """Set the password as a script does."""
    folders = ["--config", str(installation.config), "--data", str(installation.data)]
    result = CliRunner().invoke(app, [*folders, "user", "password"], input=line)
    return CommandResult(result.exit_code, result.stdout, result.stderr)


def kept_password(installation: Installation) -> str | None:
    async def read() -> str | None:
        async with installation.open() as services:
            return await services.store.access.get_password_hash()

    return asyncio.run(read())


def known(installation: Installation, token: str) -> ApiToken | None:
    async def read() -> ApiToken | None:
        async with installation.open() as services:
            return await services.store.access.tokens.get(hash_secret(token))

    return asyncio.run(read())


def test_a_link_is_printed_that_is_good(installation: Installation, paperclerk: Paperclerk) -> None:
    said = paperclerk("user", "link")

    address, _, link = said.out.strip().partition("/welcome?link=")

    async def ask() -> bool:
        async with installation.open() as services:
            return await services.store.access.is_link_valid(hash_secret(link), now=utc_now())

    assert (said.code, address) == (Exit.OK, "http://127.0.0.1:PORT")
    assert asyncio.run(ask())


def test_a_line_of_input_becomes_the_password(installation: Installation) -> None:
    said = typed(installation, "correct horse battery\nanother line\n")

    kept = kept_password(installation)
    assert said.code == Exit.OK
    assert kept is not None
    assert asyncio.run(Passwords().matches("correct horse battery", kept))


@pytest.mark.parametrize("line", ["", "short\n", "\n"])
def test_a_short_password_is_refused(installation: Installation, line: str) -> None:
    said = typed(installation, line)

    assert (said.code, "at least 10 characters" in said.err) == (Exit.CONFIG, True)
    assert kept_password(installation) is None


def test_a_token_is_printed_alone_and_known_from_then_on(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    said = paperclerk("token", "create", "grafana")
    limited = paperclerk("token", "create", "importer", "--right", "act", "--instance", HOME)

    first, second = known(installation, said.out.strip()), known(installation, limited.out.strip())
    assert re.fullmatch(r"pck_[\w-]{43}\n", said.out)
    assert "shown once" in said.err
    assert first is not None
    assert second is not None
    assert (first.right, first.instances) == (Permission.READ, None)
    assert (second.right, second.instances) == (Permission.ACT, frozenset({HOME}))


def test_tokens_are_listed_without_what_they_are(paperclerk: Paperclerk) -> None:
    assert paperclerk("token", "list").out == "no tokens\n"
    token = paperclerk("token", "create", "grafana").out.strip()
    paperclerk("token", "create", "importer", "--right", "act", "--instance", HOME)

    table, listed = paperclerk("token", "list").out, paperclerk("token", "list", "--json").json()

    assert token not in table
    assert re.search(r"grafana +read +all +\d{4}", table)
    assert re.search(r"importer +act +home +\d{4}", table)
    assert isinstance(listed, list)
    assert [(token["name"], token["right"]) for token in listed] == [
        ("grafana", "read"),
        ("importer", "act"),
    ]


def test_a_revoked_token_is_good_no_more(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    token = paperclerk("token", "create", "grafana").out.strip()

    said = paperclerk("token", "revoke", "grafana")
    again = paperclerk("token", "revoke", "grafana")

    assert (said.code, said.out) == (Exit.OK, "revoked: grafana\n")
    assert (again.code, again.err) == (Exit.LOOK, "there is no valid API token grafana\n")
    assert known(installation, token) is None


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["grafana", "--right", "root"], 'no permission "root"; there are: read, act, admin'),
        (["grafana", "--instance", "attic"], 'no instance "attic"'),
        ([" "], "a token needs a name"),
        (["taken"], "a valid API token taken already exists"),
    ],
)
def test_what_cannot_be_a_token_is_reported(
    paperclerk: Paperclerk, words: list[str], error: str
) -> None:
    paperclerk("token", "create", "taken")

    said = paperclerk("token", "create", *words)

    assert (said.code != Exit.OK, said.out) == (True, "")
    assert error in said.err

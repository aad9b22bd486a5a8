"""`notify test` and `check`, as they are typed."""

import pytest

from tests.daemon.conftest import Paperclerk
from tests.daemon.notify.receiver import Receiver
from tests.installation import Installation


def configure(installation: Installation, *lines: str) -> None:
    (installation.config / "daemon.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("language", "expected"),
    [("en", "This is a test."), ("de", "Das ist ein Test.")],
)
def test_a_test_message_arrives_in_the_owners_language(
    installation: Installation,
    paperclerk: Paperclerk,
    receiver: Receiver,
    language: str,
    expected: str,
) -> None:
    configure(
        installation,
        f'[notify]\nurls = ["{receiver.url}"]\nlanguage = "{language}"',
        '[web]\npublic_url = "https://my.house"\nbase_path = "/clerk"',
    )

    said = paperclerk("notify", "test")

    assert (said.code, said.out) == (0, "sent to JSON\n")
    [message] = receiver.messages
    assert message.startswith(expected)
    assert message.endswith("\nhttps://my.house/clerk/")


def test_a_service_that_is_away_is_reported(
    installation: Installation, paperclerk: Paperclerk, receiver: Receiver
) -> None:
    configure(installation, f'[notify]\nurls = ["{receiver.url}"]')
    receiver.is_unavailable = True

    said = paperclerk("notify", "test")

    assert said.code == 3
    assert "not taken by address 1 (JSON)" in said.err
    assert "geheim" not in said.err + said.out


@pytest.mark.parametrize("which", ["2", "json"])
def test_one_address_is_tested_alone_whatever_is_wrong_with_the_others(
    installation: Installation, paperclerk: Paperclerk, receiver: Receiver, which: str
) -> None:
    configure(installation, f'[notify]\nurls = ["nonsense://geheim", "{receiver.url}"]')

    said = paperclerk("notify", "test", which)

    assert (said.code, said.out) == (0, "sent to JSON\n")
    assert receiver.attempts == 1


def test_an_address_that_is_tested_alone_keeps_its_number(
    installation: Installation, paperclerk: Paperclerk, receiver: Receiver
) -> None:
    configure(installation, f'[notify]\nurls = ["nonsense://geheim", "{receiver.url}"]')
    receiver.is_unavailable = True

    wrong, away = paperclerk("notify", "test", "1"), paperclerk("notify", "test", "2")

    assert (wrong.code, away.code) == (2, 3)
    assert "notify.urls: number 1 of the list is no address" in wrong.err
    assert "not taken by address 2 (JSON)" in away.err


def test_an_address_that_there_is_not_is_reported_with_those_that_there_are(
    installation: Installation, paperclerk: Paperclerk, receiver: Receiver
) -> None:
    configure(installation, f'[notify]\nurls = ["{receiver.url}"]')

    said = paperclerk("notify", "test", "ntfy")

    assert said.code == 2
    assert 'there is no address "ntfy" in notify.urls; there is: 1 (JSON)' in said.err
    assert receiver.attempts == 0


def test_without_addresses_there_is_nothing_to_test(paperclerk: Paperclerk) -> None:
    said = paperclerk("notify", "test")

    assert said.code == 2
    assert "daemon.toml contains no notify.urls" in said.err


def test_check_looks_at_the_addresses_and_sends_nothing(
    installation: Installation, paperclerk: Paperclerk, receiver: Receiver
) -> None:
    configure(installation, f'[notify]\nurls = ["{receiver.url}"]')
    good = paperclerk("check")
    configure(installation, f'[notify]\nurls = ["{receiver.url}", "nonsense://geheim"]')
    wrong = paperclerk("check")
    test = paperclerk("notify", "test")

    assert (good.code, "ok   Messages             go to JSON" in good.out) == (0, True)
    assert (wrong.code, test.code) == (2, 2)
    assert "BAD  Messages             notify.urls: number 2 of the list is no address" in wrong.out
    assert "geheim" not in wrong.out + test.err
    assert receiver.attempts == 0

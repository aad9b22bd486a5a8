"""Messages go to a real port, and whatever happens there disturbs nobody."""

import sys
from datetime import timedelta

import pytest
from pydantic import SecretStr

from daemon.notify.sender import AddressUnusable, AppriseMissing, Sender
from tests.daemon.notify.receiver import Receiver, a_receiver

NOBODY = SecretStr("json://127.0.0.1:1/")


async def test_a_message_arrives_as_it_is(receiver: Receiver) -> None:
    sender = Sender([SecretStr(receiver.url)])

    sent = await sender.send("Paperclerk", "5 < 6 & „süß“\nhttps://my.house/?a=1&b=2")

    assert sent == ""
    assert receiver.messages == ["5 < 6 & „süß“\nhttps://my.house/?a=1&b=2"]


async def test_who_does_not_answer_is_named_without_the_address(receiver: Receiver) -> None:
    with a_receiver() as refuses:
        refuses.is_away = True
        sender = Sender([NOBODY, SecretStr(receiver.url), SecretStr(refuses.url)])

        sent = await sender.send("Paperclerk", "hello")

    assert sent == "not taken by address 1 (JSON), 3 (JSON)"
    assert receiver.messages == ["hello"]


async def test_addresses_that_nobody_understands_are_reported_by_their_number(
    receiver: Receiver,
) -> None:
    wrong = [SecretStr("nonsense://geheim"), SecretStr(receiver.url), SecretStr("json:///")]
    sender = Sender(wrong)

    assert (sender.wrong, sender.names) == ((1, 3), ("JSON",))
    with pytest.raises(AddressUnusable, match="number 1, 3 of the list") as caught:
        sender.require_all()
    assert "geheim" not in str(caught.value)


def test_without_apprise_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "apprise", None)

    with pytest.raises(AppriseMissing) as caught:
        Sender([NOBODY])

    assert caught.value.hint == 'Install it with: pip install "paperclerk[notify]"'


async def test_a_service_that_takes_for_ever_is_given_up(receiver: Receiver) -> None:
    receiver.may_answer.clear()
    sender = Sender([SecretStr(receiver.url)], longest=timedelta(seconds=0.2))

    assert await sender.send("Paperclerk", "hello") == "not taken by address 1 (JSON)"

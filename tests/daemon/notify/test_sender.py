"""Messages go to a real port, and whatever happens there disturbs nobody."""

import sys
from datetime import timedelta

import pytest
from pydantic import SecretStr

from core.messages import message
from daemon.notify.notifier import (
    REFUSED,
    AddressUnusable,
    AppriseMissing,
    NotDelivered,
    Sender,
)
from tests.daemon.notify.receiver import Receiver, running_receiver

NOBODY = SecretStr("json://127.0.0.1:1/")


async def test_a_message_arrives_as_it_is(receiver: Receiver) -> None:
    sender = Sender([SecretStr(receiver.url)])

    sent = await sender.send("Paperclerk", "5 < 6 & „süß“\nhttps://my.house/?a=1&b=2")

    assert sent == {}
    assert receiver.messages == ["5 < 6 & „süß“\nhttps://my.house/?a=1&b=2"]


async def test_who_does_not_answer_is_named_without_the_address(receiver: Receiver) -> None:
    with running_receiver() as refuses:
        refuses.is_unavailable = True
        sender = Sender([NOBODY, SecretStr(receiver.url), SecretStr(refuses.url)])

        sent = await sender.send("Paperclerk", "hello")

    assert {channel: str(problem) for channel, problem in sent.items()} == {
        "1 (JSON)": "the connection to the service failed",
        "3 (JSON)": "the service returned HTTP status 503",
    }
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

    [problem] = (await sender.send("Paperclerk", "hello")).values()

    assert str(problem) == "no answer within 0.2 s"


async def test_of_what_apprise_logs_only_the_reason_is_kept(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with running_receiver() as refuses:
        refuses.is_unavailable = True
        problems = await Sender([SecretStr(refuses.url)]).send("Paperclerk", "hello")

    assert "geheim" not in str(NotDelivered(problems))
    assert capfd.readouterr() == ("", "")
    assert caplog.records == []


def test_a_refused_test_message_names_each_address_and_its_reason() -> None:
    error = NotDelivered({"1 (ntfy)": REFUSED, "3 (JSON)": message("down")})

    assert str(error) == (
        "not taken by address 1 (ntfy): the service did not accept it, "
        "not taken by address 3 (JSON): down"
    )

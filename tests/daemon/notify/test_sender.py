"""Messages go to a real port, and whatever happens there disturbs nobody."""

import pytest
from pydantic import SecretStr

from daemon.notify.sender import AddressUnusable, Sender, Sent
from tests.daemon.notify.receiver import Receiver, a_receiver

NOBODY = SecretStr("json://127.0.0.1:1/")


async def test_a_message_arrives_as_it_is(receiver: Receiver) -> None:
    sender = Sender([SecretStr(receiver.url)])

    sent = await sender.send("Paperclerk", "5 < 6 & „süß“\nhttps://my.house/?a=1&b=2")

    assert sent == Sent(1, "")
    assert receiver.messages == ["5 < 6 & „süß“\nhttps://my.house/?a=1&b=2"]


async def test_who_does_not_answer_is_named_without_the_address(receiver: Receiver) -> None:
    with a_receiver() as refuses:
        refuses.is_away = True
        sender = Sender([NOBODY, SecretStr(receiver.url), SecretStr(refuses.url)])

        sent = await sender.send("Paperclerk", "hello")

    assert sent == Sent(1, "not taken by address 1 (JSON), 3 (JSON)")
    assert receiver.messages == ["hello"]


async def test_addresses_that_nobody_understands_are_told_by_their_number(
    receiver: Receiver,
) -> None:
    wrong = [SecretStr("nonsense://geheim"), SecretStr(receiver.url), SecretStr("json:///")]
    sender = Sender(wrong)

    assert (sender.wrong, sender.names) == ((1, 3), ("JSON",))
    with pytest.raises(AddressUnusable, match="number 1, 3 of the list") as caught:
        sender.require_all()
    assert "geheim" not in str(caught.value)

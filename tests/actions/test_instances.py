"""Pause and resume: who may, and what goes on."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from actions import instances
from actions.caller import Caller
from actions.errors import AllInstancesRequired, InstanceUnknown
from core.holds import PAUSE_ALL, pause_target

HOME = pause_target("home")
OFFICE = pause_target("office")


async def resting(caller: Caller) -> set[str]:
    return {hold.target for hold in await caller.store.holds.list_active()}


@pytest.fixture
def both(caller: Caller) -> Caller:
    """Somebody who looks after two instances."""
    return replace(caller, settings=dict(caller.settings) | {"office": caller.settings["home"]})


@pytest.fixture
def limited(both: Caller) -> Caller:
    """Somebody who may see one of them."""
    home = {"home": both.settings["home"]}
    return replace(both, settings=home, only=frozenset(home))


async def test_what_concerns_all_is_not_for_who_sees_some(both: Caller, limited: Caller) -> None:
    with pytest.raises(AllInstancesRequired):
        await instances.pause(limited, None)
    await instances.pause(both, None)
    with pytest.raises(AllInstancesRequired):
        await instances.resume(limited, None)

    assert await resting(both) == {PAUSE_ALL}


async def test_to_resume_one_leaves_the_pause_of_everything(both: Caller) -> None:
    for paused in ("home", None):
        await instances.pause(both, paused)

    resumed = await instances.resume(both, "home")

    assert [hold.target for hold in resumed.lifted] == [HOME]
    assert [hold.target for hold in resumed.others] == [PAUSE_ALL]


async def test_to_let_one_go_on_ends_all_that_pauses_it(both: Caller) -> None:
    for paused in ("home", "office", None):
        await instances.pause(both, paused)

    resumed = await instances.resume_fully(both, "home")

    assert {hold.target for hold in resumed.lifted} == {HOME, PAUSE_ALL}
    assert [hold.target for hold in resumed.others] == [OFFICE]
    assert await resting(both) == {OFFICE}


async def test_who_sees_some_lets_one_go_on_but_not_everything(
    both: Caller, limited: Caller
) -> None:
    for paused in ("home", None):
        await instances.pause(both, paused)

    resumed = await instances.resume_fully(limited, "home")

    assert [hold.target for hold in resumed.lifted] == [HOME]
    assert await resting(both) == {PAUSE_ALL}


@pytest.mark.parametrize("action", [instances.pause, instances.resume, instances.resume_fully])
async def test_an_instance_that_is_not_there_changes_nothing(
    both: Caller, limited: Caller, action: Callable[[Caller, str], Awaitable[object]]
) -> None:
    await instances.pause(both, None)

    with pytest.raises(InstanceUnknown):
        await action(limited, "office")

    assert await resting(both) == {PAUSE_ALL}

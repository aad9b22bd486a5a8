"""The hold monitor probes at its time, compares documents at a new address, and lifts holds."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from actions.instances import confirm_address
from core.holds import (
    PAUSE_ALL,
    Hold,
    HoldCause,
    HoldKind,
    limit_target,
    model_target,
    paperless_target,
    pause_target,
)
from core.jobs import JobStatus
from core.messages import plain
from core.spending import LimitKind
from daemon.lifecycle import build_hold_monitor
from daemon.services import Services
from processor.holds import HoldMonitor, is_same_archive
from sandbox import Sandbox
from sandbox.faults import Answer, Fault, html_page, too_many_requests
from sandbox.model.behaviour import Behaviour, Failure, FailureScope
from sandbox.paperless import World, load_world
from tests.builders import because
from tests.installation import HOME, Installation, drain, enqueue_document, process, scan
from tests.store.builders import FakeClock

DOWN = Behaviour(failure=Failure.UNAVAILABLE, reach=FailureScope.EVERYTHING)

UNREACHABLE = because("down")
DAILY_QUOTA = because("429", is_daily_quota=True)
A_DAYS_LIMIT = HoldCause(plain("reached"), limit=LimitKind.DOCUMENTS_PER_DAY)
A_MONTHS_LIMIT = HoldCause(plain("reached"), limit=LimitKind.COST_PER_MONTH)


class Lifted:
    """Counts how often something went on."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> None:
        self.times += 1


def build_monitor(services: Services, lifted: Lifted | None = None) -> HoldMonitor:
    clock = services.context.clock
    return HoldMonitor(
        services.store, services.instances, clock=clock, on_lifted=lifted or Lifted()
    )


async def targets(services: Services) -> list[str]:
    return [hold.target for hold in await services.store.holds.list_active()]


async def test_an_outage_is_asked_about_after_1_2_3_4_5_and_5_minutes(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    sandbox.model.behave(DOWN)
    await process(services)
    monitor, waits = build_monitor(services), []

    for _ in range(7):
        [hold] = await services.store.holds.list_active()
        assert hold.next_probe_at is not None
        wait = hold.next_probe_at - clock()
        waits.append(wait.total_seconds() / 60)
        clock.advance(seconds=wait.total_seconds() - 1)
        asked = len(list(sandbox.model.state.log))
        await monitor.check_due()
        assert len(list(sandbox.model.state.log)) == asked
        clock.advance(seconds=1)
        await monitor.check_due()

    assert waits == [1, 2, 3, 4, 5, 5, 5]
    assert len(sandbox.model.state.chats()) == 1


@pytest.mark.parametrize("who", ["model", "paperless"])
async def test_who_says_at_a_probe_when_to_come_back_is_asked_then(
    services: Services, sandbox: Sandbox, clock: FakeClock, who: str
) -> None:
    instance = services.instances[HOME]
    target = instance.model_target if who == "model" else instance.paperless_target
    faults = sandbox.model.state.faults if who == "model" else sandbox.paperless.faults
    faults.add(Fault(times=None, effect=too_many_requests(retry_after=1800)))
    await services.store.holds.place(target, because("down"), next_probe_at=clock(), now=clock())

    await build_monitor(services).check_due()

    [hold] = await services.store.holds.list_active()
    assert hold.next_probe_at == clock() + timedelta(minutes=30)


async def test_several_jobs_that_meet_one_outage_make_one_hold_and_one_line(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    sandbox.model.behave(DOWN)
    for id_ in (1, 2, 3):
        await enqueue_document(services, id_)

    with capture_logs() as logs:
        [_ async for _ in services.processor(parallel=3).drain()]

    [hold] = await services.store.holds.list_active()
    assert (hold.probes, hold.next_probe_at) == (0, clock() + timedelta(minutes=1))
    assert [entry["event"] for entry in logs].count("endpoint held") == 1


async def test_what_answers_again_goes_on(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    sandbox.model.behave(DOWN)
    await process(services)
    sandbox.model.behave(Behaviour())
    clock.advance(minutes=1)
    lifted = Lifted()

    await build_monitor(services, lifted).check_due()

    assert (await targets(services), lifted.times) == ([], 1)
    assert len(await drain(services)) == 1


async def test_a_long_outage_is_reported_now_and_then(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    sandbox.model.behave(DOWN)
    await process(services)
    monitor = build_monitor(services)

    with capture_logs() as logs:
        for _ in range(6 * 60):
            clock.advance(minutes=1)
            await monitor.check_due()

    assert [entry["event"] for entry in logs] == ["endpoint still held"] * 7


async def test_a_pause_is_ended_by_nobody_but_a_person(
    services: Services, clock: FakeClock
) -> None:
    for target in (PAUSE_ALL, pause_target(HOME)):
        await services.store.holds.place(
            target, because("by hand"), next_probe_at=None, now=clock()
        )
    clock.advance(days=300)

    await build_monitor(services).check_due()
    await build_monitor(services).check_all()

    assert set(await targets(services)) == {PAUSE_ALL, pause_target(HOME)}


async def test_a_limit_goes_on_at_its_time_without_a_question(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    tomorrow = clock() + timedelta(days=1)
    await services.store.holds.place(
        limit_target(HOME), because("limited"), next_probe_at=tomorrow, now=clock()
    )
    monitor = build_monitor(services)

    await monitor.check_due()
    today = await targets(services)
    clock.advance(days=1)
    with capture_logs() as logs:
        await monitor.check_due()

    assert (today, await targets(services)) == ([limit_target(HOME)], [])
    assert [entry["event"] for entry in logs] == ["limit lifted"]
    assert list(sandbox.model.state.log) == []


async def test_what_no_instance_uses_any_more_is_held_no_more(
    services: Services, clock: FakeClock
) -> None:
    soon = clock() + timedelta(hours=1)
    for target in (paperless_target("sold"), model_target("http://old/v1#0")):
        await services.store.holds.place(target, because("down"), next_probe_at=soon, now=clock())

    await build_monitor(services).check_all()

    assert await targets(services) == []


@pytest.mark.parametrize(
    "body",
    ["[]", "null", '"text"', '{"data": [1]}', '{"data": {}}', '{"data": [{"id": 5}]}', "{", ""],
)
async def test_whatever_a_probe_gets_for_an_answer_it_is_only_an_answer(
    services: Services, sandbox: Sandbox, clock: FakeClock, body: str
) -> None:
    odd = Answer(status=200, body=body, headers={"content-type": "application/json"})
    sandbox.model.state.faults.add(Fault(times=None, effect=odd))
    target = services.instances[HOME].model_target
    await services.store.holds.place(target, because("down"), next_probe_at=clock(), now=clock())

    await build_monitor(services).check_due()

    assert await targets(services) == [target]


async def test_a_login_page_in_front_of_the_model_is_an_outage(
    services: Services, sandbox: Sandbox
) -> None:
    sandbox.model.state.faults.add(Fault(times=None, effect=html_page()))

    finished = await process(services)

    assert finished.job.attempts == 0
    assert await targets(services) == [services.instances[HOME].model_target]


async def test_a_document_behind_two_holds_in_a_row_is_charged_and_ends_failed(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    """Its text makes the server fall over: each time it is up again just when the probe comes."""
    monitor, attempts = build_monitor(services), []
    await enqueue_document(services, 1)

    for _ in range(4):
        sandbox.model.behave(DOWN)
        [finished] = await drain(services)
        attempts.append((finished.job.status.value, finished.job.attempts))
        sandbox.model.behave(Behaviour())
        clock.advance(minutes=30)
        await monitor.check_due()

    assert attempts == [("pending", 0), ("pending", 1), ("pending", 2), ("failed", 3)]
    assert len([chat for chat in sandbox.model.state.chats() if chat.status != 200]) == 4


async def test_another_document_in_between_is_nobodys_fault(
    services: Services, sandbox: Sandbox, clock: FakeClock
) -> None:
    monitor = build_monitor(services)
    for id_ in (1, 2, 1):
        job = await enqueue_document(services, id_)
        sandbox.model.behave(DOWN)
        [finished] = await drain(services)
        assert (finished.job.id, finished.job.attempts) == (job.id, 0)
        sandbox.model.behave(Behaviour())
        clock.advance(minutes=5)
        await monitor.check_due()
        await drain(services)

    assert (await services.store.jobs.count_by_status(HOME))[JobStatus.COMPLETED] == 3


@pytest.mark.parametrize(
    ("target", "cause", "ahead", "is_pulled_in"),
    [
        (paperless_target(HOME), UNREACHABLE, timedelta(minutes=60), False),
        (paperless_target(HOME), UNREACHABLE, timedelta(minutes=62), True),
        (paperless_target(HOME), UNREACHABLE, timedelta(days=365), True),
        (paperless_target(HOME), DAILY_QUOTA, timedelta(days=1), False),
        (paperless_target(HOME), DAILY_QUOTA, timedelta(days=2), True),
        (limit_target(HOME), A_DAYS_LIMIT, timedelta(hours=12), False),
        (limit_target(HOME), A_DAYS_LIMIT, timedelta(hours=36), True),
        (limit_target(HOME), A_MONTHS_LIMIT, timedelta(days=30), False),
        (limit_target(HOME), A_MONTHS_LIMIT, timedelta(days=62), True),
        (limit_target("removed"), A_DAYS_LIMIT, timedelta(hours=1), True),
    ],
)
async def test_a_hold_is_looked_at_at_once_if_no_clock_that_is_right_can_have_planned_its_time(
    services: Services,
    clock: FakeClock,
    target: str,
    cause: HoldCause,
    ahead: timedelta,
    *,
    is_pulled_in: bool,
) -> None:
    planned = clock() + ahead
    await services.store.holds.place(target, cause, next_probe_at=planned, now=clock())

    with capture_logs() as logs:
        await build_monitor(services).pull_in(now=clock())

    [hold] = await services.store.holds.list_active()
    assert hold.next_probe_at == (clock() if is_pulled_in else planned)
    assert [entry["event"] for entry in logs] == ["hold pulled in"] * is_pulled_in


async def test_a_pause_and_what_others_look_after_are_not_pulled_in(
    services: Services, clock: FakeClock
) -> None:
    others = model_target("http://other/v1#0")
    far = clock() + timedelta(days=365)
    await services.store.holds.place(PAUSE_ALL, because("hand"), next_probe_at=None, now=clock())
    await services.store.holds.place(others, because("down"), next_probe_at=far, now=clock())
    monitor = HoldMonitor(
        services.store,
        services.instances,
        clock=clock,
        on_lifted=Lifted(),
        configured=frozenset({others}),
    )

    await monitor.pull_in(now=clock())

    assert {hold.next_probe_at for hold in await services.store.holds.list_active()} == {None, far}


@pytest.fixture
def other_world() -> World:
    """Another archive, which has other texts under the same numbers."""
    world = load_world()
    first, second = world.documents[1], world.documents[2]
    first.content, second.content = second.content, first.content
    world.documents = {1: first, 2: second}
    return world


@pytest.fixture
def elsewhere(other_world: World) -> Iterator[Sandbox]:
    with Sandbox(other_world) as running:
        yield running


@pytest.fixture
async def known(installation: Installation) -> Installation:
    """An installation that has read the documents of its Paperless."""
    async with installation.open() as services:
        await scan(services)
        await drain(services)
    return installation


def move_to(installation: Installation, url: str) -> None:
    text = installation.settings_file.read_text()
    installation.settings_file.write_text(text.replace(installation.sandbox.url, url))


async def holds_on_address(services: Services) -> list[Hold]:
    holds = await services.store.holds.list_active()
    return [hold for hold in holds if hold.kind is HoldKind.ADDRESS]


async def stored_url(services: Services) -> str | None:
    stored = await services.store.instances.get(HOME)
    assert stored is not None
    return stored.url


async def test_an_address_with_the_same_documents_is_accepted(known: Installation) -> None:
    other_name = known.sandbox.url.replace("127.0.0.1", "localhost")
    move_to(known, other_name)

    async with known.open() as services:
        before = await holds_on_address(services)
        await build_hold_monitor(services).check_all()

        assert len(before) == 1
        assert await holds_on_address(services) == []
        assert await stored_url(services) == other_name


async def test_other_documents_hold_the_instance_until_a_person_confirms(
    known: Installation, elsewhere: Sandbox
) -> None:
    move_to(known, elsewhere.url)

    async with known.open() as services:
        await build_hold_monitor(services).check_all()
        [hold] = await holds_on_address(services)
        await enqueue_document(services, 1)
        processed = await drain(services)
        await build_hold_monitor(services).check_all()
        still = await holds_on_address(services)
        confirmed = await confirm_address(services.caller, HOME)

        assert "are not those that Paperclerk knows" in str(hold.cause)
        assert (hold.next_probe_at, processed, still) == (None, [], [hold])
        assert confirmed
        assert await holds_on_address(services) == []
        assert await stored_url(services) == elsewhere.url
        assert not await confirm_address(services.caller, HOME)


async def test_the_former_address_ends_the_hold(known: Installation, elsewhere: Sandbox) -> None:
    move_to(known, elsewhere.url)
    async with known.open() as services:
        await build_hold_monitor(services).check_all()
    known.configure()

    async with known.open() as services:
        assert await holds_on_address(services) == []


async def test_an_address_without_an_answer_is_asked_again_later(known: Installation) -> None:
    move_to(known, "http://127.0.0.1:9")

    async with known.open() as services:
        await build_hold_monitor(services).check_all()
        [hold] = await holds_on_address(services)

        assert hold.next_probe_at is not None
        assert hold.next_probe_at > known.clock()
        assert await stored_url(services) == known.sandbox.url


async def test_without_known_documents_any_address_will_do(
    installation: Installation, elsewhere: Sandbox
) -> None:
    async with installation.open():
        pass
    move_to(installation, elsewhere.url)

    async with installation.open() as services:
        await build_hold_monitor(services).check_all()

        assert await holds_on_address(services) == []


@pytest.mark.parametrize(
    ("compared", "expected"),
    [
        ((), True),
        ((True,), True),
        ((True, True, False), True),
        ((True, False), False),
        ((False,), False),
    ],
)
def test_most_of_the_documents_decide(compared: tuple[bool, ...], *, expected: bool) -> None:
    assert is_same_archive(compared) is expected

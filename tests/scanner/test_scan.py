"""One scan of one instance, on a real port: what it selects, what it leaves alone and why."""

import pytest
from structlog.testing import capture_logs

from actions.decisions import reject
from core.documents import DocumentState
from core.errors import Problem
from core.jobs import DRY_RUN, JobStatus, Priority
from core.messages import plain
from core.names import TagMissing
from core.scans import SkipReason
from daemon.services import Services
from paperless_client import PaperlessUnavailable, PermissionMissing, TokenRefused
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from sandbox.model.behaviour import Behaviour, Outcome
from sandbox.paperless import Kind
from scanner.scan import ScanOrder
from scanner.selection import DoneTagBeneathRemoved
from store import JobFilter
from tests.installation import (
    HOME,
    Installation,
    blocked,
    blocking,
    drain,
    fields_of,
    home,
    run_while_blocked,
    scan,
    writes,
)
from tests.store.builders import FakeClock

WHOLE = ScanOrder(limit=1000)
"""Reads the whole list, whatever has changed."""


def rules(*lines: str) -> str:
    return "\n".join(["[scan]", *lines, ""])


async def selected(installation: Installation, *lines: str) -> list[int]:
    """Scan with these rules, and say which documents were put into the queue."""
    installation.configure(rules(*lines))
    async with installation.open() as services:
        await scan(services)
        jobs = await services.store.jobs.list(JobFilter(status=JobStatus.PENDING))
    return sorted(job.document.id for job in jobs)


async def test_a_first_scan_takes_every_document_newest_first(installation: Installation) -> None:
    async with installation.open() as services:
        report = await scan(services)
        jobs = await services.store.jobs.list()

    assert (report.seen, report.enqueued, report.skipped) == (3, 3, {})
    assert report.finished_at is not None
    assert [job.document.id for job in reversed(jobs)] == [3, 2, 1]


async def test_a_second_scan_finds_nothing_new(
    installation: Installation, clock: FakeClock
) -> None:
    async with installation.open() as services:
        await scan(services)
        clock.advance(days=1)
        again = await scan(services, WHOLE)

    assert (again.seen, again.enqueued, again.skipped) == (3, 0, {SkipReason.QUEUED: 3})


async def test_the_log_tells_of_a_scan_in_one_line(
    installation: Installation, clock: FakeClock
) -> None:
    async with installation.open() as services:
        await scan(services)
        clock.advance(days=1)
        with capture_logs() as logs:
            await scan(services, WHOLE)

    assert logs == [
        {
            "event": "scan finished",
            "log_level": "info",
            "instance": "home",
            "scan": 2,
            "by": "hand",
            "seen": 3,
            "enqueued": 0,
            "skipped": 3,
            "took_ms": 0,
        }
    ]


async def test_a_scan_reads_no_text_and_writes_nothing(
    installation: Installation, sandbox: Sandbox
) -> None:
    async with installation.open() as services:
        await scan(services)

    listings = [
        request for request in sandbox.paperless.requests if request.path == "/api/documents/"
    ]
    assert listings
    assert not [request for request in listings if "content" in dict(request.query)["fields"]]
    assert writes(sandbox) == []


async def test_a_preview_tells_what_a_scan_would_take_and_leaves_nothing(
    installation: Installation, sandbox: Sandbox
) -> None:
    sandbox.world.edit(1, tags=["Inbox", "Privat"])
    installation.configure(rules('exclude_tags = ["Privat"]'))
    async with installation.open() as services:
        found = await services.scanners[HOME].preview(ScanOrder())
        some = await services.scanners[HOME].preview(ScanOrder(limit=1))

        assert await services.store.scans.list() == ()
        assert await services.store.jobs.list() == ()
    assert [job.document.id for job, _ in found.selected] == [3, 2]
    assert (found.seen, found.skipped) == (3, {SkipReason.EXCLUDED: 1})
    assert [job.document.id for job, _ in some.selected] == [3]
    assert some.skipped == {SkipReason.EXCLUDED: 1, SkipReason.OVER_LIMIT: 1}


async def test_all_of_the_tags_asked_for_must_be_there(
    installation: Installation, sandbox: Sandbox
) -> None:
    sandbox.world.edit(1, tags=["Inbox", "Bank"])
    sandbox.world.edit(2, tags=["Bank"])

    assert await selected(installation, 'include_tags = ["Inbox", "Bank"]') == [1]


async def test_any_of_the_excluded_tags_is_enough(
    installation: Installation, sandbox: Sandbox
) -> None:
    sandbox.world.edit(1, tags=["Inbox", "Privat"])
    sandbox.world.edit(2, tags=["Inbox", "Schule"])

    assert await selected(installation, 'exclude_tags = ["Privat", "Schule"]') == [3]


async def test_documents_added_before_the_date_are_left_alone(installation: Installation) -> None:
    assert await selected(installation, "since = 2026-09-05") == [2, 3]


async def test_with_first_start_only_what_comes_later_is_taken(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    assert await selected(installation, 'since = "first_start"') == []
    clock.advance(hours=1)
    late = sandbox.world.add_document("Brief", "spaeter.pdf", added=clock())
    clock.advance(minutes=5)

    assert await selected(installation, 'since = "first_start"') == [late.id]


async def test_a_document_that_just_arrived_is_left_to_paperless_for_a_while(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    young = sandbox.world.add_document("Brief", "neu.pdf", added=clock())

    clock.advance(seconds=119)
    assert young.id not in await selected(installation)
    clock.advance(seconds=1)
    assert young.id in await selected(installation)


async def test_a_limit_takes_the_newest_and_leaves_the_rest_for_later(
    installation: Installation,
) -> None:
    async with installation.open() as services:
        first = await scan(services, ScanOrder(limit=2))
        taken = [job.document.id for job in await services.store.jobs.list()]
        second = await scan(services)

    assert (first.enqueued, first.skipped) == (2, {SkipReason.OVER_LIMIT: 1})
    assert sorted(taken) == [2, 3]
    assert (second.enqueued, second.skipped) == (1, {SkipReason.QUEUED: 2})


async def test_what_arrived_since_the_last_scan_goes_before_the_backlog(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    async with installation.open() as services:
        await scan(services, ScanOrder(limit=1))
        clock.advance(minutes=1)
        new = sandbox.world.add_document("Brief", "neu.pdf", added=clock())
        clock.advance(minutes=5)
        await scan(services)
        jobs = await services.store.jobs.list()

    assert {job.document.id for job in jobs if job.priority == Priority.NEW} == {new.id}


@pytest.mark.parametrize(
    "rule",
    [
        'include_tags = ["Steuer"]',
        'exclude_tags = ["Steuer"]',
        'remove_tags = ["Steuer"]',
        'done_tag = "Steuer"',
    ],
)
async def test_a_tag_that_does_not_exist_stops_the_scan(
    installation: Installation, rule: str
) -> None:
    installation.configure(rules(rule))

    async with installation.open() as services:
        with pytest.raises(TagMissing, match="no such tag in Paperless: Steuer"):
            await scan(services)
        jobs = await services.store.jobs.list()
        report = await services.store.scans.get_latest(HOME)

    assert jobs == ()
    assert report is not None
    assert report.problem is not None
    assert report.problem.code == "tag_missing"
    assert str(report.problem.message) == "no such tag in Paperless: Steuer"
    assert report.problem.hint


async def test_a_tag_that_we_may_not_see_counts_as_missing(
    installation: Installation, sandbox: Sandbox
) -> None:
    privat = sandbox.world.find(Kind.TAG, "Privat")
    privat.owner = sandbox.world.users["admin"].id
    installation.configure(rules('exclude_tags = ["Privat"]'))

    async with installation.open() as services:
        with pytest.raises(TagMissing):
            await scan(services)


@pytest.mark.parametrize("removed", ["Wohnen", "Haus"])
async def test_a_done_tag_beneath_a_removed_tag_is_refused(
    installation: Installation, sandbox: Sandbox, removed: str
) -> None:
    haus = sandbox.world.add_name(Kind.TAG, "Haus")
    sandbox.world.find(Kind.TAG, "Wohnen").parent = haus.id
    installation.configure(rules('done_tag = "Strom"', f'remove_tags = ["{removed}"]'))

    async with installation.open() as services:
        with pytest.raises(DoneTagBeneathRemoved):
            await scan(services)
        jobs = await services.store.jobs.list()

    assert jobs == ()


async def test_a_scan_that_cannot_go_on_says_why(
    installation: Installation, sandbox: Sandbox
) -> None:
    sandbox.paperless.faults.add(Fault(path="/api/documents/", effect=Answer(status=503)))

    async with installation.open() as services:
        with pytest.raises(PaperlessUnavailable):
            await scan(services)
        report = await services.store.scans.get_latest(HOME)

    assert report is not None
    assert "503" in str(report.problem)
    assert report.finished_at is not None


async def test_a_refused_token_and_a_missing_permission_are_told_apart(
    installation: Installation, sandbox: Sandbox
) -> None:
    user = sandbox.world.users["paperclerk"]

    async with installation.open() as services:
        user.permissions.discard("view_document")
        with pytest.raises(PermissionMissing, match="view_document"):
            await scan(services)
        user.is_active = False
        with pytest.raises(TokenRefused):
            await scan(services)


async def test_a_trigger_tag_that_a_person_puts_back_asks_for_the_document_anew(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(rules('include_tags = ["Inbox"]', 'remove_tags = ["Inbox"]'))

    async with installation.open() as services:
        await scan(services)
        await drain(services)
        await _reject_everything(services)
        assert fields_of(sandbox)["tags"] == []
        idle = await scan(services)
        sandbox.world.edit(1, tags=["Inbox"])
        again = await scan(services)
        [finished] = await drain(services)

    assert (idle.seen, idle.enqueued) == (0, 0)
    assert (again.seen, again.enqueued) == (1, 1)
    assert finished.job.document == home(1)


async def test_a_trigger_tag_that_could_not_be_taken_off_asks_for_nothing(
    installation: Installation, sandbox: Sandbox
) -> None:
    """A workflow that puts the tag back at once must not keep the clerk busy for ever."""
    installation.configure(rules('remove_tags = ["Inbox"]'), all_fields="replace")
    read_back = blocked("/api/documents/3/", method="GET", nth=3)

    async with installation.open() as services:
        await scan(services, ScanOrder(limit=1))
        await run_while_blocked(
            sandbox.paperless.faults,
            read_back,
            drain(services),
            lambda: sandbox.world.edit(3, tags=["Inbox"]),
        )
        again = await scan(services)

    assert "Inbox" in str(fields_of(sandbox, 3)["tags"])
    assert again.skipped == {SkipReason.DONE: 1}


async def test_failed_and_ignored_documents_are_not_selected_again(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    sandbox.model.behave(Behaviour(outcome=Outcome.REFUSAL, only_for="Mobilfunkrechnung"))

    async with installation.open() as services:
        await services.store.documents.ignore(home(3), by="hand", now=clock())
        await scan(services)
        await drain(services)
        clock.advance(days=1)
        again = await scan(services, WHOLE)

    assert again.enqueued == 0
    assert again.skipped == {SkipReason.DONE: 1, SkipReason.FAILED: 1, SkipReason.IGNORED: 1}


async def test_a_document_that_vanishes_before_it_is_read_is_gone_until_it_comes_back(
    installation: Installation, sandbox: Sandbox
) -> None:
    async with installation.open() as services:
        await scan(services)
        sandbox.world.delete(1)
        ends = {outcome.job.document.id: outcome.job for outcome in await drain(services)}
        known = await services.store.documents.get(home(1))
        idle = await scan(services)
        sandbox.world.documents[1].deleted_at = None
        sandbox.world.touch(sandbox.world.documents[1])
        again = await scan(services)
        [finished] = await drain(services)

    assert ends[1].status is JobStatus.CANCELLED
    assert known is not None
    assert known.state is DocumentState.GONE
    assert idle.enqueued == 0
    assert again.enqueued == 1
    assert finished.job.status is JobStatus.COMPLETED


async def test_a_document_that_is_hidden_from_us_is_gone_as_well(
    installation: Installation, sandbox: Sandbox
) -> None:
    async with installation.open() as services:
        await scan(services)
        sandbox.world.edit(1, owner="admin")
        ends = {outcome.job.document.id: outcome.job for outcome in await drain(services)}

    assert ends[1].status is JobStatus.CANCELLED


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ('include_tags = ["Bank"]', SkipReason.NOT_ASKED_FOR),
        ('exclude_tags = ["Inbox"]', SkipReason.EXCLUDED),
        ("since = 2026-10-01", SkipReason.TOO_OLD),
        ('min_age = "200d"', SkipReason.TOO_YOUNG),
        ("", None),
    ],
)
async def test_it_can_be_explained_why_a_document_is_skipped(
    installation: Installation, rule: str, reason: SkipReason | None
) -> None:
    installation.configure(rules(rule))

    async with installation.open() as services:
        summary, explained = await services.scanners[HOME].explain(1)

    assert (summary.title, explained) == ("scan_0031", reason)


async def _reject_everything(services: Services) -> None:
    for id_ in (1, 2, 3):
        waiting = await services.store.changes.list_for_review(document=home(id_))
        await services.store.changes.decide(
            home(id_),
            reject(waiting, None),
            by="hand",
            max_attempts=3,
            now=services.context.clock(),
        )
    await drain(services)


async def test_a_scan_does_not_begin_what_may_not_be_written(
    installation: Installation, sandbox: Sandbox
) -> None:
    sandbox.world.users["paperclerk"].permissions.discard("change_document")

    async with installation.open() as services:
        with pytest.raises(PermissionMissing, match="change_document"):
            await scan(services)
        jobs = await services.store.jobs.list()

    assert jobs == ()


async def test_a_dry_run_needs_no_permission_to_write(
    installation: Installation, sandbox: Sandbox
) -> None:
    sandbox.world.users["paperclerk"].permissions.discard("change_document")

    async with installation.open() as services:
        report = await scan(services, ScanOrder(kind=DRY_RUN))

    assert report.enqueued == 3


async def test_a_token_that_may_not_ask_whose_it_is_may_scan(
    installation: Installation, sandbox: Sandbox
) -> None:
    sandbox.world.users["paperclerk"].permissions.discard("view_uisettings")

    async with installation.open() as services:
        assert (await scan(services)).enqueued == 3


async def test_what_settings_let_create_must_be_allowed(
    installation: Installation, sandbox: Sandbox
) -> None:
    sandbox.world.users["paperclerk"].permissions.discard("add_correspondent")
    installation.configure('[names]\ncorrespondents = "create"\n')

    async with installation.open() as services:
        with pytest.raises(PermissionMissing, match="add_correspondent"):
            await scan(services)


async def test_a_scan_that_is_cancelled_while_it_reads_the_list_ends_at_once(
    services: Services, sandbox: Sandbox
) -> None:
    store, clock = services.store, services.context.clock
    cancelled = Problem("cancelled", plain("cancelled"))
    work = services.scanners[HOME].scan(WHOLE)

    async with blocking(sandbox.paperless.faults, blocked("/api/documents/"), work) as task:
        [running] = await store.scans.list_unfinished()
        await store.scans.give_up(running.id, problem=cancelled, now=clock())
    report = await task

    assert (report.id, report.problem, report.enqueued) == (running.id, cancelled, 0)
    assert await store.jobs.list() == ()
    assert (await scan(services)).problem is None

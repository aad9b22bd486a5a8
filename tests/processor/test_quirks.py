"""Every quirk of a model server ends in the right result, or in the right error."""

import pytest

from core.jobs import Job, JobStatus
from daemon.services import Services
from sandbox import Sandbox
from sandbox.model.quirks import QUIRKS
from tests.installation import HOME, Installation, fields_of, process, snapshot, writes
from tests.pages import page, rows
from tests.processor.quirks import EXPECTED, Expected

FILED = {
    "title": "Stromrechnung August 2026",
    "correspondent": "Stadtwerke Musterstadt",
    "document_type": "Rechnung",
    "created": "2026-08-31",
    "tags": ["Inbox", "Strom", "Wohnen"],
}
ANNEX = "\n" + "\n".join(f"Anlage, Blatt {number}, ohne Text" for number in range(400))
"""Fits into what the server claims to read, and not into what it does read."""
SECOND = 2
"""A document for which it is known by then what the server understands."""


async def end_of(services: Services, job: Job) -> Expected:
    """Say how a job has ended."""
    calls = await services.store.calls.list_for_job(job.id)
    held = any(
        hold.target == services.instances[HOME].model_target
        for hold in await services.store.holds.list_active()
    )
    ends = {
        JobStatus.COMPLETED: "filed",
        JobStatus.FAILED: "fails",
        JobStatus.PENDING: "on hold" if held else "retried",
    }
    return Expected(ends[job.status], calls[-1].outcome, len(calls))


def prepare(installation: Installation, sandbox: Sandbox, quirk: str) -> None:
    installation.configure(all_fields="replace")
    if quirk == "never_loaded":
        settings = installation.settings_file.read_text()
        installation.settings_file.write_text(settings.replace("[ai]", '[ai]\ntimeout = "1s"'))
    if QUIRKS[quirk].context is not None:
        document = sandbox.world.documents[1]
        sandbox.world.edit(1, content=document.content + ANNEX)
    sandbox.model.behave(QUIRKS[quirk])


@pytest.mark.parametrize("quirk", QUIRKS)
async def test_a_quirk_ends_in_the_right_result_or_the_right_error(
    installation: Installation, sandbox: Sandbox, quirk: str
) -> None:
    prepare(installation, sandbox, quirk)
    before = snapshot(sandbox)

    async with installation.open() as services:
        finished = await process(services)
        ended = await end_of(services, finished.job)

    assert ended == EXPECTED[quirk]
    if ended.end == "filed":
        assert fields_of(sandbox) == fields_of(sandbox) | FILED
    else:
        assert (writes(sandbox), snapshot(sandbox)) == ([], before)
    # An outage gives the attempt back; whatever else went wrong is charged.
    assert finished.job.attempts == (0 if ended.end == "on hold" else 1)


LEARNED = [
    name
    for name, comes in EXPECTED.items()
    if comes.end == "filed" and comes.calls > 1 and QUIRKS[name].context is None
]
"""Quirks of how a server is to be asked."""


@pytest.mark.parametrize("quirk", LEARNED)
async def test_what_a_server_understands_is_found_out_once(
    installation: Installation, sandbox: Sandbox, quirk: str
) -> None:
    prepare(installation, sandbox, quirk)

    async with installation.open() as services:
        await process(services)
        second = await process(services, SECOND)
        ended = await end_of(services, second.job)

    assert ended == Expected("filed", "ok", 1)


def test_every_quirk_is_in_the_documentation_with_what_comes_of_it() -> None:
    table = rows(page("docs/explanation/model-servers.md").text)
    documented = {name: (comes, int(calls)) for name, *_, comes, calls in table}

    expected = {
        name: (comes.end if comes.outcome == "ok" else f"{comes.end}: {comes.outcome}", comes.calls)
        for name, comes in EXPECTED.items()
    }
    assert documented == expected

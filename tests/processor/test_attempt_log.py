"""What the log tells of an attempt that went through."""

from datetime import timedelta

import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict

from core.jobs import DRY_RUN, UNDO
from daemon.services import Services
from sandbox import Sandbox
from tests.installation import (
    MODEL_BLOCKED,
    Installation,
    drain_one,
    enqueue_document,
    process,
    run_while_blocked,
)

PRICES = "[limits]\nprice_in = 2.0\nprice_out = 10.0\n"


@pytest.fixture
def priced(installation: Installation) -> Installation:
    installation.configure(PRICES, all_fields="replace")
    return installation


async def log_line_of(services: Services, id_: int, kind: str, **payload: object) -> EventDict:
    """Do a job, and return its line of the log."""
    await enqueue_document(services, id_, kind, **payload)
    with capture_logs() as logs:
        await drain_one(services)
    [line] = [entry for entry in logs if entry["event"] == "job completed"]
    return line


async def test_an_analysis_tells_what_it_took_and_what_came_of_it(priced: Installation) -> None:
    async with priced.open() as services:
        line = await log_line_of(services, 1, "analyze")
        [call] = await services.store.calls.list_for_job(1)
        written = len(await services.store.changes.list_for_job(1))

    assert (line["kind"], line["written"], line["for_review"]) == ("analyze", written, 0)
    assert (line["model"], line["tokens_in"]) == ("sandbox-model", call.tokens_in)
    assert (line["tokens_out"], line["cost"]) == (call.tokens_out, float(call.cost))
    assert line["cost"] > 0
    assert timedelta(milliseconds=line["took_ms"]) < timedelta(minutes=1)


async def test_what_waits_for_a_person_is_counted(installation: Installation) -> None:
    async with installation.open() as services:
        line = await log_line_of(services, 1, "analyze")
        waiting = await services.store.changes.list_for_review()

    assert (line["written"], line["for_review"]) == (0, len(waiting))


async def test_a_conflict_waits_for_a_person_too(priced: Installation, sandbox: Sandbox) -> None:
    async with priced.open() as services:
        line = await run_while_blocked(
            sandbox.model.state.faults,
            MODEL_BLOCKED,
            log_line_of(services, 1, "analyze"),
            lambda: sandbox.world.edit(1, title="Mine"),
        )
        written = len(await services.store.changes.list_for_job(1)) - 1

    assert (line["written"], line["for_review"]) == (written, 1)


async def test_an_unreadable_text_is_sent_to_no_model(
    priced: Installation, sandbox: Sandbox
) -> None:
    sandbox.world.edit(1, content="")
    async with priced.open() as services:
        line = await log_line_of(services, 1, "analyze")

    assert (line["written"], line["for_review"]) == (0, 1)
    assert not {"model", "tokens_in", "tokens_out", "cost"} & set(line)


async def test_a_dry_run_tells_what_it_would_write(priced: Installation) -> None:
    async with priced.open() as services:
        line = await log_line_of(services, 1, DRY_RUN)

    assert line["would_write"] > 0
    assert line["for_review"] == 0
    assert "written" not in line


async def test_an_undo_tells_what_went_back_and_what_was_kept(
    priced: Installation, sandbox: Sandbox
) -> None:
    async with priced.open() as services:
        job = (await process(services, 1)).job
        changes = await services.store.changes.list_for_job(job.id)
        sandbox.world.edit(1, title="Mine")
        line = await log_line_of(services, 1, UNDO, changes=[change.id for change in changes])

    assert (line["taken_back"], line["kept"]) == (len(changes) - 1, 1)


async def test_a_line_has_neither_title_nor_value(priced: Installation) -> None:
    async with priced.open() as services:
        line = await log_line_of(services, 1, "analyze")

    assert "Stromrechnung" not in str(line)

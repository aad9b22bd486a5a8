"""A document whose text has changed is analysed again, if the owner wants it."""

import pytest

from core.scans import SkipReason
from paperless_client.requests import MAX_ANSWER_BYTES
from sandbox import Sandbox
from sandbox.model.behaviour import Behaviour, Outcome
from tests.installation import HOME, Installation, drain, home, scan
from tests.store.builders import FakeClock

WANTED = '[scan]\nreanalyze = "when_content_changes"\nexclude_tags = ["Privat"]\n'


def recognise_anew(sandbox: Sandbox, id_: int, text: str = "Ein ganz anderer Text.") -> None:
    """Do the text recognition again, which Paperless does not count as a modification."""
    sandbox.world.documents[id_].content = text


def texts_sent(sandbox: Sandbox) -> list[str]:
    lists = [request for request in sandbox.paperless.requests if request.path == "/api/documents/"]
    return [
        dict(request.query)["id__in"]
        for request in lists
        if "content" in dict(request.query).get("fields", "")
    ]


@pytest.mark.parametrize(("rules", "again"), [(WANTED, 1), ("", 0)])
async def test_what_is_recognised_anew_is_found_when_the_whole_list_is_gone_through(
    installation: Installation, sandbox: Sandbox, clock: FakeClock, rules: str, again: int
) -> None:
    installation.configure(rules)
    async with installation.open() as services:
        await scan(services)
        await drain(services)
        recognise_anew(sandbox, 2)
        clock.advance(days=1)
        found = await scan(services)
        await drain(services)
        clock.advance(days=1)
        quiet = await scan(services)

    assert (found.enqueued, quiet.enqueued) == (again, 0)


async def test_what_gets_another_version_is_found_at_the_next_scan(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(WANTED)
    async with installation.open() as services:
        await scan(services)
        await drain(services)
        recognise_anew(sandbox, 2)
        sandbox.world.touch(sandbox.world.documents[2])
        found = await scan(services)

    assert found.changed_since is not None
    assert found.enqueued == 1


async def test_our_own_writes_are_not_taken_for_other_texts(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(WANTED, all_fields="replace")
    async with installation.open() as services:
        await scan(services)
        await drain(services)
        again = await scan(services)

    assert (again.enqueued, again.skipped) == (0, {SkipReason.DONE: 3})


async def test_a_document_that_failed_is_tried_again_with_another_text(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure(WANTED)
    sandbox.model.behave(Behaviour(outcome=Outcome.REFUSAL, only_for="Mobilfunkrechnung"))
    async with installation.open() as services:
        await scan(services)
        await drain(services)
        recognise_anew(sandbox, 2)
        clock.advance(days=1)
        found = await scan(services)

    assert found.enqueued == 1


async def test_of_what_is_ignored_or_excluded_no_text_is_fetched(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure(WANTED)
    async with installation.open() as services:
        await scan(services)
        await drain(services)
        await services.store.documents.ignore(home(1), by="anna", now=clock())
        sandbox.world.edit(2, tags=["Privat"])
        for id_ in (1, 2, 3):
            recognise_anew(sandbox, id_)
        sandbox.paperless.requests.clear()
        clock.advance(days=1)
        found = await scan(services)

    assert texts_sent(sandbox) == ["3"]
    assert found.skipped == {SkipReason.IGNORED: 1, SkipReason.EXCLUDED: 1}


async def test_a_text_that_is_too_large_keeps_no_other_from_being_compared(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    installation.configure(WANTED)
    async with installation.open() as services:
        await scan(services)
        await drain(services)
        recognise_anew(sandbox, 1, "x" * MAX_ANSWER_BYTES)
        recognise_anew(sandbox, 3)
        sandbox.paperless.requests.clear()
        clock.advance(days=1)
        found = await scan(services)

    assert (found.problem, found.enqueued, found.skipped) == (None, 1, {SkipReason.DONE: 2})
    assert texts_sent(sandbox) == ["1,2,3", "1", "2,3"]


async def test_explain_knows_of_the_other_text(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(WANTED)
    async with installation.open() as services:
        await scan(services)
        await drain(services)
        _, before = await services.scanners[HOME].explain(2)
        recognise_anew(sandbox, 2)
        _, after = await services.scanners[HOME].explain(2)

    assert (before, after) == (SkipReason.DONE, None)

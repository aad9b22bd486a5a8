"""Everything is sent in one PATCH right after a fresh read, without a background task."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

import pytest

from actions.decisions import Edits
from core.changes import ChangeState
from core.fields import FieldName
from core.jobs import UNDO, JobStatus
from daemon.services import Services
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from sandbox.paperless import V2, V3, Kind, Release
from store import Store
from tests.installation import (
    FIELDS_ON,
    MODEL_BLOCKED,
    Installation,
    blocked,
    blocking,
    changes_of,
    drain_one,
    enqueue_document,
    fields_of,
    home,
    patches,
    process,
    run_while_blocked,
    writes,
)
from tests.new_senders import delete_correspondent
from tests.processor.test_process_review import accepted
from tests.store.builders import FakeClock

T = TypeVar("T")
MARKS = '[scan]\ndone_tag = "Software"\nremove_tags = ["Inbox"]\n'
NO_EXAMPLES, NO_E_INVOICES = "examples = 0\n", "einvoices = false\n"
CUSTOM = 'custom_fields = { "Betrag" = "replace" }'
LISTS = ("/api/tags/", "/api/correspondents/", "/api/document_types/", "/api/custom_fields/")
PATCH = blocked("/api/documents/1/", method="PATCH")
FRESH_READ = blocked("/api/documents/1/", method="GET", nth=2)


def requests(sandbox: Sandbox) -> list[str]:
    """Return the requests about documents: those for lists of names do not count."""
    made = sandbox.paperless.requests
    return [f"{request.method} {request.path}" for request in made if request.path not in LISTS]


def tasks(sandbox: Sandbox) -> int:
    return sandbox.world.worker.tasks


def tag(sandbox: Sandbox, name: str) -> int:
    return sandbox.world.find(Kind.TAG, name).id


def sent(sandbox: Sandbox) -> dict[str, Any]:
    """Return the body of the only PATCH."""
    [body] = patches(sandbox)
    assert isinstance(body, dict)
    return body


def configure(
    installation: Installation, tables: str = "", *, mode: str = "replace", ai: str = ""
) -> None:
    """Ask for every field and for the amount."""
    modes = "\n".join(f'{field} = "{mode}"' for field in FIELDS_ON)
    installation.configure(f"{tables}\n[fields]\n{modes}\n{CUSTOM.replace('replace', mode)}\n")
    settings = installation.settings_file.read_text(encoding="utf-8").replace(
        "[ai]\n", f"[ai]\n{ai}"
    )
    installation.settings_file.write_text(settings, encoding="utf-8")


@pytest.mark.parametrize("release", [V2, V3], ids=str)
async def test_everything_goes_in_one_patch_without_a_background_task(
    installation: Installation, sandbox: Sandbox, release: Release
) -> None:
    configure(installation, MARKS)
    sandbox.world.edit(1, custom_fields={"Bezahlt": True})

    async with installation.open() as services:
        finished = await process(services)

    assert sandbox.world.release is release
    assert finished.job.status is JobStatus.COMPLETED
    amount = sandbox.world.find_custom_field("Betrag").id
    paid = sandbox.world.find_custom_field("Bezahlt").id
    body = sent(sandbox)
    assert body["custom_fields"] == [
        {"value": True, "field": paid},
        {"field": amount, "value": "EUR100.94"},
    ]
    assert body["tags"] == [tag(sandbox, name) for name in ("Strom", "Software", "Wohnen")]
    assert body.keys() == {
        "title", "correspondent", "document_type", "created", "tags", "custom_fields"
    }  # fmt: skip
    assert writes(sandbox) == [("PATCH", "/api/documents/1/")]
    assert tasks(sandbox) == 0


@pytest.mark.parametrize(
    ("ai", "count"),
    [(NO_EXAMPLES + NO_E_INVOICES, 4), (NO_E_INVOICES, 5), (NO_EXAMPLES, 5), ("", 6)],
)
@pytest.mark.parametrize("rules", [MARKS, MARKS + 'exclude_tags = ["Privat"]\n'])
async def test_a_written_document_takes_four_requests_and_one_each_for_examples_and_the_original(
    installation: Installation, sandbox: Sandbox, rules: str, ai: str, count: int
) -> None:
    configure(installation, rules, ai=ai)

    async with installation.open() as services:
        await process(services)

    assert len(requests(sandbox)) == count
    assert requests(sandbox)[-3:] == [
        "GET /api/documents/1/",
        "PATCH /api/documents/1/",
        "GET /api/documents/1/",
    ]


@pytest.mark.parametrize(
    ("ai", "count"), [(NO_EXAMPLES + NO_E_INVOICES, 1), (NO_E_INVOICES, 2), ("", 3)]
)
async def test_a_document_that_only_waits_for_review_takes_one_to_three_requests(
    installation: Installation, sandbox: Sandbox, ai: str, count: int
) -> None:
    configure(installation, MARKS, mode="review", ai=ai)

    async with installation.open() as services:
        await process(services)

    assert len(requests(sandbox)) == count


async def test_an_accepted_review_and_an_undo_take_three_requests_each(
    installation: Installation, sandbox: Sandbox
) -> None:
    configure(installation, MARKS, mode="review")
    before = fields_of(sandbox)

    async with installation.open() as services:
        await process(services)
        sandbox.paperless.requests.clear()
        await accepted(services, home(1))
        await drain_one(services)
        applying = requests(sandbox)
        sandbox.paperless.requests.clear()
        changes = await services.store.changes.list_for_document(home(1))
        await enqueue_document(services, 1, UNDO, changes=[change.id for change in changes])
        await drain_one(services)

    once = ["GET /api/documents/1/", "PATCH /api/documents/1/", "GET /api/documents/1/"]
    assert (applying, requests(sandbox)) == (once, once)
    assert fields_of(sandbox) == before
    assert tasks(sandbox) == 0


@pytest.mark.parametrize(
    ("modes", "keys"),
    [
        ('title = "replace"\ntags = "off"\n', {"title"}),
        ('title = "off"\ntags = "replace"\n', {"tags"}),
        (f'title = "off"\ntags = "off"\n{CUSTOM}\n', {"custom_fields"}),
    ],
)
async def test_a_key_is_sent_only_if_one_of_its_values_changes(
    installation: Installation, sandbox: Sandbox, modes: str, keys: set[str]
) -> None:
    sandbox.world.edit(1, custom_fields={"Bezahlt": True})
    installation.configure(
        f'[fields]\n{modes}correspondent = "off"\ndocument_type = "off"\ndate = "off"\n'
    )

    async with installation.open() as services:
        await process(services)

    assert sent(sandbox).keys() == keys


async def test_what_we_cannot_see_or_do_not_know_is_sent_back_as_it_came(
    installation: Installation, sandbox: Sandbox
) -> None:
    configure(installation)
    world = sandbox.world
    hidden = world.add_name(Kind.TAG, "Von der Chefin", owner=world.users["admin"].id)
    links = world.add_custom_field("Gehört zu", "documentlink")
    odd = world.add_custom_field("Neue Art", "colour")
    world.documents[1].tags.add(hidden.id)
    world.documents[1].custom_fields = {links.id: [2, 3], odd.id: {"red": [1, 2.50]}}

    async with installation.open() as services:
        await process(services)

    assert hidden.id in sent(sandbox)["tags"]
    assert sent(sandbox)["custom_fields"][:2] == [
        {"value": [2, 3], "field": links.id},
        {"value": {"red": [1, 2.50]}, "field": odd.id},
    ]
    assert hidden.id in world.documents[1].tags
    assert world.documents[1].custom_fields[links.id] == [2, 3]


class Noting:
    """Records each database transaction with the number of requests before it."""

    def __init__(self, store: Store, sandbox: Sandbox) -> None:
        self.seen: list[tuple[int, str]] = []
        self._requests = sandbox.paperless.requests
        for part in (store.changes, store.jobs, store.documents, store.names):
            for name, transaction in list(vars(part).items()):
                if isinstance(transaction, partial):
                    setattr(part, name, self._noted(transaction))

    def between(self, earlier: int, later: int) -> list[str]:
        """Return the transactions after the one request and before the other."""
        return [name for count, name in self.seen if earlier <= count < later]

    def _noted(self, transaction: partial[Awaitable[T]]) -> Callable[..., Awaitable[T]]:
        async def noted(*args: object, **named: object) -> T:
            name = transaction.args[-1].__name__
            if name != "heartbeat":
                self.seen.append((len(self._requests), name))
            return await transaction(*args, **named)

        return noted


async def test_between_the_fresh_read_and_the_patch_is_one_transaction_and_nothing_else(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(MARKS + '[names]\ncorrespondents = "create"\n', all_fields="replace")
    delete_correspondent(sandbox.world, "Stadtwerke Musterstadt")

    async with installation.open() as services:
        noting = Noting(services.store, sandbox)
        await process(services)
        analysed = patched(sandbox)
        changes = await services.store.changes.list_for_document(home(1))
        await enqueue_document(services, 1, UNDO, changes=[change.id for change in changes])
        await drain_one(services)
        undone = patched(sandbox)

    assert noting.between(analysed - 1, analysed) == ["begin"]
    assert noting.between(undone - 1, undone) == ["begin_undo"]


def patched(sandbox: Sandbox) -> int:
    """Return the number of the last PATCH, and check that it follows the fresh read at once."""
    made = list(sandbox.paperless.requests)
    numbers = {request.number: (request.method, request.path) for request in made}
    last = max(request.number for request in made if request.method == "PATCH")
    assert numbers[last - 1] == ("GET", "/api/documents/1/")
    return last


async def test_a_new_name_is_created_before_the_fresh_read(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure('[names]\ncorrespondents = "create"\n', all_fields="replace")
    delete_correspondent(sandbox.world, "Stadtwerke Musterstadt")

    async with installation.open() as services:
        await process(services)

    order = [(request.method, request.path) for request in sandbox.paperless.requests]
    created = order.index(("POST", "/api/correspondents/"))
    assert order[-3:] == [
        ("GET", "/api/documents/1/"),
        ("PATCH", "/api/documents/1/"),
        ("GET", "/api/documents/1/"),
    ]
    assert created < len(order) - 3


async def test_a_name_that_nobody_will_use_is_not_created(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure('[names]\ncorrespondents = "create"\n', all_fields="replace")
    delete_correspondent(sandbox.world, "Stadtwerke Musterstadt")

    async with installation.open() as services:
        await enqueue_document(services, 1)
        await run_while_blocked(
            sandbox.model.state.faults,
            MODEL_BLOCKED,
            drain_one(services),
            lambda: sandbox.world.edit(1, correspondent="Musterbank"),
        )

    assert ("POST", "/api/correspondents/") not in writes(sandbox)
    assert fields_of(sandbox)["correspondent"] == "Musterbank"


async def test_a_conflict_found_by_the_fresh_read_keeps_the_document_unmarked(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(MARKS, all_fields="replace")

    async with installation.open() as services:
        await run_while_blocked(
            sandbox.paperless.faults,
            FRESH_READ,
            process(services),
            lambda: sandbox.world.edit(1, title="Von Hand"),
        )
        states = await changes_of(services)

    assert states[FieldName.TITLE] == [ChangeState.CONFLICT]
    assert fields_of(sandbox)["tags"] == ["Inbox", "Strom", "Wohnen"]


async def test_marks_that_an_attempt_left_behind_wait_with_a_conflict(
    installation: Installation, sandbox: Sandbox, clock: FakeClock
) -> None:
    """The first attempt meant to mark the document; by the second a person has set the title."""
    installation.configure(MARKS, all_fields="replace")
    sandbox.paperless.faults.add(Fault(method="PATCH", effect=Answer(status=500)))

    async with installation.open() as services:
        first = await process(services)
        sandbox.world.edit(1, title="Von Hand")
        clock.advance(minutes=6)
        await drain_one(services)
        unmarked = fields_of(sandbox)["tags"]
        await accepted(services, home(1))
        await drain_one(services)
        states = await changes_of(services)

    assert first.job.status is JobStatus.PENDING
    assert unmarked == ["Inbox", "Strom", "Wohnen"]
    assert fields_of(sandbox)["tags"] == ["Software", "Strom", "Wohnen"]
    assert set(states[FieldName.TAGS]) == {ChangeState.APPLIED}


async def test_a_tag_put_on_between_the_fresh_read_and_the_patch_is_lost(
    services: Services, sandbox: Sandbox
) -> None:
    """Paperless has no If-Match: the documentation names this window."""
    await run_while_blocked(
        sandbox.paperless.faults,
        PATCH,
        process(services),
        lambda: sandbox.world.edit(1, tags=["Inbox", "Bank"]),
    )

    assert fields_of(sandbox)["tags"] == ["Inbox", "Strom", "Wohnen"]


async def test_a_tag_beneath_a_trigger_tag_is_not_suggested(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure('[scan]\nremove_tags = ["Wohnen"]\n', all_fields="replace")
    sandbox.world.edit(1, tags=["Wohnen"])

    async with installation.open() as services:
        await process(services)
        changes = await services.store.changes.list_for_document(home(1))

    assert fields_of(sandbox)["tags"] == []
    tags = [(change.before, change.after) for change in changes if change.field is FieldName.TAGS]
    assert [(str(before), after) for before, after in tags] == [("Wohnen", None)]


async def test_a_tag_beneath_a_trigger_tag_goes_with_it_though_a_person_wants_it(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure('[scan]\nremove_tags = ["Wohnen"]\n', all_fields="review")
    sandbox.world.edit(1, tags=["Wohnen"])

    async with installation.open() as services:
        await process(services)
        await accepted(services, home(1), Edits({FieldName.TAGS: "Strom, Bank"}))
        finished = await drain_one(services)
        states = await changes_of(services)

    assert finished.job.status is JobStatus.COMPLETED
    assert fields_of(sandbox)["tags"] == ["Bank"]
    assert ChangeState.OVERRIDDEN in states[FieldName.TAGS]


async def test_a_write_under_way_is_read_back_and_stored_whoever_ends_the_attempt(
    services: Services, sandbox: Sandbox
) -> None:
    async with blocking(sandbox.paperless.faults, PATCH, process(services)) as task:
        task.cancel()
    with suppress(asyncio.CancelledError):
        await task

    states = await changes_of(services)
    assert {state for reached in states.values() for state in reached} == {ChangeState.APPLIED}


async def test_an_undo_under_way_is_read_back_and_stored_whoever_ends_the_attempt(
    services: Services, sandbox: Sandbox
) -> None:
    await process(services)
    changes = await services.store.changes.list_for_document(home(1))
    await enqueue_document(services, 1, UNDO, changes=[change.id for change in changes])

    async with blocking(sandbox.paperless.faults, PATCH, drain_one(services)) as task:
        task.cancel()
    with suppress(asyncio.CancelledError):
        await task

    states = await changes_of(services)
    assert {state for reached in states.values() for state in reached} == {ChangeState.UNDONE}

"""The store lets rest just what `targets_of` names: in the claim, in the due time, in the count."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime

import pytest

from core.documents import DocumentRef
from core.holds import (
    PAUSE_ALL,
    HoldKind,
    address_target,
    backlog_target,
    hours_target,
    kind_of,
    limit_target,
    model_target,
    paperless_target,
    pause_target,
    rate_target,
    targets_of,
)
from core.jobs import ANALYZE, APPLY, DRY_RUN, EVERYTHING, UNDO, Job, Priority, Scope
from store import Store
from tests.builders import because
from tests.store.builders import NOON, FakeClock, enqueue_job

ENDPOINTS = {"home": "http://ollama/v1#1234", "office": "http://other/v1#1234"}
OF_INSTANCES = (
    *(pause_target, paperless_target, address_target),
    *(limit_target, hours_target, backlog_target),
)
TARGETS = (
    PAUSE_ALL,
    *(name(of) for name in OF_INSTANCES for of in ENDPOINTS),
    *(name(endpoint) for name in (model_target, rate_target) for endpoint in ENDPOINTS.values()),
)
JOBS = (
    *((kind, Priority.NEW) for kind in (ANALYZE, DRY_RUN, APPLY, UNDO)),
    (ANALYZE, Priority.BACKLOG),
    (APPLY, Priority.BACKLOG),
)


async def all_kinds_of_jobs(store: Store, clock: FakeClock) -> list[Job]:
    jobs = []
    for name, endpoint in ENDPOINTS.items():
        await store.instances.register(name, endpoint=endpoint, now=clock())
        for number, (kind, priority) in enumerate(JOBS, start=1):
            clock.advance(minutes=1)
            ref = DocumentRef(name, number)
            jobs.append(await enqueue_job(store, clock, ref, kind=kind, priority=priority))
    return jobs


async def due_times(store: Store, after: datetime) -> AsyncIterator[datetime]:
    while (following := await store.jobs.next_due_after(after)) is not None:
        yield following
        after = following


async def is_awaited(store: Store, clock: FakeClock, job: Job, scope: Scope) -> bool:
    alone = replace(scope, jobs=frozenset({job.id}))
    return await store.jobs.is_anything_due(alone, now=clock())


def is_free(job: Job, target: str) -> bool:
    name = job.document.instance
    return target not in targets_of(name, ENDPOINTS[name]).for_job(job.kind, job.priority)


def test_every_kind_of_hold_is_tried() -> None:
    assert {kind_of(target) for target in TARGETS} == set(HoldKind)


@pytest.mark.parametrize("scope", [EVERYTHING, Scope(instances=("home", "office"))], ids=str)
@pytest.mark.parametrize("target", TARGETS)
async def test_what_is_claimed_due_and_held_is_as_the_targets_say(
    store: Store, clock: FakeClock, target: str, scope: Scope
) -> None:
    jobs = await all_kinds_of_jobs(store, clock)
    free = [job for job in jobs if is_free(job, target)]
    await store.holds.place(target, because("why"), next_probe_at=None, now=clock())

    held = sum([await store.jobs.count_held(name) for name in ENDPOINTS])
    due = [moment async for moment in due_times(store, NOON)]
    awaited = [job for job in jobs if await is_awaited(store, clock, job, scope)]
    claimed = set()
    while job := await store.jobs.claim(worker="worker", now=clock(), scope=scope):
        claimed.add(job.id)

    assert claimed == {job.id for job in free}
    assert due == [job.scheduled_for for job in free]
    assert awaited == free
    assert held == len(jobs) - len(free)

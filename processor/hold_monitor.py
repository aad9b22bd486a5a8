"""Lift holds: limits when they reset, outages after a probe, new addresses after a comparison.

Documents are known by their numbers, which would mean other documents in another archive. So an
instance whose address has changed is on hold until its documents have been compared.
"""

import logging
from collections.abc import Callable, Mapping, Sequence, Set
from datetime import datetime

import structlog

from core.calendar import Clock
from core.documents import KnownDocument, content_hash
from core.holds import (
    Hold,
    HoldCause,
    HoldKind,
    address_target,
    filter_holds,
)
from core.jobs import CLOCK_TOLERANCE
from core.messages import message
from core.pace import MINUTE
from core.scans import KnownInstance
from core.spending import LimitKind
from paperless_client import (
    DocumentQuery,
    PaperlessError,
)
from processor.instance import Instance
from processor.outages import ProbeFailure, probe_answers, probe_model, probe_paperless
from store import Store

log = structlog.get_logger()

_SAMPLE_SIZE = 10
"""Number of documents that are compared."""


class HoldMonitor:
    """Lifts holds when their time has come, their probe succeeds, or their documents match.

    It is responsible for the targets of the given instances, and for targets that no instance uses
    any more. Other `configured` targets belong to other processes.
    """

    def __init__(
        self,
        store: Store,
        instances: Mapping[str, Instance],
        *,
        clock: Clock,
        on_lifted: Callable[[], None],
        configured: Set[str] = frozenset(),
    ) -> None:
        self._store = store
        self._instances = instances
        self._clock = clock
        self._on_lifted = on_lifted
        self._ours = frozenset().union(
            *(instance.targets.all_targets for instance in instances.values())
        )
        self._of_others = configured - self._ours

    async def check_due(self) -> None:
        """Check every hold whose probe is due."""
        for hold in await self._store.holds.list_due(now=self._clock()):
            await self._check(hold)

    async def check_all(self) -> None:
        """Check every hold now, as at a start, except pauses, which only a person ends."""
        for hold in await self._store.holds.list_active():
            if hold.next_probe_at is not None:
                await self._check(hold)

    async def pull_in(self, *, now: datetime) -> None:
        """Reschedule to now the probes of holds that were planned by a clock that was ahead."""
        for hold in await self._store.holds.list_active():
            latest = self._latest_probe(hold, now)
            if hold.next_probe_at is None or hold.target in self._of_others:
                continue
            if hold.next_probe_at > latest + CLOCK_TOLERANCE:
                planned_for = str(hold.next_probe_at)
                if await self._store.waits.pull_in_hold(hold, now=now):
                    log.warning("hold pulled in", target=hold.target, planned_for=planned_for)

    def _latest_probe(self, hold: Hold, now: datetime) -> datetime:
        """Return the latest time at which a correct clock can have planned a probe."""
        if hold.kind is HoldKind.RATE:
            return now + MINUTE
        if not hold.is_timed:
            return now + hold.cause.longest_wait
        instance = self._instances.get(hold.subject)
        if instance is None:
            return now
        if hold.kind is not HoldKind.LIMIT:
            return instance.budget.pace.opens_at(now)
        limit = hold.cause.limit or LimitKind.COST_PER_MONTH
        return instance.budget.resumes_at(limit, now)

    async def _check(self, hold: Hold) -> None:
        if hold.target in self._of_others:
            return
        now = self._clock()
        if hold.kind is HoldKind.ADDRESS and hold.subject in self._instances:
            await self._check_address(hold, self._instances[hold.subject], now)
            return
        # A limit is not probed; the next call that exceeds it places the hold again.
        failure = None if hold.is_timed else await self._probe(hold)
        if failure is None:
            await self._store.holds.lift(hold.target, now=now)
            self._log_lift(hold, now)
            self._on_lifted()
            return
        probes = hold.probes + 1
        if probes & (probes - 1) == 0:
            # Logged only when the number of probes has doubled: an outage may last days.
            log.warning("endpoint still held", target=hold.target, error=str(failure.cause.message))
        at = failure.next_probe(probes + 1, now=now)
        await self._store.holds.place(hold.target, failure.cause, next_probe_at=at, now=now)

    async def _check_address(self, hold: Hold, instance: Instance, now: datetime) -> None:
        """Compare the documents at a new address; if they differ, a person must confirm it."""
        url, holds = instance.url, self._store.holds
        try:
            compared = await compare_documents(instance, self._store)
        except PaperlessError:
            at = now + hold.cause.wait_before_probe(hold.probes + 1, retry_after=None)
            await holds.place(hold.target, hold.cause, next_probe_at=at, now=now)
            return
        if is_same_archive(compared):
            await self._store.instances.set_url(instance.name, url)
            await holds.lift(hold.target, now=now)
            log.info("address changed", instance=instance.name, url=url, compared=len(compared))
            self._on_lifted()
            return
        await holds.place(hold.target, build_mismatch(url), next_probe_at=None, now=now)
        log.error(
            "other documents at the address",
            instance=instance.name,
            url=url,
            hint=f"correct paperless.url, or `paperclerk confirm-address {instance.name}`",
        )

    async def _probe(self, hold: Hold) -> ProbeFailure | None:
        """Probe the target of a hold; return None if it works or no instance uses it."""
        instance = await self._choose_instance(hold.target)
        if instance is None:
            return None
        if hold.target == instance.paperless_target:
            return await probe_paperless(instance)
        if hold.cause.needs_answer:
            return await probe_answers(instance, self._store)
        return await probe_model(instance)

    async def _choose_instance(self, target: str) -> Instance | None:
        """Return the instance that probes the target; None if none uses it.

        Preferred is the one whose document caused the hold: others may use another model there.
        """
        users = {
            instance.name: instance
            for instance in self._instances.values()
            if target in instance.targets.all_targets
        }
        cause = await self._store.holds.get_last_document(target)
        if cause is not None and cause.instance in users:
            return users[cause.instance]
        return next(iter(users.values()), None)

    def _log_lift(self, hold: Hold, now: datetime) -> None:
        event = "endpoint works again" if hold.is_outage else "limit lifted"
        # A rate is reached every few seconds while the queue is long.
        level = logging.DEBUG if hold.kind is HoldKind.RATE else logging.INFO
        facts = {"target": hold.target, "after": str(now - hold.since).partition(".")[0]}
        log.log(level, event if hold.target in self._ours else "hold dropped", **facts)


async def hold_for_address(store: Store, known: KnownInstance, url: str, *, now: datetime) -> None:
    """Put an instance on hold if its address is not the one whose documents are known.

    The hold monitor compares the documents. If the former address is back, the hold ends.
    """
    target = address_target(known.name)
    is_held = bool(filter_holds(await store.holds.list_active(), {target}))
    if known.url == url:
        if is_held:
            await store.holds.lift(target, now=now)
        return
    cause = HoldCause(
        message(
            "its address has changed from {former} to {url}; the documents are being compared",
            former=known.url or "",
            url=url,
        )
    )
    if is_held:
        # Whoever asked about another address gets an answer about this one.
        await store.holds.lift(target, now=now)
    await store.holds.place(target, cause, next_probe_at=now, now=now)


async def compare_documents(instance: Instance, store: Store) -> tuple[bool, ...]:
    """Return for known documents whether Paperless has the same text under their numbers.

    Documents with an excluded tag are left out: their text is never fetched. Raise PaperlessError.
    """
    known = await store.documents.list_latest_read(instance.name, _SAMPLE_SIZE)
    if not known:
        return ()
    names = await instance.catalogue.names()
    excluded = names.tag_ids.all_ids(instance.tags.exclude)
    ids = frozenset(document.ref.id for document in known)
    page = await instance.paperless.list_documents(
        DocumentQuery(ids=ids), page=1, page_size=len(ids)
    )
    left_out = {listed.id for listed in page.results if listed.tags & excluded}
    return tuple(
        [
            await _has_same_text(document, instance, excluded)
            for document in known
            if document.ref.id not in left_out
        ]
    )


def is_same_archive(compared: Sequence[bool]) -> bool:
    """Return whether most of the documents are the same, or there is none to compare."""
    return 2 * sum(compared) > len(compared) or not compared


def build_mismatch(url: str) -> HoldCause:
    """Return the cause of a hold that only a person ends."""
    return HoldCause(
        message(
            "the documents at {url} are not those that Paperclerk knows for this instance",
            url=url,
        )
    )


async def _has_same_text(
    known: KnownDocument, instance: Instance, excluded: frozenset[int]
) -> bool:
    """Return whether Paperless has the document, with the text that was read before."""
    found = await instance.paperless.fetch_document_unless_tagged(
        known.ref.id, without_tags=excluded
    )
    return found is not None and content_hash(found.content) == known.content_hash

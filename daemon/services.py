"""Build the services: connect each instance with its Paperless, its model and its rules."""

import os
import socket
from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from actions.caller import Caller
from core.analysis import Capabilities
from core.calendar import Clock, start_of
from core.cron import Schedule
from core.fields import NAMED_FIELDS, FieldMode, FieldName
from core.holds import targets_of
from core.scans import Scan
from core.settings import (
    AiSettings,
    FieldsSettings,
    InstanceSettings,
    NamesSettings,
    Reanalyze,
    ScanSettings,
    Settings,
    Since,
)
from core.spending import SpendingLimits
from core.title_patterns import LIKE_EARLIER
from daemon.context import Context
from daemon.permissions import required_permissions
from paperless_client import NameLists, PaperlessClient, Transport, build_http
from processor.analysis.model import Endpoint, FormatNegotiator, ModelClient
from processor.analysis.prompt import PromptSettings
from processor.examples import SimilarSearch
from processor.fields import CustomFields
from processor.instance import Budget, Instance, Prices, TagRules, Timeouts
from processor.learning import Learner
from processor.names.catalogue import AliasRules, Catalogue
from processor.names.create import NameCreator, RightsPolicy
from processor.policy import Policy
from processor.processor import Processor
from processor.reconcile import Comparer
from processor.verdict import RetryPolicy
from scanner.backfill import IndexFiller, IndexRules
from scanner.scan import Scanner
from scanner.scheduler import ScheduledInstance
from scanner.selection import ScanRules
from store import HeldLease, Store, StoreUnavailable

_CACHED_FOR = timedelta(minutes=5)
_RETIRE_AFTER = timedelta(minutes=15)
"""Requests of pages, and probes, that began with replaced settings have ended by then."""


@dataclass(frozen=True, slots=True, eq=False)
class ConnectedInstance:
    """Everything that works on one instance, built from one state of its settings."""

    instance: Instance
    scanner: Scanner
    scheduled: ScheduledInstance
    index_filler: IndexFiller
    learner: Learner
    since: datetime
    """When it was built; the first start of an instance that is new."""
    connections: AsyncExitStack
    """Closes its connections to Paperless and to the model."""


@dataclass(frozen=True, slots=True)
class _Retired:
    """An instance that was replaced or removed, and that may still be in use."""

    connected: ConnectedInstance
    at: datetime


class Services:
    """Everything that is needed to scan and to process jobs, by the current settings.

    A change of the settings replaces all of it in one step. Who has begun something keeps what it
    began with.
    """

    def __init__(
        self,
        context: Context,
        connected: Mapping[str, ConnectedInstance],
        *,
        scan_store: Store,
        lease: HeldLease | None = None,
    ) -> None:
        self._connected = connected
        self._retired: list[_Retired] = []
        self.context = context
        self.scan_store = scan_store
        """The store for scans and maintenance; with a lease, it refuses all writes without it."""
        self.lease = lease
        """The lease of the one daemon that scans; None if this process needs none."""

    @property
    def store(self) -> Store:
        return self.context.store

    @property
    def connected(self) -> Mapping[str, ConnectedInstance]:
        return self._connected

    @property
    def instances(self) -> Mapping[str, Instance]:
        return {name: known.instance for name, known in self._connected.items()}

    @property
    def scanners(self) -> Mapping[str, Scanner]:
        return {name: known.scanner for name, known in self._connected.items()}

    @property
    def scheduled(self) -> Mapping[str, ScheduledInstance]:
        return {name: known.scheduled for name, known in self._connected.items()}

    @property
    def index_fillers(self) -> Mapping[str, IndexFiller]:
        return {name: known.index_filler for name, known in self._connected.items()}

    @property
    def learners(self) -> Mapping[str, Learner]:
        return {name: known.learner for name, known in self._connected.items()}

    @property
    def running_scans(self) -> tuple[Scan, ...]:
        """Return the running scans, also of instances that were replaced meanwhile."""
        known = (*self._connected.values(), *(retired.connected for retired in self._retired))
        return tuple(scan for each in known if (scan := each.scanner.current_scan))

    @property
    def caller(self) -> Caller:
        """Return the caller for commands, with the connected instances."""
        return replace(self.context.caller, instances=self.instances)

    def processor(self, *, parallel: int = 1, grace: timedelta = timedelta(0)) -> Processor:
        return Processor(
            self.store,
            self.instances,
            clock=self.context.clock,
            worker=process_name(),
            parallel=parallel,
            grace=grace,
        )

    def replace_all(self, settings: Settings, connected: Mapping[str, ConnectedInstance]) -> None:
        """Switch to other settings and their instances, in one step."""
        now, kept = self.context.clock(), set(connected.values())
        former = (known for known in self._connected.values() if known not in kept)
        self._retired += [_Retired(known, now) for known in former]
        self.context = replace(self.context, settings=settings)
        self._connected = connected

    async def close_retired(self, *, in_use: Collection[Instance] = ()) -> None:
        """Close the connections of replaced instances that nothing uses any more."""
        latest = self.context.clock() - _RETIRE_AFTER
        used = {id(instance) for instance in in_use}
        for retired in tuple(self._retired):
            known = retired.connected
            is_idle = id(known.instance) not in used and known.scanner.current_scan is None
            if is_idle and retired.at <= latest:
                self._retired.remove(retired)
                await known.connections.aclose()

    async def close(self) -> None:
        """Close all connections."""
        retired = [each.connected for each in self._retired]
        await close_all([*self._connected.values(), *retired])


def process_name() -> str:
    """Return the name of this process among those that share a database."""
    return f"{socket.gethostname()}:{os.getpid()}"


@asynccontextmanager
async def open_services(
    context: Context, names: Collection[str], *, lease: HeldLease | None = None
) -> AsyncIterator[Services]:
    """Connect the named instances; the connections end with the context.

    With a lease, only its holder's scans are stored.
    Nothing is stored; `register_instances` does that for the process that works on the queue.
    """
    scan_store = context.store if lease is None else context.store.fenced_by(lease)
    connected = await connect(context, names, scan_store)
    services = Services(context, connected, scan_store=scan_store, lease=lease)
    try:
        yield services
    finally:
        await services.close()


async def connect(
    context: Context, names: Iterable[str], scan_store: Store
) -> dict[str, ConnectedInstance]:
    """Build all of the named instances, or none if one of them fails."""
    connected: dict[str, ConnectedInstance] = {}
    try:
        for name in names:
            connected[name] = await _connect(context, name, scan_store)
    except BaseException:
        await close_all(connected.values())
        raise
    return connected


async def close_all(connected: Iterable[ConnectedInstance]) -> None:
    """Close the connections of instances."""
    async with AsyncExitStack() as stack:
        for known in connected:
            stack.push_async_callback(known.connections.aclose)


async def _connect(context: Context, name: str, scan_store: Store) -> ConnectedInstance:
    settings, since = context.settings.instances[name], context.clock()
    async with AsyncExitStack() as stack:
        client = await _open_client(settings, stack, context.clock)
        lists = NameLists(client, clock=context.clock)
        instance = _build_instance(settings, client, lists, context)
        stack.push_async_callback(instance.model.server.close)
        scanner = Scanner(
            name,
            lists,
            await _build_scan_rules(settings, context, since),
            comparer=Comparer(instance.catalogue, instance.custom_fields),
            store=scan_store,
            clock=context.clock,
        )
        index_rules = await _build_index_rules(settings, context, since)
        return ConnectedInstance(
            instance=instance,
            scanner=scanner,
            scheduled=_build_scheduled_instance(scanner, context),
            index_filler=IndexFiller(
                name, lists, index_rules, store=context.store, clock=context.clock
            ),
            learner=Learner(instance, store=scan_store, clock=context.clock),
            since=since,
            connections=stack.pop_all(),
        )


async def _open_client(
    settings: InstanceSettings, stack: AsyncExitStack, clock: Clock
) -> PaperlessClient:
    paperless = settings.paperless
    http = build_http(
        timeout=paperless.timeout,
        ca_file=paperless.ca_file,
        headers={name: value.get_secret_value() for name, value in paperless.headers.items()},
    )
    await stack.enter_async_context(http)
    token = paperless.token.get_secret_value()
    return PaperlessClient(Transport(paperless.url, token, http, clock=clock))


def _build_instance(
    settings: InstanceSettings, client: PaperlessClient, lists: NameLists, context: Context
) -> Instance:
    fields, scan = settings.fields, settings.scan
    policy = Policy(
        modes={field: fields.mode_of(field) for field in FieldName},
        new_names={
            FieldName.TAGS: settings.names.tags,
            FieldName.CORRESPONDENT: settings.names.correspondents,
            FieldName.DOCUMENT_TYPE: settings.names.document_types,
        },
        max_tags=fields.max_tags,
        reserved_tags=_list_reserved_tags(scan),
        custom=fields.custom_fields_on,
        title_pattern=settings.titles.pattern,
    )
    catalogue = Catalogue(
        lists,
        stored=_StoredNames(context.store, settings.name),
        fields=_list_named_fields(fields),
        offers_unmatched_tags=settings.names.tags_without_matching,
    )
    return Instance(
        name=settings.name,
        paperless=client,
        catalogue=catalogue,
        name_creator=NameCreator(
            client,
            catalogue,
            rights=build_rights_policy(settings.names),
            store=context.store,
            clock=context.clock,
        ),
        custom_fields=CustomFields(lists),
        similar_search=SimilarSearch(
            settings.name, client, store=context.store, clock=context.clock
        ),
        model=_build_negotiator(settings.ai, context),
        prompt_settings=_build_prompt_settings(settings, policy),
        policy=policy,
        tags=TagRules(
            exclude=frozenset(scan.exclude_tags),
            done=_set_of(scan.done_tag),
            remove=frozenset(scan.remove_tags),
        ),
        retry=RetryPolicy(settings.retry.max_attempts, settings.retry.step),
        budget=_build_budget(settings, context),
        timeouts=_build_timeouts(settings),
        zone=context.zone,
        reads_e_invoices=settings.ai.einvoices,
        is_indexed=settings.index.enabled is not False,
        url=settings.paperless.url,
    )


def build_rights_policy(names: NamesSettings) -> RightsPolicy:
    """Build the owner and the groups of created names."""
    return RightsPolicy(names.owner, names.view_groups, names.change_groups)


def _list_named_fields(fields: FieldsSettings) -> frozenset[FieldName]:
    """Return the fields whose names are fetched.

    Storage paths only if they are asked for: reading them needs a permission of its own.
    """
    is_off = fields.storage_path is FieldMode.OFF
    return NAMED_FIELDS - {FieldName.STORAGE_PATH} if is_off else NAMED_FIELDS


def _build_timeouts(settings: InstanceSettings) -> Timeouts:
    return Timeouts(
        call=settings.ai.timeout,
        request=settings.paperless.timeout,
        attempt=settings.retry.attempt_timeout,
    )


def _build_scheduled_instance(scanner: Scanner, context: Context) -> ScheduledInstance:
    scan = context.settings.instances[scanner.name].scan
    return ScheduledInstance(scanner, Schedule(scan.cron, context.zone) if scan.enabled else None)


def _build_budget(settings: InstanceSettings, context: Context) -> Budget:
    limits = settings.limits
    return Budget(
        SpendingLimits(limits.documents_per_day, limits.cost_per_month),
        Prices(limits.price_in, limits.price_out),
        context.zone,
        settings.ai.pace(context.zone),
    )


def _build_prompt_settings(settings: InstanceSettings, policy: Policy) -> PromptSettings:
    ai, fields = settings.ai, settings.fields
    wanted = [field for field in FieldName if fields.mode_of(field) is not FieldMode.OFF]
    if policy.title_pattern not in {"", LIKE_EARLIER}:
        # The title is made of the other values, if there are any.
        wanted = [field for field in wanted if field is not FieldName.TITLE] or wanted
    return PromptSettings(
        fields=tuple(wanted),
        context=ai.context,
        language=ai.language,
        instructions=ai.instructions,
        type_instructions=ai.type_instructions,
        owner_names=ai.owner_names,
        date_order=ai.date_order,
        max_tags=policy.max_tags,
        examples=ai.examples,
        max_passes=ai.max_passes,
        descriptions=settings.names.descriptions,
    )


def _endpoint(ai: AiSettings) -> Endpoint:
    return Endpoint(ai.base_url, ai.model, ai.api_key.get_secret_value(), ai.timeout)


def configured_targets(settings: Settings) -> frozenset[str]:
    """Return every hold target of the configured instances, connected or not."""
    targets = (
        targets_of(instance.name, _endpoint(instance.ai).key).all_targets
        for instance in settings.instances.values()
    )
    return frozenset().union(*targets)


def _build_negotiator(ai: AiSettings, context: Context) -> FormatNegotiator:
    endpoint = _endpoint(ai)
    learned = _EndpointCapabilities(context.store, endpoint, context.clock)
    return FormatNegotiator(
        ModelClient(endpoint, clock=context.clock),
        capabilities=learned,
        clock=context.clock,
        may_stream=ai.stream,
    )


class _EndpointCapabilities:
    """The detected capabilities of one endpoint, kept in the store."""

    def __init__(self, store: Store, endpoint: Endpoint, clock: Clock) -> None:
        self._store = store.capabilities
        self._where = (endpoint.base_url, endpoint.model)
        self._clock = clock
        self._known: Capabilities | None = None
        self._read_at = clock()

    async def get(self) -> Capabilities | None:
        now = self._clock()
        # Read again from time to time: another process may have stored newer ones.
        if self._known is None or now - self._read_at > _CACHED_FOR:
            self._known, self._read_at = await self._store.get(*self._where, now=now), now
        return self._known

    async def save(self, capabilities: Capabilities) -> None:
        self._known = None
        # Capabilities can be detected again, but the paid answer must not be lost.
        with suppress(StoreUnavailable):
            await self._store.save(*self._where, capabilities, now=self._clock())

    async def delete(self) -> None:
        self._known = None
        with suppress(StoreUnavailable):
            await self._store.delete(*self._where)


class _StoredNames:
    """What the store keeps about the names of one instance."""

    def __init__(self, store: Store, instance: str) -> None:
        self._store = store.names
        self._instance = instance

    async def meanings(self) -> AliasRules:
        rules = (alias.meaning for alias in await self._store.list_aliases(self._instance))
        return {(meaning.field, meaning.key): meaning for meaning in rules}

    async def created_tags(self) -> frozenset[int]:
        created = await self._store.list_created_names(self._instance)
        tags = (made.name_id for made in created if made.field is FieldName.TAGS)
        return frozenset(id_ for id_ in tags if id_ is not None)


async def _build_scan_rules(
    settings: InstanceSettings, context: Context, started: datetime
) -> ScanRules:
    scan = settings.scan
    return ScanRules(
        include_tags=frozenset(scan.include_tags),
        exclude_tags=frozenset(scan.exclude_tags),
        remove_tags=frozenset(scan.remove_tags),
        done_tag=_set_of(scan.done_tag),
        since=await _first_day(scan.since, settings.name, context, started),
        min_age=scan.min_age,
        max_attempts=settings.retry.max_attempts,
        permissions=required_permissions(settings),
        custom_fields=frozenset(settings.fields.custom_fields_on),
        reanalyze=scan.reanalyze is Reanalyze.WHEN_CONTENT_CHANGES,
        zone=context.zone,
    )


async def _build_index_rules(
    settings: InstanceSettings, context: Context, started: datetime
) -> IndexRules:
    return IndexRules(
        enabled=settings.index.enabled,
        limits_reading=bool(settings.scan.include_tags),
        exclude_tags=frozenset(settings.scan.exclude_tags),
        since=await _first_day(settings.index.since, settings.name, context, started),
    )


async def _first_day(
    since: date | Since, name: str, context: Context, started: datetime
) -> datetime | None:
    match since:
        case Since.EVERYTHING:
            return None
        case Since.FIRST_START:
            known = await context.store.instances.get(name)
            return known.first_started_at if known else started
        case date() as day:
            return start_of(day, context.zone)


def _list_reserved_tags(scan: ScanSettings) -> frozenset[str]:
    """Return the tags that control scans: the model must not be able to set them."""
    listed = (*scan.include_tags, *scan.exclude_tags, *scan.remove_tags)
    return frozenset(listed) | _set_of(scan.done_tag)


def _set_of(name: str) -> frozenset[str]:
    return frozenset({name}) if name else frozenset()

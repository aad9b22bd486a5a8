"""A file for bug reports: versions, settings, checks, errors and queue, and nothing private.

Only what is listed here as harmless is shown: numbers, switches, choices, codes and the wording of
our own messages. Text of documents and persons, names, hosts and secrets are masked.
"""

import asyncio
import json
import platform
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, tzinfo
from decimal import Decimal
from enum import Enum
from functools import reduce
from typing import Protocol, TypeAlias
from urllib.parse import urlsplit

from pydantic import BaseModel, SecretStr

from actions.health import list_workers
from core.calendar import format_duration
from core.errors import Problem
from core.holds import PAUSE_ALL, Hold, HoldKind, subject_of
from core.jobs import Job, JobStatus
from core.messages import Message
from core.scans import Scan
from core.settings import DaemonSettings, Settings
from core.settings.instance import DAEMON, InstanceTables
from core.settings.options import Option, list_options
from core.workers import WorkerStatus
from store import JobFilter, Store

Facts: TypeAlias = Mapping[str, object]

_NEWEST = 20
"""Number of failed jobs, and of scans."""
_CHECK_TIMEOUT = timedelta(seconds=30)
MASKED = "…"
_ALL_INSTANCES = subject_of(PAUSE_ALL)
_HARMLESS_TEXTS = {
    *("ai.model", "ai.language", "scan.cron", "limits.currency"),
    *("notify.quiet_hours", "notify.digest_at", "web.base_path"),
}
"""Settings whose text cannot be private."""
_ADDRESSES = {
    *("paperless.url", "paperless.public_url", "ai.base_url"),
    *("web.host", "web.public_url", "web.internal_url"),
}
_HARMLESS_VALUES = {"version", "api", "mode", "model", "rights", "permission", "state", "kind"}
"""Values of messages that cannot be private: versions, codes and permissions of Paperless."""
_LOCAL_HOSTS = {"localhost", "127.0.0.1", "::1", "0.0.0.0", "::", "host.docker.internal"}  # noqa: S104
_KNOWN_PATHS = {"", "/", "/v1", "/api", "/api/v1"}


class CheckResult(Protocol):
    """One result of the checks."""

    @property
    def name(self) -> str: ...
    @property
    def ok(self) -> bool: ...
    @property
    def summary(self) -> Message: ...
    @property
    def advice(self) -> Message | None: ...


@dataclass(frozen=True, slots=True)
class DiagnosticsSource:
    """What the facts are collected from."""

    settings: Settings
    store: Store
    now: datetime
    zone: tzinfo
    version: str
    check: Callable[[str], AsyncIterator[CheckResult]]
    """Checks an instance without any cost."""


@dataclass(frozen=True, slots=True)
class Mask:
    """Replaces names of instances and hosts by numbers, always the same for the same one."""

    instances: dict[str, str] = field(default_factory=dict)
    hosts: dict[str, str] = field(default_factory=dict)

    @classmethod
    def for_settings(cls, settings: Settings) -> "Mask":
        names = enumerate(settings.instances, start=1)
        return cls({name: f"instance-{number}" for number, name in names})

    def instance(self, name: str) -> str:
        """Return the number of an instance; one that is not in the settings gets the next."""
        if name == _ALL_INSTANCES:
            return name
        return self.instances.setdefault(name, f"instance-{len(self.instances) + 1}")

    def host(self, name: str) -> str:
        """Return the number of a host; those of this machine are shown."""
        if name in _LOCAL_HOSTS:
            return name
        return self.hosts.setdefault(name, f"host-{len(self.hosts) + 1}")

    def address(self, url: str) -> str:
        """Return an address with its scheme, port and usual path only."""
        if "://" not in url:
            return self.host(url) if url else ""
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
        path = parts.path if parts.path.rstrip("/") in _KNOWN_PATHS else f"/{MASKED}"
        return f"{parts.scheme}://{self.host(parts.hostname or '')}{port}{path}"

    def message(self, said: Message) -> str:
        """Return the wording of a message, with its numbers, and without its texts."""
        return said.template.format(
            **{name: self._value(name, value) for name, value in said.values.items()}
        )

    def _value(self, name: str, value: object) -> object:
        match value:
            case Message():
                return self.message(value)
            case int() | float():
                return value
            case str() if name in _HARMLESS_VALUES:
                return value
            case str() if name == "url":
                return self.address(value)
        return MASKED


async def build_diagnostics(source: DiagnosticsSource) -> str:
    """Return the file as JSON."""
    facts = await collect_diagnostics(source)
    return json.dumps(facts, indent=2, ensure_ascii=False) + "\n"


async def collect_diagnostics(source: DiagnosticsSource) -> Facts:
    """Collect the facts; the only requests are those of the checks."""
    store, names = source.store, tuple(source.settings.instances)
    mask = Mask.for_settings(source.settings)
    failed = await store.jobs.list(JobFilter(JobStatus.FAILED), _NEWEST)
    reviews = await store.statistics.count_for_review(names)
    return {
        "paperclerk": source.version,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "database": await store.version(),
        "time_zone": str(source.zone),
        "taken_at": source.now.isoformat(),
        "processes": [
            _process(status, source.now) for status in await list_workers(store, now=source.now)
        ],
        "settings": _settings(source.settings, mask),
        "checks": {mask.instance(name): await _checks(source, name, mask) for name in names},
        "holds": [_hold(hold, mask) for hold in await store.holds.list_active()],
        "jobs": {
            mask.instance(name): dict(await store.jobs.count_by_status(name)) for name in names
        },
        "documents_for_review": {mask.instance(name): count for name, count in reviews.items()},
        "failed_jobs": [_job(job, mask) for job in failed],
        "scans": [_scan(scan, mask) for scan in await store.scans.list(limit=_NEWEST)],
    }


def mask_setting(option: Option, value: object, mask: Mask) -> object:
    """Return the value of a setting if it is harmless, otherwise only whether it is set."""
    match value:
        case bool() | int() | None:
            return value
        case timedelta():
            return format_duration(value)
        case Enum() | Decimal() | date() | tzinfo():
            return str(value)
        case Mapping() | tuple():
            # The keys of a table are names; of a list, only the choices are ours.
            is_ours = isinstance(value, tuple) and option.choices
            return [str(item) for item in value] if is_ours else f"entries: {len(value)}"
        case str():
            return _mask_text(".".join(option.path), value, mask)
    is_set = value.get_secret_value() if isinstance(value, SecretStr) else value
    return MASKED if is_set else ""


def _settings(settings: Settings, mask: Mask) -> Facts:
    files = {
        f"{mask.instance(name)}.toml": _file(settings, name, tree, InstanceTables, mask)
        for name, tree in settings.instances.items()
    }
    return files | {
        f"{DAEMON}.toml": _file(settings, DAEMON, settings.daemon, DaemonSettings, mask)
    }


def _file(
    settings: Settings, name: str, tree: BaseModel, kind: type[BaseModel], mask: Mask
) -> Facts:
    facts = {}
    for option in list_options(kind):
        key = ".".join(option.path)
        value: object = reduce(getattr, option.path, tree)
        origin = settings.origins.get(f"{name}.{key}", "default")
        facts[key] = {"value": mask_setting(option, value, mask), "from": _origin(origin)}
    return facts


def _mask_text(key: str, value: str, mask: Mask) -> str:
    if key in _ADDRESSES:
        return mask.address(value)
    return value if key in _HARMLESS_TEXTS or not value else MASKED


def _origin(origin: str) -> str:
    """Return the kind of an origin: file and variable contain the name of the instance."""
    if origin == "default":
        return origin
    return "environment" if origin.startswith("PAPERCLERK_") else "file"


async def _checks(source: DiagnosticsSource, name: str, mask: Mask) -> list[Facts]:
    found: list[Facts] = []
    try:
        async with asyncio.timeout(_CHECK_TIMEOUT.total_seconds()):
            async for result in source.check(name):
                found.append(_check(result, mask))
    except TimeoutError:
        found.append({"name": "Time", "ok": False, "summary": "no response in time"})
    return found


def _check(result: CheckResult, mask: Mask) -> Facts:
    advice = mask.message(result.advice) if result.advice else None
    return {
        "name": result.name,
        "ok": result.ok,
        "summary": mask.message(result.summary),
        "advice": advice,
    }


def _process(status: WorkerStatus, now: datetime) -> Facts:
    return {
        "role": status.worker.role,
        "started_at": status.worker.started_at.isoformat(),
        "heartbeat_seconds_ago": round((now - status.worker.beat_at).total_seconds()),
        "silent_parts": status.worker.signs.silent_parts(now=now),
        "jobs": len(status.jobs),
    }


def _hold(hold: Hold, mask: Mask) -> Facts:
    is_model = hold.kind is HoldKind.MODEL
    probe = hold.next_probe_at
    return {
        "kind": hold.kind,
        "of": mask.address(hold.subject) if is_model else mask.instance(hold.subject),
        "cause": mask.message(hold.cause.message),
        "since": hold.since.isoformat(),
        "next_probe_at": probe.isoformat() if probe else None,
    }


def _job(job: Job, mask: Mask) -> Facts:
    return {
        "instance": mask.instance(job.document.instance),
        "kind": job.kind,
        "stage": job.stage,
        **_problem(job.problem, mask),
        "attempts": job.attempts,
        "finished_at": job.finished_at.isoformat() if job.finished_at else None,
    }


def _scan(scan: Scan, mask: Mask) -> Facts:
    return {
        "instance": mask.instance(scan.instance),
        "kind": scan.kind,
        "requested_at": scan.requested_at.isoformat(),
        "finished_at": scan.finished_at.isoformat() if scan.finished_at else None,
        "seen": scan.seen,
        "enqueued": scan.enqueued,
        "skipped": dict(scan.skipped),
        **_problem(scan.problem, mask),
    }


def _problem(problem: Problem | None, mask: Mask) -> Facts:
    return {
        "code": problem.code if problem else None,
        "error": mask.message(problem.message) if problem else None,
    }

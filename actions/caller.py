"""The caller of an action: name, permissions, and access to store and instances."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo
from typing import TYPE_CHECKING, TypeAlias

from actions.errors import InstanceUnknown
from core.analysis import Result
from core.calendar import Clock, day_at
from core.changes import Change
from core.documents import DocumentRef
from core.jobs import Job
from core.scans import Scan
from core.settings import InstanceSettings
from store import (
    ChangeNotFound,
    JobDeleted,
    JobNotFound,
    ResultDeleted,
    ResultNotFound,
    ScanNotFound,
    Store,
)

if TYPE_CHECKING:
    # Loads the HTTP client and the analysis; commands that only read do not need them.
    from processor.instance import Instance

Instances: TypeAlias = "Mapping[str, Instance]"
"""The connected instances, by name."""

BY_HAND = "hand"
"""The caller's name on the command line."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A person or a program that requests an action.

    Anything of an instance that they may not see is treated as if it did not exist.
    """

    by: str
    """The name that is stored with their decisions."""
    store: Store
    clock: Clock
    zone: tzinfo | None
    """The owner's time zone; None means the system's."""
    settings: Mapping[str, InstanceSettings]
    """The settings of the instances that they may see."""
    instances: Instances = field(default_factory=dict)
    """The connected instances; read-only actions need none."""
    only: frozenset[str] | None = None
    """The instances that they are limited to; None for all."""

    def can_see(self, instance: str) -> bool:
        return self.only is None or instance in self.only

    def now(self) -> datetime:
        return self.clock()

    def today(self) -> date:
        return day_at(self.clock(), self.zone)

    def require_instance(self, instance: str) -> InstanceSettings:
        """Return the settings of an instance, or raise InstanceUnknown."""
        if instance not in self.settings:
            raise InstanceUnknown(instance)
        return self.settings[instance]

    def get_instance(self, name: str) -> "Instance":
        """Return an instance with its connections, or raise InstanceUnknown."""
        if name not in self.instances:
            raise InstanceUnknown(name)
        return self.instances[name]

    async def get_job(self, job_id: int) -> Job:
        """Return a job; raise JobNotFound, or JobDeleted if retention deleted it."""
        try:
            job = await self.store.jobs.get(job_id)
        except JobDeleted as gone:
            if self.can_see(gone.document.instance):
                raise
            raise JobNotFound(job_id) from gone
        if not self.can_see(job.document.instance):
            raise JobNotFound(job_id)
        return job

    async def get_result(self, result_id: int) -> Result:
        """Return a result; raise ResultNotFound, or ResultDeleted if retention deleted it."""
        try:
            result = await self.store.results.get(result_id)
            await self.get_job(result.job_id)
        except ResultDeleted as gone:
            if self.can_see(gone.instance):
                raise
            raise ResultNotFound(result_id) from gone
        except JobNotFound as error:
            raise ResultNotFound(result_id) from error
        return result

    async def get_scan(self, scan_id: int) -> Scan:
        """Return a scan, or raise ScanNotFound."""
        scan = await self.store.scans.get(scan_id)
        if not self.can_see(scan.instance):
            raise ScanNotFound(scan_id)
        return scan

    async def get_change(self, change_id: int) -> Change:
        """Return a change, or raise ChangeNotFound."""
        change = await self.store.changes.get(change_id)
        if not self.can_see(change.document.instance):
            raise ChangeNotFound(change_id)
        return change

    def max_attempts(self, ref: DocumentRef) -> int:
        """Return the maximum number of attempts of a document's job."""
        return self.require_instance(ref.instance).retry.max_attempts

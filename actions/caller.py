"""Who asks for something, and what is needed to do as they ask."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo
from typing import TYPE_CHECKING, TypeAlias

from actions.errors import InstanceUnknown
from core.calendar import day_at
from core.changes import Change
from core.clock import Clock
from core.documents import DocumentRef
from core.jobs import Job
from core.scans import Scan
from core.settings import InstanceSettings
from store import ChangeNotFound, JobDeleted, JobNotFound, ScanNotFound, Store

if TYPE_CHECKING:
    # Brings the model's SDK, which takes a second to load: commands that only look do without.
    from processor.instance import Instance

Instances: TypeAlias = "Mapping[str, Instance]"
"""The connected instances, by name."""

BY_HAND = "hand"
"""Who asks on the command line."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A person or a program that asks; what belongs to an instance they may not see is not there.

    What is looked for and not theirs to see is answered as if it did not exist.
    """

    by: str
    """As it is kept with what they decide."""
    store: Store
    clock: Clock
    zone: tzinfo | None
    """Says which day it is where the owner lives; None means the system's."""
    settings: Mapping[str, InstanceSettings]
    """Of the instances that they may see."""
    instances: Instances = field(default_factory=dict)
    """Those that are connected: what only looks needs none."""
    only: frozenset[str] | None = None
    """The instances that they are limited to; None if they are not."""

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
        """Return a job, or raise JobNotFound; of one that retention took, JobDeleted."""
        try:
            job = await self.store.jobs.get(job_id)
        except JobDeleted as gone:
            if self.can_see(gone.document.instance):
                raise
            raise JobNotFound(job_id) from gone
        if not self.can_see(job.document.instance):
            raise JobNotFound(job_id)
        return job

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
        """Return how often a job of a document is tried."""
        return self.require_instance(ref.instance).retry.max_attempts

"""Check an instance before its settings are written, for `init` and for the dashboard."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import structlog

from actions.costs import EstimateSummary, ScanOrder, estimate_scan
from actions.errors import InvalidRequest
from actions.setup import Draft
from core.calendar import utc_now
from core.errors import PaperclerkError
from core.messages import Message, message
from core.settings import ConfigError, InstanceSettings, Settings, get_environment, load_draft
from core.tasks import run_until
from daemon.check import Finding, build_failure, check_instance
from daemon.cli.exits import Exit, exit_for
from daemon.context import Context
from daemon.permissions import all_permissions
from daemon.services import Services, open_services
from paperless_client import PaperlessError, User
from store import OpenMode, open_store

log = structlog.get_logger()

CheckResult: TypeAlias = Finding | EstimateSummary
"""A finding, or at the end what the first scan would take."""


@dataclass
class DraftCheck:
    """A running or finished check of a draft, with its results so far."""

    findings: list[Finding] = field(default_factory=list)
    estimate: EstimateSummary | None = None
    is_done: bool = False


class DraftChecks:
    """Runs the checks that the dashboard asks for, and ends them with the daemon."""

    def __init__(self, folder: Path, stop: asyncio.Event) -> None:
        self._folder = folder
        self._stop = stop
        self._tasks: asyncio.TaskGroup | None = None

    async def run(self) -> None:
        """Run the checks until the daemon stops."""
        async with asyncio.TaskGroup() as tasks:
            self._tasks = tasks
            await self._stop.wait()
            self._tasks = None

    def start(self, draft: Draft, user: User | None) -> DraftCheck:
        """Start to check a draft; the results follow. Raise InvalidRequest during a stop."""
        if self._tasks is None:
            raise InvalidRequest(message("Paperclerk is stopping"))
        check = DraftCheck()
        self._tasks.create_task(self._check(check, draft, user))
        return check

    async def _check(self, check: DraftCheck, draft: Draft, user: User | None) -> None:
        try:
            await run_until(self._stop, self._collect(check, draft, user))
        except ConfigError as error:
            check.findings.extend(
                Finding("Settings", ok=False, summary=mistake.message, exit=Exit.CONFIG)
                for mistake in error.errors
            )
        except Exception as error:
            # A fault in one check must not end the daemon.
            log.exception("draft not checked", instance=draft.name)
            text = message("unexpected: {kind}", kind=type(error).__name__)
            check.findings.append(Finding("Settings", ok=False, summary=text, exit=Exit.LOOK))
        finally:
            check.is_done = True

    async def _collect(self, check: DraftCheck, draft: Draft, user: User | None) -> None:
        async for result in check_draft(draft, user, self._folder):
            if isinstance(result, EstimateSummary):
                check.estimate = result
            else:
                check.findings.append(result)


async def check_draft(draft: Draft, user: User | None, folder: Path) -> AsyncIterator[CheckResult]:
    """Yield each result as it comes; raise ConfigError if the draft is no valid file.

    Nothing is stored, and nothing is written to Paperless.
    """
    settings = load_draft(draft.name, draft.render(), folder, get_environment())
    async with _open_draft(settings) as services:
        is_reachable = True
        async for finding in check_instance(services, draft.name):
            is_reachable = is_reachable and (finding.ok or finding.name != "Paperless")
            yield finding
        if user and (advice := advise_on_user(user, settings.instances[draft.name])):
            summary = message('the token belongs to the superuser "{user}"', user=user.username)
            yield Finding("User", ok=True, summary=summary, advice=advice)
        if is_reachable:
            yield await _estimate(services, draft.name)


def advise_on_user(user: User, settings: InstanceSettings) -> Message | None:
    """Return advice if the token's user may do more than necessary."""
    if not user.is_superuser:
        return None
    return message(
        "A superuser can do everything. A separate user is safer: create one in Paperless "
        "(Users & Groups) with these permissions: {permissions}",
        permissions=", ".join(all_permissions(settings)),
    )


@asynccontextmanager
async def _open_draft(settings: Settings) -> AsyncIterator[Services]:
    """Connect instances whose settings are not written yet, with a temporary database."""
    with TemporaryDirectory(prefix="paperclerk-init-") as temporary:
        data = Path(temporary)
        async with open_store(None, data, opening=OpenMode.WORK, clock=utc_now) as store:
            context = Context(settings, store, data, store.clock)
            async with open_services(context, tuple(settings.instances)) as services:
                yield services


async def _estimate(services: Services, name: str) -> CheckResult:
    try:
        return await estimate_scan(
            services.store,
            services.instances[name],
            services.scanners[name],
            ScanOrder(),
            limits=services.context.settings.instances[name].limits,
            now=services.context.clock(),
        )
    except (PaperclerkError, PaperlessError) as error:
        return build_failure("Estimate", error, exit_for(error))

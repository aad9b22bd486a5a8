"""`/settings`: the current settings with their origins, connection tests and diagnostics."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from functools import reduce

from fastapi import APIRouter
from pydantic import BaseModel, SecretStr
from starlette.responses import HTMLResponse, RedirectResponse, Response

from actions.diagnostics import DiagnosticsSource, build_diagnostics
from actions.health import list_workers
from core.calendar import format_duration
from core.settings import DaemonSettings, Settings, fingerprint
from core.settings.edit import HIDDEN
from core.settings.instance import DAEMON, InstanceTables
from core.settings.options import Option, OptionKind, list_options
from core.workers import WorkerStatus
from dashboard.connection_tests import ConnectionReport, run_test
from dashboard.errors import NotAllowed, PageNotFound
from dashboard.pages.setup_state import may_add_instance
from dashboard.pages.view import ActView, AdminView, ReadView, View, is_admin_in_browser

router = APIRouter(include_in_schema=False)

_TOP = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A setting with its current value and origin; secrets are hidden."""

    key: str
    value: str
    origin: str
    meaning: str
    is_default: bool


@dataclass(frozen=True, slots=True)
class File:
    """The settings of one file, by table."""

    name: str
    tables: Mapping[str, list[Row]]


@router.get("/settings", include_in_schema=False)
async def settings(view: ReadView) -> HTMLResponse:
    """Show the settings of the instances that the person may see, and those of the daemon."""
    context = view.context
    has_notifications = context.send_test is not None and view.person.instances is None
    return await view.page(
        "settings.html",
        files=files_of(context.settings, view.all_names),
        files_status=view.settings_status,
        warnings=context.settings.warnings if view.person.instances is None else (),
        connected=[name for name in view.all_names if name in context.instances],
        may_add_instance=may_add_instance(view),
        may_act=view.may_act,
        may_edit=is_admin_in_browser(view.person),
        started_at=context.liveness.started_at,
        database="PostgreSQL" if context.store.shared else "SQLite",
        workers=await list_workers_for(view),
        own_settings=fingerprint(context.settings),
        now=context.clock(),
        sends_messages=has_notifications,
        last_message=(
            await context.store.notifications.get_last_outgoing() if has_notifications else None
        ),
    )


async def list_workers_for(view: View) -> tuple[WorkerStatus, ...]:
    """List the processes; nothing for a person who may see only some instances."""
    if view.person.instances is not None:
        return ()
    return await list_workers(view.context.store, now=view.context.clock())


def files_of(settings: Settings, names: tuple[str, ...]) -> list[File]:
    """List the current settings by file."""
    files = [
        _build_file(settings, name, settings.instances[name], InstanceTables) for name in names
    ]
    return [*files, _build_file(settings, DAEMON, settings.daemon, DaemonSettings)]


def format_value(value: object) -> str:
    """Format a value for people; secrets within a table are hidden, too."""
    match value:
        case SecretStr():
            return _hide(value)
        case Mapping():
            return "\n".join(f"{key} = {format_value(item)}" for key, item in value.items())
        case tuple() | list() | frozenset():
            return ", ".join(map(format_value, value))
        case _:
            return format_scalar(value)


def format_scalar(value: object) -> str:
    """Format a single value as in a settings file, without quotes."""
    match value:
        case timedelta():
            return format_duration(value)
        case Enum():
            return str(value.value)
        case bool():
            return str(value).lower()
        case _:
            return "" if value is None else str(value)


@router.post("/settings/test-message")
async def send_test_message(view: ActView) -> RedirectResponse:
    """Send a test notification; only for persons who may see all instances."""
    if view.person.instances is not None:
        raise NotAllowed("messages concern all instances")
    if view.context.send_test is None:
        raise PageNotFound("no messages are sent: there are no notify.urls in daemon.toml")
    action = view.context.send_test()
    return await view.perform("/settings", action, "Test notification sent.")


@router.get("/settings/diagnostics.json")
async def download_diagnostics(view: AdminView) -> Response:
    """Return the same file as `paperclerk diagnostics`."""
    context = view.context
    source = DiagnosticsSource(
        context.settings,
        context.store,
        context.clock(),
        context.zone,
        context.version,
        context.check_reachability,
    )
    name = f"paperclerk-diagnostics-{view.translator.today.isoformat()}.json"
    return Response(
        await build_diagnostics(source),
        media_type="application/json",
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


@router.get("/settings/{instance}/{what}")
async def ask(view: ReadView, instance: str, what: str) -> HTMLResponse:
    """Show the button of a test: a test may cost money, so GET does not run it."""
    return await _page(view, instance, what)


@router.post("/settings/{instance}/{what}")
async def test(view: ActView, instance: str, what: str) -> HTMLResponse:
    """Run a test and show the findings."""
    view.require_connected(instance)
    return await _page(view, instance, what, await run_test(view.context, what, instance))


def _build_file(settings: Settings, name: str, tree: BaseModel, kind: type[BaseModel]) -> File:
    tables: dict[str, list[Row]] = {}
    for option in list_options(kind):
        table = option.path[0] if len(option.path) > 1 else _TOP
        value: object = reduce(getattr, option.path, tree)
        origin = settings.origins.get(f"{name}.{'.'.join(option.path)}", "default")
        row = _build_row(option, value, origin)
        tables.setdefault(table, []).append(row)
    return File(name, tables)


def _build_row(option: Option, value: object, origin: str) -> Row:
    shown = _hide(value) if option.kind is OptionKind.SECRET else format_value(value)
    meaning = option.field.description or ""
    return Row(option.path[-1], shown, origin, meaning, origin == "default")


def _hide(value: object) -> str:
    is_set = isinstance(value, SecretStr) and value.get_secret_value()
    return HIDDEN if is_set else ""


async def _page(
    view: View, instance: str, what: str, found: ConnectionReport | None = None
) -> HTMLResponse:
    view.require_connected(instance)
    if what not in view.context.connection_tests:
        raise PageNotFound(f"there is no {what} that could be tested")
    return await view.page("examine.html", instance=instance, what=what, found=found)

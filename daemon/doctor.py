"""Examine one instance: whether we get in, may do what is asked, and get answers."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from itertools import chain
from time import monotonic

from core.analysis import ModelCall
from core.errors import PaperclerkError
from core.fields import FieldMode
from core.names import NAMED_FIELDS
from core.spending import SpendingLimits
from daemon.exits import Exit, exit_for
from daemon.output import plural
from daemon.permissions import needed_in_all
from daemon.wiring import Clerk
from paperless_client import DocumentQuery, PaperlessError, PermissionMissing
from processor.analysis.prompt import unknown_names
from processor.analyze import Archive, ask_about
from processor.catalogue import NamesInUse
from processor.instance import Instance

_SAMPLE = """Stadtwerke Beispielstadt
Rechnung Nr. 2026-1
Rechnungsdatum: 31.08.2026
Stromlieferung August 2026, Betrag 42,00 EUR
"""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    name: str
    ok: bool
    message: str
    hint: str = ""
    exit: Exit = Exit.OK
    """What the command ends with because of it."""


class _Trial:
    """Books the calls of the trial question, which belongs to no job and heeds no limit."""

    def __init__(self, clerk: Clerk, instance: Instance) -> None:
        self._calls = clerk.store.calls
        self._instance = instance
        self.mode = ""
        """How the model was asked last."""

    async def reserve(self, call: ModelCall) -> int:
        self.mode = call.mode
        budget = self._instance.budget
        return await self._calls.reserve(
            call,
            instance=self._instance.name,
            job_id=None,
            limits=SpendingLimits(),
            day_start=budget.day_start(call.at),
            month_start=budget.month_start(call.at),
        )

    async def finish(self, number: int, call: ModelCall, answer: str) -> None:
        await self._calls.finish(number, self._instance.budget.priced(call))


async def examine(clerk: Clerk, name: str) -> AsyncIterator[Finding]:
    """Yield what is found; what cannot be seen without Paperless is left out."""
    instance = clerk.instances[name]
    paperless = await _finding("Paperless", lambda: _paperless(clerk, instance))
    yield paperless
    if paperless.ok:
        yield await _finding("Permissions", lambda: _permissions(clerk, instance))
        yield await _finding("Tags", lambda: _tags(clerk, instance))
        if instance.brief.descriptions:
            yield await _finding("Descriptions", lambda: _descriptions(instance))
        if instance.policy.custom:
            yield await _finding("Custom fields", lambda: _custom_fields(clerk, instance))
        yield await _finding("Documents", lambda: _documents(instance))
    model = await _finding("Model", lambda: _model(instance))
    yield model
    if model.ok:
        asking = await _with_custom_fields(instance)
        yield await _finding("Answer", lambda: _answer(clerk, asking))
    yield Finding("Mode", ok=True, message=_mode(instance))


async def _finding(name: str, look: Callable[[], Awaitable[str | Finding]]) -> Finding:
    try:
        seen = await look()
    except (PaperclerkError, PaperlessError) as error:
        return Finding(name, ok=False, message=str(error), hint=error.hint, exit=exit_for(error))
    return seen if isinstance(seen, Finding) else Finding(name, ok=True, message=seen)


async def _paperless(clerk: Clerk, instance: Instance) -> str:
    started = monotonic()
    server = await instance.paperless.probe()
    url = clerk.memory.settings.instances[instance.name].paperless.url
    took = round((monotonic() - started) * 1000)
    return f"{url}, version {server.version}, API {server.api_version}, {took} ms"


async def _permissions(clerk: Clerk, instance: Instance) -> str | Finding:
    """Compare what the token's user may do with what the settings ask for."""
    try:
        user = await instance.paperless.whoami()
    except PermissionMissing as error:
        return Finding("Permissions", ok=False, message=str(error), hint=error.hint, exit=Exit.LOOK)
    needed = needed_in_all(clerk.memory.settings.instances[instance.name])
    missing = [one for one in needed if one not in user.permissions]
    if user.is_superuser or not missing:
        return f'user "{user.username}" may do what is needed'
    hint = f"In Paperless, grant {', '.join(missing)} to {user.username} (Users & Groups)."
    said = f'user "{user.username}" lacks {", ".join(missing)}'
    return Finding("Permissions", ok=False, message=said, hint=hint, exit=Exit.REFUSED)


async def _tags(clerk: Clerk, instance: Instance) -> str:
    await clerk.scanners[instance.name].selection()
    return "all tags of the config exist"


async def _descriptions(instance: Instance) -> str | Finding:
    names = await instance.catalogue.names()
    missing = unknown_names(instance.brief.descriptions, chain(*names.offered.values()))
    if not missing:
        return "all names with a description exist"
    listed = ", ".join(f'"{name}"' for name in missing)
    return Finding(
        "Descriptions",
        ok=False,
        message=f"no tag, correspondent or document type is called {listed}",
        hint="Mend the names in names.descriptions, or create them in Paperless.",
        exit=Exit.LOOK,
    )


async def _custom_fields(clerk: Clerk, instance: Instance) -> str:
    await clerk.scanners[instance.name].require_custom_fields()
    return "all custom fields of the config exist and can be filled"


async def _with_custom_fields(instance: Instance) -> Instance:
    """Ask for the custom fields too; where they cannot be had, that is told already."""
    try:
        return await instance.with_custom_fields()
    except (PaperclerkError, PaperlessError):
        return instance


async def _documents(instance: Instance) -> str:
    page = await instance.paperless.documents(DocumentQuery(), page=1, page_size=1)
    return f"{plural(page.count, 'document')} visible to the token's user"


async def _model(instance: Instance) -> str | Finding:
    endpoint = instance.ladder.server.endpoint
    offered = await instance.ladder.server.models()
    if offered and endpoint.model not in offered:
        said = f"{endpoint.base_url} has no model {endpoint.model}"
        return Finding(
            "Model", ok=False, message=said, hint=f"It has: {', '.join(offered)}", exit=Exit.CONFIG
        )
    return f"{endpoint.model} at {endpoint.base_url}"


async def _answer(clerk: Clerk, instance: Instance) -> str:
    """Ask about a made-up letter, in the very way a document is asked about."""
    trial = _Trial(clerk, instance)
    none = NamesInUse(dict.fromkeys(NAMED_FIELDS, ()), {})
    started = monotonic()
    analysis = await ask_about(
        _SAMPLE, brief=instance.brief, archive=Archive(none), instance=instance, ledger=trial
    )
    took = f"{monotonic() - started:.1f} s"
    tokens = f"{analysis.tokens_in} tokens in, {analysis.tokens_out} out"
    return f"valid in mode {trial.mode}, {took}, {tokens}"


def _mode(instance: Instance) -> str:
    modes = {str(field): mode for field, mode in instance.policy.modes.items()}
    modes |= instance.policy.custom
    alone = [name for name, m in modes.items() if m in {FieldMode.FILL, FieldMode.REPLACE}]
    if not alone:
        return "review: nothing is written without you"
    return f"written without you, if the checks pass: {', '.join(alone)}"

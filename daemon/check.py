"""Check an instance: its Paperless, permissions, tags, custom fields and model."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import chain
from time import monotonic

from actions.webhooks import get_webhook_status
from core.analysis import Analysis
from core.archive import IndexMode
from core.errors import PaperclerkError
from core.fields import NAMED_FIELDS, Field, FieldMode, FieldName
from core.messages import Message, fixed, message
from daemon.cli.exits import Exit, exit_for
from daemon.cli.terminal import format_local
from daemon.permissions import all_permissions
from daemon.services import Services, build_rights_policy
from dashboard.context import ConnectionTest
from paperless_client import TESTED_VERSIONS, PaperlessError, PermissionMissing, is_tested
from processor.analysis.dates import parse_date
from processor.analysis.errors import AnswerUnusable
from processor.analysis.name_matching import name_key
from processor.analysis.prompt import find_unknown_names
from processor.analyze import PromptContext, ask_model
from processor.holds import ProbeLedger
from processor.instance import Instance
from processor.names.catalogue import NamesInUse
from processor.names.create import find_groups
from store import SearchFault

_SAMPLE = """Stadtwerke Beispielstadt
Rechnung Nr. 2026-1
Rechnungsdatum: 31.08.2026
Stromlieferung August 2026, Betrag 42,00 EUR
"""
_SAMPLE_SENDER = "Stadtwerke Beispielstadt"
_SAMPLE_DATE = date(2026, 8, 31)
_LARGER = fixed(AnswerUnusable.hint)


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    name: str
    ok: bool
    summary: Message
    """What was found."""
    detail: str = ""
    """More technical text for the command line, if it differs from the summary."""
    advice: Message | None = None
    """What to do about it."""
    exit: Exit = Exit.OK
    """Exit code of the command because of this finding."""

    @property
    def message(self) -> str:
        return self.detail or str(self.summary)

    @property
    def hint(self) -> str:
        return str(self.advice) if self.advice else ""


async def check_instance(services: Services, name: str) -> AsyncIterator[Finding]:
    """Yield the findings; checks that need Paperless are left out if it is unreachable."""
    for check in (check_paperless, check_model):
        async for finding in check(services, name):
            yield finding
    yield await _finding("Webhook", lambda: _webhook(services, name))
    yield Finding("Mode", ok=True, summary=_mode(services.instances[name]))
    yield await _finding("Archive index", lambda: _index(services, name))


async def check_paperless(services: Services, name: str) -> AsyncIterator[Finding]:
    """Check the connection to Paperless, the permissions, and the names in the settings."""
    instance = services.instances[name]
    paperless = await _finding("Paperless", lambda: _paperless(services, instance))
    yield paperless
    if not paperless.ok:
        return
    yield await _finding("Permissions", lambda: _permissions(services, instance))
    if workflows := await list_suggesting_workflows(instance):
        yield _warn_of_workflows(workflows)
    yield await _finding("Tags", lambda: _tags(services, instance))
    if instance.prompt_settings.descriptions:
        yield await _finding("Descriptions", lambda: _descriptions(instance))
    if instance.prompt_settings.type_instructions:
        yield await _finding("Instructions", lambda: _type_instructions(instance))
    if instance.policy.custom:
        yield await _finding("Custom fields", lambda: _custom_fields(services, instance))
    names = services.context.settings.instances[name].names
    if groups := build_rights_policy(names).groups:
        yield await _finding("Groups", lambda: _groups(instance, groups))
    yield await _finding("Documents", lambda: _documents(instance))
    fault = await services.store.search_faults.get(name)
    if fault is not None and instance.prompt_settings.examples:
        yield await _finding("Similar documents", lambda: _similar(instance, fault))


async def check_model(services: Services, name: str) -> AsyncIterator[Finding]:
    """Check that the model exists and answers correctly about a test letter."""
    instance = services.instances[name]
    model = await _finding("Model", lambda: _model(instance))
    yield model
    if model.ok:
        asking = await _with_custom_fields(instance)
        yield await _finding("Answer", lambda: _answer(services, asking))


async def check_reachability(services: Services, name: str) -> AsyncIterator[Finding]:
    """Check Paperless and that the model exists, without asking it anything."""
    async for finding in check_paperless(services, name):
        yield finding
    yield await _finding("Model", lambda: _model(services.instances[name]))


def build_connection_tests(services: Services) -> Mapping[str, ConnectionTest]:
    """Return the connection tests that the dashboard offers."""
    return {
        "paperless": partial(check_paperless, services),
        "model": partial(check_model, services),
    }


def build_failure(name: str, error: PaperclerkError | PaperlessError, end: Exit) -> Finding:
    advice = fixed(error.hint) if error.hint else None
    said = fixed(error.user_message)
    return Finding(name, ok=False, summary=said, detail=str(error), advice=advice, exit=end)


async def list_suggesting_workflows(instance: Instance) -> tuple[str, ...]:
    """Return the workflows of Paperless that apply its own AI suggestions.

    Empty also if they cannot be read: most users of a token have no permission to see workflows.
    """
    try:
        found = await instance.paperless.workflows.list_suggesting()
    except PaperlessError:
        return ()
    return tuple(workflow.name for workflow in found)


def find_mistake(analysis: Analysis, fields: Collection[Field]) -> Message | None:
    """Return what the model read wrongly in the test letter; None if it is right."""
    found = {suggestion.field: suggestion.value for suggestion in analysis.suggestions}
    sender, day = found.get(FieldName.CORRESPONDENT, ""), found.get(FieldName.DATE, "")
    if FieldName.CORRESPONDENT in fields and name_key(sender) != name_key(_SAMPLE_SENDER):
        return message(
            'correspondent of the test letter: "{found}" instead of "{expected}"',
            found=sender,
            expected=_SAMPLE_SENDER,
        )
    if FieldName.DATE in fields and parse_date(day) != _SAMPLE_DATE:
        return message(
            'date of the test letter: "{found}" instead of "{expected}"',
            found=day,
            expected=_SAMPLE_DATE.isoformat(),
        )
    return None


async def _finding(name: str, look: Callable[[], Awaitable[Message | Finding]]) -> Finding:
    try:
        seen = await look()
    except (PaperclerkError, PaperlessError) as error:
        return build_failure(name, error, exit_for(error))
    return seen if isinstance(seen, Finding) else Finding(name, ok=True, summary=seen)


async def _paperless(services: Services, instance: Instance) -> Finding:
    started = monotonic()
    server = await instance.paperless.probe()
    url = services.context.settings.instances[instance.name].paperless.url
    took = round((monotonic() - started) * 1000)
    found = message(
        "{url}, version {version}, API {api}, {ms} ms",
        url=url,
        version=server.version,
        api=str(server.api_version),
        ms=took,
    )
    untested = message(
        "Paperclerk has not been tested with this version yet, only with {versions}. Start with a "
        "few documents, and report what does not work.",
        versions=", ".join(TESTED_VERSIONS),
    )
    advice = None if is_tested(server.version) else untested
    return Finding("Paperless", ok=True, summary=found, advice=advice)


def _warn_of_workflows(names: tuple[str, ...]) -> Finding:
    summary = message("Paperless applies its own AI suggestions: {names}", names=", ".join(names))
    advice = message(
        "Both would write the same fields. Disable these workflows in Paperless, or set the "
        'fields to "off" here.'
    )
    return Finding("Workflows", ok=True, summary=summary, advice=advice)


async def _groups(instance: Instance, names: frozenset[str]) -> Message:
    """Look up the groups that see created names."""
    await find_groups(names, instance.paperless)
    return message("{names} exist", names=", ".join(sorted(names)))


async def _permissions(services: Services, instance: Instance) -> Message | Finding:
    """Compare the permissions of the token's user with those that the settings require."""
    needed = all_permissions(services.context.settings.instances[instance.name])
    try:
        user = await instance.paperless.fetch_user()
    except PermissionMissing as error:
        if error.permission in needed:
            return build_failure("Permissions", error, Exit.LOOK)
        return message(
            "not checked: the token's user may not read its own permissions ({permission}); "
            "scans do not need them",
            permission=error.permission,
        )
    missing = ", ".join(name for name in needed if name not in user.permissions)
    if user.is_superuser or not missing:
        return message('user "{user}" has the required permissions', user=user.username)
    return Finding(
        "Permissions",
        ok=False,
        summary=message('user "{user}" lacks {rights}', user=user.username, rights=missing),
        advice=message(
            "In Paperless, grant {rights} to {user} (Users & Groups).",
            rights=missing,
            user=user.username,
        ),
        exit=Exit.REFUSED,
    )


async def _tags(services: Services, instance: Instance) -> Message:
    await services.scanners[instance.name].resolve_selection()
    return message("all tags of the config exist")


async def _descriptions(instance: Instance) -> Message | Finding:
    names = await instance.catalogue.names()
    missing = find_unknown_names(
        instance.prompt_settings.descriptions,
        [name.name for name in chain(*names.by_field.values())],
    )
    if not missing:
        return message("all names with a description exist")
    listed = ", ".join(f'"{name}"' for name in missing)
    return Finding(
        "Descriptions",
        ok=False,
        summary=message(
            "no tag, correspondent, document type or storage path is called {names}", names=listed
        ),
        advice=message("Correct the names in names.descriptions, or create them in Paperless."),
        exit=Exit.LOOK,
    )


async def _type_instructions(instance: Instance) -> Message | Finding:
    names = await instance.catalogue.names()
    missing = find_unknown_names(
        instance.prompt_settings.type_instructions,
        [name.name for name in names.by_field[FieldName.DOCUMENT_TYPE]],
    )
    if not missing:
        return message("all document types with instructions exist")
    return Finding(
        "Instructions",
        ok=False,
        summary=message(
            "no document type is called {names}",
            names=", ".join(f'"{name}"' for name in missing),
        ),
        advice=message("Correct the names in ai.type_instructions, or create them in Paperless."),
        exit=Exit.LOOK,
    )


async def _custom_fields(services: Services, instance: Instance) -> Message:
    await services.scanners[instance.name].require_custom_fields()
    return message("all custom fields of the config exist and can be filled")


async def _with_custom_fields(instance: Instance) -> Instance:
    """Return the instance with its custom fields; unchanged if an earlier finding says why."""
    try:
        return await instance.with_custom_fields()
    except (PaperclerkError, PaperlessError):
        return instance


async def _documents(instance: Instance) -> Message:
    count = await instance.paperless.count_documents()
    if count == 1:
        return message("1 document visible to the token's user")
    return message("{n} documents visible to the token's user", n=count)


async def _similar(instance: Instance, fault: SearchFault) -> Message | Finding:
    """Check again whether similar documents are found: the index may have been rebuilt."""
    if not await instance.similar_search.is_broken_for(fault.document):
        await instance.similar_search.mark_working()
        return message("Paperless finds similar documents again")
    return Finding(
        "Similar documents",
        ok=False,
        summary=message("Paperless finds no similar documents, so the model gets no examples"),
        advice=message(
            "Run `document_index reindex` in the Paperless container, then check again."
        ),
        exit=Exit.LOOK,
    )


async def _model(instance: Instance) -> Message | Finding:
    endpoint = instance.model.server.endpoint
    offered = await instance.model.server.list_models()
    there = {"url": endpoint.base_url, "model": endpoint.model}
    if offered and endpoint.model not in offered:
        return Finding(
            "Model",
            ok=False,
            summary=message("{url} has no model {model}", **there),
            advice=message("Available models: {models}", models=", ".join(offered)),
            exit=Exit.CONFIG,
        )
    return message("{model} at {url}", **there)


async def _answer(services: Services, instance: Instance) -> Message | Finding:
    """Ask the model about a test letter, with the same prompt and checks as for a document."""
    trial = ProbeLedger(services.store, instance)
    none = NamesInUse(dict.fromkeys(NAMED_FIELDS, ()), {})
    started = monotonic()
    analysis = await ask_model(
        _SAMPLE,
        settings=instance.prompt_settings,
        context=PromptContext(none),
        instance=instance,
        ledger=trial,
    )
    if (mistake := find_mistake(analysis, instance.prompt_settings.fields)) is not None:
        return Finding("Answer", ok=False, summary=mistake, advice=_LARGER, exit=Exit.LOOK)
    return message(
        "valid, response format {mode}, {seconds} s, "
        "{tokens_in} input tokens, {tokens_out} output tokens",
        mode=trial.mode,
        seconds=round(monotonic() - started, 1),
        tokens_in=analysis.tokens_in,
        tokens_out=analysis.tokens_out,
    )


async def _index(services: Services, name: str) -> Message | Finding:
    """Return how many documents are indexed, and ask whether all may be."""
    mode = await services.index_fillers[name].get_mode()
    if mode is IndexMode.OFF:
        return message("off")
    documents = (await services.store.index.get_state(name)).documents
    if mode is IndexMode.ALL:
        return message("{n} documents indexed", n=documents)
    only = message("{n} processed documents indexed", n=documents)
    if mode is IndexMode.PROCESSED:
        return only
    advice = message(
        "Decide on the overview whether all documents may be indexed, or set index.enabled."
    )
    return Finding("Archive index", ok=True, summary=only, advice=advice)


async def _webhook(services: Services, name: str) -> Message | Finding:
    """Return whether Paperless sends the webhook, and when it was last received."""
    url = services.context.settings.daemon.web.webhook_address(name)
    status = await get_webhook_status(services.caller, name, url)
    advice = message("Run `paperclerk webhook install {name}`.", name=name)
    if status.is_refused:
        summary = message("Paperless sends it, but its secret is not known here: it is refused")
        return Finding("Webhook", ok=True, summary=summary, advice=advice)
    if status.webhook is None:
        return message("not installed; new documents are found by scans")
    at = status.webhook.received_at
    received = (
        message("last received {time}", time=format_local(at, services.context.zone))
        if at
        else message("not received yet")
    )
    if not status.is_readable:
        return message("installed, {received}; its workflow cannot be read", received=received)
    if not status.is_missing:
        return message("installed, {received}", received=received)
    return Finding(
        "Webhook",
        ok=True,
        summary=message("Paperless has no workflow that sends it, {received}", received=received),
        advice=advice,
    )


def _mode(instance: Instance) -> Message:
    modes = {str(field): mode for field, mode in instance.policy.modes.items()}
    modes |= instance.policy.custom
    alone = [name for name, m in modes.items() if m in {FieldMode.FILL, FieldMode.REPLACE}]
    if not alone:
        return message("review: nothing is written automatically")
    return message("written automatically if all checks pass: {fields}", fields=", ".join(alone))

"""`names aliases` and `names forget`: what names mean by a person's word."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from core.fields import FieldName
from core.names import Alias, NameFilter, NameScope
from daemon.cli.exits import Exit, UsageError
from daemon.cli.options import Options
from daemon.cli.output import console, format_local, print_json, print_table
from daemon.context import open_context
from daemon.services import Services, open_services
from i18n.labels import FIELDS, alias_label
from processor.analysis.name_matching import spelling_key
from store import OpenMode


@dataclass(frozen=True, slots=True)
class AliasSummary:
    """One alias, as `--json` gives it."""

    instance: str
    field: FieldName
    name: str
    means: str | None
    """The name as it is called now, or was if it is gone; None: never suggested."""
    is_void: bool
    """The name is gone from Paperless: you are asked again."""
    decided_at: datetime


async def list_all(options: Options, *, name: str | None, as_json: bool) -> Exit:
    """Show what was decided about names."""
    async with open_context(options, opening=OpenMode.LOOK) as memory:
        found = await memory.store.names.list_aliases(
            memory.select_instances(name)[0] if name else None
        )
        known = [alias for alias in found if alias.instance in memory.settings.instances]
        async with open_services(memory, {alias.instance for alias in known}) as services:
            listed = [await _listed(services, alias) for alias in known]
        if as_json:
            print_json(listed)
        elif not listed:
            console().print("no aliases")
        else:
            rows = (_row(one, format_local(one.decided_at, memory.zone)) for one in listed)
            print_table(("name", "kind", "instance", "means", "since"), rows)
        return Exit.OK


async def forget(options: Options, spellings: Sequence[str], where: NameFilter) -> Exit:
    """Let names mean nothing but themselves again; nothing is forgotten if one is not known."""
    async with open_context(options) as memory:
        known = await memory.store.names.list_aliases()
        meant = [_meant(known, typed, where) for typed in spellings]
        for alias in meant:
            meaning = alias.meaning
            await memory.store.names.delete_alias(alias.instance, meaning.field, meaning.key)
            console().print(f"forgotten: {alias_label(meaning)}")
        return Exit.OK


async def _listed(services: Services, alias: Alias) -> AliasSummary:
    meaning = alias.meaning
    names = await services.instances[alias.instance].catalogue.names()
    stands = names.find_target(meaning)
    called = stands or meaning.target
    return AliasSummary(
        alias.instance,
        meaning.field,
        meaning.spelling,
        called.name if called else None,
        meaning.target is not None and stands is None,
        alias.decided_at,
    )


def _meant(known: Iterable[Alias], typed: str, where: NameFilter) -> Alias:
    key = spelling_key(typed)
    found = [
        alias
        for alias in known
        if alias.meaning.key == key and where.covers(NameScope(alias.instance, alias.meaning.field))
    ]
    if not found:
        raise UsageError(f'nothing was decided about "{typed}"; `names aliases` lists what was')
    if len(found) > 1:
        listed = ", ".join(f"{FIELDS[one.meaning.field]} in {one.instance}" for one in found)
        raise UsageError(f'"{typed}" is known as {listed}: say which, with --field and --instance')
    return found[0]


def _row(one: AliasSummary, since: str) -> tuple[str, ...]:
    said = "never suggested" if one.means is None else one.means
    gone = " (gone from Paperless: you are asked again)" if one.is_void else ""
    return one.name, str(FIELDS[one.field]), one.instance, said + gone, since

"""`/names`: new names for review, aliases, the owner's names, what was learnt, unused names."""

from datetime import timedelta
from enum import StrEnum
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Form, Query
from pydantic import BaseModel
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse

from actions import names as actions
from actions.documents import get_titles
from actions.errors import InvalidRequest
from actions.learnt import (
    OwnerName,
    OwnerNameState,
    confirm_owner_name,
    decline_owner_name,
    delete_learnt,
    list_learnt,
    list_owner_names,
    restore_learnt,
)
from actions.names import SimilarPair, find_similar_pairs, list_unused, remove_unused
from actions.new_names import NameCursor, NamesPage, list_names_page_within
from actions.review import DecisionResult, merge_results
from actions.timeouts import TIMEOUT
from core.errors import PaperclerkError
from core.fields import NAMED_FIELDS, FieldName
from core.names import NameFilter, NameScope
from dashboard.errors import BadRequest
from dashboard.pages.outcomes import (
    describe_alias,
    describe_created,
    describe_never_suggested,
    describe_selected_names,
)
from dashboard.pages.view import ActView, ReadView, View
from dashboard.rendering import local_path
from paperless_client import PaperlessError

router = APIRouter(include_in_schema=False)

_PAGE = 50
_LEARNT_PAGE = 100
_OFFERED = 500
"""Maximum number of existing names to choose from; more would make the page slow."""
_LONG_TIMEOUT = timedelta(minutes=1)
_SHOWN = 3
"""Documents of a name to list; the others are only counted."""


class NameAction(StrEnum):
    """A decision about a new name."""

    CREATE = "create"
    USE = "use"
    NEVER = "never"


class NameForm(BaseModel):
    """The form with a decision about a new name."""

    name: str
    instance: str
    field: FieldName
    action: NameAction
    existing: list[str] = []
    back: str = "/names"
    """The page to return to."""


class OwnerNameAction(StrEnum):
    """A decision about a name of the owner."""

    CONFIRM = "confirm"
    DECLINE = "decline"


class OwnerNameForm(BaseModel):
    """The form with a decision about a name of the owner."""

    name: str
    instance: str
    action: OwnerNameAction
    back: str = "/names"
    """The page to return to."""


class LearntAction(StrEnum):
    """What to do with a learnt fact."""

    DELETE = "delete"
    RESTORE = "restore"


class LearntForm(BaseModel):
    """The form with a decision about a learnt fact."""

    instance: str
    id: str
    action: LearntAction
    back: str = "/names/learnt"
    """The page to return to."""


@router.get("/names")
async def names(
    view: ReadView, after: Annotated[str, Query()] = "", wait: Annotated[str, Query()] = ""
) -> HTMLResponse:
    """List the new names; names that exist in Paperless by now are left out.

    Paperless gets only a few seconds to answer, unless `wait` is set.
    """
    found, trouble = NamesPage(), ""
    cursor = _parse_cursor(after)
    try:
        found = await _load_page(view, cursor, _LONG_TIMEOUT if wait else TIMEOUT)
    except PaperclerkError as error:
        trouble = error.user_message
    aliases = await view.context.store.names.list_aliases(view.chosen or None)
    refs = [ref for new in found.names for ref in new.documents[:_SHOWN]]
    return await view.page(
        "names.html",
        found=found,
        is_first=cursor is None,
        trouble=trouble,
        after=after,
        titles=await get_titles(view.context.store, refs),
        most=_SHOWN,
        offered=_existing_names(found),
        owner_names=await _load_owner_names(view),
        aliases=[alias for alias in aliases if alias.instance in view.names],
    )


@router.post("/names")
async def decide(view: ActView, form: Annotated[NameForm, Form()]) -> RedirectResponse:
    """Create a name, use an existing one for it, or never suggest it again."""
    name, where = form.name, NameFilter(form.instance, form.field)
    match form.action:
        case NameAction.CREATE:
            action = actions.create_names(view.caller, [name], where)
            describe = partial(describe_created, name=name)
        case NameAction.USE:
            # The form sends a chosen and a typed name, one of them empty.
            existing = next(filter(None, form.existing), "")
            action = actions.use_existing(view.caller, name, existing, where)
            describe = partial(describe_alias, name=name, existing=existing)
        case NameAction.NEVER:
            action = actions.never_suggest(view.caller, [name], where)
            describe = partial(describe_never_suggested, name=name)
    return await view.perform_and_report(local_path(form.back), action, describe)


@router.post("/names/selected")
async def decide_selected(
    view: ActView,
    action: Annotated[NameAction, Form()],
    new: Annotated[list[str], Form()] = [],  # noqa: B006 - FastAPI copies it
    back: Annotated[str, Form()] = "/names",
) -> RedirectResponse:
    """Create the selected names, or never suggest them again."""

    async def decide() -> tuple[int, DecisionResult]:
        results = [await _decide_one(view, action, _parse_selected(text)) for text in new]
        return len(results), merge_results(results)

    return await view.perform_and_report(
        local_path(back),
        decide(),
        lambda translator, done: describe_selected_names(translator, action, *done),
    )


@router.post("/names/aliases/forget")
async def forget_alias(
    view: ActView,
    instance: Annotated[str, Form()],
    field: Annotated[FieldName, Form()],
    key: Annotated[str, Form()],
    back: Annotated[str, Form()] = "/names",
) -> RedirectResponse:
    """Delete an alias; values that are already written stay."""
    view.require_connected(instance)
    action = view.context.store.names.delete_alias(instance, field, key)
    return await view.perform(local_path(back), action, "Alias deleted.")


@router.get("/names/unused")
async def unused(view: ReadView) -> HTMLResponse:
    """List the names that Paperclerk created and no document has any more."""
    found, trouble = [], ""
    for name in view.names:
        try:
            found += [unused async for unused in list_unused(view.caller, name)]
        except (PaperlessError, PaperclerkError) as error:
            trouble = error.user_message
    return await view.page("names_unused.html", unused=found, trouble=trouble)


@router.post("/names/unused")
async def remove(
    view: ActView,
    made: Annotated[list[int], Form()] = [],  # noqa: B006 - FastAPI copies it
    back: Annotated[str, Form()] = "/names",
) -> RedirectResponse:
    """Delete unused names from Paperless, each checked once more right before."""

    async def action() -> int:
        removed = 0
        for name in view.names:
            async for unused in list_unused(view.caller, name):
                if unused.inspected.made.id in made:
                    removed += await remove_unused(view.caller, unused) is None
        return removed

    return await view.perform_and_report(
        local_path(back),
        action(),
        lambda translator, number: translator.plural(
            "{n} name deleted from Paperless.", "{n} names deleted from Paperless.", number
        ),
    )


@router.get("/names/similar")
async def similar(view: ReadView) -> HTMLResponse:
    """List names in use that look like the same name."""
    found: list[SimilarPair] = []
    trouble = ""
    for name in view.names:
        try:
            found += await find_similar_pairs(view.caller, name)
        except (PaperlessError, PaperclerkError) as error:
            trouble = error.user_message
    return await view.page("names_similar.html", pairs=found, trouble=trouble)


@router.get("/names/completion")
async def complete(
    view: ReadView, field: FieldName, q: Annotated[str, Query(max_length=200)] = ""
) -> JSONResponse:
    """Return the names in use that complete what is being typed."""
    view.require_connected(view.chosen)
    if field not in NAMED_FIELDS:
        raise BadRequest(f"{field} has no names")
    found = await actions.complete_name(view.caller, NameScope(view.chosen, field), q)
    return JSONResponse({"names": found.names, "exists": found.exists})


@router.post("/names/owner")
async def decide_owner_name(
    view: ActView, form: Annotated[OwnerNameForm, Form()]
) -> RedirectResponse:
    """Confirm or decline a name of the owner."""
    name = " ".join(form.name.split())
    back = local_path(form.back)
    if form.action is OwnerNameAction.CONFIRM:
        confirm = confirm_owner_name(view.caller, name, form.instance)
        return await view.perform(back, confirm, "“{name}” is one of your names.", name=name)
    decline = decline_owner_name(view.caller, name, form.instance)
    return await view.perform(back, decline, "“{name}” is none of your names.", name=name)


@router.get("/names/learnt")
async def learnt(view: ReadView, start: Annotated[int, Query(ge=0)] = 0) -> HTMLResponse:
    """List what was learnt, by instance; `start` counts from the first fact of each."""
    pages = {
        name: await list_learnt(view.caller, name, start=start, limit=_LEARNT_PAGE)
        for name in view.names
        if name in view.context.instances
    }
    return await view.page("learnt.html", pages=pages, start=start)


@router.post("/names/learnt")
async def decide_learnt(view: ActView, form: Annotated[LearntForm, Form()]) -> RedirectResponse:
    """Delete a learnt fact, or restore a deleted one."""
    back = local_path(form.back)
    if form.action is LearntAction.DELETE:
        delete = delete_learnt(view.caller, form.instance, [form.id])
        return await view.perform(back, delete, "Deleted. It will not be learnt again.")
    restore = restore_learnt(view.caller, form.instance, [form.id])
    return await view.perform(back, restore, "Restored.")


async def _decide_one(
    view: View, action: NameAction, selected: tuple[NameScope, str]
) -> DecisionResult:
    """Decide about one of the selected names; one that is gone by now is refused."""
    scope, name = selected
    where = NameFilter(scope.instance, scope.field)
    try:
        if action is NameAction.CREATE:
            return await actions.create_names(view.caller, [name], where)
        return await actions.never_suggest(view.caller, [name], where)
    except InvalidRequest as error:
        return DecisionResult(refused=(error,))


def _parse_selected(text: str) -> tuple[NameScope, str]:
    """Parse a selected name, `instance/field/name`; raise BadRequest."""
    instance, _, rest = text.partition("/")
    field, _, name = rest.partition("/")
    try:
        return NameScope(instance, FieldName(field)), name
    except ValueError as error:
        raise BadRequest(str(error)) from error


async def _load_owner_names(view: View) -> dict[str, list[OwnerName]]:
    """Return the owner's names of the instances that the page shows, by state."""
    found: dict[str, list[OwnerName]] = {state.value: [] for state in OwnerNameState}
    for name in await list_owner_names(view.caller, view.names):
        found[name.state.value].append(name)
    return found


def _existing_names(found: NamesPage) -> dict[str, list[str]]:
    """Return the existing names to choose from, by instance and field."""
    places = {(new.instance, new.field) for new in found.names if new.instance in found.in_use}
    return {
        f"{instance}-{field}": [
            name.name for name in found.in_use[instance].by_field[field][:_OFFERED]
        ]
        for instance, field in sorted(places)
    }


async def _load_page(view: View, cursor: NameCursor | None, patience: timedelta) -> NamesPage:
    """Load a page of names; the first page if there are none after the cursor any more."""
    load = partial(
        list_names_page_within,
        view.caller,
        limit=_PAGE,
        instance=view.chosen or None,
        timeout=patience,
    )
    page = await load(cursor)
    return page if page.names or cursor is None else await load(None)


def _parse_cursor(after: str) -> NameCursor | None:
    try:
        return NameCursor.parse(after) if after else None
    except ValueError as error:
        raise BadRequest(str(error)) from error

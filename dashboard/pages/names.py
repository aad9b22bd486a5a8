"""`/names`: new names that wait, and your word about each."""

from datetime import timedelta
from enum import StrEnum
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Form, Query
from pydantic import BaseModel
from starlette.responses import HTMLResponse, RedirectResponse

from actions import names as actions
from actions.documents import get_titles
from actions.new_names import NameCursor, NamesPage, list_names_page_within
from actions.soon import TIMEOUT
from core.errors import PaperclerkError
from core.fields import FieldName
from core.names import NameFilter
from dashboard.auth.csrf import local_path
from dashboard.errors import BadRequest
from dashboard.pages.outcomes import describe_alias, describe_created, describe_never_suggested
from dashboard.pages.view import ActView, ReadView, View

router = APIRouter(include_in_schema=False)


class NameAction(StrEnum):
    """What becomes of a new name."""

    CREATE = "create"
    USE = "use"
    NEVER = "never"


class NameForm(BaseModel):
    """What a person says about a new name."""

    name: str
    instance: str
    field: FieldName
    deed: NameAction
    existing: list[str] = []
    back: str = "/names"
    """The page on which it was said."""


_PAGE = 50
_OFFERED = 500
"""Names of a kind that are offered; more would make the page slow, and can be typed."""
_AT_LEISURE = timedelta(minutes=1)
_SHOWN = 3
"""Documents of a name; of the others only the number is told."""


@router.get("/names")
async def names(
    view: ReadView, after: Annotated[str, Query()] = "", wait: Annotated[str, Query()] = ""
) -> HTMLResponse:
    """List the new names; Paperless is asked which exist by now, but only for moments."""
    found, trouble = NamesPage(), ""
    begun = _place(after)
    try:
        found = await _page_after(view, begun, _AT_LEISURE if wait else TIMEOUT)
    except PaperclerkError as error:
        trouble = error.user_message
    refs = [ref for one in found.names for ref in one.documents[:_SHOWN]]
    return await view.page(
        "names.html",
        found=found,
        is_first=begun is None,
        trouble=trouble,
        after=after,
        titles=await get_titles(view.context.store, refs),
        most=_SHOWN,
        offered=_existing_names(found),
    )


def _existing_names(found: NamesPage) -> dict[str, list[str]]:
    """Return what may be typed instead of a name, by where that one is meant."""
    places = {(one.instance, one.field) for one in found.names if one.instance in found.in_use}
    return {
        f"{instance}-{field}": [
            name.name for name in found.in_use[instance].by_field[field][:_OFFERED]
        ]
        for instance, field in sorted(places)
    }


async def _page_after(view: View, begun: NameCursor | None, patience: timedelta) -> NamesPage:
    """Give a page of names; after the last, the first, for who decided about all of a page."""
    listed = partial(
        list_names_page_within,
        view.caller,
        limit=_PAGE,
        instance=view.chosen or None,
        timeout=patience,
    )
    page = await listed(begun)
    return page if page.names or begun is None else await listed(None)


def _place(after: str) -> NameCursor | None:
    try:
        return NameCursor.parse(after) if after else None
    except ValueError as error:
        raise BadRequest(str(error)) from error


@router.post("/names")
async def decide(view: ActView, said: Annotated[NameForm, Form()]) -> RedirectResponse:
    """Create a name, have it mean another, or never have it suggested again."""
    name, where = said.name, NameFilter(said.instance, said.field)
    match said.deed:
        case NameAction.CREATE:
            done, told = (
                actions.create_names(view.caller, [name], where),
                partial(describe_created, name=name),
            )
        case NameAction.USE:
            # One that is offered, else the one that was typed.
            known = next(filter(None, said.existing), "")
            done = actions.use_existing(view.caller, name, known, where)
            told = partial(describe_alias, name=name, existing=known)
        case NameAction.NEVER:
            done, told = (
                actions.never_suggest(view.caller, [name], where),
                partial(describe_never_suggested, name=name),
            )
    return await view.perform_and_report(local_path(said.back), done, told)

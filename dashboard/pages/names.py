"""`/names`: new names that wait, and your word about each."""

from enum import StrEnum
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Form, Query
from starlette.responses import HTMLResponse, RedirectResponse

from core.errors import PaperclerkError
from core.fields import FieldName
from core.names import Where
from dashboard.errors import BadRequest
from dashboard.pages.telling import created, dropped, meant
from dashboard.pages.view import Acting, Reading, View
from paperless_client import PaperlessError
from processor.actions import names as actions
from processor.actions.names import NamesPage
from processor.actions.titles import titles_of
from processor.new_names import Rank

router = APIRouter(include_in_schema=False)


class Deed(StrEnum):
    """What becomes of a new name."""

    CREATE = "create"
    USE = "use"
    NEVER = "never"


_PAGE = 50
_SHOWN = 3
"""Documents of a name; of the others only the number is told."""


@router.get("/names")
async def names(view: Reading, after: Annotated[str, Query()] = "") -> HTMLResponse:
    """List the new names; Paperless is asked which exist by now."""
    found, trouble = NamesPage(), ""
    begun = _place(after)
    try:
        found = await _page_after(view, begun)
    except (PaperlessError, PaperclerkError) as error:
        trouble = error.user_message
    refs = [ref for one in found.names for ref in one.documents[:_SHOWN]]
    return await view.page(
        "names.html",
        found=found,
        is_first=begun is None,
        trouble=trouble,
        titles=await titles_of(view.desk.store, refs),
        most=_SHOWN,
    )


async def _page_after(view: View, begun: Rank | None) -> NamesPage:
    """Give a page of names; after the last, the first, for who decided about all of a page."""
    instance = view.chosen or None
    page = await actions.names_after(view.caller, begun, limit=_PAGE, instance=instance)
    if page.names or begun is None:
        return page
    return await actions.names_after(view.caller, None, limit=_PAGE, instance=instance)


def _place(after: str) -> Rank | None:
    try:
        return Rank.parse(after) if after else None
    except ValueError as error:
        raise BadRequest(str(error)) from error


@router.post("/names")
async def decide(
    view: Acting,
    name: Annotated[str, Form()],
    instance: Annotated[str, Form()],
    field: Annotated[FieldName, Form()],
    deed: Annotated[Deed, Form()],
    existing: Annotated[tuple[str, ...], Form()] = (),
) -> RedirectResponse:
    """Create a name, have it mean another, or never have it suggested again."""
    where = Where(instance, field)
    match deed:
        case Deed.CREATE:
            done, told = actions.create(view.caller, [name], where), partial(created, name=name)
        case Deed.USE:
            # One that is offered, else the one that was typed.
            known = next(filter(None, existing), "")
            done = actions.use(view.caller, name, known, where)
            told = partial(meant, name=name, existing=known)
        case Deed.NEVER:
            done, told = actions.never(view.caller, [name], where), partial(dropped, name=name)
    return await view.tell_of("/names", done, told)

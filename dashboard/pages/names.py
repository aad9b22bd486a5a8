"""`/names`: new names that wait, and your word about each."""

from enum import StrEnum
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Form
from starlette.responses import HTMLResponse, RedirectResponse

from core.errors import PaperclerkError
from core.fields import FieldName
from core.names import Where
from dashboard.pages.telling import created, dropped, meant
from dashboard.pages.view import Acting, Reading
from paperless_client import PaperlessError
from processor.actions import names as actions
from processor.actions.titles import titles_of
from processor.new_names import NewName

router = APIRouter(include_in_schema=False)


class Deed(StrEnum):
    """What becomes of a new name."""

    CREATE = "create"
    USE = "use"
    NEVER = "never"


_SHOWN = 3
"""Documents of a name; of the others only the number is told."""


@router.get("/names")
async def names(view: Reading) -> HTMLResponse:
    """List the new names; Paperless is asked which exist by now."""
    found: tuple[NewName, ...] = ()
    trouble = ""
    try:
        found = await actions.waiting_names(view.caller, view.chosen or None)
    except (PaperlessError, PaperclerkError) as error:
        trouble = error.user_message
    refs = [ref for one in found for ref in one.documents[:_SHOWN]]
    return await view.page(
        "names.html",
        found=found,
        trouble=trouble,
        titles=await titles_of(view.desk.store, refs),
        most=_SHOWN,
    )


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

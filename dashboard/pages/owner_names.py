"""The owner's own names on the page `/names`: proposed, confirmed, declined."""

from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Form
from pydantic import BaseModel
from starlette.responses import RedirectResponse

from actions.learnt import (
    OwnerName,
    OwnerNameState,
    confirm_owner_name,
    decline_owner_name,
    list_owner_names,
)
from dashboard.auth.csrf import local_path
from dashboard.pages.view import ActView, View

router = APIRouter(include_in_schema=False)


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


async def load_owner_names(view: View) -> dict[str, list[OwnerName]]:
    """Return the owner's names of the instances that the page shows, by state."""
    found: dict[str, list[OwnerName]] = {state.value: [] for state in OwnerNameState}
    for name in await list_owner_names(view.caller, view.names):
        found[name.state.value].append(name)
    return found

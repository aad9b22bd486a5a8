"""`/names/owner`: the owner's names, proposed from documents; confirm or decline them."""

from pydantic import BaseModel, ConfigDict

from actions.learnt import (
    OwnerName,
    OwnerNameState,
    confirm_owner_name,
    decline_owner_name,
    list_owner_names,
)
from dashboard.api.errors import error_responses
from dashboard.api.names import NameText
from dashboard.api.router import api_router
from dashboard.auth.dependencies import ActCaller, ReadCaller

router = api_router("/names/owner", tag="names")


class OwnerNameShown(BaseModel):
    """A name that is or may be the owner's; only confirmed ones and those of the settings count."""

    instance: str
    name: str
    state: OwnerNameState
    documents: int
    """The documents addressed to a proposed name."""
    total: int
    """The documents that were counted for it."""


class AboutOwnerName(BaseModel):
    """A name, with its instance if there are several."""

    model_config = ConfigDict(extra="forbid")

    name: NameText
    instance: str | None = None


@router.get("", responses=error_responses(404))
async def list_names(caller: ReadCaller, instance: str | None = None) -> list[OwnerNameShown]:
    """List the owner's names, the proposed ones first."""
    instances = None if instance is None else [instance]
    return [_serialize(name) for name in await list_owner_names(caller, instances)]


@router.post("/confirm", responses=error_responses(404, 409))
async def confirm(caller: ActCaller, about: AboutOwnerName) -> OwnerNameShown:
    """Confirm that a name is the owner's: no document is filed under it automatically."""
    return _serialize(await confirm_owner_name(caller, about.name, about.instance))


@router.post("/decline", responses=error_responses(404, 409))
async def decline(caller: ActCaller, about: AboutOwnerName) -> OwnerNameShown:
    """Store that a name is not the owner's; it is not proposed again."""
    return _serialize(await decline_owner_name(caller, about.name, about.instance))


def _serialize(name: OwnerName) -> OwnerNameShown:
    return OwnerNameShown(
        instance=name.instance,
        name=name.name,
        state=name.state,
        documents=name.documents,
        total=name.total,
    )

"""`/names` and `/learnt`: new names for review, the owner's names, and what was learnt."""

from typing import Annotated, Literal

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

from actions import names
from actions.learnt import (
    LearntFact,
    OwnerName,
    OwnerNameState,
    confirm_owner_name,
    decline_owner_name,
    delete_learnt,
    list_learnt,
    list_owner_names,
    restore_learnt,
)
from actions.new_names import CURSOR_PATTERN, NameCursor, NewName, list_names_page
from actions.review import DecisionResult
from core.fields import FieldName
from core.learning import FactKind
from core.names import NameFilter
from dashboard.api.review import DecidedShown, serialize_decided
from dashboard.api.router import Limit, Page, Root, api_router, error_responses
from dashboard.api.schemas import ProblemShown
from dashboard.api.serialize import serialize_error
from dashboard.auth.dependencies import ActCaller, ReadCaller

router = api_router(tag="names")
AfterName = Annotated[
    str | None,
    Query(pattern=CURSOR_PATTERN, description="Continue after a page: its `next`."),
]
NameText = Annotated[str, Field(min_length=1, max_length=200)]


class NewNameShown(BaseModel):
    """A name that does not exist in Paperless yet, with the documents it was suggested for."""

    instance: str
    field: FieldName
    name: str
    documents: list[str]
    similar: list[str]
    """Similar existing names."""


class AboutName(BaseModel):
    """A new name for review, with instance and field if it is ambiguous."""

    model_config = ConfigDict(extra="forbid")

    name: NameText
    instance: str | None = None
    field: Literal["correspondent", "document_type", "storage_path", "tags"] | None = None

    @property
    def where(self) -> NameFilter:
        """Return the instance and field of the name."""
        return NameFilter(self.instance, None if self.field is None else FieldName(self.field))


class UseName(AboutName):
    """A new name for review, and the existing name to use instead."""

    existing: NameText


class NamesDecidedShown(DecidedShown):
    """The result of a decision about a name."""

    still_wait: list[str]
    """Documents that stay for review with this name, for other reasons."""
    refused: list[ProblemShown]
    """Documents that were changed in the meantime."""


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


class LearntFactShown(BaseModel):
    """Something that was learnt about a sender, or about the whole archive."""

    id: str
    instance: str
    kind: FactKind
    value: str
    correspondent: int | None
    """The id of the sender in Paperless; null for the whole archive."""
    sender: str
    documents: int
    """The documents that show it."""
    total: int
    """The documents that were counted, for a date order."""
    origins: list[str]
    """The newest documents that it was learnt from."""
    is_deleted: bool


class AboutLearnt(BaseModel):
    """Learnt facts, by their ids."""

    model_config = ConfigDict(extra="forbid")

    instance: str
    ids: Annotated[list[str], Field(min_length=1, max_length=1000)]


@router.get("/names", responses=error_responses(404, 502))
async def list_names(
    caller: ReadCaller, instance: str | None = None, after: AfterName = None, limit: Limit = 50
) -> Page[NewNameShown]:
    """List the new names for review, those of the most documents first."""
    cursor = None if after is None else NameCursor.parse(after)
    page = await list_names_page(caller, cursor, limit=limit, instance=instance)
    return Page(
        items=[_serialize_name(new) for new in page.names],
        next=None if page.next is None else str(page.next),
    )


@router.post("/names/create", responses=error_responses(404, 409, 502))
async def create_name(caller: ActCaller, root: Root, about: AboutName) -> NamesDecidedShown:
    """Create a name and write it to the documents that wait for it."""
    return _serialize_result(root, await names.create_names(caller, [about.name], about.where))


@router.post("/names/use", responses=error_responses(404, 409, 502))
async def use_name(caller: ActCaller, root: Root, about: UseName) -> NamesDecidedShown:
    """Use an existing name instead, for the waiting documents and from now on."""
    return _serialize_result(
        root, await names.use_existing(caller, about.name, about.existing, about.where)
    )


@router.post("/names/never", responses=error_responses(404, 409, 502))
async def never_name(caller: ActCaller, root: Root, about: AboutName) -> NamesDecidedShown:
    """Never suggest a name again, and reject the changes that wait with it."""
    return _serialize_result(root, await names.never_suggest(caller, [about.name], about.where))


@router.get("/names/owner", name="list_names", responses=error_responses(404))
async def list_owner(caller: ReadCaller, instance: str | None = None) -> list[OwnerNameShown]:
    """List the owner's names, the proposed ones first."""
    instances = None if instance is None else [instance]
    return [_serialize_owner_name(name) for name in await list_owner_names(caller, instances)]


@router.post("/names/owner/confirm", responses=error_responses(404, 409))
async def confirm(caller: ActCaller, about: AboutOwnerName) -> OwnerNameShown:
    """Confirm that a name is the owner's: no document is filed under it automatically."""
    return _serialize_owner_name(await confirm_owner_name(caller, about.name, about.instance))


@router.post("/names/owner/decline", responses=error_responses(404, 409))
async def decline(caller: ActCaller, about: AboutOwnerName) -> OwnerNameShown:
    """Store that a name is not the owner's; it is not proposed again."""
    return _serialize_owner_name(await decline_owner_name(caller, about.name, about.instance))


@router.get("/learnt", responses=error_responses(404))
async def list_facts(
    caller: ReadCaller,
    instance: str,
    after: Annotated[int, Query(ge=0, description="Continue after a page: its `next`.")] = 0,
    limit: Limit = 50,
) -> Page[LearntFactShown]:
    """List what was learnt about an instance; the first page also has what was deleted."""
    page = await list_learnt(caller, instance, start=after, limit=limit)
    deleted = page.deleted if after == 0 else ()
    return Page(
        items=[_serialize_fact(fact) for fact in (*page.facts, *deleted)],
        next=None if page.next is None else str(page.next),
    )


@router.post("/learnt/delete", responses=error_responses(404))
async def delete(caller: ActCaller, about: AboutLearnt) -> AboutLearnt:
    """Delete learnt facts for good: they are not used, and not learnt again."""
    await delete_learnt(caller, about.instance, about.ids)
    return about


@router.post("/learnt/restore", responses=error_responses(404))
async def restore(caller: ActCaller, about: AboutLearnt) -> AboutLearnt:
    """Let deleted facts be used again."""
    await restore_learnt(caller, about.instance, about.ids)
    return about


def _serialize_name(new: NewName) -> NewNameShown:
    return NewNameShown(
        instance=new.instance,
        field=new.field,
        name=new.name,
        documents=[str(ref) for ref in new.documents],
        similar=list(new.similar),
    )


def _serialize_result(root: str, result: DecisionResult) -> NamesDecidedShown:
    decided = serialize_decided(root, result)
    return NamesDecidedShown(
        jobs=decided.jobs,
        remembered=decided.remembered,
        still_wait=[str(change.document) for change in result.still_waiting],
        refused=[serialize_error(error) for error in result.refused],
    )


def _serialize_owner_name(name: OwnerName) -> OwnerNameShown:
    return OwnerNameShown(
        instance=name.instance,
        name=name.name,
        state=name.state,
        documents=name.documents,
        total=name.total,
    )


def _serialize_fact(fact: LearntFact) -> LearntFactShown:
    return LearntFactShown(
        id=fact.id,
        instance=fact.instance,
        kind=fact.fact.kind,
        value=fact.fact.value,
        correspondent=fact.correspondent,
        sender=fact.sender,
        documents=fact.documents,
        total=fact.total,
        origins=[str(ref) for ref in fact.origins],
        is_deleted=fact.is_deleted,
    )

"""`/names`: new names for review; create them, use existing ones, or never suggest them."""

from typing import Annotated, Literal

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

from actions import names
from actions.new_names import CURSOR_PATTERN, NameCursor, NewName, list_names_page
from actions.review import DecisionResult
from core.fields import FieldName
from core.names import NameFilter
from dashboard.api.errors import error_responses
from dashboard.api.paging import Limit, Page, Root
from dashboard.api.review import DecidedShown, serialize_decided
from dashboard.api.router import api_router
from dashboard.api.schemas import ProblemShown
from dashboard.api.serialize import serialize_error
from dashboard.auth.dependencies import ActCaller, ReadCaller

router = api_router("/names", tag="names")

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


@router.get("", responses=error_responses(404, 502))
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


@router.post("/create", responses=error_responses(404, 409, 502))
async def create_name(caller: ActCaller, root: Root, about: AboutName) -> NamesDecidedShown:
    """Create a name and write it to the documents that wait for it."""
    return _serialize_result(root, await names.create_names(caller, [about.name], about.where))


@router.post("/use", responses=error_responses(404, 409, 502))
async def use_name(caller: ActCaller, root: Root, about: UseName) -> NamesDecidedShown:
    """Use an existing name instead, for the waiting documents and from now on."""
    return _serialize_result(
        root, await names.use_existing(caller, about.name, about.existing, about.where)
    )


@router.post("/never", responses=error_responses(404, 409, 502))
async def never_name(caller: ActCaller, root: Root, about: AboutName) -> NamesDecidedShown:
    """Never suggest a name again, and reject the changes that wait with it."""
    return _serialize_result(root, await names.never_suggest(caller, [about.name], about.where))


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

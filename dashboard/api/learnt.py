"""`/learnt`: what was learnt from filed documents; delete it, or restore it."""

from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

from actions.learnt import LearntFact, delete_learnt, list_learnt, restore_learnt
from core.learning import FactKind
from dashboard.api.errors import error_responses
from dashboard.api.paging import Limit, Page
from dashboard.api.router import api_router
from dashboard.auth.dependencies import ActCaller, ReadCaller

router = api_router("/learnt", tag="names")


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


@router.get("", responses=error_responses(404))
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
        items=[_serialize(fact) for fact in (*page.facts, *deleted)],
        next=None if page.next is None else str(page.next),
    )


@router.post("/delete", responses=error_responses(404))
async def delete(caller: ActCaller, about: AboutLearnt) -> AboutLearnt:
    """Delete learnt facts for good: they are not used, and not learnt again."""
    await delete_learnt(caller, about.instance, about.ids)
    return about


@router.post("/restore", responses=error_responses(404))
async def restore(caller: ActCaller, about: AboutLearnt) -> AboutLearnt:
    """Let deleted facts be used again."""
    await restore_learnt(caller, about.instance, about.ids)
    return about


def _serialize(fact: LearntFact) -> LearntFactShown:
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

"""`/search`: documents by the words in their text."""

from datetime import date
from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

from actions.documents import build_link
from actions.search import search_archive
from core.archive import ArchiveCursor, ArchiveHit, ArchiveSearch
from dashboard.api.errors import error_responses
from dashboard.api.paging import Limit, Page
from dashboard.api.router import api_router
from dashboard.auth.dependencies import ReadCaller

router = api_router("/search", tag="documents")

AfterHit = Annotated[
    str | None,
    Query(
        pattern=r"^-?[0-9]{1,6}(\.[0-9]{1,20})?(e-?[0-9]{1,3})?:[0-9]{1,15}$",
        description="Go on after a page: the `next` that it came with.",
    ),
]


class WhichText(BaseModel):
    """What to search for; what is left out means any."""

    model_config = ConfigDict(extra="forbid")

    q: Annotated[str, Field(max_length=200)]
    """Words that a document must all contain, also as parts of longer words."""
    instance: str | None = None
    correspondent: Annotated[str | None, Field(max_length=200)] = None
    """Names in Paperless, in any case."""
    document_type: Annotated[str | None, Field(max_length=200)] = None
    tag: Annotated[str | None, Field(max_length=200)] = None
    created_since: date | None = None
    """The date of the document in Paperless, first day included."""
    created_until: date | None = None
    """The last day, included."""
    after: AfterHit = None
    limit: Limit = 20


class SnippetPartShown(BaseModel):
    """A piece of a snippet."""

    text: str
    match: bool
    """Whether it is one of the words searched for."""


class HitShown(BaseModel):
    """A document that was found."""

    document: str
    title: str
    correspondent: str | None
    document_type: str | None
    tags: list[str]
    created: date
    score: float
    """Higher is better; only comparable within one search."""
    snippet: list[SnippetPartShown]
    page: int | None
    """The page of the snippet; null if unknown."""
    page_estimated: bool
    """Whether the page was computed from the position in the text."""
    link: str
    """The document in Paperless."""


class SearchPage(Page[HitShown]):
    """A part of the documents that were found, the best first."""

    not_ready: list[str]
    """Instances that are not searched yet, because their index is being built or changed."""


@router.get("", responses=error_responses(404))
async def search(caller: ReadCaller, which: Annotated[WhichText, Query()]) -> SearchPage:
    """Search the text of the documents, the best first."""
    wanted = ArchiveSearch(
        words=which.q,
        instances=frozenset(),
        correspondent=which.correspondent,
        document_type=which.document_type,
        tag=which.tag,
        created_since=which.created_since,
        created_until=which.created_until,
        after=ArchiveCursor.parse(which.after) if which.after else None,
        limit=which.limit,
    )
    instances = None if which.instance is None else [which.instance]
    result = await search_archive(caller, wanted, instances)
    return SearchPage(
        items=[_serialize(hit, build_link(caller, hit.fields.ref)) for hit in result.found.hits],
        next=str(result.found.next) if result.found.next else None,
        not_ready=list(result.not_ready),
    )


def _serialize(hit: ArchiveHit, link: str) -> HitShown:
    return HitShown(
        document=str(hit.fields.ref),
        title=hit.fields.title,
        correspondent=hit.correspondent,
        document_type=hit.document_type,
        tags=list(hit.tags),
        created=hit.fields.created,
        score=hit.score,
        snippet=[SnippetPartShown(text=part.text, match=part.is_match) for part in hit.snippet],
        page=hit.page,
        page_estimated=hit.is_page_estimated,
        link=link,
    )

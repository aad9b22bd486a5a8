"""`/review`: the documents for review, and the decisions about them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, TypeVar

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse, RedirectResponse

from actions import review as actions
from actions.documents import fetch_text, get_titles
from actions.review import DecisionResult, accept_clear
from core.documents import DocumentRef
from core.errors import PaperclerkError
from dashboard.context import MAX_ID, PathId
from dashboard.pages.outcomes import describe_accepted, describe_decided
from dashboard.pages.review_form import (
    ReviewForm,
    ReviewItem,
    find_passage,
    group_by_document,
    parse_ticked,
)
from dashboard.pages.view import ActView, ReadView, View
from dashboard.rendering import redirect
from i18n import Translator
from paperless_client import PaperlessError
from store.notifications import ActivityCounts

T = TypeVar("T")

router = APIRouter(include_in_schema=False)

_PAGE = 25
_WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The previous and the next document of the list."""

    before: DocumentRef | None
    after: DocumentRef | None


@router.get("/review")
async def review(view: ReadView, after: Annotated[int, Query(ge=0, le=MAX_ID)] = 0) -> HTMLResponse:
    """List the documents for review, oldest first."""
    store = view.context.store
    waiting = group_by_document(
        await store.changes.list_for_review_by_document(view.names, _PAGE + 1, after)
    )
    shown = waiting[:_PAGE]
    return await view.page(
        "review.html",
        waiting=shown,
        titles=await get_titles(store, [item.ref for item in shown]),
        next_after=shown[-1].changes[0].id if len(waiting) > _PAGE else None,
        is_first=after == 0,
        clear=sum(item.is_clear for item in shown),
        week=None if shown else await _count_last_week(view),
    )


@router.get("/review/{instance}/{number}")
async def review_document(view: ReadView, instance: str, number: PathId) -> HTMLResponse:
    """Show the changes of one document for review."""
    ref = view.require_visible(DocumentRef(instance, number))
    waiting = ReviewItem(ref, await actions.list_waiting(view.caller, ref))
    return await view.page(
        "review_document.html",
        waiting=waiting,
        ref=ref,
        title=(await get_titles(view.context.store, [ref]))[ref],
        link=view.link_to(ref),
        neighbours=await _load_neighbours(view, waiting),
        alternatives=await actions.find_alternatives(view.caller, ref, waiting.changes),
        typed=view.request.query_params,
        longest_why=actions.MAX_REASON_LENGTH,
    )


@router.get("/review/{instance}/{number}/text")
async def evidence(view: ReadView, instance: str, number: PathId) -> HTMLResponse:
    """Show each quote in its context, and the names in use, both from Paperless."""
    ref = view.require_visible(DocumentRef(instance, number))
    waiting = ReviewItem(ref, await actions.list_waiting(view.caller, ref))
    text, trouble, names = "", "", None
    try:
        view.require_connected(instance)
        names = await view.caller.get_instance(instance).catalogue.names()
        text = await fetch_text(view.caller, ref, names)
    except (PaperlessError, PaperclerkError) as error:
        trouble = error.user_message
    passages = [
        (change, find_passage(text, change.evidence))
        for change in waiting.changes
        if change.evidence
    ]
    return await view.page(
        "review_text.html",
        passages=passages,
        trouble=trouble,
        names={field: names.by_field[field] for field in names.by_field} if names else {},
    )


@router.post("/review/{instance}/{number}/accept")
async def accept(view: ActView, instance: str, number: PathId) -> RedirectResponse:
    """Accept the ticked fields with the typed values, and reject the others."""
    ref = view.require_visible(DocumentRef(instance, number))
    form = ReviewForm.parse(await view.request.form())

    async def decide() -> DecisionResult:
        waiting = ReviewItem(ref, await actions.list_waiting(view.caller, ref, form.seen))
        result = await actions.decide_fields(
            view.caller,
            ref,
            form.edits(waiting),
            form.rejected_fields(waiting),
            seen=form.seen,
            why=form.why,
        )
        return result.raise_if_refused()

    return await _decide_and_continue(
        view,
        ref,
        form,
        decide(),
        lambda translator, result: describe_decided(translator, ref, result),
    )


@router.post("/review/{instance}/{number}/reject")
async def reject(view: ActView, instance: str, number: PathId) -> RedirectResponse:
    """Reject all changes of a document, or those of one field."""
    ref = view.require_visible(DocumentRef(instance, number))
    form = ReviewForm.parse(await view.request.form())

    async def decide() -> None:
        result = await actions.reject(
            view.caller, [ref], only=form.only, seen=form.seen, why=form.why
        )
        result.raise_if_refused()

    return await _decide_and_continue(
        view,
        ref,
        form,
        decide(),
        lambda translator, _: translator.text("{ref} left unchanged.", ref=ref),
    )


@router.post("/review/accept")
async def accept_all(view: ActView) -> RedirectResponse:
    """Accept the shown changes of the ticked documents, unless they need a closer look."""
    ticked = parse_ticked(await view.request.form())
    action = accept_clear(
        view.caller, {view.require_visible(ref): seen for ref, seen in ticked.items()}
    )
    return await view.perform_and_report("/review", action, describe_accepted)


async def _count_last_week(view: View) -> ActivityCounts:
    """Count the activity of the last seven days, shown if nothing is for review."""
    now = view.context.clock()
    return await view.context.store.activity.count_activity(view.names, (now - _WEEK, now))


async def _load_neighbours(view: View, waiting: ReviewItem) -> Neighbours:
    first, changes = min(change.id for change in waiting.changes), view.context.store.changes
    later = await changes.list_for_review_by_document(view.names, 1, first)
    earlier = await changes.find_document_before(view.names, first)
    return Neighbours(earlier, later[0].document if later else None)


async def _decide_and_continue(
    view: View,
    ref: DocumentRef,
    form: ReviewForm,
    decision: Awaitable[T],
    describe: Callable[[Translator, T], str],
) -> RedirectResponse:
    """Await a decision and redirect to the next document.

    Stay on this one if a single field was decided or the decision was refused, as long as it has
    changes for review.
    """
    try:
        result = await decision
    except (PaperclerkError, PaperlessError) as error:
        response, stays = view.redirect_with_error("/review", error), True
    else:
        response = redirect(view.request, "/review", describe(view.translator, result))
        stays = bool(form.only)
    waits = stays and await view.context.store.changes.list_for_review(document=ref, limit=1)
    to = _page(ref) if waits else _next_page(form.following)
    response.headers["location"] = view.url(to, instance=form.chosen)
    return response


def _next_page(following: str) -> str:
    try:
        return _page(DocumentRef.parse(following))
    except ValueError:
        return "/review"


def _page(ref: DocumentRef) -> str:
    return f"/review/{ref.instance}/{ref.id}"

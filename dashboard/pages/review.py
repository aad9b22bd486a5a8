"""`/review`: what waits for you, and your word about it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, TypeVar

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse, RedirectResponse

from actions import review as actions
from actions.decisions import TypedEdits
from actions.documents import get_titles
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
    parse_choices,
    parse_ticked,
)
from dashboard.pages.view import ActView, ReadView, View
from dashboard.rendering import redirect
from i18n import Translator
from paperless_client import PaperlessError
from processor.instance import Instance
from processor.names.catalogue import NamesInUse
from store.notifications import ActivityCounts

T = TypeVar("T")

router = APIRouter(include_in_schema=False)

_PAGE = 25
_WEEK = timedelta(days=7)


@router.get("/review")
async def review(view: ReadView, after: Annotated[int, Query(ge=0, le=MAX_ID)] = 0) -> HTMLResponse:
    """List the documents that wait, the oldest first."""
    store = view.context.store
    waiting = group_by_document(
        await store.changes.list_for_review_by_document(view.names, _PAGE + 1, after)
    )
    shown = waiting[:_PAGE]
    return await view.page(
        "review.html",
        waiting=shown,
        titles=await get_titles(store, [one.ref for one in shown]),
        next_after=shown[-1].changes[0].id if len(waiting) > _PAGE else None,
        is_first=after == 0,
        clear=sum(one.is_clear for one in shown),
        week=None if shown else await _week(view),
    )


async def _week(view: View) -> ActivityCounts:
    """Count what the last seven days brought, for who has nothing left to do."""
    now = view.context.clock()
    return await view.context.store.activity.count_activity(view.names, (now - _WEEK, now))


@router.get("/review/{instance}/{number}")
async def review_one(view: ReadView, instance: str, number: PathId) -> HTMLResponse:
    """Show all that waits of one document."""
    ref = view.require_visible(DocumentRef(instance, number))
    waiting = ReviewItem(ref, await actions.list_waiting(view.caller, ref))
    return await view.page(
        "review_one.html",
        waiting=waiting,
        ref=ref,
        title=(await get_titles(view.context.store, [ref]))[ref],
        link=view.link_to(ref),
        neighbours=await _neighbours(view, waiting),
        alternatives=await actions.find_alternatives(view.caller, ref, waiting.changes),
        typed=view.request.query_params,
        longest_why=actions.MAX_REASON_LENGTH,
    )


@router.get("/review/{instance}/{number}/text")
async def evidence(view: ReadView, instance: str, number: PathId) -> HTMLResponse:
    """Show each quote where it stands, and the names in use; Paperless is asked for both."""
    ref = view.require_visible(DocumentRef(instance, number))
    waiting = ReviewItem(ref, await actions.list_waiting(view.caller, ref))
    text, trouble, names = "", "", None
    try:
        names = await view.instance(instance).catalogue.names()
        text = await _text(view.instance(instance), number, names)
    except (PaperlessError, PaperclerkError) as error:
        trouble = error.user_message
    passages = [(one, find_passage(text, one.evidence)) for one in waiting.changes if one.evidence]
    return await view.page(
        "review_text.html",
        passages=passages,
        trouble=trouble,
        names={field: names.by_field[field] for field in names.by_field} if names else {},
    )


@router.post("/review/{instance}/{number}/accept")
async def accept(view: ActView, instance: str, number: PathId) -> RedirectResponse:
    """Take what is ticked, with the person's own values, and leave what is not."""
    ref = view.require_visible(DocumentRef(instance, number))
    form = await view.request.form()
    heard = ReviewForm.parse(form)

    async def deed() -> DecisionResult:
        waiting = ReviewItem(ref, await actions.list_waiting(view.caller, ref, heard.seen))
        typed = {key: str(value) for key, value in form.items()}
        said = parse_choices(typed, waiting, heard.ticked, heard.only)
        wishes = TypedEdits(said.values, said.take)
        left = actions.Rejection(said.leave, heard.seen, heard.why)
        return (await actions.decide_fields(view.caller, ref, wishes, left)).raise_if_refused()

    return await _decide_and_continue(
        view, ref, heard, deed(), lambda translator, done: describe_decided(translator, ref, done)
    )


@router.post("/review/{instance}/{number}/reject")
async def reject(view: ActView, instance: str, number: PathId) -> RedirectResponse:
    """Leave the document as it is, or one field of it."""
    ref = view.require_visible(DocumentRef(instance, number))
    heard = ReviewForm.parse(await view.request.form())
    said = actions.Rejection(heard.only, heard.seen, heard.why)

    async def deed() -> None:
        (await actions.reject(view.caller, [ref], said)).raise_if_refused()

    return await _decide_and_continue(
        view,
        ref,
        heard,
        deed(),
        lambda translator, _: translator.text("{ref} left unchanged.", ref=ref),
    )


@router.post("/review/accept")
async def accept_all(view: ActView) -> RedirectResponse:
    """Take what was shown of the documents that are ticked, if nothing speaks against it."""
    ticked = parse_ticked(await view.request.form())
    deed = accept_clear(
        view.caller, {view.require_visible(ref): seen for ref, seen in ticked.items()}
    )
    return await view.perform_and_report("/review", deed, describe_accepted)


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The documents before and after one, in the order of the list."""

    before: DocumentRef | None
    after: DocumentRef | None


async def _neighbours(view: View, waiting: ReviewItem) -> Neighbours:
    first, changes = min(change.id for change in waiting.changes), view.context.store.changes
    later = await changes.list_for_review_by_document(view.names, 1, first)
    earlier = await changes.find_document_before(view.names, first)
    return Neighbours(earlier, later[0].document if later else None)


async def _decide_and_continue(
    view: View,
    ref: DocumentRef,
    heard: ReviewForm,
    decision: Awaitable[T],
    words: Callable[[Translator, T], str],
) -> RedirectResponse:
    """Carry a decision out and open the next document.

    Stay on this one if a single field was decided or the decision was refused, as long as something
    of it waits.
    """
    try:
        done = await decision
    except (PaperclerkError, PaperlessError) as error:
        answer, stays = view.redirect_with_error("/review", error), True
    else:
        answer = redirect(view.request, "/review", words(view.translator, done))
        stays = bool(heard.only)
    here = stays and await view.context.store.changes.list_for_review(document=ref, limit=1)
    to = _page(ref) if here else _going_on(heard.following)
    answer.headers["location"] = view.url(to, instance=heard.chosen)
    return answer


async def _text(instance: Instance, number: int, names: NamesInUse) -> str:
    """Read the text of a document, unless it carries an excluded tag by now."""
    excluded = names.tag_ids.all_ids(instance.tags.exclude)
    found = await instance.paperless.fetch_text(number, without_tags=excluded)
    return found.content if found else ""


def _going_on(following: object) -> str:
    try:
        ref = DocumentRef.parse(str(following))
    except ValueError:
        return "/review"
    return _page(ref)


def _page(ref: DocumentRef) -> str:
    return f"/review/{ref.instance}/{ref.id}"

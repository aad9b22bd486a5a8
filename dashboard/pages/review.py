"""`/review`: what waits for you, and your word about it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, TypeVar

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse, RedirectResponse

from actions import review as actions
from actions.decisions import Wishes
from actions.documents import titles_of
from actions.review import Decided, accept_clear
from core.documents import DocumentRef
from core.errors import PaperclerkError
from dashboard.context import GREATEST, Number
from dashboard.pages.outcomes import accepted, decided
from dashboard.pages.review_form import Heard, Waiting, by_document, passage, said_in, ticked_in
from dashboard.pages.view import Acting, Reading, View
from dashboard.rendering import redirect
from i18n import Speech
from paperless_client import PaperlessError
from processor.instance import Instance
from processor.names.catalogue import NamesInUse
from store.notifications import Happened

T = TypeVar("T")

router = APIRouter(include_in_schema=False)

_PAGE = 25
_WEEK = timedelta(days=7)


@router.get("/review")
async def review(
    view: Reading, after: Annotated[int, Query(ge=0, le=GREATEST)] = 0
) -> HTMLResponse:
    """List the documents that wait, the oldest first."""
    store = view.desk.store
    waiting = by_document(await store.changes.waiting_documents(view.names, _PAGE + 1, after))
    shown = waiting[:_PAGE]
    return await view.page(
        "review.html",
        waiting=shown,
        titles=await titles_of(store, [one.ref for one in shown]),
        next_after=shown[-1].changes[0].id if len(waiting) > _PAGE else None,
        is_first=after == 0,
        clear=sum(one.is_clear for one in shown),
        week=None if shown else await _week(view),
    )


async def _week(view: View) -> Happened:
    """Count what the last seven days brought, for who has nothing left to do."""
    now = view.desk.clock()
    return await view.desk.store.news.happened(view.names, (now - _WEEK, now))


@router.get("/review/{instance}/{number}")
async def review_one(view: Reading, instance: str, number: Number) -> HTMLResponse:
    """Show all that waits of one document."""
    ref = view.seen(DocumentRef(instance, number))
    waiting = Waiting(ref, await actions.waiting_for(view.caller, ref))
    return await view.page(
        "review_one.html",
        waiting=waiting,
        ref=ref,
        title=(await titles_of(view.desk.store, [ref]))[ref],
        link=view.link_to(ref),
        neighbours=await _neighbours(view, waiting),
        alternatives=await actions.alternatives(view.caller, ref, waiting.changes),
        typed=view.request.query_params,
        longest_why=actions.LONGEST_WHY,
    )


@router.get("/review/{instance}/{number}/text")
async def evidence(view: Reading, instance: str, number: Number) -> HTMLResponse:
    """Show each quote where it stands, and the names in use; Paperless is asked for both."""
    ref = view.seen(DocumentRef(instance, number))
    waiting = Waiting(ref, await actions.waiting_for(view.caller, ref))
    text, trouble, names = "", "", None
    try:
        names = await view.instance(instance).catalogue.names()
        text = await _text(view.instance(instance), number, names)
    except (PaperlessError, PaperclerkError) as error:
        trouble = error.user_message
    passages = [(one, passage(text, one.evidence)) for one in waiting.changes if one.evidence]
    return await view.page(
        "review_text.html",
        passages=passages,
        trouble=trouble,
        names={field: names.by_field[field] for field in names.by_field} if names else {},
    )


@router.post("/review/{instance}/{number}/accept")
async def accept(view: Acting, instance: str, number: Number) -> RedirectResponse:
    """Take what is ticked, with the person's own values, and leave what is not."""
    ref = view.seen(DocumentRef(instance, number))
    form = await view.request.form()
    heard = Heard.in_form(form)

    async def deed() -> Decided:
        waiting = Waiting(ref, await actions.waiting_for(view.caller, ref, heard.seen))
        typed = {key: str(value) for key, value in form.items()}
        said = said_in(typed, waiting, heard.ticked, heard.only)
        wishes = Wishes(said.values, said.take)
        left = actions.Rejected(said.leave, heard.seen, heard.why)
        return (await actions.decide_fields(view.caller, ref, wishes, left)).or_refused()

    return await _go_on(view, ref, heard, deed(), lambda speech, done: decided(speech, ref, done))


@router.post("/review/{instance}/{number}/reject")
async def reject(view: Acting, instance: str, number: Number) -> RedirectResponse:
    """Leave the document as it is, or one field of it."""
    ref = view.seen(DocumentRef(instance, number))
    heard = Heard.in_form(await view.request.form())
    said = actions.Rejected(heard.only, heard.seen, heard.why)

    async def deed() -> None:
        (await actions.reject(view.caller, [ref], said)).or_refused()

    return await _go_on(
        view, ref, heard, deed(), lambda speech, _: speech.say("{ref} stays as it is.", ref=ref)
    )


@router.post("/review/accept")
async def accept_all(view: Acting) -> RedirectResponse:
    """Take what was shown of the documents that are ticked, if nothing speaks against it."""
    ticked = ticked_in(await view.request.form())
    deed = accept_clear(view.caller, {view.seen(ref): seen for ref, seen in ticked.items()})
    return await view.tell_of("/review", deed, accepted)


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The documents before and after one, in the order of the list."""

    before: DocumentRef | None
    after: DocumentRef | None


async def _neighbours(view: View, waiting: Waiting) -> Neighbours:
    first, changes = min(change.id for change in waiting.changes), view.desk.store.changes
    later = await changes.waiting_documents(view.names, 1, first)
    earlier = await changes.document_before(view.names, first)
    return Neighbours(earlier, later[0].document if later else None)


async def _go_on(
    view: View,
    ref: DocumentRef,
    heard: Heard,
    decision: Awaitable[T],
    words: Callable[[Speech, T], str],
) -> RedirectResponse:
    """Carry a decision out and open the next document.

    Stay on this one if a single field was decided or the decision was refused, as long as something
    of it waits.
    """
    try:
        done = await decision
    except (PaperclerkError, PaperlessError) as error:
        answer, stays = view.refused("/review", error), True
    else:
        answer = redirect(view.request, "/review", words(view.speech, done))
        stays = bool(heard.only)
    here = stays and await view.desk.store.changes.waiting(document=ref, limit=1)
    to = _page(ref) if here else _going_on(heard.following)
    answer.headers["location"] = view.url(to, instance=heard.chosen)
    return answer


async def _text(instance: Instance, number: int, names: NamesInUse) -> str:
    """Read the text of a document, unless it carries an excluded tag by now."""
    excluded = names.tag_ids.every(instance.tags.exclude)
    found = await instance.paperless.text(number, without_tags=excluded)
    return found.content if found else ""


def _going_on(following: object) -> str:
    try:
        ref = DocumentRef.parse(str(following))
    except ValueError:
        return "/review"
    return _page(ref)


def _page(ref: DocumentRef) -> str:
    return f"/review/{ref.instance}/{ref.id}"

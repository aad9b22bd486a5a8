"""`/review/home/34`: one document in review, and the decisions about it."""

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.datastructures import FormData
from starlette.responses import HTMLResponse, RedirectResponse, Response

from actions import review as actions
from actions.documents import DocumentSnapshot, fetch_snapshot
from actions.errors import NothingToReview
from actions.own_values import NewNamesUnconfirmed
from actions.review import DecisionResult
from core.changes import Change, name_given_by
from core.documents import DocumentRef, KnownDocument
from core.errors import PaperclerkError
from core.fields import FieldName, Name
from core.text import clean_line
from dashboard.context import PathId
from dashboard.errors import NotAllowed
from dashboard.pages.marked_text import MAX_SHOWN, build_marked_text
from dashboard.pages.outcomes import describe_decided
from dashboard.pages.review import forget_notice, notice_of, redirect_with_notice
from dashboard.pages.review_fields import build_field_views
from dashboard.pages.review_form import CREATE_NAMES, ReviewForm, ReviewItem, ReviewQuery
from dashboard.pages.view import ActView, ReadView, View
from i18n import Translator
from paperless_client import PaperlessError

router = APIRouter(include_in_schema=False)


@router.get("/review/{instance}/{number}")
async def review_document(
    view: ReadView, instance: str, number: PathId, query: Annotated[ReviewQuery, Query()]
) -> Response:
    """Show one document with every field: what it is now, and what is suggested.

    Redirect to the document's own page if nothing waits, as after Accept and the browser's Back.
    """
    ref = view.require_visible(DocumentRef(instance, number))
    try:
        waiting = ReviewItem(ref, await actions.list_waiting(view.caller, ref))
    except NothingToReview:
        return view.redirect_with_message(
            f"/documents/{ref.instance}/{ref.id}", "Nothing in this document is waiting for review."
        )
    store, job_id = view.context.store, waiting.changes[-1].job_id
    known = await store.documents.get(ref)
    result = await store.results.get_final(job_id)
    planned = await store.changes.list_suggestions(job_id)
    snapshot, trouble = await _load_snapshot(view, ref, waiting.changes)
    response = await view.page(
        "review_document.html",
        waiting=waiting,
        ref=ref,
        title=_title(known, ref),
        link=view.link_to(ref),
        place=await store.changes.find_review_place(query.to_filter(view.names), ref),
        fields=build_field_views(waiting, snapshot, planned, result),
        query=query,
        may_act=view.may_act,
        typed=view.request.query_params,
        longest_why=actions.MAX_REASON_LENGTH,
        notice=notice_of(view.request),
        result=result,
        text=build_marked_text(waiting.changes, snapshot, trouble, known, room=MAX_SHOWN),
    )
    forget_notice(view.request, response)
    return response


@router.get("/review/{instance}/{number}/text")
async def text(view: ActView, instance: str, number: PathId) -> HTMLResponse:
    """Show the whole text of a document, with the evidence marked.

    It is the whole document, so it needs the permission to act.
    """
    ref = view.require_visible(DocumentRef(instance, number))
    waiting = await actions.list_waiting(view.caller, ref)
    known = await view.context.store.documents.get(ref)
    snapshot, trouble = await _load_snapshot(view, ref, waiting)
    return await view.page(
        "document_text.html",
        section="/review",
        ref=ref,
        title=_title(known, ref),
        text=build_marked_text(waiting, snapshot, trouble, known, room=None),
    )


@router.post("/review/{instance}/{number}/accept", response_model=None)
async def accept(view: ActView, instance: str, number: PathId) -> Response:
    """Accept the ticked fields with the typed values, and reject the others.

    Ask first if a typed name would be created.
    """
    ref = view.require_visible(DocumentRef(instance, number))
    sent = await view.request.form()
    form = ReviewForm.parse(sent)

    async def decide() -> DecisionResult:
        shown = await actions.list_shown(view.caller, ref, form.shown)
        decided = form.decisions(ReviewItem(ref, shown))
        result = await actions.decide_fields(view.caller, ref, decided, form.shown)
        return result.raise_if_refused()

    try:
        return await _decide_and_continue(
            view,
            ref,
            form,
            decide(),
            lambda translator, result: describe_decided(translator, ref, result),
        )
    except NewNamesUnconfirmed as unconfirmed:
        return await _ask_about_names(view, ref, sent, unconfirmed)


@router.post("/review/{instance}/{number}/reject")
async def reject(view: ActView, instance: str, number: PathId) -> RedirectResponse:
    """Reject all changes of a document, or those of one field."""
    ref = view.require_visible(DocumentRef(instance, number))
    form = ReviewForm.parse(await view.request.form())

    async def decide() -> DecisionResult:
        await actions.list_shown(view.caller, ref, form.shown)
        result = await actions.reject(
            view.caller, [ref], only=form.only, seen=form.shown.ids, why=form.why
        )
        return result.raise_if_refused()

    return await _decide_and_continue(
        view,
        ref,
        form,
        decide(),
        lambda translator, _: translator.text("{ref} left unchanged.", ref=ref),
    )


async def _ask_about_names(
    view: View, ref: DocumentRef, sent: FormData, unconfirmed: NewNamesUnconfirmed
) -> HTMLResponse:
    """Show the names that the form would create; it is sent again with the confirmation."""
    inputs = [(name, value) for name, value in sent.multi_items() if name != "csrf"]
    typed = {name: value for name, value in inputs if name.startswith("value:")}
    return await view.page(
        "review_new_names.html",
        status=409,
        ref=ref,
        names=unconfirmed.names,
        inputs=[*inputs, (CREATE_NAMES, "yes")],
        back=view.url(_page(ref), **typed),
    )


async def _load_snapshot(
    view: View, ref: DocumentRef, waiting: tuple[Change, ...]
) -> tuple[DocumentSnapshot | None, str]:
    """Return the document as Paperless has it now, or why it is not known."""
    if not view.may_act:
        return None, NotAllowed.user_message
    given = (name_given_by(change) for change in waiting)
    senders: list[Name] = [
        name for pair in given if pair for field, name in [pair] if field is FieldName.CORRESPONDENT
    ]
    try:
        view.require_connected(ref.instance)
        return await fetch_snapshot(view.caller, ref, next(iter(senders), None)), ""
    except (PaperlessError, PaperclerkError) as error:
        return None, error.user_message


def _title(known: KnownDocument | None, ref: DocumentRef) -> str:
    return (clean_line(known.title) if known else "") or f"#{ref.id}"


async def _decide_and_continue(
    view: View,
    ref: DocumentRef,
    form: ReviewForm,
    decision: Awaitable[DecisionResult],
    describe: Callable[[Translator, DecisionResult], str],
) -> RedirectResponse:
    """Await a decision and redirect to the next document.

    Stay on this one if a single field was decided or the decision was refused, as long as it has
    changes for review. Raise NewNamesUnconfirmed: the person can confirm them.
    """
    try:
        result = await decision
    except NewNamesUnconfirmed:
        raise
    except (PaperclerkError, PaperlessError) as error:
        response, stays = view.redirect_with_error("/review", error), True
    else:
        words = describe(view.translator, result)
        jobs = [job.id for job in result.jobs]
        response = redirect_with_notice(view.request, "/review", words, jobs)
        stays = bool(form.only)
    waits = stays and await view.context.store.changes.list_for_review(document=ref, limit=1)
    to = _page(ref) if waits else _next_page(form.following)
    response.headers["location"] = view.url(to, **form.query.given)
    return response


def _next_page(following: str) -> str:
    try:
        return _page(DocumentRef.parse(following))
    except ValueError:
        return "/review"


def _page(ref: DocumentRef) -> str:
    return f"/review/{ref.instance}/{ref.id}"

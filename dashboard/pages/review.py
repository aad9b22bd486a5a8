"""`/review`: documents for review, decisions about several, the confirmation after a decision."""

import json
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated
from urllib.parse import quote, unquote

from fastapi import APIRouter, Form, Query
from pydantic import BaseModel, Field, ValidationError
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from actions import documents, jobs
from actions import review as actions
from actions.documents import get_titles
from actions.jobs import EnqueueResult
from actions.review import DecisionResult, ShownChanges
from core.documents import DocumentRef
from core.errors import PaperclerkError
from core.fields import CustomField, FieldName
from dashboard.auth.origin import is_secure
from dashboard.context import MAX_ID
from dashboard.pages.outcomes import (
    describe_accepted,
    describe_ignored,
    describe_rejected,
    describe_restarted,
    describe_undone_decisions,
)
from dashboard.pages.review_form import (
    ReviewItem,
    ReviewQuery,
    field_key,
    group_by_document,
    parse_ticked,
)
from dashboard.pages.view import ActView, ReadView, View
from dashboard.rendering import cookie_path, local_path, redirect
from i18n import Translator
from i18n.labels import REASONS
from paperless_client import PaperlessError
from store import Refused
from store.notifications import ActivityCounts

router = APIRouter(include_in_schema=False)

_PAGE = 25
_WEEK = timedelta(days=7)
_ROWS = ("dense", "comfortable")
"""How much room a row takes; the choice is kept in a cookie."""
_A_YEAR = 365 * 24 * 60 * 60
_NOTICE_COOKIE = "decided"
_MAX_NOTICE_LENGTH = 500
_MAX_JOBS = 100
"""More would not fit into a cookie."""


class _StoredNotice(BaseModel):
    """The cookie; anybody may have changed it."""

    text: str = Field(max_length=_MAX_NOTICE_LENGTH)
    jobs: list[int] = Field(max_length=_MAX_JOBS)


@dataclass(frozen=True, slots=True)
class DecisionNotice:
    """What was decided, and the jobs that carry it out."""

    text: str
    jobs: tuple[int, ...]
    """Empty if it cannot be undone."""


@router.get("/review")
async def review(
    view: ReadView,
    query: Annotated[ReviewQuery, Query()],
    page: Annotated[int, Query(ge=1, le=100_000)] = 1,
    rows: Annotated[str, Query()] = "",
) -> HTMLResponse:
    """List the documents for review."""
    store = view.context.store
    found = await store.changes.list_review_page(
        query.to_filter(view.names), limit=_PAGE, offset=(page - 1) * _PAGE
    )
    waiting = group_by_document(found.changes)
    density = rows if rows in _ROWS else view.request.cookies.get("rows", "")
    response = await view.page(
        "review.html",
        waiting=waiting,
        titles=await get_titles(store, [item.ref for item in waiting]),
        total=found.total,
        number=page,
        pages=-(-found.total // _PAGE),
        clear=sum(item.is_clear for item in waiting),
        query=query,
        density=density if density in _ROWS else _ROWS[0],
        field_choices=_field_choices(waiting),
        reason_choices=REASONS,
        senders=await store.changes.list_correspondents_for_review(view.names),
        notice=notice_of(view.request),
        week=None if waiting else await _count_last_week(view),
    )
    forget_notice(view.request, response)
    if rows in _ROWS:
        _keep_density(view, response, rows)
    return response


@router.post("/review/accept", response_model=None)
async def accept_all(view: ActView) -> Response:
    """Accept the shown changes of the ticked documents; ask first if some need a closer look."""
    form = await view.request.form()
    ticked = _parse(view, form)
    match form.get("confirmed"):
        case "all":
            action = actions.accept_confirmed(view.caller, ticked)
        case "clear":
            action = actions.accept_clear(view.caller, ticked)
        case _:
            unclear = await _list_unclear(view, ticked)
            if unclear:
                return await _ask_for_confirmation(view, ticked, unclear, ReviewQuery.parse(form))
            action = actions.accept_clear(view.caller, ticked)
    return await _decide(view, form, action, describe_accepted)


@router.post("/review/reject")
async def reject_all(view: ActView) -> RedirectResponse:
    """Reject the shown changes of the ticked documents."""
    form = await view.request.form()
    action = actions.reject_shown(view.caller, _parse(view, form))
    return await _decide(view, form, action, describe_rejected)


@router.post("/review/process")
async def process_all(view: ActView) -> RedirectResponse:
    """Process the ticked documents again."""
    form = await view.request.form()
    queued, refused = [], []
    for ref in _parse(view, form):
        try:
            queued.append(await jobs.process_again(view.caller, ref))
        except Refused as error:
            refused.append(error)
    result = EnqueueResult(tuple(queued), tuple(refused))
    return redirect(view.request, _list(view, form), describe_restarted(view.translator, result))


@router.post("/review/ignore")
async def ignore_all(view: ActView) -> RedirectResponse:
    """Ignore the ticked documents."""
    form = await view.request.form()
    ignored, refused = 0, []
    for ref in _parse(view, form):
        try:
            await documents.ignore(view.caller, ref)
            ignored += 1
        except Refused as error:
            refused.append(error)
    return redirect(
        view.request, _list(view, form), describe_ignored(view.translator, ignored, refused)
    )


@router.post("/review/undo")
async def undo(
    view: ActView,
    job: Annotated[list[Annotated[int, Form(ge=1, le=MAX_ID)]], Form(max_length=100)],
    back: Annotated[str, Form()] = "/review",
) -> RedirectResponse:
    """Take the last decision back: to review, or by an undo if it has been written."""
    result = await actions.undo_decisions(view.caller, job)
    to = local_path(back)
    if len(job) == 1 and (result.returned or result.undone):
        ref = (await view.caller.get_job(job[0])).document
        page = "review" if result.returned else "documents"
        to = f"/{page}/{ref.instance}/{ref.id}"
    return redirect(view.request, view.url(to), describe_undone_decisions(view.translator, result))


def redirect_with_notice(
    request: Request, to: str, text: str, jobs: Iterable[int]
) -> RedirectResponse:
    """Redirect to a review page that shows what was decided, and offers to take it back."""
    response = RedirectResponse(to, status_code=303)
    listed = list(jobs)
    stored = {"text": text[:_MAX_NOTICE_LENGTH], "jobs": listed if len(listed) <= _MAX_JOBS else []}
    response.set_cookie(
        _NOTICE_COOKIE,
        quote(json.dumps(stored)),
        max_age=60,
        path=cookie_path(request),
        secure=is_secure(request),
        httponly=True,
        samesite="lax",
    )
    return response


def notice_of(request: Request) -> DecisionNotice | None:
    """Return the confirmation of the last decision; None if there is none."""
    if _NOTICE_COOKIE not in request.cookies:
        return None
    try:
        stored = _StoredNotice.model_validate_json(unquote(request.cookies[_NOTICE_COOKIE]))
    except ValidationError:
        return None
    jobs = tuple(number for number in stored.jobs if 0 < number <= MAX_ID)
    return DecisionNotice(stored.text, jobs)


def forget_notice(request: Request, response: Response) -> None:
    """Delete the confirmation: it is shown once."""
    if _NOTICE_COOKIE in request.cookies:
        response.delete_cookie(_NOTICE_COOKIE, path=cookie_path(request))


def _parse(view: View, form: FormData) -> Mapping[DocumentRef, ShownChanges]:
    return {view.require_visible(ref): shown for ref, shown in parse_ticked(form).items()}


def _list(view: View, form: FormData) -> str:
    """Return the address of the list from which a form was sent."""
    return view.url("/review", **ReviewQuery.parse(form).given)


async def _decide(
    view: View,
    form: FormData,
    action: Awaitable[DecisionResult],
    describe: Callable[[Translator, DecisionResult], str],
) -> RedirectResponse:
    """Await decisions about several documents and redirect to the list."""
    try:
        result = await action
    except (PaperclerkError, PaperlessError) as error:
        return view.redirect_with_error("/review", error)
    words, to = describe(view.translator, result), _list(view, form)
    if not result.jobs:
        return redirect(view.request, to, words)
    return redirect_with_notice(view.request, to, words, [job.id for job in result.jobs])


async def _list_unclear(view: View, ticked: Mapping[DocumentRef, ShownChanges]) -> list[ReviewItem]:
    """Return the ticked documents that need a closer look, as they are now."""
    items = []
    for ref, shown in ticked.items():
        try:
            items.append(ReviewItem(ref, await actions.list_shown(view.caller, ref, shown)))
        except PaperclerkError:
            # It has changed since: it stays in review, and the result says so.
            continue
    return [item for item in items if not item.is_clear]


async def _ask_for_confirmation(
    view: View,
    ticked: Mapping[DocumentRef, ShownChanges],
    unclear: list[ReviewItem],
    query: ReviewQuery,
) -> HTMLResponse:
    """Show the documents that need a closer look, by reason."""
    by_reason: defaultdict[str, list[ReviewItem]] = defaultdict(list)
    for item in unclear:
        for reason in item.reasons or ("new_name",):
            by_reason[reason].append(item)
    return await view.page(
        "review_confirm.html",
        ticked=ticked,
        by_reason=dict(sorted(by_reason.items(), key=lambda pair: -len(pair[1]))),
        unclear=len(unclear),
        titles=await get_titles(view.context.store, ticked),
        query=query,
    )


def _field_choices(waiting: list[ReviewItem]) -> dict[str, FieldName | CustomField]:
    """Return the fields by which the list can be filtered: custom ones if they are shown."""
    shown = {change.field for item in waiting for change in item.changes}
    custom = sorted(
        (field for field in shown if isinstance(field, CustomField)), key=lambda field: field.name
    )
    return {field_key(field): field for field in (*FieldName, *custom)}


def _keep_density(view: View, response: Response, rows: str) -> None:
    path, secure = cookie_path(view.request), is_secure(view.request)
    response.set_cookie("rows", rows, max_age=_A_YEAR, path=path, secure=secure, samesite="lax")


async def _count_last_week(view: View) -> ActivityCounts:
    """Count the activity of the last seven days, shown if nothing is for review."""
    now = view.context.clock()
    return await view.context.store.activity.count_activity(view.names, (now - _WEEK, now))

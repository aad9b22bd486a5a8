"""`/review/home/34`: one document in review, its fields, and the decisions about them.

Each field has its current value, suggestion, evidence, checks and alternatives.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.datastructures import FormData
from starlette.responses import HTMLResponse, RedirectResponse, Response

from actions import review as actions
from actions.documents import DocumentSnapshot, fetch_snapshot
from actions.errors import NothingToReview
from actions.own_values import NewNamesUnconfirmed, find_alternatives
from actions.review import DecisionResult
from core.analysis import Result
from core.changes import Change, CheckResult, PlannedSuggestion, Suggestion, name_given_by
from core.documents import DocumentRef, KnownDocument
from core.errors import PaperclerkError
from core.fields import (
    NAMED_FIELDS,
    CustomField,
    DataType,
    Field,
    FieldName,
    Name,
    Value,
    is_same_value,
)
from core.text import clean_line
from dashboard.context import PathId
from dashboard.errors import NotAllowed
from dashboard.pages.marked_text import MAX_SHOWN, build_marked_text
from dashboard.pages.outcomes import describe_decided
from dashboard.pages.review import forget_notice, notice_of, redirect_with_notice
from dashboard.pages.review_form import (
    CREATE_NAMES,
    ReviewField,
    ReviewForm,
    ReviewItem,
    ReviewQuery,
    field_anchor,
    field_key,
    sort_key,
)
from dashboard.pages.view import ActView, ReadView, View
from i18n import Translator
from i18n.labels import typed_label, value_label
from paperless_client import PaperlessError

router = APIRouter(include_in_schema=False)
_OFFERED = 40
"""Names of a field that a page carries for completion; others are fetched while typing."""


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


@dataclass(frozen=True, slots=True)
class SuggestionView:
    """A suggested value, with its evidence and checks."""

    change: Change
    checks: tuple[CheckResult, ...]

    @property
    def is_new_name(self) -> bool:
        return isinstance(self.change.after, Name) and self.change.after.id is None

    @property
    def percent(self) -> int:
        return round(self.change.confidence * 100)

    @property
    def level(self) -> str:
        """Return how confident the model is, in steps for the eye."""
        return "high" if self.percent >= 85 else "medium" if self.percent >= 60 else "low"

    @property
    def failed(self) -> tuple[CheckResult, ...]:
        return tuple(result for result in self.checks if result.failure)

    @property
    def passed(self) -> tuple[CheckResult, ...]:
        return tuple(result for result in self.checks if not result.failure)

    @property
    def other_reasons(self) -> tuple[str, ...]:
        """Return the reasons for review that are not failed checks."""
        failures = {result.failure for result in self.checks}
        return tuple(reason for reason in self.change.reasons if reason not in failures)


@dataclass(frozen=True, slots=True)
class LeftOutView:
    """A suggestion that is not for review, and why."""

    value: Value
    reasons: tuple[str, ...]
    evidence: str


@dataclass(frozen=True, slots=True)
class FieldView:
    """One field of the document."""

    field: Field
    review: ReviewField | None
    """Its changes for review; None if there are none."""
    suggestions: tuple[SuggestionView, ...]
    now: Value
    tags: tuple[Name, ...]
    """The current tags; of the tags only."""
    is_known: bool
    """Whether the current value was read from Paperless just now."""
    left_out: tuple[LeftOutView, ...]
    alternatives: tuple[str, ...]
    choices: tuple[str, ...]
    """Values to complete what is typed."""
    is_date: bool

    @property
    def key(self) -> str:
        return field_key(self.field)

    @property
    def anchor(self) -> str:
        """Return the id of the field on the page."""
        return field_anchor(self.field)

    @property
    def is_named(self) -> bool:
        return self.field in NAMED_FIELDS

    @property
    def is_tags(self) -> bool:
        return self.field is FieldName.TAGS

    @property
    def shown_now(self) -> str:
        """Return the current value as the form carries it."""
        return "" if self.is_tags else typed_label(self.now)

    @property
    def value(self) -> str:
        """Return what the input shows at first: the suggestion, or else the current value."""
        if self.review is None:
            return self.shown_now
        return self.review.typed if self.is_date else self.review.suggested

    @property
    def is_changed(self) -> bool:
        """Return whether Paperless has another value than when the suggestion was made."""
        if self.review is None or self.is_tags or not self.is_known or self.review.is_conflict:
            return False
        return not is_same_value(self.now, self.review.now)

    def with_alternative(self, alternative: str) -> str:
        """Return the text of the input with an alternative: tags are added, others replaced."""
        if not self.is_tags:
            return alternative
        new = [view.change for view in self.suggestions if view.is_new_name]
        similar = {name for change in new for name in change.similar}
        if self.review is not None and len(new) == 1 and alternative in similar:
            return self.review.with_name(new[0], alternative)
        return ", ".join(filter(None, [self.value, alternative]))


def build_field_views(
    item: ReviewItem,
    snapshot: DocumentSnapshot | None,
    planned: Iterable[PlannedSuggestion],
    result: Result | None,
) -> list[FieldView]:
    """Build the view of every field; without a snapshot, of those that are for review."""
    reviews = {field.field: field for field in item.fields}
    fields = set(reviews) | set(snapshot.fields if snapshot else ())
    suggested = list(planned)
    given = result.analysis.suggestions if result else ()
    return [
        _build(field, reviews.get(field), snapshot, suggested, given)
        for field in sorted(fields, key=sort_key)
    ]


def _build(
    field: Field,
    review: ReviewField | None,
    snapshot: DocumentSnapshot | None,
    planned: list[PlannedSuggestion],
    given: Iterable[Suggestion],
) -> FieldView:
    changes = review.changes if review else ()
    of_field = [suggestion for suggestion in planned if suggestion.field == field]
    now = snapshot.value(field) if snapshot else review.now if review else None
    return FieldView(
        field,
        review,
        tuple(SuggestionView(change, _checks(change, of_field)) for change in changes),
        now=review.now if review and review.is_conflict else now,
        tags=snapshot.tags if snapshot and field is FieldName.TAGS else (),
        is_known=snapshot is not None,
        left_out=tuple(_left_out(of_field, changes, given)),
        alternatives=_alternatives(field, changes, snapshot),
        choices=_choices(field, snapshot),
        is_date=_is_date(field, changes, snapshot),
    )


def _checks(change: Change, planned: Iterable[PlannedSuggestion]) -> tuple[CheckResult, ...]:
    """Return the checks of the suggestion that a change was made from."""
    same = (suggestion for suggestion in planned if is_same_value(suggestion.value, change.after))
    return next((suggestion.checks for suggestion in same), ())


def _left_out(
    planned: Iterable[PlannedSuggestion], changes: Iterable[Change], given: Iterable[Suggestion]
) -> Iterable[LeftOutView]:
    evidence: Mapping[tuple[Field, str], str] = {
        (suggestion.field, suggestion.value.casefold()): suggestion.evidence for suggestion in given
    }
    reviewed = [change.after for change in changes]
    for suggestion in planned:
        if not suggestion.is_left_out or suggestion.value is None or suggestion.value in reviewed:
            continue
        key = (suggestion.field, value_label(suggestion.value).casefold())
        yield LeftOutView(suggestion.value, suggestion.reasons, evidence.get(key, ""))


def _alternatives(
    field: Field, changes: Iterable[Change], snapshot: DocumentSnapshot | None
) -> tuple[str, ...]:
    """Return other values; without Paperless, the names known at the time."""
    listed = tuple(changes)
    if snapshot is None:
        return tuple(name for change in listed for name in change.similar)
    in_use = (change for change in listed if (given := name_given_by(change)) and given[1].id)
    recognised = [name for change in in_use for name in change.similar]
    return find_alternatives(field, [change.after for change in listed], snapshot, recognised)


def _choices(field: Field, snapshot: DocumentSnapshot | None) -> tuple[str, ...]:
    if snapshot is None:
        return ()
    if isinstance(field, CustomField):
        options = (known.options for known in snapshot.definitions if known.field == field)
        return tuple(option.label for option in next(options, ()))
    return tuple(name.name for name in snapshot.names.by_field.get(field, ())[:_OFFERED])


def _is_date(field: Field, changes: Iterable[Change], snapshot: DocumentSnapshot | None) -> bool:
    if isinstance(field, CustomField):
        types = {known.field: known.data_type for known in snapshot.definitions} if snapshot else {}
        is_typed = types.get(field) is DataType.DATE
        return is_typed or any(isinstance(change.after, date) for change in changes)
    return field is FieldName.DATE

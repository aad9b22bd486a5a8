"""Turn a person's review of waiting changes into a decision; without I/O.

A title that follows a pattern is rebuilt from the values that the person chose.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from core import title_patterns
from core.changes import (
    AcceptedChange,
    Change,
    ChangeState,
    Decision,
    PlannedChange,
    RevisedChange,
    name_given_by,
)
from core.errors import PaperclerkError
from core.fields import (
    NAMED_FIELDS,
    CustomField,
    Definition,
    Field,
    FieldName,
    Name,
    Value,
    field_from_text,
    is_empty,
)
from core.messages import Message, message
from core.names import AliasRule
from core.text import clean_line
from i18n.labels import FIELDS
from processor.analysis.checks import TITLE_LENGTH
from processor.analysis.custom_values import read_custom_value
from processor.analysis.dates import parse_date
from processor.analysis.name_matching import is_related, name_key, spelling_key
from processor.names.catalogue import NamesInUse
from processor.policy import Reason
from processor.reconcile import tag_of

FieldKey = TypeVar("FieldKey")
"""The name of a field as a person typed it, or the field itself."""


class BadValue(PaperclerkError):
    """A value that a person typed cannot be written."""

    code = "bad_value"
    user_message = "This value cannot be written."


@dataclass(frozen=True, slots=True)
class Edits(Generic[FieldKey]):
    """A person's own values in place of the suggested ones."""

    values: Mapping[FieldKey, str]
    """By field; "" clears a name that is not a tag, and removes a custom field.

    Tags are separated by commas.
    """
    only: frozenset[FieldKey] | None = None
    """Fields to decide; the others keep waiting. None for all."""

    @property
    def is_empty(self) -> bool:
        return self.only is not None and not self.only and not self.values

    def covers(self, field: FieldKey) -> bool:
        return self.only is None or field in self.only or field in self.values


@dataclass(frozen=True, slots=True)
class _TitleParts:
    """The values for the open placeholders of a pattern."""

    decided: Mapping[FieldName, Value]
    suggested: Mapping[FieldName, Value]
    """Of fields that keep waiting."""


def accept(
    waiting: Iterable[Change],
    edits: Edits[Field],
    names: NamesInUse,
    custom_fields: Iterable[Definition] = (),
    tags_there: Collection[int] = (),
) -> Decision:
    """Accept waiting changes, with the person's own values where there are any.

    Listed tags that the document already has are not added, so that an undo does not remove them.
    """
    definitions = {definition.field: definition for definition in custom_fields}
    covered = [change for change in waiting if edits.covers(change.field)]
    others = [change for change in covered if change.field is not FieldName.TAGS]
    tags = [change for change in covered if change.field is FieldName.TAGS]
    accepted = [
        _accept_edited(change, _parse_edit(change, edits, names, definitions)) for change in others
    ]
    missing = edits.values.keys() - {change.field for change in others} - {FieldName.TAGS}
    if missing:
        fields = ", ".join(sorted(map(str, missing)))
        raise BadValue(message("nothing is waiting for review in: {fields}", fields=fields))
    learned = tuple(filter(_should_remember, find_replaced_names(others, accepted)))
    if FieldName.TAGS not in edits.values:
        accepted += [build_accepted(change, change.after) for change in tags]
        return Decision(accept=tuple(accepted), remember=learned)
    listed = _parse_tags(edits.values[FieldName.TAGS], names)
    return replace(_accept_listed_tags(accepted, tags, listed, tags_there), remember=learned)


def accept_unchanged(waiting: Iterable[Change]) -> Decision:
    """Accept waiting changes as suggested."""
    return Decision(accept=tuple(build_accepted(change, change.after) for change in waiting))


def needs_individual_review(change: Change) -> bool:
    """Return whether a waiting change has a reason for review, a new name or a conflict."""
    is_new = isinstance(change.after, Name) and change.after.id is None
    return bool(change.reasons) or is_new or change.state is ChangeState.CONFLICT


def fingerprint(changes: Iterable[Change]) -> str:
    """Return a hash of what a person sees of changes for review: it differs if any value does."""
    seen = [
        (change.id, change.field, change.before, change.after, change.found, change.state.value)
        for change in sorted(changes, key=lambda change: change.id)
    ]
    return hashlib.sha256(repr(seen).encode()).hexdigest()[:16]


def find_replaced_names(
    changes: Iterable[Change], accepted: Iterable[AcceptedChange]
) -> Iterator[AliasRule]:
    """Yield an alias rule for each new name that a person replaced by another name."""
    values = {change.change_id: change.after for change in accepted}
    for change in changes:
        given, own = name_given_by(change), values.get(change.id)
        if given is None or given[1].id is not None or not isinstance(own, Name):
            continue
        field, new = given
        if not _is_same_meaning(new, own):
            yield build_alias_rule(field, new.name, own)


def build_accepted(change: Change, after: Value) -> AcceptedChange:
    """Build the acceptance of a change; the seen value of a conflict is that of Paperless."""
    conflict = change.state is ChangeState.CONFLICT
    return AcceptedChange(change.id, after, seen=change.found if conflict else change.before)


def reject(waiting: Iterable[Change], only: Collection[Field] | None) -> Decision:
    """Reject waiting changes."""
    return Decision(reject=tuple(c.id for c in waiting if only is None or c.field in only))


def reject_and_never_suggest(waiting: Iterable[Change], only: Collection[Field] | None) -> Decision:
    """Reject waiting changes, and never suggest their names again."""
    waiting = tuple(waiting)
    decision = reject(waiting, only)
    given = (name_given_by(change) for change in waiting if change.id in decision.reject)
    never = tuple(build_alias_rule(pair[0], pair[1].name, None) for pair in given if pair)
    if not never:
        raise BadValue(
            message("none of these fields has a name that could be rejected permanently")
        )
    return replace(decision, remember=never)


def build_alias_rule(field: FieldName, spelling: str, target: Name | None) -> AliasRule:
    """Build the rule for a spelling; without a target it is never suggested again."""
    return AliasRule(field, spelling_key(spelling), spelling, target)


def parse_typed_value(field: FieldName, typed: str, names: NamesInUse) -> Value:
    """Parse the value that a person typed for a field; raise BadValue."""
    text = clean_line(typed)
    if field is FieldName.DATE:
        day = parse_date(text)
        if day is None:
            raise BadValue(message('"{text}" is not a date; write it as 2026-01-31', text=text))
        return day
    if not text and field in NAMED_FIELDS - {FieldName.TAGS}:
        return None
    if not text:
        raise BadValue(message("the {more} must not be empty", more=FIELDS[field]))
    if len(text) > TITLE_LENGTH:
        raise BadValue(
            message(
                "the {more} has {n} characters; Paperless accepts {most}",
                more=FIELDS[field],
                n=len(text),
                most=TITLE_LENGTH,
            )
        )
    if field not in NAMED_FIELDS:
        return text
    name = names.match(field, text)
    if name.id is None and field is FieldName.STORAGE_PATH:
        raise BadValue(
            message('there is no storage path "{text}"; create it in Paperless', text=text)
        )
    return name


def parse_typed_custom_value(
    field: CustomField, typed: str, definitions: Mapping[CustomField, Definition]
) -> Value:
    """Parse the value that a person typed for a custom field; raise BadValue."""
    text = clean_line(typed)
    if not text:
        return None
    if field not in definitions:
        raise BadValue(message("Paperless no longer has a field {name}", name=field.name))
    value = read_custom_value(text, definitions[field])
    if value is None:
        raise BadValue(_describe_mismatch(text, definitions[field]))
    return value


def resolve_edits(typed: Edits[str], waiting: Iterable[Field]) -> Edits[Field]:
    """Return the edits with the waiting fields that the names stand for; raise BadValue."""
    fields = tuple(waiting)
    values = {resolve_field(name, fields): value for name, value in typed.values.items()}
    return Edits(values, resolve_fields(typed.only, fields))


def resolve_fields(names: Iterable[str] | None, among: Iterable[Field]) -> frozenset[Field] | None:
    """Return the fields with these names; None, which means all, stays None."""
    fields = tuple(among)
    return None if names is None else frozenset(resolve_field(name, fields) for name in names)


def resolve_field(name: str, among: Iterable[Field]) -> Field:
    """Return the field with this name: a custom one also as custom_field:7; raise BadValue."""
    wanted = name.strip()
    custom = {field: None for field in among if isinstance(field, CustomField)}
    field = _parse_field(wanted, custom) or _find_by_name(wanted, custom)
    if field is not None:
        return field
    known = ", ".join([*FieldName, *(field.name for field in custom)])
    raise BadValue(message('"{name}" is not a field; available: {known}', name=name, known=known))


def recompute_title(waiting: Iterable[Change], decision: Decision) -> Decision:
    """Return the decision with the accepted title as its pattern makes it of the decided values.

    A title that the person edited stays as it is.
    """
    waiting = tuple(waiting)
    title = _find_title(waiting)
    if title is None:
        return decision
    accept = tuple(
        replace(
            accepted,
            after=_fill_title(title.pattern, _collect_title_parts(waiting, decision))
            or title.after,
        )
        if accepted.change_id == title.id and not accepted.is_edited
        else accepted
        for accepted in decision.accept
    )
    return replace(decision, accept=accept)


def revise_title(waiting: Iterable[Change], decision: Decision) -> RevisedChange | None:
    """Return what becomes of a title that keeps waiting; None if it stays as it is."""
    waiting = tuple(waiting)
    title = _find_title(waiting)
    decided = {*decision.reject, *decision.unchanged, *(item.change_id for item in decision.accept)}
    if title is None or title.id in decided:
        return None
    parts = _collect_title_parts(waiting, decision)
    text = _fill_title(title.pattern, parts)
    if not parts.decided or not text:
        return None
    pattern = title_patterns.fill(title.pattern, parts.decided)
    return RevisedChange(title.id, text, _title_reasons_left(title, pattern, parts), pattern)


def _accept_edited(change: Change, after: Value) -> AcceptedChange:
    """Build the acceptance of a change with a value that the person may have edited."""
    return replace(
        build_accepted(change, after), is_edited=not _is_same_meaning(change.after, after)
    )


def _is_same_meaning(suggested: Value, after: Value) -> bool:
    if isinstance(suggested, Name) and isinstance(after, Name):
        return spelling_key(suggested.name) == spelling_key(after.name)
    return suggested == after


def _describe_mismatch(text: str, definition: Definition) -> Message:
    name = definition.field.name
    if definition.options:
        choices = ", ".join(option.label for option in definition.options)
        return message(
            '"{text}" is not a value for {name}: choose one of {choices}',
            text=text,
            name=name,
            choices=choices,
        )
    return message(
        '"{text}" is not a value for {name}: its type is {kind}',
        text=text,
        name=name,
        kind=str(definition.data_type),
    )


def _parse_edit(
    change: Change,
    edits: Edits[Field],
    names: NamesInUse,
    definitions: Mapping[CustomField, Definition],
) -> Value:
    if change.field not in edits.values:
        return change.after
    typed = edits.values[change.field]
    if isinstance(change.field, CustomField):
        return parse_typed_custom_value(change.field, typed, definitions)
    return parse_typed_value(change.field, typed, names)


def _should_remember(rule: AliasRule) -> bool:
    """Return whether the two names are related.

    Otherwise the person corrected a mistake in this document, which says nothing about others.
    """
    return rule.target is not None and is_related(rule.spelling, rule.target.name)


def _accept_listed_tags(
    accepted: list[AcceptedChange],
    waiting: list[Change],
    listed: Iterable[Name],
    there: Collection[int],
) -> Decision:
    """Accept exactly the listed tags, some suggested and some new; reject the others."""
    wanted = {_key(tag): tag for tag in listed}
    kept = [change for change in waiting if _key(tag_of(change)) in wanted]
    suggested = {_key(tag_of(change)) for change in kept}
    own = [tag for key, tag in wanted.items() if key not in suggested and tag.id not in there]
    return Decision(
        accept=(*accepted, *(build_accepted(change, change.after) for change in kept)),
        reject=tuple(change.id for change in waiting if change not in kept),
        add=tuple(PlannedChange(FieldName.TAGS, None, tag) for tag in own),
    )


def _parse_tags(typed: str, names: NamesInUse) -> Iterator[Name]:
    for part in typed.split(","):
        if part.strip():
            tag = parse_typed_value(FieldName.TAGS, part, names)
            assert isinstance(tag, Name)
            yield tag


def _key(tag: Name | None) -> object:
    return tag and (tag.id or name_key(tag.name))


def _parse_field(wanted: str, custom: Iterable[CustomField]) -> Field | None:
    try:
        field = field_from_text(wanted)
    except ValueError:
        return None
    is_there = isinstance(field, FieldName) or field in set(custom)
    return field if is_there else None


def _find_by_name(wanted: str, custom: Iterable[CustomField]) -> Field | None:
    similar = [field for field in custom if field.name.casefold() == wanted.casefold()]
    exact = [field for field in similar if field.name == wanted]
    found = exact or similar
    return found[0] if len(found) == 1 else None


def _find_title(waiting: Iterable[Change]) -> Change | None:
    return next((c for c in waiting if c.field is FieldName.TITLE and c.pattern), None)


def _collect_title_parts(waiting: Iterable[Change], decision: Decision) -> _TitleParts:
    accepted = {accepted.change_id: accepted.after for accepted in decision.accept}
    kept = {*decision.reject, *decision.unchanged}
    decided: dict[FieldName, Value] = {}
    suggested: dict[FieldName, Value] = {}
    for change in waiting:
        if change.field not in set(title_patterns.PLACEHOLDERS.values()):
            continue
        assert isinstance(change.field, FieldName)
        if change.id in accepted:
            decided[change.field] = accepted[change.id]
        elif change.id in kept:
            is_conflict = change.state is ChangeState.CONFLICT
            decided[change.field] = change.found if is_conflict else change.before
        else:
            suggested[change.field] = change.after
    return _TitleParts(
        {field: value for field, value in decided.items() if not is_empty(value)}, suggested
    )


def _fill_title(pattern: str, parts: _TitleParts) -> str:
    filled = title_patterns.fill(pattern, {**parts.suggested, **parts.decided})
    return title_patterns.drop_open(filled)[:TITLE_LENGTH]


def _title_reasons_left(title: Change, pattern: str, parts: _TitleParts) -> tuple[str, ...]:
    """Return why the title still waits."""
    open_fields = set(title_patterns.list_fields(pattern))
    settled: dict[str, bool] = {
        Reason.TITLE_PART_IN_REVIEW: not open_fields & parts.suggested.keys(),
        Reason.TITLE_PART_MISSING: not open_fields - parts.suggested.keys(),
    }
    return tuple(reason for reason in title.reasons if not settled.get(reason, False))

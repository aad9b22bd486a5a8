"""Turn what a person says in review into a decision about waiting changes."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from core.changes import AcceptedChange, Change, ChangeState, Decision, PlannedChange, name_given_by
from core.custom_fields import Definition
from core.errors import PaperclerkError
from core.fields import CustomField, Field, FieldName, Name, Value, field_from_text
from core.messages import Message, message
from core.names import NAMED_FIELDS, AliasRule
from core.text import clean_line
from i18n.labels import FIELDS
from processor.analysis.checks import TITLE_LENGTH
from processor.analysis.custom_values import read_custom_value
from processor.analysis.dates import parse_date
from processor.analysis.name_matching import name_key, spelling_key
from processor.analysis.name_similarity import is_related
from processor.names.catalogue import NamesInUse
from processor.reconcile import tag_of


class BadValue(PaperclerkError):
    """A value that a person typed cannot be written."""

    code = "bad_value"
    user_message = "This value cannot be written."


@dataclass(frozen=True, slots=True)
class Edits:
    """What a person wants instead of what was suggested."""

    values: Mapping[Field, str]
    """By field; "" empties a correspondent or document type and takes a custom field off.

    Tags are separated by commas.
    """
    only: frozenset[Field] | None = None
    """Fields that are decided; the others go on waiting. None for all."""

    @property
    def is_empty(self) -> bool:
        return self.only is not None and not self.only and not self.values

    def covers(self, field: Field) -> bool:
        return self.only is None or field in self.only or field in self.values


def accept(
    waiting: Iterable[Change],
    edits: Edits,
    names: NamesInUse,
    custom_fields: Iterable[Definition] = (),
    tags_there: Collection[int] = (),
) -> Decision:
    """Accept waiting changes, with the person's own values where there are any.

    Of a list of tags, those that the document has already are none of ours: they are not added, so
    that taking it back does not take them off.
    """
    known = {one.field: one for one in custom_fields}
    decided = [change for change in waiting if edits.covers(change.field)]
    others = [change for change in decided if change.field is not FieldName.TAGS]
    tags = [change for change in decided if change.field is FieldName.TAGS]
    accepted = [_accept_own(change, _edited(change, edits, names, known)) for change in others]
    missing = edits.values.keys() - {change.field for change in others} - {FieldName.TAGS}
    if missing:
        fields = ", ".join(sorted(map(str, missing)))
        raise BadValue(message("nothing is waiting for review in: {fields}", fields=fields))
    learned = tuple(filter(_should_remember, find_replaced_names(others, accepted)))
    if FieldName.TAGS not in edits.values:
        accepted += [build_accepted(change, change.after) for change in tags]
        return Decision(accept=tuple(accepted), remember=learned)
    listed = _tags(edits.values[FieldName.TAGS], names)
    return replace(_with_tags(accepted, tags, listed, tags_there), remember=learned)


def accept_unchanged(waiting: Iterable[Change]) -> Decision:
    """Accept waiting changes just as they are."""
    return Decision(accept=tuple(build_accepted(change, change.after) for change in waiting))


def needs_individual_review(change: Change) -> bool:
    """Tell whether something speaks against a waiting change."""
    new = isinstance(change.after, Name) and change.after.id is None
    return bool(change.reasons) or new or change.state is ChangeState.CONFLICT


def find_replaced_names(
    changes: Iterable[Change], accepted: Iterable[AcceptedChange]
) -> Iterator[AliasRule]:
    """Yield each new name with the other one that a person put in its place."""
    values = {one.change_id: one.after for one in accepted}
    for change in changes:
        given, own = name_given_by(change), values.get(change.id)
        if given is None or given[1].id is not None or not isinstance(own, Name):
            continue
        field, new = given
        if not _means_the_same(new, own):
            yield build_alias_rule(field, new.name, own)


def build_accepted(change: Change, after: Value) -> AcceptedChange:
    """Accept what the person saw: of a conflict, that is the value found in Paperless."""
    conflict = change.state is ChangeState.CONFLICT
    return AcceptedChange(change.id, after, seen=change.found if conflict else change.before)


def _accept_own(change: Change, after: Value) -> AcceptedChange:
    """Accept a change, perhaps with the person's own value in the place of the suggested one."""
    return replace(
        build_accepted(change, after), is_edited=not _means_the_same(change.after, after)
    )


def _means_the_same(suggested: Value, after: Value) -> bool:
    if isinstance(suggested, Name) and isinstance(after, Name):
        return spelling_key(suggested.name) == spelling_key(after.name)
    return suggested == after


def reject(waiting: Iterable[Change], only: Collection[Field] | None) -> Decision:
    """Reject waiting changes."""
    return Decision(reject=tuple(c.id for c in waiting if only is None or c.field in only))


def reject_and_never_suggest(waiting: Iterable[Change], only: Collection[Field] | None) -> Decision:
    """Reject waiting changes, and never have their names suggested again."""
    waiting = tuple(waiting)
    decision = reject(waiting, only)
    given = (name_given_by(change) for change in waiting if change.id in decision.reject)
    never = tuple(build_alias_rule(one[0], one[1].name, None) for one in given if one)
    if not never:
        raise BadValue(
            message("none of these fields has a name that could be rejected permanently")
        )
    return replace(decision, remember=never)


def build_alias_rule(field: FieldName, spelling: str, target: Name | None) -> AliasRule:
    """Say what a spelling means; without a target, that it is never to be suggested."""
    return AliasRule(field, spelling_key(spelling), spelling, target)


def parse_typed_value(field: FieldName, typed: str, names: NamesInUse) -> Value:
    """Read what a person typed for a field; raise BadValue with a sentence about what is wrong."""
    text = clean_line(typed)
    if field is FieldName.DATE:
        day = parse_date(text)
        if day is None:
            raise BadValue(message('"{text}" is not a date; write it as 2026-01-31', text=text))
        return day
    if not text and field in {FieldName.CORRESPONDENT, FieldName.DOCUMENT_TYPE}:
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
    return names.match(field, text) if field in NAMED_FIELDS else text


def parse_typed_custom_value(
    field: CustomField, typed: str, known: Mapping[CustomField, Definition]
) -> Value:
    """Read what a person typed for a custom field; raise BadValue."""
    text = clean_line(typed)
    if not text:
        return None
    if field not in known:
        raise BadValue(message("Paperless no longer has a field {name}", name=field.name))
    value = read_custom_value(text, known[field])
    if value is None:
        raise BadValue(_unfit(text, known[field]))
    return value


def _unfit(text: str, definition: Definition) -> Message:
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


def _edited(
    change: Change, edits: Edits, names: NamesInUse, known: Mapping[CustomField, Definition]
) -> Value:
    if change.field not in edits.values:
        return change.after
    typed = edits.values[change.field]
    if isinstance(change.field, CustomField):
        return parse_typed_custom_value(change.field, typed, known)
    return parse_typed_value(change.field, typed, names)


def _should_remember(meaning: AliasRule) -> bool:
    """Tell whether the two names have to do with each other.

    Else the person corrected a mistake about this document, and to file the next ones alike would
    spread it.
    """
    return meaning.target is not None and is_related(meaning.spelling, meaning.target.name)


def _with_tags(
    accepted: list[AcceptedChange],
    waiting: list[Change],
    listed: Iterable[Name],
    there: Collection[int],
) -> Decision:
    """Take exactly the tags that the person listed: some were suggested, some are his own."""
    wanted = {_key(tag): tag for tag in listed}
    kept = [change for change in waiting if _key(tag_of(change)) in wanted]
    suggested = {_key(tag_of(change)) for change in kept}
    own = [tag for key, tag in wanted.items() if key not in suggested and tag.id not in there]
    return Decision(
        accept=(*accepted, *(build_accepted(change, change.after) for change in kept)),
        reject=tuple(change.id for change in waiting if change not in kept),
        add=tuple(PlannedChange(FieldName.TAGS, None, tag) for tag in own),
    )


def _tags(typed: str, names: NamesInUse) -> Iterator[Name]:
    for one in typed.split(","):
        if one.strip():
            tag = parse_typed_value(FieldName.TAGS, one, names)
            assert isinstance(tag, Name)
            yield tag


def _key(tag: Name | None) -> object:
    return tag and (tag.id or name_key(tag.name))


@dataclass(frozen=True, slots=True)
class TypedEdits:
    """What a person typed about waiting changes; fields by name."""

    values: Mapping[str, str]
    only: frozenset[str] | None = None
    """None for all."""

    def resolve(self, waiting: Iterable[Field]) -> Edits:
        """Say which of the fields that wait are meant; raise BadValue if one is none."""
        fields = tuple(waiting)
        values = {resolve_field(name, fields): value for name, value in self.values.items()}
        return Edits(values, resolve_fields(self.only, fields))


def resolve_fields(names: Iterable[str] | None, among: Iterable[Field]) -> frozenset[Field] | None:
    """Say which fields are meant by several names; None stays None and means all."""
    fields = tuple(among)
    return None if names is None else frozenset(resolve_field(name, fields) for name in names)


def resolve_field(name: str, among: Iterable[Field]) -> Field:
    """Say which field is meant: one of ours, or a custom one by its name or as custom_field:7."""
    wanted = name.strip()
    custom = {one: None for one in among if isinstance(one, CustomField)}
    for named in (_as_stored, _by_name):
        if (found := named(wanted, custom)) is not None:
            return found
    known = ", ".join([*FieldName, *(one.name for one in custom)])
    raise BadValue(message('"{name}" is not a field; available: {known}', name=name, known=known))


def _as_stored(wanted: str, custom: Iterable[CustomField]) -> Field | None:
    try:
        field = field_from_text(wanted)
    except ValueError:
        return None
    is_there = isinstance(field, FieldName) or field in set(custom)
    return field if is_there else None


def _by_name(wanted: str, custom: Iterable[CustomField]) -> Field | None:
    alike = [one for one in custom if one.name.casefold() == wanted.casefold()]
    exactly = [one for one in alike if one.name == wanted]
    found = exactly or alike
    return found[0] if len(found) == 1 else None

"""Find out which fields a person means: by name, among those of the changes that wait."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from actions.decisions import BadValue, Edits
from core.fields import CustomField, Field, FieldName, field_from_text
from core.messages import message


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a person typed about waiting changes; fields by name."""

    values: Mapping[str, str]
    only: frozenset[str] | None = None
    """None for all."""

    def among(self, waiting: Iterable[Field]) -> Edits:
        """Say which of the fields that wait are meant; raise BadValue if one is none."""
        fields = tuple(waiting)
        values = {field_meant(name, fields): value for name, value in self.values.items()}
        return Edits(values, fields_meant(self.only, fields))


def fields_meant(names: Iterable[str] | None, among: Iterable[Field]) -> frozenset[Field] | None:
    """Say which fields are meant by several names; None stays None and means all."""
    fields = tuple(among)
    return None if names is None else frozenset(field_meant(name, fields) for name in names)


def field_meant(name: str, among: Iterable[Field]) -> Field:
    """Say which field is meant: one of ours, or a custom one by its name or as custom_field:7."""
    wanted = name.strip()
    custom = {one: None for one in among if isinstance(one, CustomField)}
    for named in (_as_stored, _by_name):
        if (found := named(wanted, custom)) is not None:
            return found
    known = ", ".join([*FieldName, *(one.name for one in custom)])
    raise BadValue(message('"{name}" is no field; there are: {known}', name=name, known=known))


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

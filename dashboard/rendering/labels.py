"""What the words of the project are in the language of who looks."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

from core.changes import UNDOABLE, Change, PlannedChange, has_no_suggestion
from core.errors import Problem
from core.fields import CustomField, Field, FieldName, Money, Value
from core.holds import Hold, HoldKind, target_message
from core.messages import Message
from core.scans import SkipReason
from core.text import clean_line
from i18n import Translator
from i18n.labels import (
    CHECKS,
    DECIDED_BY,
    FIELDS,
    SKIPPED,
    SKIPS,
    kept_label,
    reason_message,
    state_label,
    value_label,
)


@dataclass(frozen=True, slots=True)
class Labels:
    """Tells what codes and values mean; all of it is text."""

    translator: Translator

    def code(self, code: str) -> str:
        """Say a state, stage, kind or event; their names are words already."""
        return self.translator.text(code.replace("_", " "))

    def field(self, field: Field) -> str:
        if isinstance(field, CustomField):
            return clean_line(field.name)
        return self.translator.translate(FIELDS[field])

    def value(self, value: Value) -> str:
        """Show a value; what is empty is a dash."""
        match value:
            case bool():
                return self.translator.text(value_label(value))
            case Money():
                return self.translator.money(value.amount, value.currency).strip()
            case date():
                return self.date(value)
            case float():
                return self.translator.number(value, 2)
            case None | "":
                return "–"
            case _:
                return value_label(value)

    def message(self, message: Message) -> str:
        return self.translator.translate(message)

    def problem(self, problem: Problem) -> str:
        """Return what went wrong, for the person whose document it is."""
        if problem.user_message:
            return self.translator.text(problem.user_message)
        return self.translator.translate(problem.message)

    def date(self, day: date) -> str:
        """Write a date of a document, always with its year."""
        if self.translator.language == "de":
            return day.strftime("%d.%m.%Y")
        return f"{day.day} {day.strftime('%b')} {day.year}"

    def reasons(self, reasons: Iterable[str]) -> list[str]:
        return [self.translator.translate(reason_message(reason)) for reason in reasons]

    def check(self, check: str) -> str:
        """Say what a check asks for."""
        return self.translator.text(CHECKS.get(check, check))

    def state(self, change: Change) -> str:
        return self.translator.text(state_label(change))

    def can_undo(self, change: Change) -> bool:
        return change.state in UNDOABLE

    def kept(self, change: Change) -> str:
        return self.translator.text(kept_label(change))

    def is_tag(self, change: Change | PlannedChange) -> bool:
        return change.field is FieldName.TAGS

    def has_no_suggestion(self, change: Change | PlannedChange) -> bool:
        return has_no_suggestion(change)

    def skip(self, skip: SkipReason) -> str:
        return self.translator.text(SKIPS[skip])

    def skipped(self, skip: SkipReason) -> str:
        return self.translator.text(SKIPPED[skip])

    def who(self, who: str) -> str:
        """Say who decided or asked: a rule, a scan, a person by name."""
        return self.translator.text(DECIDED_BY.get(who, who))

    def held_target(self, hold: Hold) -> str:
        """Return what is on hold."""
        return self.translator.translate(target_message(hold.target))

    def hold_end(self, hold: Hold) -> str:
        """Say what ends a hold."""
        if hold.next_probe_at is None:
            return self.translator.text("goes on when you say so")
        when = self.translator.moment(hold.next_probe_at)
        if hold.kind is HoldKind.LIMIT:
            return self.translator.text("goes on by itself: {when}", when=when)
        return self.translator.text("asked again: {when}", when=when)

    def iso(self, moment: datetime) -> str:
        return moment.isoformat(timespec="seconds")

"""Which field a person means, and how an edited value changes a title that a pattern made of it."""

from dataclasses import replace
from datetime import date

import pytest

from actions.decisions import (
    BadValue,
    Edits,
    recompute_title,
    resolve_edits,
    resolve_field,
    resolve_fields,
    revise_title,
)
from core.changes import AcceptedChange, Change, ChangeState, Decision, RevisedChange
from core.fields import CustomField, Field, FieldName, Name
from processor.policy import Reason
from tests.builders import STADTWERKE, TELEKOM, a_change

NUMBER, DATE, KIND, TWIN = (
    CustomField(7, "Rechnungsnummer"),
    CustomField(8, "date"),
    CustomField(9, "Art"),
    CustomField(10, "ART"),
)
AMONG = (FieldName.TITLE, NUMBER, DATE, KIND, TWIN, NUMBER)
TITLE = replace(
    a_change(1, after="Stadtwerke Musterstadt Oktober", state=ChangeState.PROPOSED),
    pattern="{correspondent} Oktober",
    reasons=(Reason.TITLE_PART_IN_REVIEW, "unsure"),
)
SENDER = a_change(
    2,
    field=FieldName.CORRESPONDENT,
    before=None,
    after=STADTWERKE,
    state=ChangeState.PROPOSED,
)
WAITING = (TITLE, SENDER)


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ("title", FieldName.TITLE),
        ("tags", FieldName.TAGS),
        (" Rechnungsnummer ", NUMBER),
        ("rechnungsnummer", NUMBER),
        ("date", FieldName.DATE),
        ("custom_field:8", DATE),
        ("custom_field:8:whatever it was called", DATE),
        ("Art", KIND),
        ("ART", TWIN),
    ],
)
def test_a_field_is_meant_by_its_name_or_its_number(typed: str, field: Field) -> None:
    assert resolve_field(typed, AMONG) == field


@pytest.mark.parametrize("typed", ["colour", "", "art", "custom_field:11", "Title"])
def test_a_name_that_means_no_field_is_reported_with_those_that_there_are(typed: str) -> None:
    with pytest.raises(BadValue) as error:
        resolve_field(typed, AMONG)

    assert str(error.value).startswith(f'"{typed}" is not a field; available: title, correspondent')
    assert str(error.value).endswith("Rechnungsnummer, date, Art, ART")


def test_no_names_mean_all_fields() -> None:
    assert resolve_fields(None, AMONG) is None
    assert resolve_fields(["Art", "title"], AMONG) == frozenset[Field]({KIND, FieldName.TITLE})


def test_typed_edits_become_edits_of_waiting_fields() -> None:
    expected: Edits[Field] = Edits({NUMBER: "RE-1"}, frozenset({FieldName.TITLE}))

    edits = resolve_edits(Edits({"rechnungsnummer": "RE-1"}, frozenset({"title"})), AMONG)

    assert edits == expected


def accepted(change: Change, after: object = None, *, is_edited: bool = False) -> AcceptedChange:
    value = change.after if after is None else after
    return AcceptedChange(change.id, value, change.before, is_edited)  # type: ignore[arg-type]


def title_of(decision: Decision) -> object:
    return {item.change_id: item.after for item in decision.accept}[TITLE.id]


def test_an_edited_value_changes_the_accepted_title() -> None:
    wanted = Decision(accept=(accepted(TITLE), accepted(SENDER, TELEKOM, is_edited=True)))

    assert title_of(recompute_title(WAITING, wanted)) == "Telekom Deutschland GmbH Oktober"


def test_a_rejected_value_is_no_part_of_the_title() -> None:
    wanted = Decision(accept=(accepted(TITLE),), reject=(SENDER.id,))

    assert title_of(recompute_title(WAITING, wanted)) == "Oktober"


def test_a_value_that_paperless_keeps_is_a_part_of_the_title() -> None:
    filed = replace(SENDER, before=TELEKOM)
    wanted = Decision(accept=(accepted(TITLE),), reject=(SENDER.id,))

    assert title_of(recompute_title((TITLE, filed), wanted)) == "Telekom Deutschland GmbH Oktober"


def test_a_title_that_the_person_edited_stays() -> None:
    wanted = Decision(
        accept=(accepted(TITLE, "Mine", is_edited=True), accepted(SENDER, TELEKOM, is_edited=True))
    )

    assert recompute_title(WAITING, wanted) == wanted


def test_a_title_without_a_pattern_stays() -> None:
    plain = replace(TITLE, pattern="")
    wanted = Decision(accept=(accepted(plain), accepted(SENDER, TELEKOM, is_edited=True)))

    assert recompute_title((plain, SENDER), wanted) == wanted


def test_a_title_that_keeps_waiting_is_revised() -> None:
    wanted = Decision(accept=(accepted(SENDER, TELEKOM, is_edited=True),))

    assert revise_title(WAITING, wanted) == RevisedChange(
        TITLE.id,
        "Telekom Deutschland GmbH Oktober",
        ("unsure",),
        "Telekom Deutschland GmbH Oktober",
    )


@pytest.mark.parametrize(
    "decision",
    [
        Decision(reject=(TITLE.id,)),
        Decision(accept=(accepted(TITLE),)),
        Decision(reject=(99,)),
    ],
)
def test_a_title_that_is_decided_or_untouched_is_not_revised(decision: Decision) -> None:
    assert revise_title(WAITING, decision) is None


def test_a_title_that_waits_for_another_value_keeps_its_reason() -> None:
    dated = replace(TITLE, pattern="{correspondent} {month}")
    day = a_change(
        3, field=FieldName.DATE, before=None, after=date(2026, 10, 1), state=ChangeState.PROPOSED
    )

    revised = revise_title(
        (dated, SENDER, day), Decision(accept=(accepted(SENDER, Name(None, "Neu")),))
    )

    assert revised == RevisedChange(
        TITLE.id, "Neu 10", (Reason.TITLE_PART_IN_REVIEW, "unsure"), "Neu {month}"
    )

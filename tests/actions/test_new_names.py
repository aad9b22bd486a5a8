"""New names that wait, and what follows from a word about one of them."""

from dataclasses import replace

import pytest

from actions.decisions import build_alias_rule
from actions.new_names import (
    NameCursor,
    accept_with_name,
    find_new_names,
    find_new_names_without_similar,
    group_waiting_by_scope,
    reject_changes,
    replace_with_existing,
)
from core.changes import AcceptedChange, Change, ChangeState, Decision, RevisedChange
from core.documents import DocumentRef
from core.fields import FieldName, Name, Value
from core.names import NameScope
from processor.analysis.checks import CheckFailure
from processor.policy import Reason
from tests.builders import STROM, TELEKOM, a_change, some_names

SENDER, TAGS = FieldName.CORRESPONDENT, FieldName.TAGS
NEW = Name(None, "Neue Firma")


def waits(
    id_: int,
    after: Value = NEW,
    *reasons: str,
    field: FieldName = SENDER,
    instance: str = "home",
    document: int | None = None,
) -> Change:
    """Build a change that waits, of a document of its own."""
    change = a_change(id_, field=field, before=None, after=after, state=ChangeState.PROPOSED)
    ref = DocumentRef(instance, document or id_)
    return replace(change, document=ref, reasons=reasons or (Reason.NEW_NAME,))


def test_new_names_are_listed_with_their_documents_the_most_wanted_first() -> None:
    waiting = [
        waits(1, Name(None, "Telekom")),
        waits(2),
        waits(3, Name(None, "NEUE FIRMA GmbH")),
        waits(4),
        waits(5, TELEKOM),
        waits(6, Name(None, "telekom deutschland")),
        waits(7, "a title", field=FieldName.TITLE),
    ]

    firm, telekom = find_new_names(waiting, {"home": some_names()})

    assert (firm.name, firm.field, firm.instance) == ("Neue Firma", SENDER, "home")
    assert [ref.id for ref in firm.documents] == [2, 3, 4]
    assert (telekom.name, telekom.similar) == ("Telekom", (TELEKOM.name,))


def test_without_the_names_in_use_what_was_known_is_listed() -> None:
    waiting = [replace(waits(1, Name(None, "Telekom")), similar=("Telekom Deutschland",))]

    [telekom] = find_new_names(waiting, {})

    assert (telekom.name, telekom.similar) == ("Telekom", ("Telekom Deutschland",))


def test_one_name_in_two_places_is_two() -> None:
    waiting = [waits(1), waits(2, field=TAGS), waits(3, instance="office")]

    found = find_new_names(waiting, {"home": some_names(), "office": some_names()})

    assert [(entry.instance, entry.field) for entry in found] == [
        ("home", SENDER),
        ("home", TAGS),
        ("office", SENDER),
    ]


def test_where_a_name_stands_can_be_written_down_and_read() -> None:
    waiting = [waits(1, Name(None, "A/B, (C) & 7")), waits(2), waits(3)]

    found = find_new_names_without_similar(waiting, {"home": some_names()})

    assert [str(entry.cursor) for entry in found] == [
        "home/2/correspondent/Neue Firma",
        "home/1/correspondent/A/B, (C) & 7",
    ]
    assert [NameCursor.parse(str(entry.cursor)) for entry in found] == [
        entry.cursor for entry in found
    ]


@pytest.mark.parametrize("text", ["", "home", "home/0/tags/x", "home/1/title/x", "home/1/tags/"])
def test_anything_else_is_no_place_among_names(text: str) -> None:
    with pytest.raises(ValueError, match="is no place among the names"):
        NameCursor.parse(text)


def test_what_waits_with_a_name_is_found_in_any_spelling_new_or_not() -> None:
    waiting = [waits(1), waits(2, TELEKOM), waits(3, Name(None, "NEUE FIRMA")), waits(4, None)]

    assert group_waiting_by_scope(waiting, "neue firma gmbh") == {
        NameScope("home", SENDER): (waiting[0], waiting[2])
    }
    assert group_waiting_by_scope(waiting, "Telekom Deutschland") == {
        NameScope("home", SENDER): (waiting[1],)
    }
    assert group_waiting_by_scope(waiting, "Strom") == {}


@pytest.mark.parametrize(
    "reasons",
    [
        (Reason.NEW_NAME,),
        (Reason.NEW_NAME, Reason.SIMILAR_NAME, CheckFailure.NAME_LOOKS_MISREAD),
        (CheckFailure.NAME_OF_MIXED_LETTERS, CheckFailure.NAME_TOO_LONG),
    ],
)
def test_a_word_about_the_name_answers_what_is_about_the_name(reasons: tuple[str, ...]) -> None:
    change = waits(1, NEW, *reasons)

    assert accept_with_name([change], NEW) == {
        change.document: Decision(accept=(AcceptedChange(1, NEW, seen=None),))
    }


def test_what_waits_for_another_reason_too_waits_on_for_that() -> None:
    change = waits(1, NEW, Reason.NEW_NAME, CheckFailure.EVIDENCE_NOT_IN_TEXT)
    spelled = Name(None, "Neue Firma GmbH")

    assert accept_with_name([change], spelled) == {
        change.document: RevisedChange(1, spelled, (CheckFailure.EVIDENCE_NOT_IN_TEXT,))
    }


def test_a_value_that_someone_set_meanwhile_is_not_overwritten() -> None:
    change = replace(waits(1), state=ChangeState.CONFLICT, found=TELEKOM)

    assert accept_with_name([change], NEW) == {change.document: RevisedChange(1, NEW, ())}


def test_an_existing_name_is_put_in_the_place_of_a_new_one() -> None:
    changes = [waits(1), waits(2, NEW, CheckFailure.UNSURE)]

    said = replace_with_existing(changes, build_alias_rule(SENDER, "Neue Firma", TELEKOM), changes)

    assert said == {
        changes[0].document: Decision(accept=(AcceptedChange(1, TELEKOM, seen=None),)),
        changes[1].document: RevisedChange(2, TELEKOM, (CheckFailure.UNSURE,)),
    }


def test_a_tag_that_waits_by_itself_as_well_is_not_added_twice() -> None:
    power = waits(1, Name(None, "Elektrizität"), field=TAGS, document=7)
    twin = waits(2, STROM, field=TAGS, document=7)
    other = waits(3, Name(None, "Elektrizität"), field=TAGS, document=8)

    meaning = build_alias_rule(TAGS, "Elektrizität", STROM)
    said = replace_with_existing([power, other], meaning, [power, twin, other])

    assert said == {
        power.document: Decision(reject=(1,)),
        other.document: Decision(accept=(AcceptedChange(3, STROM, seen=None),)),
    }


def test_a_name_that_is_never_wanted_is_dropped_whatever_it_waits_for() -> None:
    change = waits(1, NEW, CheckFailure.UNSURE)

    assert reject_changes([change]) == {change.document: Decision(reject=(1,))}

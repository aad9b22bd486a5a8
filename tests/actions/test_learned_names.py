"""What is learned about names from a person's decision, and what is not."""

from dataclasses import replace

import pytest

from actions.decisions import BadValue, Edits, accept, reject, reject_and_never_suggest
from core.changes import Change, ChangeState
from core.fields import Field, FieldName, Name, Value
from core.names import AliasRule
from tests.builders import STROM, TELEKOM, a_change, an_added_tag, some_names

SENDER = FieldName.CORRESPONDENT


def a_sender(after: Value, id_: int = 1) -> Change:
    return a_change(id_, field=SENDER, before=None, after=after, state=ChangeState.PROPOSED)


def learned(change: Change, own: str) -> tuple[AliasRule, ...]:
    return accept([change], Edits({change.field: own}), some_names()).remember


def test_a_new_name_means_the_one_that_a_person_put_in_its_place() -> None:
    assert learned(a_sender(Name(None, "Telekom")), TELEKOM.name) == (
        AliasRule(SENDER, "telekom", "Telekom", TELEKOM),
    )


def test_that_one_may_be_new_itself() -> None:
    own = "Deutsche Telekom Privatkunden"

    (meaning,) = learned(a_sender(Name(None, "Telekom")), own)

    assert meaning.target == Name(None, own)


@pytest.mark.parametrize(
    ("suggested", "own"),
    [
        (Name(None, "Amazon"), TELEKOM.name),
        (Name(7, "Telekom"), TELEKOM.name),
        (Name(None, "Telekom Deutschland"), TELEKOM.name),
        (Name(None, "Telekom"), ""),
        (None, TELEKOM.name),
    ],
    ids=["a mistake", "a name in use", "the same name", "emptied", "nothing suggested"],
)
def test_nothing_is_learned_from(suggested: Name | None, own: str) -> None:
    assert learned(a_sender(suggested), own) == ()


def test_nothing_is_learned_from_what_is_accepted_as_it_is() -> None:
    waiting = [a_sender(Name(None, "Telekom"))]

    assert accept(waiting, Edits({}), some_names()).remember == ()


def test_what_is_learned_comes_along_with_tags_of_ones_own() -> None:
    edits: Edits[Field] = Edits({SENDER: TELEKOM.name, FieldName.TAGS: "Haus"})

    decision = accept([a_sender(Name(None, "Telekom"))], edits, some_names())

    assert [meaning.spelling for meaning in decision.remember] == ["Telekom"]
    assert len(decision.add) == 1


@pytest.mark.parametrize(
    ("change", "typed", "is_own"),
    [
        (a_change(1), "Mein Strom", True),
        (a_change(1), str(a_change(1).after), False),
        (a_sender(Name(None, "Telekom")), TELEKOM.name, True),
        (a_sender(Name(None, TELEKOM.name.upper())), TELEKOM.name, False),
        (a_sender(TELEKOM), "", True),
    ],
    ids=["a title", "the same title", "a name", "the same name", "emptied"],
)
def test_a_value_is_the_persons_own_if_it_is_another(
    change: Change, typed: str, *, is_own: bool
) -> None:
    (accepted,) = accept([change], Edits({change.field: typed}), some_names()).accept

    assert accepted.is_edited is is_own


def test_a_plain_no_is_about_this_document() -> None:
    assert reject([a_sender(Name(None, "Telekom"))], None).remember == ()


def test_a_no_for_good_is_remembered_for_each_name_new_or_not() -> None:
    waiting = [a_sender(Name(None, "Telekom")), an_added_tag(STROM, 2), a_change(3)]

    decision = reject_and_never_suggest(waiting, None)

    assert decision.reject == (1, 2, 3)
    assert decision.remember == (
        AliasRule(SENDER, "telekom", "Telekom", None),
        AliasRule(FieldName.TAGS, "strom", "Strom", None),
    )


def test_a_no_for_good_is_about_the_fields_that_are_decided() -> None:
    waiting = [a_sender(Name(None, "Telekom")), an_added_tag(STROM, 2)]

    decision = reject_and_never_suggest(waiting, {FieldName.TAGS})

    assert decision.reject == (2,)
    assert [meaning.spelling for meaning in decision.remember] == ["Strom"]


def test_only_a_name_can_be_refused_for_good() -> None:
    with pytest.raises(BadValue, match="has a name"):
        reject_and_never_suggest([a_change()], None)
    with pytest.raises(BadValue, match="has a name"):
        reject_and_never_suggest([replace(a_sender(None), id=2)], None)

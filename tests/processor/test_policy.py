"""What is written now, what waits for a person, what is left."""

from dataclasses import replace
from datetime import date

import pytest

from core.changes import Plan, PlannedChange
from core.fields import FieldMode, FieldName, Name, NewNamePolicy, Value
from paperless_client import Document
from processor.analysis.checks import Candidate, CheckFailure
from processor.policy import Policy, Reason, plan_changes, plan_manual_review, reason_not_to_ask
from tests.builders import (
    AUTO,
    BY_YEAR,
    HAUS,
    RECHNUNG,
    STADTWERKE,
    STROM,
    TELEKOM,
    TODAY,
    a_candidate,
    a_current,
    a_document,
    a_policy,
)

NEW = a_document()
FILED = a_document(
    title="Meine Rechnung",
    correspondent=1,
    document_type=2,
    created=date(2020, 1, 1),
    storage_path=2,
)
VALUES: dict[FieldName, Value] = {
    FieldName.TITLE: "Stromrechnung",
    FieldName.CORRESPONDENT: TELEKOM,
    FieldName.DOCUMENT_TYPE: RECHNUNG,
    FieldName.TAGS: STROM,
    FieldName.DATE: date(2026, 10, 31),
    FieldName.STORAGE_PATH: BY_YEAR,
}


def plan(*candidates: Candidate, policy: Policy | None = None, document: Document = NEW) -> Plan:
    return plan_changes(a_current(document), candidates, policy or a_policy())


def fate(planned: Plan) -> str:
    """Return where the one change of a plan ended up."""
    (where,) = (name for name in ("now", "review", "leave") if getattr(planned, name))
    return where


def reasons(planned: Plan) -> tuple[str, ...]:
    (change,) = (*planned.now, *planned.review, *planned.leave)
    return change.reasons


@pytest.mark.parametrize("field", FieldName)
@pytest.mark.parametrize(
    ("mode", "document", "where"),
    [
        (FieldMode.REVIEW, NEW, "review"),
        (FieldMode.REVIEW, FILED, "review"),
        (FieldMode.FILL, NEW, "now"),
        (FieldMode.FILL, FILED, "leave"),
        (FieldMode.REPLACE, NEW, "now"),
        (FieldMode.REPLACE, FILED, "now"),
    ],
    ids=lambda value: value.title if isinstance(value, Document) else str(value),
)
def test_the_mode_says_what_may_be_written(
    field: FieldName, mode: FieldMode, document: Document, where: str
) -> None:
    planned = plan(a_candidate(field, VALUES[field]), policy=a_policy(mode), document=document)

    # Tags are only ever added: there is always room for one more.
    assert fate(planned) == ("now" if field is FieldName.TAGS and where == "leave" else where)


@pytest.mark.parametrize("field", FieldName)
def test_a_field_that_is_off_is_not_planned_whatever_the_model_says(field: FieldName) -> None:
    policy = a_policy(modes={field: FieldMode.OFF})

    assert plan(a_candidate(field, VALUES[field]), policy=policy) == Plan()
    assert field not in policy.fields


def test_a_change_tells_from_what_to_what_and_why() -> None:
    candidate = Candidate(FieldName.CORRESPONDENT, TELEKOM, "Telekom GmbH", 0.8)

    planned = plan(candidate, document=FILED)

    assert planned == Plan(
        now=(
            PlannedChange(
                FieldName.CORRESPONDENT, STADTWERKE, TELEKOM, "Telekom GmbH", 0.8, reasons=()
            ),
        )
    )


@pytest.mark.parametrize("mode", [FieldMode.REVIEW, FieldMode.FILL, FieldMode.REPLACE])
def test_a_storage_path_that_paperless_does_not_have_is_left(mode: FieldMode) -> None:
    candidate = a_candidate(FieldName.STORAGE_PATH, Name(None, "Keller"))

    planned = plan(candidate, policy=a_policy(mode, new_names=NewNamePolicy.CREATE))

    assert fate(planned) == "leave"
    assert reasons(planned) == (Reason.NEW_NAME_NOT_ALLOWED,)


def test_a_tag_is_added_from_nothing() -> None:
    (change,) = plan(a_candidate(FieldName.TAGS, STROM)).now

    assert (change.before, change.after) == (None, STROM)


@pytest.mark.parametrize("mode", [FieldMode.REVIEW, FieldMode.FILL, FieldMode.REPLACE])
@pytest.mark.parametrize(
    ("field", "value"),
    [
        (FieldName.TITLE, "Meine Rechnung"),
        (FieldName.CORRESPONDENT, STADTWERKE),
        (FieldName.CORRESPONDENT, Name(1, "Stadtwerke, renamed meanwhile")),
        (FieldName.DATE, date(2020, 1, 1)),
    ],
)
def test_what_is_already_so_is_left(field: FieldName, value: Value, mode: FieldMode) -> None:
    planned = plan(a_candidate(field, value), policy=a_policy(mode), document=FILED)

    assert fate(planned) == "leave"
    assert reasons(planned) == (Reason.ALREADY_SO,)


def test_a_tag_that_is_there_is_left() -> None:
    planned = plan(a_candidate(FieldName.TAGS, STROM), document=a_document(tags=[2]))

    assert fate(planned) == "leave"
    assert reasons(planned) == (Reason.ALREADY_SO,)


@pytest.mark.parametrize("mode", [FieldMode.FILL, FieldMode.REPLACE])
def test_a_doubt_takes_a_change_to_review(mode: FieldMode) -> None:
    candidate = a_candidate(doubts=(CheckFailure.NO_EVIDENCE, CheckFailure.UNSURE))

    planned = plan(candidate, policy=a_policy(mode))

    assert fate(planned) == "review"
    assert reasons(planned) == (CheckFailure.NO_EVIDENCE, CheckFailure.UNSURE)


def test_what_fill_leaves_alone_is_left_also_in_doubt() -> None:
    planned = plan(
        a_candidate(doubts=(CheckFailure.UNSURE,)), policy=a_policy(FieldMode.FILL), document=FILED
    )

    assert reasons(planned) == (Reason.HAS_A_VALUE,)


@pytest.mark.parametrize(
    ("field", "value", "doubts"),
    [(FieldName.DATE, None, (CheckFailure.DATE_UNREADABLE,)), (FieldName.TITLE, "", ())],
)
def test_without_a_value_there_is_nothing_to_decide(
    field: FieldName, value: Value, doubts: tuple[str, ...]
) -> None:
    planned = plan(a_candidate(field, value, doubts=doubts))

    assert fate(planned) == "leave"
    assert reasons(planned) == (Reason.NO_VALUE, *doubts)


@pytest.mark.parametrize(
    "field", [FieldName.CORRESPONDENT, FieldName.DOCUMENT_TYPE, FieldName.TAGS]
)
@pytest.mark.parametrize(
    ("allowed", "where", "why"),
    [
        (NewNamePolicy.NEVER, "leave", (Reason.NEW_NAME_NOT_ALLOWED,)),
        (NewNamePolicy.REVIEW, "review", (Reason.NEW_NAME,)),
        (NewNamePolicy.CREATE, "now", ()),
    ],
)
def test_a_new_name_needs_leave(
    field: FieldName, allowed: NewNamePolicy, where: str, why: tuple[str, ...]
) -> None:
    planned = plan(a_candidate(field, Name(None, "Neu")), policy=a_policy(new_names=allowed))

    assert fate(planned) == where
    assert reasons(planned) == why


@pytest.mark.parametrize(
    ("allowed", "why"),
    [
        (NewNamePolicy.REVIEW, (Reason.NEW_NAME, CheckFailure.UNSURE)),
        (NewNamePolicy.CREATE, (CheckFailure.UNSURE,)),
    ],
)
def test_a_doubted_new_name_is_never_created_without_a_person(
    allowed: NewNamePolicy, why: tuple[str, ...]
) -> None:
    candidate = a_candidate(FieldName.TAGS, Name(None, "Neu"), doubts=(CheckFailure.UNSURE,))

    planned = plan(candidate, policy=a_policy(new_names=allowed))

    assert fate(planned) == "review"
    assert reasons(planned) == why


@pytest.mark.parametrize("allowed", NewNamePolicy)
def test_a_name_in_use_needs_no_leave(allowed: NewNamePolicy) -> None:
    planned = plan(a_candidate(FieldName.TAGS, STROM), policy=a_policy(new_names=allowed))

    assert fate(planned) == "now"


@pytest.mark.parametrize("mode", [FieldMode.REVIEW, FieldMode.FILL, FieldMode.REPLACE])
def test_no_document_talks_a_model_into_a_tag_that_steers_the_clerk(mode: FieldMode) -> None:
    policy = a_policy(mode, reserved_tags=["Strom"])

    planned = plan(a_candidate(FieldName.TAGS, STROM), policy=policy)

    assert fate(planned) == "leave"
    assert reasons(planned) == (Reason.RESERVED_TAG,)


def test_only_tags_are_reserved() -> None:
    policy = a_policy(reserved_tags=["Strom"])

    assert fate(plan(a_candidate(FieldName.TITLE, "Strom"), policy=policy)) == "now"


def test_no_more_tags_are_planned_than_allowed_the_best_first() -> None:
    candidates = [a_candidate(FieldName.TAGS, tag) for tag in (AUTO, STROM, HAUS)]

    planned = plan(*candidates, policy=a_policy(max_tags=2))

    assert [change.after for change in planned.now] == [AUTO, STROM]
    assert [(change.after, change.reasons) for change in planned.leave] == [
        (HAUS, (Reason.TOO_MANY_TAGS,))
    ]


def test_tags_in_review_count_and_tags_left_alone_do_not() -> None:
    candidates = [
        a_candidate(FieldName.TAGS, STROM),
        a_candidate(FieldName.TAGS, AUTO, doubts=(CheckFailure.UNSURE,)),
        a_candidate(FieldName.TAGS, HAUS),
        a_candidate(FieldName.TITLE, "Stromrechnung"),
    ]

    planned = plan(*candidates, policy=a_policy(max_tags=1), document=a_document(tags=[2]))

    assert [change.after for change in planned.now] == ["Stromrechnung"]
    assert [change.after for change in planned.review] == [AUTO]
    assert [change.reasons for change in planned.leave] == [
        (Reason.ALREADY_SO,),
        (Reason.TOO_MANY_TAGS,),
    ]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (STROM, STROM),
        (STROM, Name(2, "strom")),
        (Name(None, "Öko-Strom"), Name(None, "ökostrom")),
    ],
)
def test_a_tag_suggested_twice_is_planned_once(first: Name, second: Name) -> None:
    planned = plan(a_candidate(FieldName.TAGS, first), a_candidate(FieldName.TAGS, second))

    assert [change.after for change in planned.now] == [first]


def test_the_same_number_in_two_fields_is_two_things() -> None:
    candidates = [a_candidate(FieldName.TAGS, HAUS), a_candidate(FieldName.DOCUMENT_TYPE, RECHNUNG)]

    assert len(plan(*candidates).now) == 2


def test_nothing_suggested_is_nothing_planned() -> None:
    assert plan() == Plan()


@pytest.mark.parametrize(
    ("off", "field", "value"),
    [
        ([], FieldName.TITLE, "scan_0007"),
        ([FieldName.TITLE], FieldName.CORRESPONDENT, None),
        ([f for f in FieldName if f is not FieldName.DATE], FieldName.DATE, TODAY),
        ([f for f in FieldName if f is not FieldName.TAGS], FieldName.TITLE, "scan_0007"),
    ],
)
def test_a_document_with_nothing_to_suggest_is_put_before_a_person_as_it_is(
    off: list[FieldName], field: FieldName, value: Value
) -> None:
    policy = a_policy(modes=dict.fromkeys(off, FieldMode.OFF))

    planned = plan_manual_review(a_current(), policy, Reason.NO_TEXT)

    change = PlannedChange(field, value, value, reasons=(Reason.NO_TEXT,))
    assert planned == Plan(review=(change,))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", Reason.NO_TEXT),
        (" \n\t", Reason.NO_TEXT),
        ("~~~ ||| ~~~ ...", Reason.UNREADABLE),
        ("Quittung ||| ~~ |_| K|_|nd~ dank~nd erhalten 4~7|", None),
        ("Stromrechnung", None),
    ],
)
def test_a_model_is_asked_only_about_what_it_can_read(text: str, why: Reason | None) -> None:
    assert reason_not_to_ask(text) is why


@pytest.mark.parametrize(
    ("field", "value"),
    [(FieldName.TAGS, Name(None, "Werbung")), (FieldName.TAGS, Name(9, "WERBUNG"))],
)
def test_a_name_that_was_refused_for_good_is_left(field: FieldName, value: Name) -> None:
    policy = replace(a_policy(), refused=frozenset({(FieldName.TAGS, "werbung")}))

    planned = plan(a_candidate(field, value, doubts=(CheckFailure.UNSURE,)), policy=policy)

    assert fate(planned) == "leave"
    assert reasons(planned) == (Reason.REFUSED_NAME,)


def test_a_name_is_refused_in_its_own_field_only() -> None:
    policy = replace(a_policy(), refused=frozenset({(FieldName.CORRESPONDENT, "strom")}))

    assert fate(plan(a_candidate(FieldName.TAGS, STROM), policy=policy)) == "now"


@pytest.mark.parametrize(
    ("allowed", "where", "why"),
    [
        (NewNamePolicy.CREATE, "review", (Reason.SIMILAR_NAME,)),
        (NewNamePolicy.REVIEW, "review", (Reason.NEW_NAME, Reason.SIMILAR_NAME)),
        (NewNamePolicy.NEVER, "leave", (Reason.NEW_NAME_NOT_ALLOWED,)),
    ],
)
def test_a_new_name_that_is_like_another_is_not_created_without_a_person(
    allowed: NewNamePolicy, where: str, why: tuple[Reason, ...]
) -> None:
    new = replace(a_candidate(FieldName.TAGS, Name(None, "Stromm")), similar=("Strom",))

    planned = plan(new, policy=a_policy(new_names=allowed))

    assert (fate(planned), reasons(planned)) == (where, why)
    (change,) = (*planned.review, *planned.leave)
    assert change.similar == ("Strom",)

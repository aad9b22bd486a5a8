"""Titles by a pattern: made of values that passed, or for review like the others."""

from collections.abc import Mapping
from datetime import date

import pytest

from core.changes import Plan, PlannedChange
from core.fields import FieldMode, FieldName, Value
from core.jobs import JobStatus
from processor.plan import apply_pattern, choose_pattern
from processor.policy import Reason
from sandbox import Sandbox
from sandbox.model.behaviour import Behaviour
from tests.builders import RECHNUNG, STADTWERKE, a_current, a_document, a_policy
from tests.installation import Installation, fields_of, process

PATTERN = "{correspondent} {type} {month:de} {year}"
DAY = date(2026, 10, 31)
SENDER, KIND, DATE = FieldName.CORRESPONDENT, FieldName.DOCUMENT_TYPE, FieldName.DATE
SUGGESTED = PlannedChange(FieldName.TITLE, "scan_0007", "The model's own title")
FILE_BY_PATTERN = '[titles]\npattern = "{correspondent} {type} {month} {year}"\n'
LIKE_EARLIER = '[titles]\npattern = "like_earlier"\n'


def planned(**values: Value) -> tuple[PlannedChange, ...]:
    return tuple(PlannedChange(FieldName(name), None, value) for name, value in values.items())


NOW = (*planned(correspondent=STADTWERKE, document_type=RECHNUNG, date=DAY), SUGGESTED)


def title_in(plan: Plan) -> Mapping[str, PlannedChange]:
    """Return the planned title by where it is in the plan."""
    return {
        where: change
        for where in ("now", "review", "leave")
        for change in getattr(plan, where)
        if change.field is FieldName.TITLE
    }


def test_a_title_of_values_that_are_written_is_written_too() -> None:
    plan = apply_pattern(Plan(now=NOW), a_current(), PATTERN, a_policy())

    (title,) = title_in(plan).values()
    assert title_in(plan) == {"now": title}
    assert title.after == "Stadtwerke Musterstadt Rechnung Oktober 2026"
    assert title.reasons == ()
    assert [change for change in plan.now if change is not title] == list(NOW[:3])


def test_a_title_with_a_value_in_review_is_for_review_too() -> None:
    plan = Plan(now=NOW[1:], review=planned(correspondent=STADTWERKE))

    made = title_in(apply_pattern(plan, a_current(), PATTERN, a_policy()))

    assert list(made) == ["review"]
    assert made["review"].after == "Stadtwerke Musterstadt Rechnung Oktober 2026"
    assert made["review"].reasons == (Reason.TITLE_PART_IN_REVIEW,)
    assert made["review"].pattern == "{correspondent} Rechnung Oktober 2026"


def test_a_title_with_a_missing_value_is_for_review() -> None:
    plan = Plan(now=planned(correspondent=STADTWERKE, date=DAY))

    made = title_in(apply_pattern(plan, a_current(), PATTERN, a_policy()))

    assert made["review"].after == "Stadtwerke Musterstadt Oktober 2026"
    assert made["review"].reasons == (Reason.TITLE_PART_MISSING,)


def test_a_value_that_paperless_has_is_a_part_of_the_title() -> None:
    filed = a_document(correspondent=1, created=date(2020, 1, 1))

    made = title_in(
        apply_pattern(
            Plan(now=planned(document_type=RECHNUNG)), a_current(filed), PATTERN, a_policy()
        )
    )

    assert made["now"].after == "Stadtwerke Musterstadt Rechnung Januar 2020"


def test_without_any_value_the_models_title_stays() -> None:
    plan = Plan(now=(SUGGESTED,))

    assert apply_pattern(plan, a_current(), PATTERN, a_policy()) == plan


@pytest.mark.parametrize(
    ("mode", "where"), [(FieldMode.REVIEW, "review"), (FieldMode.FILL, "leave")]
)
def test_the_mode_of_titles_applies(mode: FieldMode, where: str) -> None:
    policy = a_policy(modes={FieldName.TITLE: mode})
    named = a_current(a_document(title="My own title"))

    assert list(title_in(apply_pattern(Plan(now=NOW), named, PATTERN, policy))) == [where]


def test_the_title_that_paperless_has_already_is_left_out() -> None:
    titled = a_current(a_document(title="Stadtwerke Musterstadt Rechnung Oktober 2026"))

    made = title_in(apply_pattern(Plan(now=NOW), titled, PATTERN, a_policy()))

    assert made["leave"].reasons == (Reason.ALREADY_SO,)


def test_the_pattern_of_most_earlier_titles_is_chosen() -> None:
    assert choose_pattern(["a {year}", "b {year}", "b {year}"]) == "b {year}"
    assert choose_pattern(["a {year}", "b {year}"]) == ""
    assert choose_pattern([]) == ""


async def test_the_model_is_not_asked_for_a_title_that_a_pattern_makes(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(FILE_BY_PATTERN, all_fields="replace")
    async with installation.open() as services:
        await process(services)

    assert "- title: " not in str(sandbox.model.state.chats()[-1].messages)
    assert fields_of(sandbox)["title"] == "Stadtwerke Musterstadt Rechnung August 2026"


async def test_a_document_without_any_answer_keeps_its_title(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(FILE_BY_PATTERN, all_fields="replace")
    sandbox.model.behave(Behaviour(answer='{"correspondent": {"value": ""}}'))
    async with installation.open() as services:
        finished = await process(services)

    assert finished.job.status is JobStatus.COMPLETED
    assert fields_of(sandbox)["title"] == "scan_0031"


def add_bill(sandbox: Sandbox, title: str, created: date) -> int:
    """Add a bill that a person has filed."""
    world = sandbox.world
    document = world.add_document("Stromrechnung", f"{title}.pdf", title=title, created=created)
    world.edit(
        document.id, correspondent="Stadtwerke Musterstadt", document_type="Rechnung", tags=[]
    )
    document.original_file_name = "scan.pdf"
    return document.id


async def test_a_title_is_like_earlier_ones_of_the_same_correspondent(
    installation: Installation, sandbox: Sandbox
) -> None:
    add_bill(sandbox, "Abschlag Juni 2026", date(2026, 6, 30))
    add_bill(sandbox, "Abschlag Juli 2026", date(2026, 7, 31))
    add_bill(sandbox, "Something else", date(2026, 7, 31))
    installation.configure(LIKE_EARLIER, all_fields="replace")
    async with installation.open() as services:
        await process(services)

    assert fields_of(sandbox)["title"] == "Abschlag August 2026"


async def test_without_two_earlier_titles_alike_the_model_writes_it(
    installation: Installation, sandbox: Sandbox
) -> None:
    add_bill(sandbox, "Abschlag Juni 2026", date(2026, 6, 30))
    installation.configure(LIKE_EARLIER, all_fields="replace")
    async with installation.open() as services:
        await process(services)

    assert fields_of(sandbox)["title"] == "Stromrechnung August 2026"

"""Which checks were made of a job's suggestions, and how they ended."""

from collections.abc import Iterable, Mapping
from datetime import date

from actions.timeline import (
    CheckedSuggestion,
    list_checked_suggestions,
    list_left_out,
    read_suggestions,
)
from core.changes import CheckResult
from core.fields import FieldName, Name, value_to_json
from core.jobs import Event, EventName
from daemon.services import Services
from i18n.labels import CHECKS
from sandbox import Sandbox
from tests.installation import FIELDS_ON, Installation, process
from tests.store.builders import NOON


def planned(**data: object) -> Event:
    return Event(1, 1, EventName.CHANGES_RECORDED, NOON, "trace", data)


def list_checked_in(events: Iterable[Event]) -> tuple[CheckedSuggestion, ...]:
    return list_checked_suggestions(read_suggestions(events))


def a_check_record(field: str, **more: object) -> Mapping[str, object]:
    return {"field": field, "value": None, "passed": [], "failed": {}, **more}


def test_what_a_plan_was_checked_for_is_read_back_with_what_failed_first() -> None:
    tag = a_check_record("tags", value={"id": 7, "name": "Strom"}, passed=["text_can_be_read"])

    [first, second] = list_checked_in(
        [
            planned(
                checks=[
                    tag,
                    a_check_record(
                        "date", passed=["date_is_real"], failed={"model_is_sure": "unsure"}
                    ),
                ]
            )
        ]
    )

    passed = CheckResult("text_can_be_read")
    assert first == CheckedSuggestion(FieldName.TAGS, Name(7, "Strom"), (passed,), ())
    assert second.checks == (CheckResult("model_is_sure", "unsure"), CheckResult("date_is_real"))


def test_what_was_skipped_although_it_passed_is_listed_with_the_reason() -> None:
    new, known = {"id": None, "name": "Neue Firma"}, {"id": 7, "name": "Strom"}
    left = {"field": "tags", "after": new, "reasons": ["new_name_not_allowed", "unsure"]}
    checks = [
        a_check_record("tags", value=new, failed={"model_is_sure": "unsure"}),
        a_check_record("tags", value=known, passed=["model_is_sure"]),
        a_check_record("correspondent", value=new, passed=["model_is_sure"]),
    ]

    found = list_checked_in([planned(checks=checks, leave=[left])])

    assert [suggestion.left_for for suggestion in found] == [("new_name_not_allowed",), (), ()]


def test_of_several_plans_the_last_counts() -> None:
    events = [
        planned(checks=[a_check_record("title", passed=["model_is_sure"])]),
        planned(checks=[a_check_record("date", passed=["model_is_sure"])]),
        planned(now=1),
    ]

    assert [suggestion.field for suggestion in list_checked_in(events)] == [FieldName.DATE]


def test_what_was_not_written_down_is_not_made_up() -> None:
    assert list_checked_in([planned(now=1, leave=[])]) == ()
    assert list_checked_in([]) == ()


def test_what_an_older_version_left_out_is_read_from_its_event() -> None:
    left = {"field": "title", "after": value_to_json("Strom"), "reasons": ["has_a_value"]}
    trivial = {"field": "date", "reasons": ["no_value"]}

    [found] = list_left_out(read_suggestions([planned(leave=[left, trivial], checks=[])]))

    assert (found.field, found.after, found.reasons) == (
        FieldName.TITLE,
        "Strom",
        ("has_a_value",),
    )


def test_a_later_plan_hides_the_event_of_an_older_version() -> None:
    left = {"field": "title", "after": value_to_json("Strom"), "reasons": ["has_a_value"]}

    assert read_suggestions([planned(leave=[left]), planned(leave=["title"])]) == ()


async def test_each_suggestion_of_a_job_is_listed_with_the_checks_that_apply_to_it(
    services: Services, sandbox: Sandbox
) -> None:
    job = (await process(services, 1)).job

    found = {
        suggestion.field: suggestion
        for suggestion in list_checked_suggestions(
            await services.store.changes.list_suggestions(job.id)
        )
    }

    assert set(found) == set(FIELDS_ON)
    made = {field: {result.check for result in checked.checks} for field, checked in found.items()}
    for_all = {"text_can_be_read", "most_was_read", "evidence_stands_in_text", "model_is_sure"}
    assert made[FieldName.DOCUMENT_TYPE] == for_all | {"evidence_shows_the_document_type"}
    assert made[FieldName.TAGS] == for_all | {
        "evidence_shows_the_tag",
        "tag_has_its_own_quote",
        "tags_are_few",
    }
    assert made[FieldName.DATE] == for_all | {
        "evidence_shows_the_date",
        "date_is_real",
        "date_stands_in_text",
        "date_is_the_documents",
        "date_is_plausible",
        "day_and_month_are_in_order",
    }
    assert found[FieldName.DATE].value == date(2026, 8, 31)
    assert not any(checked.failed for checked in found.values())
    assert set().union(*made.values()) <= set(CHECKS)


async def test_the_failure_of_a_check_is_listed_with_it(
    installation: Installation, sandbox: Sandbox
) -> None:
    sandbox.world.edit(1, content="Stromrechnung\nStadtwerke Musterstadt GmbH\n31.12.2099\n")
    async with installation.open() as services:
        job = (await process(services, 1)).job
        found = {
            suggestion.field: suggestion
            for suggestion in list_checked_suggestions(
                await services.store.changes.list_suggestions(job.id)
            )
        }

    assert found[FieldName.DATE].failed == (CheckResult("date_is_plausible", "date_in_future"),)

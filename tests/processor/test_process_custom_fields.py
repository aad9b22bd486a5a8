"""Custom fields from the question to the write, and back."""

import json
from collections.abc import Mapping

import pytest

from actions.decisions import BadValue, Edits, accept
from core.changes import ChangeState
from core.fields import CustomField, Field, FieldName
from core.jobs import UNDO, JobStatus
from daemon.services import Services
from processor.policy import Reason
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from sandbox.model.behaviour import Behaviour
from sandbox.paperless import V2, V3, Release
from tests.installation import (
    MODEL_BLOCKED,
    Installation,
    blocked,
    changes_of,
    drain,
    drain_one,
    enqueue_document,
    fields_of,
    home,
    process,
    run_while_blocked,
    scan,
)

NUMBER, AMOUNT = CustomField(1, "Rechnungsnummer"), CustomField(2, "Betrag")
FOUND = {"Rechnungsnummer": "SW-2026-0810223", "Betrag": "EUR100.94"}
"""What document 1 says."""
BULK_EDIT = "/api/documents/bulk_edit/"


def configure(installation: Installation, mode: str = "fill", **fields: str) -> None:
    """Ask for custom fields and for nothing else."""
    modes = fields or dict.fromkeys(FOUND, mode)
    off = "\n".join(f'{field} = "off"' for field in FieldName)
    named = ", ".join(f'"{name}" = "{mode}"' for name, mode in modes.items())
    installation.configure(f"[fields]\n{off}\ncustom_fields = {{ {named} }}\n")


def custom(sandbox: Sandbox, id_: int = 1) -> Mapping[str, object]:
    fields = fields_of(sandbox, id_)["custom_fields"]
    assert isinstance(fields, dict)
    return fields


def answer(**values: tuple[str, str]) -> Behaviour:
    """Let the model give a value and a quote for each key."""
    items = {
        key: {"value": value, "evidence": evidence, "confidence": 0.9}
        for key, (value, evidence) in values.items()
    }
    return Behaviour(answer=json.dumps(items))


@pytest.mark.parametrize("release", [V2, V3], ids=str)
async def test_what_the_document_says_is_written_and_other_fields_stay(
    installation: Installation, sandbox: Sandbox, release: Release
) -> None:
    configure(installation, "fill")
    sandbox.world.edit(1, custom_fields={"Bezahlt": True, "Betrag": None})

    async with installation.open() as services:
        finished = await process(services)
        states = await changes_of(services)

    assert sandbox.world.release is release
    assert finished.job.status is JobStatus.COMPLETED
    assert custom(sandbox) == {"Bezahlt": True, **FOUND}
    assert states == {NUMBER: [ChangeState.APPLIED], AMOUNT: [ChangeState.APPLIED]}


@pytest.mark.parametrize(
    ("mode", "kept"), [("fill", "EUR1.00"), ("replace", "EUR100.94"), ("review", "EUR1.00")]
)
async def test_a_value_that_is_there_is_kept_or_replaced_by_the_mode(
    installation: Installation, sandbox: Sandbox, mode: str, kept: str
) -> None:
    configure(installation, Betrag=mode)
    sandbox.world.edit(1, custom_fields={"Betrag": "EUR1.00"})

    async with installation.open() as services:
        await process(services)

    assert custom(sandbox) == {"Betrag": kept}


async def test_the_same_amount_in_another_form_is_left(
    installation: Installation, sandbox: Sandbox
) -> None:
    configure(installation, Betrag="replace")
    sandbox.world.edit(1, custom_fields={"Betrag": "100.94"})

    async with installation.open() as services:
        finished = await process(services)

    assert finished.report is not None
    assert finished.report.plan is not None
    assert [suggestion.reasons for suggestion in finished.report.plan.leave] == [
        (Reason.ALREADY_SO,)
    ]
    assert custom(sandbox) == {"Betrag": "100.94"}


async def test_what_the_quote_does_not_show_waits_for_a_person(
    installation: Installation, sandbox: Sandbox
) -> None:
    configure(installation, "replace")
    sandbox.model.behave(
        answer(
            custom_field_1=("SW-2026-0810224", "Rechnungsnummer: SW-2026-0810223"),
            custom_field_2=("EUR 84.82", "Rechnungsbetrag 100,94 EUR"),
        )
    )

    async with installation.open() as services:
        await process(services)
        waiting = await services.store.changes.list_for_review()

    assert custom(sandbox) == {}
    assert [(change.field, change.reasons[0]) for change in waiting] == [
        (NUMBER, "value_not_in_evidence"),
        (AMOUNT, "value_not_in_evidence"),
    ]


async def test_a_value_that_does_not_fit_its_type_is_never_written(
    installation: Installation, sandbox: Sandbox
) -> None:
    configure(installation, Betrag="replace", Bezahlt="replace", Zahlungsart="replace")
    quote = "Rechnungsbetrag 100,94 EUR"
    sandbox.model.behave(
        answer(
            custom_field_2=("hundert Euro", quote),
            custom_field_4=("vielleicht", quote),
            custom_field_5=("Muscheln", quote),
        )
    )

    async with installation.open() as services:
        finished = await process(services)

    assert custom(sandbox) == {}
    assert finished.report is not None
    assert finished.report.plan is not None
    assert {suggestion.reasons for suggestion in finished.report.plan.leave} == {
        (Reason.NO_VALUE, "value_unreadable")
    }


async def test_a_choice_is_written_by_its_id(installation: Installation, sandbox: Sandbox) -> None:
    configure(installation, Zahlungsart="fill")
    sandbox.model.behave(answer(custom_field_5=("LASTSCHRIFT", "von Ihrem Konto")))

    async with installation.open() as services:
        await process(services)

    field = sandbox.world.find_custom_field("Zahlungsart")
    assert custom(sandbox) == {"Zahlungsart": field.options[0]["id"]}


async def test_a_field_that_was_not_asked_for_is_not_written(
    installation: Installation, sandbox: Sandbox
) -> None:
    configure(installation, Rechnungsnummer="replace", Bezahlt="off")
    sandbox.model.behave(
        answer(
            custom_field_1=("SW-2026-0810223", "Rechnungsnummer: SW-2026-0810223"),
            custom_field_2=("EUR 100.94", "Rechnungsbetrag 100,94 EUR"),
            custom_field_4=("yes", "Rechnungsbetrag"),
            title=("Stromrechnung", "Stromrechnung"),
        )
    )

    async with installation.open() as services:
        await process(services)
        states = await changes_of(services)

    assert custom(sandbox) == {"Rechnungsnummer": "SW-2026-0810223"}
    assert states == {NUMBER: [ChangeState.APPLIED]}
    assert fields_of(sandbox)["title"] == "scan_0031"


async def test_undo_takes_off_what_was_not_there_and_puts_back_what_was(
    installation: Installation, sandbox: Sandbox
) -> None:
    configure(installation, "replace")
    sandbox.world.edit(1, custom_fields={"Betrag": "EUR1.00", "Bezahlt": False})
    sandbox.world.edit(2, custom_fields={"Rechnungsnummer": None})
    before = custom(sandbox), custom(sandbox, 2)

    async with installation.open() as services:
        await process(services, 1)
        await process(services, 2)
        written = custom(sandbox), custom(sandbox, 2)
        for id_ in (1, 2):
            changes = await services.store.changes.list_for_document(home(id_))
            await enqueue_document(services, id_, UNDO, changes=[change.id for change in changes])
        await drain(services)
        states = await changes_of(services)

    assert written[0] == {**FOUND, "Bezahlt": False}
    assert written[1]["Rechnungsnummer"] == "7 214 905 331"
    assert (custom(sandbox), custom(sandbox, 2)) == before
    assert states == {NUMBER: [ChangeState.UNDONE], AMOUNT: [ChangeState.UNDONE]}


async def test_undo_keeps_what_someone_changed_since_and_works_without_the_setting(
    installation: Installation, sandbox: Sandbox
) -> None:
    configure(installation)
    async with installation.open() as services:
        await process(services)
    sandbox.world.edit(1, custom_fields={**FOUND, "Betrag": "EUR2.00"})
    installation.configure()

    async with installation.open() as services:
        changes = await services.store.changes.list_for_document(home(1))
        await enqueue_document(services, 1, UNDO, changes=[change.id for change in changes])
        finished = await drain_one(services)

    assert custom(sandbox) == {"Betrag": "EUR2.00"}
    assert finished.report is not None
    assert [change.field for change in finished.report.kept] == [AMOUNT]


async def test_undo_of_a_field_that_is_gone_from_paperless_is_no_trouble(
    installation: Installation, sandbox: Sandbox
) -> None:
    configure(installation, Rechnungsnummer="fill")
    async with installation.open() as services:
        await process(services)
    with sandbox.world.lock:
        del sandbox.world.custom_fields[NUMBER.id]
        sandbox.world.documents[1].custom_fields.clear()
    installation.configure()

    async with installation.open() as services:
        changes = await services.store.changes.list_for_document(home(1))
        await enqueue_document(services, 1, UNDO, changes=[change.id for change in changes])
        finished = await drain_one(services)

    assert finished.job.status is JobStatus.COMPLETED


async def test_what_a_person_sets_meanwhile_is_a_conflict(
    installation: Installation, sandbox: Sandbox
) -> None:
    configure(installation)

    async with installation.open() as services:
        await enqueue_document(services, 1)
        await run_while_blocked(
            sandbox.model.state.faults,
            MODEL_BLOCKED,
            drain_one(services),
            lambda: sandbox.world.edit(1, custom_fields={"Betrag": "EUR9.00"}),
        )
        states = await changes_of(services)

    assert custom(sandbox) == {**FOUND, "Betrag": "EUR9.00"}
    assert states == {NUMBER: [ChangeState.APPLIED], AMOUNT: [ChangeState.CONFLICT]}


async def test_a_field_that_someone_adds_empty_meanwhile_is_filled_all_the_same(
    installation: Installation, sandbox: Sandbox
) -> None:
    configure(installation)

    async with installation.open() as services:
        await enqueue_document(services, 1)
        await run_while_blocked(
            sandbox.model.state.faults,
            MODEL_BLOCKED,
            drain_one(services),
            lambda: sandbox.world.edit(1, custom_fields={"Betrag": None}),
        )

    assert custom(sandbox) == FOUND


async def test_a_write_that_was_cut_off_is_read_before_it_is_reported(
    installation: Installation, sandbox: Sandbox
) -> None:
    configure(installation)
    sandbox.paperless.faults.add(
        Fault(method="POST", path=BULK_EDIT, moment="after", effect=Answer(status=502))
    )

    async with installation.open() as services:
        finished = await process(services)
        states = await changes_of(services)

    assert finished.job.status is JobStatus.COMPLETED
    assert states == {NUMBER: [ChangeState.APPLIED], AMOUNT: [ChangeState.APPLIED]}
    assert custom(sandbox) == FOUND


async def test_a_value_that_a_workflow_changes_back_is_reported_and_not_fought(
    installation: Installation, sandbox: Sandbox
) -> None:
    configure(installation, Betrag="fill")
    read_back = blocked("/api/documents/1/", method="GET", nth=3)

    async with installation.open() as services:
        await run_while_blocked(
            sandbox.paperless.faults,
            read_back,
            process(services),
            lambda: sandbox.world.edit(1, custom_fields={"Betrag": "EUR0.00"}),
        )
        states = await changes_of(services)

    assert states == {AMOUNT: [ChangeState.OVERRIDDEN]}
    assert custom(sandbox) == {"Betrag": "EUR0.00"}


async def waiting_for_review(
    installation: Installation, services: Services, edits: Edits[Field]
) -> None:
    waiting = await services.store.changes.list_for_review(document=home(1))
    instance = services.instances["home"]
    names, known = await instance.catalogue.names(), await instance.custom_fields.all()
    decision = accept(waiting, edits, names, known)
    await services.store.changes.decide(
        home(1), decision, by="hand", max_attempts=3, now=services.context.clock()
    )
    await drain(services)


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ({}, FOUND),
        ({AMOUNT: "1.234,50 GBP"}, {**FOUND, "Betrag": "GBP1234.50"}),
        ({AMOUNT: "3"}, {**FOUND, "Betrag": "EUR3.00"}),
        ({AMOUNT: ""}, {"Rechnungsnummer": FOUND["Rechnungsnummer"]}),
    ],
)
async def test_a_person_accepts_or_sets_a_value_of_his_own(
    installation: Installation, sandbox: Sandbox, typed: dict[Field, str], written: dict[str, str]
) -> None:
    configure(installation, "review")

    async with installation.open() as services:
        await process(services)
        await waiting_for_review(installation, services, Edits(typed))

    assert custom(sandbox) == written


@pytest.mark.parametrize(
    ("field", "typed", "expected"),
    [
        ("Betrag", "viel", '"viel" is not a value for Betrag: its type is monetary'),
        (
            "Zahlungsart",
            "Muscheln",
            '"Muscheln" is not a value for Zahlungsart: '
            "choose one of Lastschrift, Überweisung, EC-Karte",
        ),
    ],
)
async def test_a_value_that_does_not_fit_is_reported(
    installation: Installation, sandbox: Sandbox, field: str, typed: str, expected: str
) -> None:
    configure(installation, **{field: "review"})
    sandbox.model.behave(
        answer(
            custom_field_2=("EUR 100.94", "Rechnungsbetrag 100,94 EUR"),
            custom_field_5=("Lastschrift", "von Ihrem Konto"),
        )
    )

    async with installation.open() as services:
        await process(services)
        (waiting,) = await services.store.changes.list_for_review()
        with pytest.raises(BadValue) as error:
            await waiting_for_review(installation, services, Edits({waiting.field: typed}))

    assert str(error.value) == expected


async def test_a_field_that_is_gone_takes_no_value_of_a_person(
    installation: Installation, sandbox: Sandbox
) -> None:
    configure(installation, "review")

    async with installation.open() as services:
        await process(services)
        del sandbox.world.custom_fields[NUMBER.id]
        services.instances["home"].custom_fields.invalidate()
        with pytest.raises(BadValue, match="no longer has a field Rechnungsnummer"):
            await waiting_for_review(installation, services, Edits({NUMBER: "RE-1"}))


async def test_a_field_deleted_between_analysis_and_write_is_reported_by_paperless(
    installation: Installation, sandbox: Sandbox
) -> None:
    configure(installation, Rechnungsnummer="fill")

    async with installation.open() as services:
        await enqueue_document(services, 1)
        finished = await run_while_blocked(
            sandbox.model.state.faults,
            MODEL_BLOCKED,
            drain_one(services),
            lambda: sandbox.world.custom_fields.pop(NUMBER.id),
        )

    assert finished.job.problem is not None
    assert "custom fields" in str(finished.job.problem.message)


async def test_a_document_without_text_waits_with_a_custom_field_if_there_is_no_other(
    installation: Installation, sandbox: Sandbox
) -> None:
    configure(installation)
    sandbox.world.edit(1, content="")

    async with installation.open() as services:
        await process(services)
        (waiting,) = await services.store.changes.list_for_review()

    assert (waiting.field, waiting.after, waiting.reasons) == (NUMBER, None, (Reason.NO_TEXT,))


@pytest.mark.parametrize(
    ("name", "code"),
    [("Farbe", "custom_field_missing"), ("Gehört zu", "custom_field_not_fillable")],
)
async def test_a_field_that_cannot_be_filled_stops_job_and_scan_before_the_model_is_paid(
    installation: Installation, sandbox: Sandbox, name: str, code: str
) -> None:
    sandbox.world.add_custom_field("Gehört zu", "documentlink")
    configure(installation, Rechnungsnummer="fill", **{name: "fill"})

    async with installation.open() as services:
        finished = await process(services)
        with pytest.raises(Exception, match=name) as error:
            await scan(services)

    assert finished.job.problem is not None
    assert (finished.job.problem.code, getattr(error.value, "code", "")) == (code, code)
    assert sandbox.model.state.chats() == []


async def test_custom_fields_are_only_listed_if_they_are_asked_for(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure('[fields]\ncustom_fields = { "Betrag" = "off" }\n')

    async with installation.open() as services:
        await scan(services)
        await drain(services)

    assert not [
        request for request in sandbox.paperless.requests if "custom_fields" in request.path
    ]


async def test_evidence_that_we_found_is_written_and_marked(
    installation: Installation, sandbox: Sandbox
) -> None:
    configure(installation, Rechnungsnummer="fill")
    sandbox.model.behave(answer(custom_field_1=("SW-2026-0810223", "Stadtwerke Musterstadt")))

    async with installation.open() as services:
        await process(services)
        [change] = await services.store.changes.list_for_document(home(1))

    assert change.state is ChangeState.APPLIED
    assert change.is_evidence_found
    assert "SW-2026-0810223" in change.evidence
    assert custom(sandbox) == {"Rechnungsnummer": "SW-2026-0810223"}


async def test_two_fields_with_one_quote_go_to_review(
    installation: Installation, sandbox: Sandbox
) -> None:
    text = "Stadtwerke Musterstadt\nRechnungsnummer 4711, Rechnungsbetrag 12,50 EUR"
    id_ = sandbox.world.add_document(text, "scan.pdf").id
    configure(installation)
    quote = "Rechnungsnummer 4711, Rechnungsbetrag 12,50 EUR"
    sandbox.model.behave(
        answer(custom_field_1=("4711", quote), custom_field_2=("12,50 EUR", quote))
    )

    async with installation.open() as services:
        await process(services, id_)
        waiting = await services.store.changes.list_for_review(document=home(id_), limit=9)

    assert [change.reasons for change in waiting] == [("fields_share_a_quote",)] * 2

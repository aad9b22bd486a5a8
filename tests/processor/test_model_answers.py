"""Whatever a model server says: the right result, or an error with its own code; no wrong write."""

import json
import re

import pytest

from core.jobs import JobStatus
from daemon.services import Services
from sandbox import Sandbox
from sandbox.faults import Answer, Cut, Fault
from sandbox.model.behaviour import (
    Behaviour,
    Failure,
    Mode,
    Outcome,
    Overflow,
    Parameter,
    UnknownModel,
    Unsupported,
    Usage,
    Wrapping,
)
from tests.installation import COMPLETIONS, Installation, fields_of, process, snapshot, writes

FILED = {
    "title": "Stromrechnung August 2026",
    "correspondent": "Stadtwerke Musterstadt",
    "document_type": "Rechnung",
    "created": "2026-08-31",
    "tags": ["Inbox", "Strom", "Wohnen"],
}
NO_MODES: frozenset[Mode] = frozenset()
ONLY_OBJECT = frozenset({Mode.JSON_OBJECT})
LONG_TEXT = "\n".join(
    ["Stadtwerke Musterstadt GmbH", "Rechnungsdatum: 31.08.2026", "Stromrechnung August 2026"]
    + [f"Position {number}: Arbeitspreis 31,40 ct/kWh" for number in range(1500)]
)


async def outcomes(services: Services, job_id: int) -> list[str]:
    """Say of each call how it was asked and what came of it."""
    return [
        f"{call.mode} {call.outcome}" for call in await services.store.calls.list_for_job(job_id)
    ]


@pytest.mark.parametrize(
    "behaviour",
    [
        Behaviour(),
        Behaviour(wrapping=frozenset({Wrapping.THINKING})),
        Behaviour(wrapping=frozenset({Wrapping.FENCED})),
        Behaviour(wrapping=frozenset({Wrapping.PROSE})),
        Behaviour(wrapping=frozenset({Wrapping.THINKING, Wrapping.PROSE})),
        Behaviour(wrapping=frozenset({Wrapping.REASONING_CONTENT})),
        Behaviour(outcome=Outcome.BROKEN_JSON),
        Behaviour(outcome=Outcome.TOOL_CALLS),
        Behaviour(usage=Usage.OMITTED),
        Behaviour(models=("another-model",), unknown_model=UnknownModel.ACCEPTED),
        Behaviour(models=()),
    ],
)
async def test_an_answer_that_can_be_read_is_read_at_the_first_call(
    services: Services, sandbox: Sandbox, behaviour: Behaviour
) -> None:
    sandbox.model.behave(behaviour)

    finished = await process(services)

    assert finished.job.status is JobStatus.COMPLETED
    assert await outcomes(services, finished.job.id) == ["json_schema ok"]
    assert fields_of(sandbox) == fields_of(sandbox) | FILED


@pytest.mark.parametrize(
    ("behaviour", "calls"),
    [
        *(
            (
                Behaviour(modes=ONLY_OBJECT, unsupported=how),
                ["json_schema not_supported", "json_object ok"],
            )
            for how in (
                Unsupported.BAD_REQUEST,
                Unsupported.SERVER_ERROR,
                Unsupported.BARE_STRING,
            )
        ),
        *(
            (
                Behaviour(modes=NO_MODES, unsupported=how),
                ["json_schema not_supported", "json_object not_supported", "text ok"],
            )
            for how in (
                Unsupported.BAD_REQUEST,
                Unsupported.SERVER_ERROR,
                Unsupported.BARE_STRING,
            )
        ),
        (Behaviour(modes=NO_MODES, unsupported=Unsupported.IGNORED), ["json_schema ok"]),
        (
            Behaviour(rejects=frozenset({Parameter.MAX_TOKENS})),
            ["json_schema not_supported", "json_schema ok"],
        ),
        (
            Behaviour(rejects=frozenset({Parameter.TEMPERATURE})),
            ["json_schema not_supported", "json_schema ok"],
        ),
        (
            Behaviour(rejects=frozenset(Parameter), modes=NO_MODES),
            [
                "json_schema not_supported",
                "json_schema not_supported",
                "json_schema not_supported",
                "json_object not_supported",
                "text ok",
            ],
        ),
    ],
)
async def test_what_a_server_does_not_understand_is_left_out_and_remembered(
    services: Services, sandbox: Sandbox, behaviour: Behaviour, calls: list[str]
) -> None:
    sandbox.model.behave(behaviour)

    first = await process(services, 1)
    second = await process(services, 2)

    assert await outcomes(services, first.job.id) == calls
    assert await outcomes(services, second.job.id) == calls[-1:]
    assert fields_of(sandbox) == fields_of(sandbox) | FILED
    assert fields_of(sandbox, 2)["correspondent"] == "Deutsche Telekontakt"


@pytest.mark.parametrize(
    ("behaviour", "has_schema_text"),
    [
        (Behaviour(), [False]),
        (Behaviour(modes=ONLY_OBJECT), [False, True]),
        (Behaviour(modes=NO_MODES), [False, True, True]),
        (Behaviour(outcome=Outcome.RUBBISH), [False, True, True]),
    ],
)
async def test_the_schema_is_in_the_text_unless_the_server_enforces_it(
    services: Services, sandbox: Sandbox, behaviour: Behaviour, has_schema_text: list[bool]
) -> None:
    sandbox.model.behave(behaviour)

    await process(services)

    sent = [str(chat.messages) for chat in sandbox.model.state.chats()]
    assert ["The answer has this JSON schema" in system for system in sent] == has_schema_text
    assert all("JSON" in system for system in sent)


@pytest.mark.parametrize(
    ("behaviour", "code", "calls"),
    [
        (Behaviour(outcome=Outcome.RUBBISH), "answer_unusable", 3),
        (Behaviour(outcome=Outcome.EMPTY), "answer_empty", 3),
        (Behaviour(outcome=Outcome.BLANKS), "answer_empty", 3),
        (Behaviour(outcome=Outcome.HTML), "not_a_model_server", 1),
        (Behaviour(outcome=Outcome.ERROR), "not_a_model_server", 1),
        (Behaviour(failure=Failure.SERVER_ERROR), "model_unavailable", 1),
        (Behaviour(failure=Failure.UNAVAILABLE), "model_unavailable", 1),
        (Behaviour(failure=Failure.LIST_BODY), "model_refused_request", 1),
    ],
)
async def test_an_answer_that_may_be_better_next_time_is_asked_for_again_later(
    services: Services, sandbox: Sandbox, behaviour: Behaviour, code: str, calls: int
) -> None:
    sandbox.model.behave(behaviour)
    before = snapshot(sandbox)

    finished = await process(services)

    assert finished.job.problem is not None
    assert (finished.job.status, finished.job.problem.code) == (JobStatus.PENDING, code)
    reported = await outcomes(services, finished.job.id)
    assert len(reported) == calls
    assert all(outcome.endswith(code) for outcome in reported)
    assert (writes(sandbox), snapshot(sandbox)) == ([], before)


@pytest.mark.parametrize(
    ("behaviour", "code", "calls"),
    [
        (Behaviour(outcome=Outcome.CUT), "answer_cut", 2),
        (Behaviour(outcome=Outcome.REFUSAL), "answer_refused", 1),
        (Behaviour(outcome=Outcome.CONTENT_FILTER), "answer_refused", 1),
        (Behaviour(context=900, overflow=Overflow.SILENT), "prompt_cut", 1),
    ],
)
async def test_an_answer_that_will_not_change_fails_the_job_at_once(
    services: Services, sandbox: Sandbox, behaviour: Behaviour, code: str, calls: int
) -> None:
    sandbox.model.behave(behaviour)
    before = snapshot(sandbox)

    finished = await process(services)

    assert finished.job.problem is not None
    assert (finished.job.status, finished.job.problem.code) == (JobStatus.FAILED, code)
    assert len(await outcomes(services, finished.job.id)) == calls
    assert (writes(sandbox), snapshot(sandbox)) == ([], before)


ITEM = '{"title": {"value": "Strom", "evidence": "Strom", "confidence": 1}}'


def saying(body: dict[str, object]) -> Fault:
    """Answer the next question with just this."""
    headers = {"content-type": "application/json"}
    answer = Answer(status=200, body=json.dumps(body), headers=headers)
    return Fault(path=COMPLETIONS, times=None, effect=answer)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({}, "not_a_model_server"),
        ({"message": None}, "not_a_model_server"),
        ({"message": {}}, "answer_empty"),
        ({"message": {"content": 7}}, "answer_empty"),
        ({"message": {"content": [7, {"text": None}, {"type": "text"}]}}, "answer_empty"),
        ({"message": {"content": "", "reasoning": f"Perhaps {ITEM}"}}, "answer_empty"),
        ({"message": {"content": "", "reasoning": f"{ITEM} or not?"}}, "answer_empty"),
        ({"message": {"content": "", "reasoning": 7}}, "answer_empty"),
    ],
)
async def test_a_message_of_an_odd_shape_is_an_error_with_its_code(
    services: Services, sandbox: Sandbox, message: dict[str, object], code: str
) -> None:
    sandbox.model.state.faults.add(saying({"choices": [message]}))

    finished = await process(services)

    assert finished.job.problem is not None
    assert finished.job.problem.code == code


@pytest.mark.parametrize(
    "message",
    [
        {"content": ITEM},
        {"content": [{"type": "text", "text": ITEM[:20]}, {"type": "text", "text": ITEM[20:]}]},
        {"content": None, "reasoning": f" {ITEM}\n"},
        {"content": "", "reasoning": "Let me see.", "reasoning_content": ITEM},
    ],
)
@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": None}])
async def test_an_answer_is_found_where_a_server_puts_it(
    services: Services, sandbox: Sandbox, message: dict[str, object], usage: object
) -> None:
    sandbox.model.state.faults.add(saying({"choices": [{"message": message}], "usage": usage}))

    finished = await process(services)

    assert finished.job.status is JobStatus.COMPLETED
    assert await outcomes(services, finished.job.id) == ["json_schema ok"]


async def test_a_server_that_hangs_up_is_reported_with_what_happened(
    services: Services, sandbox: Sandbox
) -> None:
    sandbox.model.state.faults.add(Fault(path=COMPLETIONS, effect=Cut()))

    finished = await process(services)

    assert finished.job.problem is not None
    assert re.fullmatch(r"no connection to the model: \w.*", str(finished.job.problem.message))


async def test_a_cut_answer_is_asked_for_once_more_with_four_times_the_room(
    services: Services, sandbox: Sandbox
) -> None:
    sandbox.model.behave(Behaviour(outcome=Outcome.CUT), times=1)

    finished = await process(services)

    assert finished.job.status is JobStatus.COMPLETED
    limits = [chat.parameters["max_tokens"] for chat in sandbox.model.state.chats()]
    assert limits == [1024, 4096]


@pytest.mark.parametrize("dialect", [Overflow.LLAMA_CPP, Overflow.OPENAI, Overflow.LITELLM])
async def test_a_prompt_that_is_too_long_is_asked_once_more_in_passes_of_half_the_length(
    services: Services, sandbox: Sandbox, dialect: Overflow
) -> None:
    sandbox.world.edit(1, content=LONG_TEXT)
    sandbox.model.behave(Behaviour(context=4000, overflow=dialect))

    finished = await process(services)

    assert finished.job.status is JobStatus.COMPLETED
    refused, *answered = await outcomes(services, finished.job.id)
    assert refused == "json_schema prompt_too_long"
    assert len(answered) > 5
    assert set(answered) == {"json_schema ok"}
    assert fields_of(sandbox)["correspondent"] == "Stadtwerke Musterstadt"


@pytest.mark.parametrize("dialect", [Overflow.LLAMA_CPP, Overflow.OPENAI, Overflow.LITELLM])
async def test_a_prompt_that_does_not_fit_even_then_fails_the_job(
    services: Services, sandbox: Sandbox, dialect: Overflow
) -> None:
    sandbox.world.edit(1, content=LONG_TEXT)
    sandbox.model.behave(Behaviour(context=200, overflow=dialect))

    finished = await process(services)

    assert finished.job.problem is not None
    assert finished.job.problem.code == "prompt_too_long"
    assert finished.job.status is JobStatus.FAILED
    assert len(sandbox.model.state.chats()) == 2
    assert writes(sandbox) == []


async def test_a_way_of_asking_that_worked_before_and_fails_is_found_out_anew(
    services: Services, sandbox: Sandbox
) -> None:
    await process(services, 1)
    sandbox.model.behave(Behaviour(outcome=Outcome.RUBBISH), times=1)
    unlucky = await process(services, 2)

    lucky = await process(services, 3)

    assert await outcomes(services, unlucky.job.id) == ["json_schema answer_unusable"]
    assert await outcomes(services, lucky.job.id) == ["json_schema ok"]


async def test_what_was_found_out_survives_a_new_start(
    installation: Installation, sandbox: Sandbox
) -> None:
    sandbox.model.behave(Behaviour(modes=NO_MODES))
    async with installation.open() as services:
        await process(services, 1)

    async with installation.open() as services:
        second = await process(services, 2)
        assert await outcomes(services, second.job.id) == ["text ok"]


async def test_tokens_of_all_calls_are_counted_together(
    services: Services, sandbox: Sandbox
) -> None:
    sandbox.model.behave(Behaviour(outcome=Outcome.CUT), times=1)

    finished = await process(services)

    calls = await services.store.calls.list_for_job(finished.job.id)
    result = await services.store.results.get_final(finished.job.id)
    assert result is not None
    assert all(call.tokens_in > 0 for call in calls)
    assert result.analysis.tokens_in == sum(call.tokens_in for call in calls)
    assert result.analysis.tokens_out == sum(call.tokens_out for call in calls)


async def test_no_other_programs_settings_lead_a_document_elsewhere(
    installation: Installation, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://192.0.2.1/v1")
    monkeypatch.setenv("HTTP_PROXY", "http://192.0.2.2:3128")
    monkeypatch.setenv("ALL_PROXY", "http://192.0.2.2:3128")

    async with installation.open() as services:
        finished = await process(services)

    assert finished.job.status is JobStatus.COMPLETED
    assert len(sandbox.model.state.chats()) == 1

"""Decide the reply to a chat request, given the behaviour of the server."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sandbox.model.answers import build_answer
from sandbox.model.behaviour import (
    Behaviour,
    Outcome,
    Overflow,
    Parameter,
    Streaming,
    UnknownModel,
    Unsupported,
    Wrapping,
)
from sandbox.model.chat import Chat
from sandbox.model.completions import as_body, complete
from sandbox.model.demands import find_unmet_demand
from sandbox.model.question import Message, Question, read_question
from sandbox.model.reader import read
from sandbox.model.refusals import (
    Refusal,
    openai_error,
    refuse_by_failure,
    refuse_mode,
    refuse_parameter,
    refuse_too_long,
    refuse_unknown_model,
)
from sandbox.model.tokens import count_prompt, cut_front
from sandbox.model.tricks import invent, obey

_LOGIN_PAGE = "<!doctype html><html><body><h1>Please sign in</h1></body></html>"


@dataclass(frozen=True, slots=True)
class Reply:
    """A response; a text body is an HTML page."""

    status: int
    body: object
    headers: Mapping[str, str] = field(default_factory=dict)


def reply_to(chat: Chat, behaviour: Behaviour, number: int) -> Reply:
    refusal = _refusal(chat, behaviour)
    if refusal is not None:
        return Reply(refusal.status, refusal.body, refusal.headers)
    behaviour = _in_mode(chat, behaviour)
    if behaviour.outcome is Outcome.HTML:
        return Reply(200, _LOGIN_PAGE)
    if behaviour.outcome is Outcome.ERROR:
        return Reply(200, {"error": {"message": "Provider returned error", "code": 502}})
    body = _completion(chat, behaviour, number)
    if behaviour.outcome is Outcome.NO_CHOICES:
        body["choices"] = None
    return Reply(200, body)


def _in_mode(chat: Chat, behaviour: Behaviour) -> Behaviour:
    """Return the behaviour for the chat's response format; some faults affect one format only."""
    if not behaviour.only_in or chat.mode in behaviour.only_in:
        return behaviour
    return behaviour.model_copy(update={"wrapping": frozenset(), "outcome": Outcome.ANSWER})


def _refusal(chat: Chat, behaviour: Behaviour) -> Refusal | None:
    if behaviour.failure is not None:
        return refuse_by_failure(behaviour.failure, behaviour.retry_after)
    how = behaviour.unknown_model
    if how is not UnknownModel.ACCEPTED and chat.model not in behaviour.models:
        return refuse_unknown_model(chat.model, how)
    if chat.streams and behaviour.streaming is Streaming.REFUSED:
        return openai_error(400, "'stream' is not supported by this server")
    for parameter in Parameter:
        if parameter in behaviour.rejects and parameter in chat.parameters:
            return refuse_parameter(parameter)
    return (
        _mode_refusal(chat, behaviour)
        or find_unmet_demand(chat, behaviour.demands)
        or _overflow(chat, behaviour)
    )


def _mode_refusal(chat: Chat, behaviour: Behaviour) -> Refusal | None:
    if chat.mode is None or chat.mode in behaviour.modes:
        return None
    if behaviour.unsupported is Unsupported.IGNORED:
        return None
    return refuse_mode(chat.mode, behaviour.unsupported)


def _overflow(chat: Chat, behaviour: Behaviour) -> Refusal | None:
    tokens = count_prompt(chat.messages)
    if behaviour.context is None or tokens <= behaviour.context:
        return None
    if behaviour.overflow is Overflow.SILENT:
        return None
    return refuse_too_long(tokens, behaviour.context, behaviour.overflow)


def _completion(chat: Chat, behaviour: Behaviour, number: int) -> dict[str, object]:
    messages = _seen(chat, behaviour)
    # A server that ignores the format ignores its schema, too.
    ignored = chat.mode is not None and chat.mode not in behaviour.modes
    if ignored:
        behaviour = behaviour.model_copy(update={"wrapping": behaviour.wrapping | {Wrapping.PROSE}})
    question = read_question(messages, None if ignored else chat.response_format)
    completion = complete(
        _answer(question, behaviour), behaviour, chat.limit_without(behaviour.drops)
    )
    return as_body(
        completion,
        number=number,
        model=chat.model,
        prompt_tokens=count_prompt(messages),
        usage=behaviour.usage,
    )


def _seen(chat: Chat, behaviour: Behaviour) -> tuple[Message, ...]:
    """Return the part of the prompt that is read; a silent overflow keeps half of the context."""
    if behaviour.context is None or count_prompt(chat.messages) <= behaviour.context:
        return chat.messages
    return cut_front(chat.messages, behaviour.context // 2)


def _answer(question: Question, behaviour: Behaviour) -> dict[str, object]:
    reading = read(question)
    if behaviour.gullible:
        reading = obey(reading, question.text or "")
    if behaviour.invented and question.text is not None:
        reading = invent(reading, question, behaviour.invented)
    return build_answer(reading, question)

"""Build chat completions, in the many forms that real models use."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from sandbox.model.behaviour import Behaviour, Outcome, Usage, Wrapping
from sandbox.model.tokens import ModelOutput, cut_end

_NO_END = 10_000
_FALSE_COUNTS = {Usage.NEGATIVE: -4000, Usage.BOOLEAN: True, Usage.ABSURD: 10**12}
_CREATED = 1_794_700_000
_THOUGHTS = (
    "The user wants the document filed. The letterhead names the sender. There are several dates; "
    "{the date of the document} is the one that I need, as JSON."
)
_RUBBISH = "Certainly certainly certainly the the invoice of of of 7 7 7 lorem \u2592\u2592 {{ ]"
_SORRY = "I'm sorry, but I can't help with that."


def _plain(spoken: ModelOutput) -> dict[str, object]:
    return {"content": spoken.content}


@dataclass(frozen=True, slots=True)
class Completion:
    """The model's output, why it stopped, and where in the message the output is."""

    spoken: ModelOutput
    finish_reason: str = "stop"
    place: Callable[[ModelOutput], dict[str, object]] = _plain


def complete(answer: Mapping[str, object], behaviour: Behaviour, limit: int | None) -> Completion:
    """Build the completion of an answer, truncated at the token limit."""
    if behaviour.answer is not None:
        return _outcome(behaviour.answer, behaviour)
    if behaviour.outcome is Outcome.ENDLESS_BLANKS:
        return Completion(ModelOutput(" \n" * (limit or _NO_END)), "length")
    completion = _outcome(json.dumps(answer, ensure_ascii=False), behaviour)
    if limit is None or completion.spoken.tokens <= limit:
        return completion
    return replace(completion, spoken=cut_end(completion.spoken, limit), finish_reason="length")


def as_body(
    completion: Completion, *, number: int, model: str, prompt_tokens: int, usage: Usage
) -> dict[str, object]:
    choice = {
        "index": 0,
        "message": {"role": "assistant", **completion.place(completion.spoken)},
        "logprobs": None,
        "finish_reason": completion.finish_reason,
    }
    body: dict[str, object] = {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": _CREATED + number,
        "model": model,
        "choices": [choice],
    }
    if usage in _FALSE_COUNTS:
        body["usage"] = _usage(_FALSE_COUNTS[usage], _FALSE_COUNTS[usage])
    elif usage is Usage.REPORTED:
        body["usage"] = _usage(prompt_tokens, completion.spoken.tokens)
    return body


def _outcome(text: str, behaviour: Behaviour) -> Completion:
    if spoil := _SPOILT.get(behaviour.outcome):
        return spoil(text)
    if behaviour.outcome is Outcome.BROKEN_JSON:
        text = text.removesuffix("}") + ","
    return _wrapped(text, behaviour.wrapping)


def _in_a_tool_call(spoken: ModelOutput) -> dict[str, object]:
    function = {"name": "analysis", "arguments": spoken.content}
    call = {"id": "call_1", "type": "function", "function": function}
    return {"content": None, "tool_calls": [call]}


def _in_the_refusal(spoken: ModelOutput) -> dict[str, object]:
    return {"content": None, "refusal": spoken.content}


def _in_reasoning(spoken: ModelOutput) -> dict[str, object]:
    return {"content": "", "reasoning": spoken.content}


def _in_reasoning_content(spoken: ModelOutput) -> dict[str, object]:
    return {"content": None, "reasoning_content": spoken.content}


def _in_parts(spoken: ModelOutput) -> dict[str, object]:
    thoughts = {"type": "thinking", "thinking": [{"type": "text", "text": spoken.thoughts}]}
    return {"content": [thoughts, {"type": "text", "text": spoken.content}]}


def _with_reasoning_content(spoken: ModelOutput) -> dict[str, object]:
    return {"content": spoken.content, "reasoning_content": spoken.thoughts}


_SPOILT: Mapping[Outcome, Callable[[str], Completion]] = {
    Outcome.CUT: lambda text: Completion(ModelOutput(text[: len(text) // 2]), "length"),
    Outcome.EMPTY: lambda _: Completion(ModelOutput("")),
    Outcome.BLANKS: lambda _: Completion(ModelOutput(" \n" * 40)),
    Outcome.REFUSAL: lambda _: Completion(ModelOutput(_SORRY), place=_in_the_refusal),
    Outcome.CONTENT_FILTER: lambda text: Completion(
        ModelOutput(text[: len(text) // 3]), "content_filter"
    ),
    Outcome.RUBBISH: lambda _: Completion(ModelOutput(_RUBBISH)),
    Outcome.TOOL_CALLS: lambda text: Completion(ModelOutput(text), "tool_calls", _in_a_tool_call),
}


def _wrapped(text: str, wrapping: frozenset[Wrapping]) -> Completion:
    if wrapping & {Wrapping.FENCED, Wrapping.PROSE}:
        text = f"```json\n{text}\n```"
    if Wrapping.PROSE in wrapping:
        text = f"Here is what I found in the document:\n\n{text}\n\nLet me know if {{more}} helps!"
    if Wrapping.THINKING in wrapping:
        text = f"<think>\n{_THOUGHTS}\n</think>\n\n{text}"
    if Wrapping.ALL_IN_REASONING in wrapping:
        return Completion(ModelOutput(text), place=_in_reasoning)
    if Wrapping.ALL_IN_REASONING_CONTENT in wrapping:
        return Completion(ModelOutput(text), place=_in_reasoning_content)
    if Wrapping.PARTS in wrapping:
        return Completion(ModelOutput(text, _THOUGHTS), place=_in_parts)
    if Wrapping.REASONING_CONTENT in wrapping:
        return Completion(ModelOutput(text, _THOUGHTS), place=_with_reasoning_content)
    return Completion(ModelOutput(text))


def _usage(prompt: int, completion: int) -> dict[str, int]:
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }

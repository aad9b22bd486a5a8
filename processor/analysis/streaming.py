"""Assemble a streamed answer to the completion that a plain call would have returned."""

from types import SimpleNamespace
from typing import Any

_CHARACTERS_PER_TOKEN = 4
"""To estimate the tokens at a server that sends several with each chunk."""
_REASONING = ("reasoning", "reasoning_content")
_THOUGHT_BEGIN, _THOUGHT_END = "<think>", "</think>"


class StreamedAnswer:
    """The answer so far. Nothing is validated: servers send what they like."""

    def __init__(self) -> None:
        self._content: list[object] = []
        """Texts, and the parts in which some reasoning models send their answer."""
        self._texts: dict[str, list[str]] = {field: [] for field in ("refusal", *_REASONING)}
        self._tool_arguments: list[str] = []
        self._finish_reason: str | None = None
        self._usage: object = None
        self._chunks = 0
        self._end_of_content = ""
        """Long enough to find the mark of a thought that is spread over several chunks."""
        self._is_in_thought = False
        self.characters = 0
        self.is_thinking = False
        """Whether the last token belongs to the model's reasoning."""

    @property
    def tokens(self) -> int:
        """Return the approximate number of tokens so far; the exact one comes with the usage."""
        return max(self._chunks, self.characters // _CHARACTERS_PER_TOKEN)

    @property
    def is_complete(self) -> bool:
        """Return whether the server has said why the answer ended."""
        return self._finish_reason is not None

    def add(self, chunk: Any) -> bool:
        """Add a chunk; return whether it brought text."""
        self._usage = getattr(chunk, "usage", None) or self._usage
        choice = _first_choice(chunk)
        self._finish_reason = getattr(choice, "finish_reason", None) or self._finish_reason
        before = self.characters
        self._add_delta(getattr(choice, "delta", None))
        has_text = self.characters > before
        self._chunks += has_text
        return has_text

    def build_completion(self) -> object:
        """Return an object with the attributes of a completion."""
        message: dict[str, object] = {
            field: "".join(pieces) or None for field, pieces in self._texts.items()
        }
        message["content"] = _join_content(self._content)
        if self._tool_arguments:
            function = SimpleNamespace(arguments="".join(self._tool_arguments))
            message["tool_calls"] = [SimpleNamespace(function=function)]
        choice = SimpleNamespace(
            message=SimpleNamespace(**message), finish_reason=self._finish_reason
        )
        return SimpleNamespace(choices=[choice], usage=self._usage)

    def _add_delta(self, delta: Any) -> None:
        for field, pieces in self._texts.items():
            if text := _text(getattr(delta, field, None)):
                pieces.append(text)
                self.characters += len(text)
                self.is_thinking = field in _REASONING
        for call in (getattr(delta, "tool_calls", None) or [])[:1]:
            text = _text(getattr(getattr(call, "function", None), "arguments", None))
            if text and not getattr(call, "index", 0):
                self._tool_arguments.append(text)
                self.characters += len(text)
        content = getattr(delta, "content", None)
        for piece in content if isinstance(content, list) else [content]:
            self._add_content(piece)

    def _add_content(self, piece: object) -> None:
        if isinstance(piece, dict):
            self._content.append(piece)
            self.characters += len(str(piece))
            self.is_thinking = piece.get("type") == "thinking"
        elif text := _text(piece):
            self._content.append(text)
            self.characters += len(text)
            self._find_thought_marks(text)
            self.is_thinking = self._is_in_thought

    def _find_thought_marks(self, text: str) -> None:
        searched = self._end_of_content + text
        begin, end = searched.rfind(_THOUGHT_BEGIN), searched.rfind(_THOUGHT_END)
        if begin != end:
            self._is_in_thought = begin > end
        self._end_of_content = searched[-len(_THOUGHT_END) :]


def _first_choice(chunk: Any) -> object:
    choices = getattr(chunk, "choices", None)
    if not isinstance(choices, list):
        return None
    return next((choice for choice in choices if not getattr(choice, "index", 0)), None)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _join_content(pieces: list[object]) -> object:
    """Return the content as text, or as a list of parts if it came as such."""
    texts = [piece for piece in pieces if isinstance(piece, str)]
    if len(texts) == len(pieces):
        return "".join(texts) or None
    return [
        {"type": "text", "text": piece} if isinstance(piece, str) else piece for piece in pieces
    ]

"""Parse a chat request: the body of `POST /v1/chat/completions`."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from sandbox.model.behaviour import Mode
from sandbox.model.question import Message, read_messages

_NOT_PARAMETERS = {"model", "messages", "response_format"}


@dataclass(frozen=True, slots=True)
class Chat:
    """One chat request."""

    model: str
    messages: tuple[Message, ...]
    response_format: object = None
    parameters: Mapping[str, object] = field(default_factory=dict)

    @property
    def prompt(self) -> str:
        return "\n".join(message.content for message in self.messages)

    @property
    def mode(self) -> Mode | None:
        """Return the requested response format; None for plain text."""
        match self.response_format:
            case {"type": ("json_schema" | "json_object") as mode}:
                return Mode(mode)
        return None

    @property
    def streams(self) -> bool:
        """Return whether the answer is to come as a stream."""
        return self.parameters.get("stream") is True

    @property
    def wants_usage(self) -> bool:
        """Return whether a stream is to end with token counts."""
        match self.parameters.get("stream_options"):
            case {"include_usage": True}:
                return True
        return False

    def limit_without(self, dropped: Collection[str]) -> int | None:
        """Return the token limit of the answer, for a server that ignores some parameters."""
        known = (name for name in ("max_tokens", "max_completion_tokens") if name not in dropped)
        limit = next((self.parameters[name] for name in known if name in self.parameters), None)
        return limit if isinstance(limit, int) else None


def read_chat(body: object) -> Chat:
    """Parse the body of a request; raise ValueError with a message if it is not a chat."""
    if not isinstance(body, dict):
        raise ValueError("the body must be a JSON object")  # noqa: TRY004 - all mistakes are one
    if not isinstance(body.get("model"), str):
        raise ValueError("you must provide a 'model'")  # noqa: TRY004
    parameters = {key: value for key, value in body.items() if key not in _NOT_PARAMETERS}
    messages = read_messages(body.get("messages"))
    return Chat(body["model"], messages, body.get("response_format"), parameters)

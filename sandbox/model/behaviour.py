"""How the pretend model behaves: one frozen object, honest by default, swapped at run time."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class Mode(StrEnum):
    """Ways to ask for an answer beyond plain text, which every server understands."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"


class Unsupported(StrEnum):
    """What the server does with an answer mode that it does not have."""

    BAD_REQUEST = "bad_request"
    """400, and the message names response_format."""
    SERVER_ERROR = "server_error"
    """500, as llama-cpp-python does."""
    BARE_STRING = "bare_string"
    """400 with a string for an error, as LM Studio does."""
    IGNORED = "ignored"
    """200: prose around fenced JSON, as if nothing had been asked."""


class Parameter(StrEnum):
    """Parameters that reasoning models refuse."""

    MAX_TOKENS = "max_tokens"
    TEMPERATURE = "temperature"


class Wrapping(StrEnum):
    """What stands around the answer; several may be combined."""

    THINKING = "thinking"
    """`<think>…</think>` before it."""
    FENCED = "fenced"
    """A Markdown fence around it."""
    PROSE = "prose"
    """A fence, and polite sentences before and after it."""
    REASONING_CONTENT = "reasoning_content"
    """Thoughts in a field of their own."""
    ALL_IN_REASONING = "all_in_reasoning"
    """The answer in `reasoning`, and the content empty."""


class Outcome(StrEnum):
    """What comes back instead of a good answer, with status 200."""

    ANSWER = "answer"
    CUT = "cut"
    EMPTY = "empty"
    BLANKS = "blanks"
    REFUSAL = "refusal"
    CONTENT_FILTER = "content_filter"
    RUBBISH = "rubbish"
    BROKEN_JSON = "broken_json"
    """Trailing commas and a missing brace: a person would know what was meant."""
    HTML = "html"
    ERROR = "error"
    """A body with `error` and without `choices`."""
    TOOL_CALLS = "tool_calls"


class Failure(StrEnum):
    """What the server answers when it does not serve at all."""

    WRONG_KEY = "wrong_key"
    PAYMENT_REQUIRED = "payment_required"
    INSUFFICIENT_QUOTA = "insufficient_quota"
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    UNAVAILABLE = "unavailable"
    LIST_BODY = "list_body"
    """400 whose body is a JSON list, as Gemini's is."""


class Reach(StrEnum):
    """How far a failure goes."""

    COMPLETIONS = "completions"
    EVERYTHING = "everything"
    """The list of models fails as well, so that a probe without a document does."""


class Overflow(StrEnum):
    """What happens to a prompt that is longer than the context."""

    LLAMA_CPP = "llama_cpp"
    OPENAI = "openai"
    LITELLM = "litellm"
    SILENT = "silent"
    """200, after the front was cut away and half of the context was left, as Ollama does."""


class UnknownModel(StrEnum):
    """What happens to a model name that is not in the list."""

    ACCEPTED = "accepted"
    REFUSED = "refused"


class Usage(StrEnum):
    """Whether the answer tells how many tokens it took."""

    REPORTED = "reported"
    OMITTED = "omitted"


class Behaviour(BaseModel):
    """All settings of the pretend model. A mistyped key is a mistake, and is said."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    models: tuple[str, ...] = ("sandbox-model",)
    unknown_model: UnknownModel = UnknownModel.ACCEPTED
    modes: frozenset[Mode] = frozenset(Mode)
    unsupported: Unsupported = Unsupported.BAD_REQUEST
    rejects: frozenset[Parameter] = frozenset()
    wrapping: frozenset[Wrapping] = frozenset()
    outcome: Outcome = Outcome.ANSWER
    failure: Failure | None = None
    reach: Reach = Reach.COMPLETIONS
    retry_after: str | None = None
    """Header of that name for a failure: seconds, or an HTTP date."""
    context: int | None = Field(default=None, ge=1)
    """Longest prompt in tokens; None means that there is no limit."""
    overflow: Overflow = Overflow.LLAMA_CPP
    delay: float = Field(default=0.0, ge=0.0)
    """Seconds before the answer."""
    invented: float = Field(default=0.0, ge=0.0, le=1.0)
    """Share of the fields that get a false value with a quote that does not stand in the text."""
    gullible: bool = False
    """Obeys instructions that stand in the document."""
    answer: str | None = None
    """Says these words, however many, whatever was asked; None for an answer of its own."""
    usage: Usage = Usage.REPORTED
    only_for: str = ""
    """Behaves so only for prompts that have this text in them, and honestly for all others."""

"""Behaviour of the fake model: one frozen object, flawless by default, replaced at run time."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class Mode(StrEnum):
    """Response formats besides plain text, which every server supports."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"


class Unsupported(StrEnum):
    """How the server reacts to a response format that it does not support."""

    BAD_REQUEST = "bad_request"
    """400; the message names response_format."""
    SERVER_ERROR = "server_error"
    """500, as llama-cpp-python does."""
    BARE_STRING = "bare_string"
    """400 with a string as error, as LM Studio does."""
    LITELLM = "litellm"
    """500: a proxy wraps the error of the server behind it."""
    VALIDATION_FAILED = "validation_failed"
    """400: the server validated the answer itself, as Groq does."""
    IGNORED = "ignored"
    """200: prose around fenced JSON, as if no format had been requested."""


class Parameter(StrEnum):
    """Parameters that reasoning models refuse."""

    MAX_TOKENS = "max_tokens"
    TEMPERATURE = "temperature"


class Dropped(StrEnum):
    """Parameters that a server accepts and ignores."""

    MAX_COMPLETION_TOKENS = "max_completion_tokens"


class Demand(StrEnum):
    """What strict servers require of a request."""

    NO_DEVELOPER = "no_developer"
    """No message with the role `developer`: otherwise 500, as with llama-cpp-python."""
    NO_UNIONS = "no_unions"
    """No union of types in a schema, as with Gemini."""
    STRICT = "strict"
    """`strict` with every schema, as with Anthropic."""
    CLOSED = "closed"
    """All properties required and no others allowed, as with OpenAI."""
    WORD_JSON = "word_json"
    """The word "json" in a prompt with `json_object`, as with DeepSeek."""
    KNOWN_PARAMETERS = "known_parameters"
    """No parameter beyond the common ones, as with Gemini."""


class Wrapping(StrEnum):
    """What surrounds the answer; several may be combined."""

    THINKING = "thinking"
    """`<think>…</think>` before it."""
    FENCED = "fenced"
    """A Markdown fence around it."""
    PROSE = "prose"
    """A fence, and polite sentences before and after it."""
    REASONING_CONTENT = "reasoning_content"
    """Reasoning in a separate field."""
    ALL_IN_REASONING = "all_in_reasoning"
    """The answer in `reasoning`, and the content empty."""
    ALL_IN_REASONING_CONTENT = "all_in_reasoning_content"
    """The same in `reasoning_content`, and the content null."""
    PARTS = "parts"
    """The content as a list: reasoning, then the text, as with Mistral's reasoning models."""


class Outcome(StrEnum):
    """What is returned instead of a good answer, with status 200."""

    ANSWER = "answer"
    CUT = "cut"
    EMPTY = "empty"
    BLANKS = "blanks"
    ENDLESS_BLANKS = "endless_blanks"
    """Spaces up to the token limit, which a grammar allows."""
    REFUSAL = "refusal"
    CONTENT_FILTER = "content_filter"
    RUBBISH = "rubbish"
    BROKEN_JSON = "broken_json"
    """Trailing commas and a missing brace."""
    HTML = "html"
    ERROR = "error"
    """A body with `error` and without `choices`."""
    NO_CHOICES = "no_choices"
    """A completion whose `choices` are null."""
    TOOL_CALLS = "tool_calls"


class Failure(StrEnum):
    """How the server fails."""

    WRONG_KEY = "wrong_key"
    PAYMENT_REQUIRED = "payment_required"
    INSUFFICIENT_QUOTA = "insufficient_quota"
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    UNAVAILABLE = "unavailable"
    LIST_BODY = "list_body"
    """400 whose body is a JSON list, as Gemini's is."""
    KEY_NOT_VALID = "key_not_valid"
    """The same, about the key."""
    PROMPT_FILTERED = "prompt_filtered"
    """400 before the model is called, as Azure's content filter does."""
    BAD_GATEWAY = "bad_gateway"
    """502 with the HTML page of a proxy."""
    NO_WORDS = "no_words"
    """503 with an empty body."""
    LITELLM_LIMITED = "litellm_limited"
    """429 in the words of a proxy."""


class FailureScope(StrEnum):
    """Which requests a failure affects."""

    COMPLETIONS = "completions"
    EVERYTHING = "everything"
    """The list of models fails, too, and so does a probe without a document."""


class Overflow(StrEnum):
    """What happens to a prompt that is longer than the context."""

    LLAMA_CPP = "llama_cpp"
    OPENAI = "openai"
    LITELLM = "litellm"
    GEMINI = "gemini"
    SILENT = "silent"
    """200, with the beginning dropped and half of the context kept, as Ollama does."""


class UnknownModel(StrEnum):
    """What happens to a model name that is not in the list."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    """404, as OpenAI does."""
    BAD_REQUEST = "bad_request"
    """400, as LiteLLM does."""


class Usage(StrEnum):
    """Whether the answer reports token counts, and whether they are plausible."""

    REPORTED = "reported"
    OMITTED = "omitted"
    NEGATIVE = "negative"
    BOOLEAN = "boolean"
    ABSURD = "absurd"


class Streaming(StrEnum):
    """What the server does when it is asked to stream its answer."""

    SUPPORTED = "supported"
    """It streams, and reports token counts at the end if asked for them."""
    WITHOUT_USAGE = "without_usage"
    """It streams, and never reports token counts."""
    IGNORED = "ignored"
    """It sends the whole answer at once, as if nothing had been asked."""
    REFUSED = "refused"
    """400, and the message names the parameter."""
    CUT = "cut"
    """It cuts the connection in the middle of the answer."""
    ENDED_EARLY = "ended_early"
    """It ends the stream in the middle of the answer, as a proxy does that loses its server."""
    STALLED = "stalled"
    """It stops in the middle of the answer and keeps the connection open."""


class Behaviour(BaseModel):
    """All settings of the fake model; unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    models: tuple[str, ...] = ("sandbox-model",)
    unknown_model: UnknownModel = UnknownModel.ACCEPTED
    modes: frozenset[Mode] = frozenset(Mode)
    unsupported: Unsupported = Unsupported.BAD_REQUEST
    rejects: frozenset[Parameter] = frozenset()
    drops: frozenset[Dropped] = frozenset()
    demands: frozenset[Demand] = frozenset()
    wrapping: frozenset[Wrapping] = frozenset()
    outcome: Outcome = Outcome.ANSWER
    only_in: frozenset[Mode] = frozenset()
    """Response formats in which answers are wrapped or spoiled; empty: all."""
    failure: Failure | None = None
    reach: FailureScope = FailureScope.COMPLETIONS
    retry_after: str | None = None
    """`Retry-After` header of a failure: seconds, or an HTTP date."""
    context: int | None = Field(default=None, ge=1)
    """Longest prompt in tokens; None for no limit."""
    overflow: Overflow = Overflow.LLAMA_CPP
    delay: float = Field(default=0.0, ge=0.0)
    """Seconds before the answer."""
    streaming: Streaming = Streaming.SUPPORTED
    token_delay: float = Field(default=0.0, ge=0.0)
    """Seconds after each token of a streamed answer."""
    invented: float = Field(default=0.0, ge=0.0, le=1.0)
    """Share of the fields with a wrong value and a quote that is not in the text."""
    gullible: bool = False
    """Whether it follows instructions in the document."""
    answer: str | None = None
    """Fixed answer to any question; None for an answer of its own."""
    usage: Usage = Usage.REPORTED
    only_for: str = ""
    """Applies only to prompts with this text; others get a flawless answer."""

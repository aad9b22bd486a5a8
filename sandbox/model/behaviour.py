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
    LITELLM = "litellm"
    """500: a proxy passes on, in words of its own, what the server behind it said."""
    VALIDATION_FAILED = "validation_failed"
    """400: the server held the answer against the form itself, as Groq does."""
    IGNORED = "ignored"
    """200: prose around fenced JSON, as if nothing had been asked."""


class Parameter(StrEnum):
    """Parameters that reasoning models refuse."""

    MAX_TOKENS = "max_tokens"
    TEMPERATURE = "temperature"


class Dropped(StrEnum):
    """Parameters that a server takes and passes over."""

    MAX_COMPLETION_TOKENS = "max_completion_tokens"


class Demand(StrEnum):
    """What strict servers demand of a request."""

    NO_DEVELOPER = "no_developer"
    """No message with the role `developer`: 500, as llama-cpp-python says it."""
    NO_UNIONS = "no_unions"
    """No choice of types in a schema, as with Gemini."""
    STRICT = "strict"
    """`strict` with every schema, as with Anthropic."""
    CLOSED = "closed"
    """All properties required and no others allowed, as with OpenAI."""
    WORD_JSON = "word_json"
    """The word "json" in the prompt of who wants `json_object`, as with DeepSeek."""
    KNOWN_PARAMETERS = "known_parameters"
    """No parameter beyond the common ones, as with Gemini."""


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
    ALL_IN_REASONING_CONTENT = "all_in_reasoning_content"
    """The same in `reasoning_content`, and the content null."""
    PARTS = "parts"
    """The content as a list: thoughts, then the text, as Mistral's thinking models do."""


class Outcome(StrEnum):
    """What comes back instead of a good answer, with status 200."""

    ANSWER = "answer"
    CUT = "cut"
    EMPTY = "empty"
    BLANKS = "blanks"
    ENDLESS_BLANKS = "endless_blanks"
    """Blanks until the limit is reached, as a grammar allows them."""
    REFUSAL = "refusal"
    CONTENT_FILTER = "content_filter"
    RUBBISH = "rubbish"
    BROKEN_JSON = "broken_json"
    """Trailing commas and a missing brace: a person would know what was meant."""
    HTML = "html"
    ERROR = "error"
    """A body with `error` and without `choices`."""
    NO_CHOICES = "no_choices"
    """A completion whose `choices` are null."""
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
    KEY_NOT_VALID = "key_not_valid"
    """Such a list, and it is about the key."""
    PROMPT_FILTERED = "prompt_filtered"
    """400 before the model was asked, as Azure's content filter answers."""
    BAD_GATEWAY = "bad_gateway"
    """502 with a proxy's page."""
    NO_WORDS = "no_words"
    """503 with an empty body."""
    LITELLM_LIMITED = "litellm_limited"
    """429 in a proxy's words."""


class FailureScope(StrEnum):
    """How far a failure goes."""

    COMPLETIONS = "completions"
    EVERYTHING = "everything"
    """The list of models fails as well, so that a probe without a document does."""


class Overflow(StrEnum):
    """What happens to a prompt that is longer than the context."""

    LLAMA_CPP = "llama_cpp"
    OPENAI = "openai"
    LITELLM = "litellm"
    GEMINI = "gemini"
    SILENT = "silent"
    """200, after the front was cut away and half of the context was left, as Ollama does."""


class UnknownModel(StrEnum):
    """What happens to a model name that is not in the list."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    """404, as OpenAI says it."""
    BAD_REQUEST = "bad_request"
    """400, as LiteLLM says it."""


class Usage(StrEnum):
    """Whether the answer reports token counts, and whether they are plausible."""

    REPORTED = "reported"
    OMITTED = "omitted"
    NEGATIVE = "negative"
    BOOLEAN = "boolean"
    ABSURD = "absurd"


class Behaviour(BaseModel):
    """All settings of the pretend model. A mistyped key is a mistake, and is said."""

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
    """Wraps and spoils its answers only when asked in one of these modes; empty: always."""
    failure: Failure | None = None
    reach: FailureScope = FailureScope.COMPLETIONS
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

"""The settings of one instance: the tables of `<name>.toml`."""

import re
from collections.abc import Mapping
from datetime import timedelta, tzinfo
from decimal import Decimal
from types import MappingProxyType
from typing import Annotated

from pydantic import (
    AfterValidator,
    Field,
    SecretStr,
    ValidationInfo,
    field_validator,
)

from core.calendar import DailyHours, DateOrder
from core.fields import FieldMode, FieldName, NewNamePolicy
from core.messages import message
from core.names import NameOwner
from core.pace import HoursFor, Pace, Rate
from core.settings import values
from core.settings.options import FileSettings
from core.settings.values import Reanalyze, Since, Table

DAEMON = "daemon"
"""Stem of the file with the process-wide settings; no instance may have this name."""
_INSTANCE_NAME = re.compile("[a-z0-9][a-z0-9_-]*")


def check_instance_name(name: str) -> str:
    """Return the name if an instance may have it; raise ValueError otherwise."""
    if name == DAEMON:
        raise ValueError(message('"{name}" is not a valid instance name', name=name))
    if not _INSTANCE_NAME.fullmatch(name):
        raise ValueError(
            message(
                '"{name}" is not a valid instance name - use lowercase letters, digits, - and _',
                name=name,
            )
        )
    return name


class PaperlessSettings(Table):
    """Address and token of this Paperless-ngx."""

    url: values.PaperlessUrl = Field(
        description=(
            "Address at which Paperclerk reaches Paperless, without `/api`; it may have a path."
        ),
        examples=["http://webserver:8000"],
    )
    token: values.Token = Field(
        description="API token of the Paperless user that Paperclerk works as.",
        examples=[values.TOKEN_PLACEHOLDER],
    )
    public_url: values.PublicUrl = Field(
        "", description="Address of Paperless for links shown to people; empty: the same as `url`."
    )
    timeout: values.PositiveDuration = Field(
        timedelta(seconds=30), description="Timeout of a request to Paperless."
    )
    ca_file: values.FilePath = Field(
        None, description="PEM file of your own certificate authority; empty: the public ones."
    )
    headers: values.Headers = Field(
        default_factory=lambda: MappingProxyType({}),
        description="Extra HTTP headers, for a proxy in front; their values are kept secret.",
    )

    @property
    def link_url(self) -> str:
        """Address for links shown to people."""
        return self.public_url or self.url


class AiSettings(Table):
    """The model: its address, its name, and your instructions to it."""

    base_url: values.AiUrl = Field(
        description="Address of any OpenAI-compatible API. Documents are sent only there.",
        examples=["http://ollama:11434/v1"],
    )
    model: values.NonEmptyText = Field(
        description="Name of the model, as that API calls it.", examples=["qwen3:8b"]
    )
    api_key: values.ApiKey = Field(
        SecretStr(""), description="Key for that API; empty: none is needed."
    )
    timeout: values.PositiveDuration = Field(
        timedelta(minutes=5), description="Timeout of one answer."
    )
    stream: bool = Field(
        default=True,
        description=(
            "Show the progress of an answer while it is written, if the server can stream it "
            "and reports its tokens."
        ),
    )
    context: Annotated[int, Field(strict=True, ge=4096)] = Field(
        8192, description="Context size in tokens, including the answer; at least 4096."
    )
    language: values.Language = Field(
        "document",
        description='Language of titles and new names: `"document"` or two letters such as `"de"`.',
    )
    instructions: str = Field("", description="Additional instructions to the model.")
    type_instructions: values.TypeInstructions = Field(
        default_factory=lambda: MappingProxyType({}),
        description=(
            'Additional instructions for documents of one type: `"Invoice" = "The shop is the '
            'correspondent, not the payment service."`.'
        ),
    )
    owner_names: values.Names = Field(
        (), description="Your own names and companies; never used as a correspondent."
    )
    date_order: DateOrder = Field(
        DateOrder.DOCUMENT,
        description=(
            "Order of day and month in dates such as 03/04/2026, if other dates of the document "
            'do not show it: `"day_first"` or `"month_first"`; `"document"`: as learnt from other '
            "documents, or else to review."
        ),
    )
    examples: Annotated[int, Field(strict=True, ge=0, le=10)] = Field(
        3,
        description=(
            "Maximum number of similar documents, filed by a person, that are shown "
            "to the model with their values, 0 to 10; 0: none."
        ),
    )
    einvoices: bool = Field(
        default=True,
        description=(
            "Fetch the original of a PDF that looks like an invoice, up to 10 MB, and compare the "
            "e-invoice inside it (ZUGFeRD, Factur-X) with the model's values."
        ),
    )
    requests_per_minute: Annotated[int, Field(strict=True, ge=0)] = Field(
        0,
        description=(
            "Maximum number of requests to this API in any 60 seconds, by all instances and "
            "workers that use it with this key; 0: no limit."
        ),
    )
    tokens_per_minute: Annotated[int, Field(strict=True, ge=0)] = Field(
        0, description="The same for the sum of input and output tokens; 0: no limit."
    )
    hours: values.Hours = Field(
        "",
        description=(
            'The model is called only in these hours, such as `"22:00-06:00"`; empty: at any '
            "time. A document that has been started is completed."
        ),
    )
    hours_for: HoursFor = Field(
        HoursFor.ALL,
        description=(
            'Which documents wait for these hours: `"all"`, or `"backlog"`, those that were in '
            "Paperless before the last scan (at the first scan, all)."
        ),
    )
    max_passes: Annotated[int, Field(strict=True, ge=1, le=10_000)] = Field(
        200,
        description=(
            "Maximum number of chunks for a long document; 1 disables chunking, and "
            "the middle is left out."
        ),
    )

    def pace(self, zone: tzinfo | None) -> Pace:
        """Build the model's rate and hours."""
        rate = Rate(self.requests_per_minute, self.tokens_per_minute)
        return Pace(rate, DailyHours.parse(self.hours), self.hours_for, zone)


class ScanSettings(Table):
    """When to scan, which documents to select, and which tags to set when one is done."""

    cron: values.Cron = Field(
        "*/30 * * * *",
        description=(
            "When to scan: minute, hour, day, month, weekday; or a name such as `@hourly`."
        ),
    )
    enabled: bool = Field(
        True,  # noqa: FBT003 - a default
        description="Whether to scan on schedule; `scan-now` always works.",
    )
    include_tags: values.Tags = Field(
        (), description=("Only documents that have all of these tags.")
    )
    exclude_tags: values.Tags = Field(
        (), description=("Documents with any of these tags are never read and never sent anywhere.")
    )
    since: values.SinceWhen = Field(
        Since.EVERYTHING,
        description='Documents added since then: `"everything"`, a date, or `"first_start"`.',
    )
    min_age: values.Duration = Field(
        timedelta(minutes=2),
        description="Skip newer documents, so that the workflows of Paperless can finish.",
    )
    reanalyze: Reanalyze = Field(
        Reanalyze.NEVER,
        description='Whether a document is analysed again when its text has changed: `"never"`, or '
        '`"when_content_changes"`.',
    )
    done_tag: values.Trimmed = Field(
        "",
        description="Tag to add when a document is done; empty: none. A document that has it and "
        "is not in the database counts as done.",
    )
    remove_tags: values.Tags = Field((), description="Tags to remove when a document is done.")

    # One validator per field, so that one error in the table does not hide another.
    @field_validator("exclude_tags")
    @classmethod
    def _check_exclude_tags(cls, tags: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        for tag in tags:
            if tag in info.data.get("include_tags", ()):
                raise ValueError(message('"{text}" is also in include_tags', text=tag))
        return tags

    @field_validator("remove_tags")
    @classmethod
    def _check_remove_tags(cls, tags: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        done_tag = info.data.get("done_tag")
        if done_tag and done_tag in tags:
            raise ValueError(message('"{text}" is also the done_tag', text=done_tag))
        return tags


_MODES = '`"off"`, `"review"`, `"fill"` or `"replace"`.'


class FieldsSettings(Table):
    """What may be written automatically.

    `"off"`: the model is not asked. `"review"`: you decide. `"fill"`: written if the field is empty
    and all checks pass. `"replace"`: written if all checks pass. Tags are only added.
    """

    title: FieldMode = Field(FieldMode.REVIEW, description=_MODES)
    correspondent: FieldMode = Field(FieldMode.REVIEW, description=_MODES)
    document_type: FieldMode = Field(FieldMode.REVIEW, description=_MODES)
    tags: FieldMode = Field(FieldMode.REVIEW, description=_MODES)
    date: FieldMode = Field(FieldMode.REVIEW, description=_MODES)
    storage_path: FieldMode = Field(
        FieldMode.OFF,
        description=f"{_MODES} Only existing ones are used; a change moves the file.",
    )
    custom_fields: values.CustomFields = Field(
        default_factory=lambda: MappingProxyType({}),
        description='Modes of custom fields by name: `{ "Invoice number" = "fill" }`.',
        validate_default=True,
    )
    max_tags: Annotated[int, Field(strict=True, ge=1, le=20)] = Field(
        5, description="Maximum number of tags suggested for a document, 1 to 20."
    )

    @field_validator("custom_fields")
    @classmethod
    def _check_any_field_on(
        cls, custom: Mapping[str, FieldMode], info: ValidationInfo
    ) -> Mapping[str, FieldMode]:
        # Declared after the other fields, so that all of them are known.
        modes = (*(info.data.get(name) for name in FieldName), *custom.values())
        if all(mode is FieldMode.OFF for mode in modes):
            raise ValueError(message("all fields are off - turn on at least one"))
        return custom

    def mode_of(self, name: FieldName) -> FieldMode:
        return FieldMode(getattr(self, name))

    @property
    def custom_fields_on(self) -> Mapping[str, FieldMode]:
        """Modes of the custom fields that are asked for, by name."""
        return {name: m for name, m in self.custom_fields.items() if m is not FieldMode.OFF}


_NEW_NAMES = '`"never"`, `"review"` or `"create"`.'


class TitlesSettings(Table):
    """How titles are made."""

    pattern: values.TitlePattern = Field(
        "",
        description=(
            'Pattern of titles, such as `"{correspondent} {type} {month} {year}"`; also `{day}` '
            'and `{date}`. `"like_earlier"`: the pattern of earlier titles of the same '
            "correspondent. Empty: the model writes them."
        ),
    )


class NamesSettings(Table):
    """What happens to suggested names that do not exist in Paperless yet.

    `"never"`: they are left out. `"review"`: you decide. `"create"`: they are created when the
    field they belong to is written.
    """

    tags: NewNamePolicy = Field(NewNamePolicy.REVIEW, description=_NEW_NAMES)
    correspondents: NewNamePolicy = Field(NewNamePolicy.REVIEW, description=_NEW_NAMES)
    document_types: NewNamePolicy = Field(NewNamePolicy.NEVER, description=_NEW_NAMES)
    owner: NameOwner = Field(
        NameOwner.NOBODY,
        description=(
            'Owner of created names: `"nobody"`, so that everyone sees and may change them; '
            '`"me"`, the token\'s user; or `"document"`, the owner of the document that needs the '
            "name, shared with the document's groups."
        ),
    )
    view_groups: values.Names = Field(
        (), description="Paperless groups that can see created names with an owner."
    )
    change_groups: values.Names = Field(
        (), description="Paperless groups that can see and change them."
    )
    tags_without_matching: bool = Field(
        default=True,
        description=(
            "Whether the model may use tags whose matching algorithm in Paperless is *None*. It "
            "may always use those that Paperclerk created."
        ),
    )
    descriptions: values.Descriptions = Field(
        default_factory=lambda: MappingProxyType({}),
        description=(
            'Descriptions of existing names for the model, such as `"Taxes" = "what '
            'the tax office wants, donations too"`.'
        ),
    )

    @field_validator("view_groups", "change_groups")
    @classmethod
    def _check_groups(cls, groups: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        if groups and info.data.get("owner") is NameOwner.NOBODY:
            raise ValueError(
                message('has no effect without an owner - set owner to "me" or "document"')
            )
        return groups


class RetrySettings(Table):
    """How often a job is tried, and the delays in between."""

    max_attempts: Annotated[int, Field(strict=True, ge=1, le=10)] = Field(
        3, description="Attempts before a job fails, 1 to 10."
    )
    step: values.PositiveDuration = Field(
        timedelta(minutes=5),
        description="Delay after the first attempt; each further attempt adds the same time.",
    )
    attempt_timeout: values.PositiveDuration = Field(
        timedelta(hours=12),
        description="Maximum duration of an attempt, including all chunks of a long document.",
    )


class LimitsSettings(Table):
    """What may be spent. At a limit, documents wait; they do not fail, and writes continue.

    Prices are per million tokens; without them no cost is counted.
    """

    documents_per_day: Annotated[int, Field(strict=True, ge=0)] = Field(
        100, description="Daily limit of analysed documents; 0: no limit."
    )
    price_in: values.Money = Field(Decimal("0.0"), description="Price of a million input tokens.")
    price_out: values.Money = Field(Decimal("0.0"), description="Price of a million output tokens.")
    currency: values.Currency = Field("EUR", description="Currency of the prices.")
    cost_per_month: values.Money = Field(Decimal("0.0"), description="Monthly budget; 0: no limit.")
    consent_above: values.Money = Field(
        Decimal("0.0"),
        description=(
            "A person who starts something that is estimated to cost more must confirm it; "
            "0: never. Scheduled scans and automatic retries do not ask."
        ),
    )

    @field_validator("cost_per_month", "consent_above")
    @classmethod
    def _check_cost_limit(cls, amount: Decimal, info: ValidationInfo) -> Decimal:
        prices = (info.data.get(name) for name in ("price_in", "price_out"))
        if amount and not any(prices):
            raise ValueError(message("cannot be enforced without price_in or price_out"))
        return amount


class IndexSettings(Table):
    """The archive index: the text of your documents, for search and for examples.

    It stays in the data folder, or in your PostgreSQL. Documents with one of `scan.exclude_tags`
    never enter it.
    """

    enabled: values.OptionalSwitch = Field(
        None,
        description=(
            "`true`: all documents are indexed; `false`: none, and the index is deleted. Empty: "
            "all in a new setup without `scan.include_tags`; otherwise only documents that are "
            "processed, until you decide on the overview."
        ),
    )
    since: values.SinceWhen = Field(
        Since.EVERYTHING,
        description=(
            'Older documents enter the index only when they are processed: `"everything"`, the '
            'date from which on they were added, or `"first_start"`.'
        ),
    )


class InstanceTables(FileSettings):
    """The tables of an instance's file."""

    paperless: PaperlessSettings
    ai: AiSettings
    scan: ScanSettings = ScanSettings()
    fields: FieldsSettings = FieldsSettings()
    titles: TitlesSettings = TitlesSettings()
    names: NamesSettings = NamesSettings()
    retry: RetrySettings = RetrySettings()
    limits: LimitsSettings = LimitsSettings()
    index: IndexSettings = IndexSettings()


class InstanceSettings(InstanceTables):
    """All settings of one instance; its name is the stem of its file."""

    name: Annotated[str, AfterValidator(check_instance_name)]

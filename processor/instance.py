"""One instance: its Paperless, its model, and the rules for tags, budget and timeouts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta, tzinfo
from decimal import Decimal
from typing import Any

from core.analysis import ModelCall
from core.calendar import day_at, next_day_start, next_month_start
from core.holds import HoldTargets, model_target, paperless_target, rate_target, targets_of
from core.jobs import Stage
from core.pace import Pace
from core.spending import LimitKind, SpendingLimits
from paperless_client import PaperlessClient
from processor.analysis.model import FormatNegotiator
from processor.analysis.prompt import PromptSettings
from processor.examples import SimilarSearch
from processor.fields import CustomFields
from processor.names.catalogue import Catalogue
from processor.names.create import NameCreator
from processor.policy import Policy
from processor.verdict import RetryPolicy
from processor.writer import DocumentWriter

_MILLION = 1_000_000
_CALLS_PER_ANSWER = 4
"""Maximum calls for one answer: two response formats, each once more with a longer answer."""
_REQUESTS_PER_STAGE = 10
"""Requests per stage: names, document and read-back; Paperless may be slow at each."""
_PROBE_TIMEOUT = timedelta(seconds=15)
"""Timeout of a probe: generous for a small request, and other jobs wait for its result."""
_QUESTION_TIMEOUT = timedelta(seconds=30)
"""Timeout of a probe that calls the model, which may have to be loaded first."""


@dataclass(frozen=True, slots=True)
class TagRules:
    """Tags that control processing, by name."""

    exclude: frozenset[str] = field(default_factory=frozenset)
    """A document with one of these tags is never read."""
    done: frozenset[str] = field(default_factory=frozenset)
    """Added when nothing on the document is left for review: one tag, or none."""
    remove: frozenset[str] = field(default_factory=frozenset)
    """Removed then."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices per million tokens; free by default."""

    tokens_in: Decimal = Decimal(0)
    tokens_out: Decimal = Decimal(0)

    def cost(self, *, tokens_in: int, tokens_out: int) -> Decimal:
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / _MILLION


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits, prices and pace of one instance, and the time zone of its days and months."""

    limits: SpendingLimits = field(default_factory=SpendingLimits)
    prices: Prices = field(default_factory=Prices)
    zone: tzinfo | None = None
    """None means the system's time zone."""
    pace: Pace = field(default_factory=Pace)

    def with_cost(self, call: ModelCall) -> ModelCall:
        """Return the call with its cost, by its tokens."""
        cost = self.prices.cost(tokens_in=call.tokens_in, tokens_out=call.tokens_out)
        return replace(call, cost=cost)

    def resumes_at(self, kind: LimitKind, now: datetime) -> datetime:
        """Return when a reached limit resets: at the start of the next day or month."""
        if kind is LimitKind.DOCUMENTS_PER_DAY:
            return next_day_start(now, self.zone)
        return next_month_start(now, self.zone)


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Timeouts of a model call, of a request to Paperless and of a whole attempt."""

    call: timedelta = timedelta(minutes=5)
    request: timedelta = timedelta(seconds=30)
    attempt: timedelta = timedelta(hours=12)
    """All stages together: the time of a stage starts again with each chunk of a long document."""

    @property
    def probe(self) -> timedelta:
        """Return the timeout of a probe; no heartbeat is sent during a probe."""
        return min(self.request, _PROBE_TIMEOUT)

    @property
    def question(self) -> timedelta:
        """Return the timeout of a probe that the model itself has to answer."""
        return min(self.call, _QUESTION_TIMEOUT)

    def for_stage(self, stage: Stage | None) -> timedelta:
        """Return how long an attempt may stay in a stage."""
        return (
            self.call * _CALLS_PER_ANSWER
            if stage is Stage.ANALYZE
            else self.request * _REQUESTS_PER_STAGE
        )


@dataclass(frozen=True, slots=True)
class Instance:
    """One Paperless, its model, and its settings."""

    name: str
    paperless: PaperlessClient
    catalogue: Catalogue
    custom_fields: CustomFields
    name_creator: NameCreator
    similar_search: SimilarSearch
    model: FormatNegotiator
    prompt_settings: PromptSettings
    policy: Policy
    tags: TagRules
    retry: RetryPolicy
    budget: Budget = field(default_factory=Budget)
    timeouts: Timeouts = field(default_factory=Timeouts)
    zone: tzinfo | None = None
    """The owner's time zone; None means the system's."""
    reads_e_invoices: bool = True
    """Whether the originals of invoices are fetched for the e-invoices inside them."""
    is_indexed: bool = False
    """Whether documents that are processed enter the archive index."""
    url: str = ""
    """The address of its Paperless."""

    def today(self, now: datetime) -> date:
        return day_at(now, self.zone)

    @property
    def writer(self) -> DocumentWriter:
        return DocumentWriter(self.paperless, self.catalogue, self.custom_fields, self.name_creator)

    async def with_custom_fields(self) -> "Instance":
        """Return the instance with its configured custom fields, as Paperless has them now.

        Raise CustomFieldMissing or CustomFieldNotFillable.
        """
        if not self.policy.custom:
            return self
        known = await self.custom_fields.get_by_name(self.policy.custom)
        return replace(
            self,
            policy=self.policy.with_custom_fields(known),
            prompt_settings=replace(self.prompt_settings, custom_fields=known),
        )

    def with_owner_names(self, confirmed: Iterable[str]) -> "Instance":
        """Return the instance with further names of its owner."""
        settings = self.prompt_settings
        names = tuple(dict.fromkeys((*settings.owner_names, *confirmed)))
        return replace(self, prompt_settings=replace(settings, owner_names=names))

    def with_instructions(
        self, general: str | None, by_type: Mapping[str, str] | None
    ) -> "Instance":
        """Return the instance with other instructions to the model; None keeps the own ones."""
        given = {"instructions": general, "type_instructions": by_type}
        changed: Any = {name: value for name, value in given.items() if value is not None}
        return replace(self, prompt_settings=replace(self.prompt_settings, **changed))

    def restricted_by(self, current: "Instance") -> "Instance":
        """Return the current instance with the model and the prompt of this one.

        Of both policies and of both lists of excluded tags, the stricter applies.
        """
        return replace(
            current,
            model=self.model,
            prompt_settings=self.prompt_settings,
            policy=self.policy.restrict(current.policy),
            tags=replace(current.tags, exclude=self.tags.exclude | current.tags.exclude),
        )

    @property
    def paperless_target(self) -> str:
        """The hold target of this Paperless."""
        return paperless_target(self.name)

    @property
    def model_target(self) -> str:
        """The hold target of the model's endpoint."""
        return model_target(self.model.server.endpoint.key)

    @property
    def rate_target(self) -> str:
        """The hold target of the endpoint's rate."""
        return rate_target(self.model.server.endpoint.key)

    @property
    def targets(self) -> HoldTargets:
        """The hold targets that stop jobs of this instance."""
        return targets_of(self.name, self.model.server.endpoint.key)

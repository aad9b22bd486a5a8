"""One Paperless instance with its clients, settings and policies."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, tzinfo
from typing import Any

from core.calendar import day_at
from core.holds import HoldTargets, model_target, paperless_target, rate_target, targets_of
from paperless_client import PaperlessClient
from processor.analysis.prompt import PromptSettings
from processor.analysis.response_formats import FormatNegotiator
from processor.custom_fields import CustomFields
from processor.limits import Budget
from processor.names.catalogue import Catalogue
from processor.names.create import NameCreator
from processor.plan import Policy
from processor.similar import SimilarSearch
from processor.supervise import Timeouts
from processor.verdict import RetryPolicy
from processor.writer import DocumentWriter


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

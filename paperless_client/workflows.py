"""Workflows of Paperless whose only action is a webhook."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from core.messages import message
from paperless_client.models import Page, PaperlessModel
from paperless_client.requests import Body, Request, page_params
from paperless_client.transport import Transport

_PER_PAGE = 1000
"""More than anyone has."""
_ADDED, _UPDATED = 2, 3
_WEBHOOK = 4
_APPLY_SUGGESTIONS = 8
_ANY_SOURCE: JsonValue = [1, 2, 3, 4]


class WebhookAction(PaperlessModel):
    """Where a webhook is sent."""

    url: str


class WorkflowAction(PaperlessModel):
    """An action of a workflow."""

    type: int = 0
    webhook: WebhookAction | None = None
    ai_suggestion_fields: tuple[str, ...] | None = None
    """The fields that Paperless fills with its own AI suggestions (since 3.1)."""

    @property
    def applies_suggestions(self) -> bool:
        """Return whether Paperless writes what its own model suggests."""
        return self.type == _APPLY_SUGGESTIONS or bool(self.ai_suggestion_fields)


class Workflow(PaperlessModel):
    """A workflow."""

    id: int
    name: str
    enabled: bool
    actions: tuple[WorkflowAction, ...]

    def sends_to(self, url: str) -> bool:
        """Return whether the workflow is enabled and sends a webhook to an address."""
        targets = (action.webhook.url for action in self.actions if action.webhook)
        return self.enabled and url in targets


@dataclass(frozen=True, slots=True)
class UpdateTrigger:
    """Send the webhook also for an update, of documents with and without these tags."""

    with_tags: frozenset[int]
    without_tags: frozenset[int]


@dataclass(frozen=True, slots=True)
class WebhookWorkflow:
    """A workflow to be created, which sends a webhook for each document that is added."""

    name: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    params: Mapping[str, str]
    """In the order in which Paperless fills them in: one that it does not know ends the list."""
    update_trigger: UpdateTrigger | None = None

    def as_body(self) -> Body:
        triggers: list[JsonValue] = [{"type": _ADDED, "sources": _ANY_SOURCE}]
        if (update := self.update_trigger) is not None:
            triggers.append(
                {
                    "type": _UPDATED,
                    "sources": _ANY_SOURCE,
                    "filter_has_all_tags": [*sorted(update.with_tags)],
                    "filter_has_not_tags": [*sorted(update.without_tags)],
                }
            )
        webhook: JsonValue = {
            "url": self.url,
            "use_params": True,
            "as_json": True,
            "params": {**self.params},
            "headers": {**self.headers},
            "include_document": False,
        }
        return {
            "name": self.name,
            "order": 0,
            "enabled": True,
            "triggers": triggers,
            "actions": [{"type": _WEBHOOK, "webhook": webhook}],
        }


class Workflows:
    """The workflows of one Paperless. Every method raises PaperlessError on failure."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def find(self, name: str) -> Workflow | None:
        """Return the workflow of this name; None if there is none."""
        found = await self._list()
        return next((workflow for workflow in found if workflow.name == name), None)

    async def list_suggesting(self) -> tuple[Workflow, ...]:
        """List the enabled workflows that write what Paperless's own model suggests."""
        return tuple(
            workflow
            for workflow in await self._list()
            if workflow.enabled and any(action.applies_suggestions for action in workflow.actions)
        )

    async def _list(self) -> tuple[Workflow, ...]:
        action = message("list the workflows")
        params = page_params(1, _PER_PAGE)
        request = Request("GET", "workflows/", action, "view_workflow", params=params)
        page = await self._transport.fetch(request, Page[Workflow])
        return tuple(page.results)

    async def save(self, wanted: WebhookWorkflow) -> Workflow:
        """Create a workflow, or change the one that has its name."""
        existing = await self.find(wanted.name)
        action = message('save the workflow "{name}"', name=wanted.name)
        if existing is None:
            request = Request("POST", "workflows/", action, "add_workflow", body=wanted.as_body())
        else:
            path = f"workflows/{existing.id}/"
            request = Request("PATCH", path, action, "change_workflow", body=wanted.as_body())
        return await self._transport.fetch(request, Workflow)

"""Send the webhooks of workflows, as Paperless's background worker was seen to."""

import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx

from sandbox.paperless.records import ADDED, Document, Kind

if TYPE_CHECKING:
    from sandbox.paperless.world import World

_PLACEHOLDER = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_TIMEOUT = 5.0
_RETRIES = (5.0, 6.0)
"""Seconds before the second and the third attempt; seen at 0, 5 and 11 s."""


class _Undefined(Exception):
    """A placeholder that this release does not have."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """A webhook to be sent."""

    url: str
    headers: Mapping[str, str]
    params: Mapping[str, str]
    as_json: bool


class WebhookSender:
    """Sends webhooks in the background, each in a thread of its own."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self.statuses: list[int] = []
        """The status of each answer so far."""
        self.retries = _RETRIES

    def fire(self, trigger: int, document: Document) -> None:
        """Send the webhooks of all workflows that a document triggers."""
        for delivery in list_deliveries(self._world, trigger, document):
            threading.Thread(target=self._deliver, args=[delivery], daemon=True).start()

    def _deliver(self, delivery: Delivery) -> None:
        """Send a webhook, and again after an error status; not if nobody answers."""
        for delay in (0.0, *self.retries):
            threading.Event().wait(delay)
            body = {"json" if delivery.as_json else "data": delivery.params}
            try:
                response = httpx.post(
                    delivery.url,
                    headers=delivery.headers,
                    timeout=_TIMEOUT,
                    follow_redirects=False,
                    **body,  # type: ignore[arg-type]  # one of two keywords
                )
            except httpx.HTTPError:
                return
            self.statuses.append(response.status_code)
            if response.status_code < 400:
                return


def list_deliveries(world: "World", trigger: int, document: Document) -> list[Delivery]:
    """Return the webhooks that a document's arrival or change triggers."""
    workflows = [workflow for workflow in world.workflows.values() if workflow.enabled]
    return [
        _build_delivery(world, webhook, trigger, document)
        for workflow in workflows
        if any(_matches(shown, trigger, document) for shown in workflow.triggers)
        for action in workflow.actions
        if isinstance(webhook := action["webhook"], dict)
    ]


def _matches(shown: Mapping[str, object], trigger: int, document: Document) -> bool:
    any_of, all_of, none_of = (
        _ids(shown[f"filter_has_{which}tags"]) for which in ("", "all_", "not_")
    )
    return (
        shown["type"] == trigger
        and (not any_of or bool(any_of & document.tags))
        and all_of <= document.tags
        and not none_of & document.tags
    )


def _ids(shown: object) -> set[int]:
    assert isinstance(shown, Sequence)
    return set(shown)


def _build_delivery(
    world: "World", webhook: Mapping[str, object], trigger: int, document: Document
) -> Delivery:
    url, params = str(webhook["url"]), webhook["params"] or {}
    headers = webhook["headers"] or {}
    assert isinstance(params, dict)
    assert isinstance(headers, dict)
    if not world.release.is_v3:
        # Without the port.
        headers = {**headers, "Host": urlsplit(url).hostname or ""}
    values = _placeholders(world, trigger, document)
    return Delivery(url, headers, _fill(params, values), as_json=bool(webhook["as_json"]))


def _fill(params: Mapping[str, str], values: Mapping[str, str]) -> dict[str, str]:
    """Fill the parameters; an undefined placeholder drops its own and all later ones."""

    def value(match: re.Match[str]) -> str:
        if match[1] not in values:
            raise _Undefined
        return values[match[1]]

    filled: dict[str, str] = {}
    try:
        for key, template in params.items():
            filled[key] = _PLACEHOLDER.sub(value, template)
    except _Undefined:
        pass
    return filled


def _placeholders(world: "World", trigger: int, document: Document) -> Mapping[str, str]:
    def name(kind: Kind, id_: int | None) -> str:
        return "" if id_ is None else world.names[kind][id_].name

    values = {
        # PAPERLESS_URL is not set, as with the servers that were recorded.
        "doc_url": f"None/documents/{document.id}/",
        "doc_title": document.title,
        "added": document.added.astimezone(world.zone).isoformat(),
        "created": document.created.isoformat(),
        "correspondent": name(Kind.CORRESPONDENT, document.correspondent),
        "document_type": name(Kind.DOCUMENT_TYPE, document.document_type),
        "owner_username": world.user(document.owner).username if document.owner else "",
        "original_filename": (document.original_file_name or "").rsplit(".", 1)[0],
        "filename": "" if trigger == ADDED else f"{document.id:07}",
    }
    return values | {"doc_id": str(document.id)} if world.release.is_v3 else values

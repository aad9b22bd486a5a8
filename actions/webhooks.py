"""Install the webhook of an instance in Paperless, and report whether it works."""

from dataclasses import dataclass, field

from actions.caller import Caller
from actions.errors import InvalidRequest
from core.access import WEBHOOK_HEADER, Webhook, hash_secret, new_secret
from core.fields import FieldName
from core.messages import message
from core.settings import ScanSettings
from paperless_client import (
    PaperlessError,
    PermissionMissing,
    UpdateTrigger,
    WebhookWorkflow,
    Workflow,
)
from processor.instance import Instance

_PARAMS = {"doc_url": "{{doc_url}}", "document_id": "{{doc_id}}"}
"""Only Paperless 3 knows `doc_id`; an unknown placeholder drops its parameter and all later ones.

On PostgreSQL, Paperless stores shorter keys first, so the keys are in that order.
"""
_SECRET_PREFIX = "pcw_"  # noqa: S105 - not a secret


class WebhookAddressMissing(InvalidRequest):
    """The settings do not say how Paperless reaches Paperclerk."""

    code = "webhook_address_missing"
    user_message = "The address at which Paperless reaches Paperclerk is not set."
    hint = 'Set web.internal_url in daemon.toml, such as "http://paperclerk:8484".'

    def __init__(self) -> None:
        super().__init__(message("web.internal_url is not set"))


@dataclass(frozen=True, slots=True)
class InstalledWebhook:
    """A webhook whose secret has just been changed."""

    workflow: WebhookWorkflow
    refused: PermissionMissing | None = None
    """Why a person must enter the workflow in Paperless; None if it was saved."""
    secret: str = field(default="", repr=False)
    """Only if a person must enter it; it cannot be shown again."""


@dataclass(frozen=True, slots=True)
class WebhookStatus:
    """What is known of an instance's webhook."""

    webhook: Webhook | None
    """None if none was installed."""
    workflow: Workflow | None = None
    """As it is in Paperless; None if it is not there, or cannot be read."""
    is_readable: bool = True
    """Whether Paperless answers, and the token's user may read workflows."""
    url: str = ""

    @property
    def is_refused(self) -> bool:
        """Return whether Paperless sends a secret that is not stored here, as after a restore."""
        return self.webhook is None and bool(self.workflow and self.workflow.sends_to(self.url))

    @property
    def is_missing(self) -> bool:
        """Return whether Paperless certainly sends nothing to the present address."""
        return self.is_readable and not (self.workflow and self.workflow.sends_to(self.url))


async def install_webhook(caller: Caller, instance: str, url: str) -> InstalledWebhook:
    """Save the workflow in Paperless with a new secret; the previous secret becomes invalid.

    Without the permission, return what a person must enter. Raise WebhookAddressMissing,
    TagMissing or PaperlessError.
    """
    if not url:
        raise WebhookAddressMissing
    connected, scan = caller.get_instance(instance), caller.require_instance(instance).scan
    secret = new_secret(_SECRET_PREFIX)
    workflow = WebhookWorkflow(
        build_workflow_name(instance),
        url,
        headers={WEBHOOK_HEADER: secret},
        params=_PARAMS,
        update_trigger=await _build_update_trigger(connected, scan),
    )
    saved, refused = None, None
    try:
        saved = await connected.paperless.workflows.save(workflow)
    except PermissionMissing as error:
        refused = error
    # After Paperless has the secret: until then, the former one stays valid.
    await caller.store.webhooks.save(
        instance,
        secret_hash=hash_secret(secret),
        workflow=saved.id if saved else None,
        now=caller.now(),
    )
    return InstalledWebhook(workflow, refused, secret if refused else "")


async def get_webhook_status(caller: Caller, instance: str, url: str) -> WebhookStatus:
    """Return whether the webhook is installed and, if Paperless says so, its workflow exists."""
    webhook = await caller.store.webhooks.get(instance)
    client = caller.get_instance(instance).paperless
    try:
        workflow = await client.workflows.find(build_workflow_name(instance))
    except PaperlessError:
        return WebhookStatus(webhook, is_readable=False, url=url)
    return WebhookStatus(webhook, workflow, url=url)


def build_workflow_name(instance: str) -> str:
    """Return the name of the workflow, by which it is found again."""
    return f"Paperclerk ({instance})"


async def _build_update_trigger(instance: Instance, scan: ScanSettings) -> UpdateTrigger | None:
    """Return the trigger for documents that get the required tags later; None if none is needed.

    Without a done tag it would fire on our own writes.
    """
    if not scan.include_tags or not scan.done_tag:
        return None
    instance.catalogue.invalidate(FieldName.TAGS)
    tags = (await instance.catalogue.names()).tag_ids
    return UpdateTrigger(
        with_tags=tags.one_per_name(scan.include_tags),
        without_tags=tags.one_per_name([scan.done_tag]),
    )

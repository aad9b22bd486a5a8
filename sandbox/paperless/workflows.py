"""Workflows: list, create, change and delete; of their actions, only webhooks are imitated."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from sandbox.paperless.calls import Call
from sandbox.paperless.listing import page_of
from sandbox.paperless.records import WEBHOOK, Workflow
from sandbox.paperless.replies import Refused, Reply, json_reply, not_found, not_imitated
from sandbox.paperless.values import REQUIRED

_FILTERS: dict[str, object] = {
    "filter_has_tags": [],
    "filter_has_all_tags": [],
    "filter_has_not_tags": [],
}
_NAMES = ("correspondents", "document_types", "storage_paths")
_ASSIGNED: dict[str, object] = {
    **dict.fromkeys(("assign_title", "assign_correspondent", "assign_document_type")),
    **dict.fromkeys(("assign_storage_path", "assign_owner", "email")),
    **{
        f"assign_{what}": []
        for what in ("tags", "view_users", "view_groups", "change_users", "change_groups")
    },
    "assign_custom_fields": [],
    "assign_custom_fields_values": {},
}
_REMOVABLE = ("tags", *_NAMES, "custom_fields", "owners")
_REMOVED: dict[str, object] = {
    **{f"remove_all_{what}": False for what in (*_REMOVABLE, "permissions")},
    **{f"remove_{what}": [] for what in _REMOVABLE},
    **{f"remove_{verb}_{who}": [] for verb in ("view", "change") for who in ("users", "groups")},
}
_WEBHOOK: dict[str, object] = {
    "url": None,
    "use_params": True,
    "as_json": False,
    "params": None,
    "body": None,
    "headers": None,
    "include_document": False,
}


def list_workflows(call: Call) -> Reply:
    return json_reply(page_of(call, list(call.world.workflows.values()), Workflow.as_json))


def show_workflow(call: Call) -> Reply:
    return json_reply(_found(call).as_json())


def create_workflow(call: Call) -> Reply:
    data = call.data()
    missing = {key: [REQUIRED] for key in ("name", "triggers", "actions") if key not in data}
    if missing:
        raise Refused(400, missing)
    _check_name(call, str(data["name"]))
    actions = _actions(call, data["actions"])
    workflow = Workflow(
        call.world.next_id("workflows"),
        str(data["name"]),
        int(str(data.get("order", 0))),
        data.get("enabled", True) is True,
        _triggers(call, data["triggers"]),
        actions,
    )
    call.world.workflows[workflow.id] = workflow
    return json_reply(workflow.as_json(), 201)


def patch_workflow(call: Call) -> Reply:
    """Change what is sent; sent triggers and actions replace all, with new ids."""
    workflow, data = _found(call), call.data()
    if "name" in data and data["name"] != workflow.name:
        _check_name(call, str(data["name"]))
        workflow.name = str(data["name"])
    if "actions" in data:
        workflow.actions = _actions(call, data["actions"])
    if "triggers" in data:
        workflow.triggers = _triggers(call, data["triggers"])
    workflow.enabled = data.get("enabled", workflow.enabled) is True
    return json_reply(workflow.as_json())


def delete_workflow(call: Call) -> Reply:
    del call.world.workflows[_found(call).id]
    return Reply(204)


def _found(call: Call) -> Workflow:
    workflow = call.world.workflows.get(call.id)
    if workflow is None:
        raise not_found("Workflow")
    return workflow


def _check_name(call: Call, name: str) -> None:
    if any(workflow.name == name for workflow in call.world.workflows.values()):
        raise Refused(400, {"name": ["workflow with this name already exists."]})


def _triggers(call: Call, sent: object) -> list[dict[str, object]]:
    defaults = _trigger_defaults(is_v3=call.world.release.is_v3)
    return [
        {**defaults, **trigger, "id": call.world.next_id("workflow_triggers")}
        for trigger in _dicts(sent)
    ]


def _trigger_defaults(*, is_v3: bool) -> dict[str, object]:
    names: dict[str, object] = {f"filter_has_not_{kind}": [] for kind in _NAMES}
    if is_v3:
        names |= {f"filter_has_any_{kind}": [] for kind in _NAMES}
    return {
        **dict.fromkeys(("filter_path", "filter_filename", "filter_mailrule")),
        "matching_algorithm": 0,
        "match": "",
        "is_insensitive": True,
        **_FILTERS,
        "filter_custom_field_query": None,
        **names,
        **{f"filter_has_{kind.removesuffix('s')}": None for kind in _NAMES},
        "schedule_offset_days": 0,
        "schedule_is_recurring": False,
        "schedule_recurring_interval_days": 1,
        "schedule_date_field": "added",
        "schedule_date_custom_field": None,
    }


def _actions(call: Call, sent: object) -> list[dict[str, object]]:
    actions = _dicts(sent)
    for action in actions:
        _check_webhook(action)
    passwords = {"passwords": None} if call.world.release.is_v3 else {}
    return [
        {
            "id": (number := call.world.next_id("workflow_actions")),
            "type": WEBHOOK,
            **_ASSIGNED,
            **_REMOVED,
            **passwords,
            "webhook": {**_WEBHOOK, **_webhook(action), "id": number},
        }
        for action in actions
    ]


def _check_webhook(action: Mapping[str, object]) -> None:
    if action.get("type") != WEBHOOK:
        raise not_imitated("actions of workflows other than webhooks")
    if not action.get("webhook"):
        detail = "Webhook data is required for webhook actions"
        raise Refused(400, {"actions": [{"non_field_errors": [detail]}]})
    webhook = _webhook(action)
    if webhook.get("include_document"):
        raise not_imitated("webhooks with the document's file")
    if not urlsplit(url := str(webhook.get("url"))).scheme:
        detail = f"Unable to parse URI {url}, missing scheme"
        raise Refused(400, {"actions": [{"webhook": {"url": [detail]}}]})


def _webhook(action: Mapping[str, object]) -> Mapping[str, object]:
    webhook = action["webhook"]
    assert isinstance(webhook, dict)
    return webhook


def _dicts(sent: object) -> list[dict[str, object]]:
    assert isinstance(sent, list)
    return sent

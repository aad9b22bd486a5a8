"""What a Paperless tells about itself and its users."""

from sandbox.paperless.calls import Call
from sandbox.paperless.records import Kind
from sandbox.paperless.replies import Reply, json_reply, not_permitted, not_permitted_text

_MODELS = ("document", "note", "customfield", "uisettings", *(kind.codename for kind in Kind))


def ui_settings(call: Call) -> Reply:
    if not call.user.may("view_uisettings"):
        raise not_permitted()
    user = call.user
    settings: dict[str, object] = {
        "update_checking": {"backend_setting": False},
        "trash_delay": 30,
        "version": call.world.release.version,
        "app_title": None,
        "app_logo": None,
        "auditlog_enabled": True,
        "email_enabled": False,
    }
    if call.world.release.is_v3:
        settings["ai_enabled"] = False
    who = {
        "id": user.id,
        "username": user.username,
        "is_staff": user.is_superuser,
        "is_superuser": user.is_superuser,
        "groups": [],
    }
    permissions = sorted(_all_permissions() if user.is_superuser else user.permissions)
    return json_reply({"user": who, "settings": settings, "permissions": permissions})


def status(call: Call) -> Reply:
    if not call.user.is_superuser:
        raise not_permitted_text()
    tasks = dict.fromkeys(("redis_status", "celery_status", "index_status"), "OK")
    return json_reply(
        {
            "pngx_version": call.world.release.version,
            "install_type": "bare-metal",
            "database": {"type": "sqlite", "status": "OK", "error": None},
            "tasks": tasks,
        }
    )


def _all_permissions() -> set[str]:
    actions = ("view", "add", "change", "delete")
    return {f"{action}_{model}" for action in actions for model in _MODELS}

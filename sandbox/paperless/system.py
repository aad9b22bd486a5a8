"""System routes: version, status, statistics, users."""

from collections import Counter

from sandbox.paperless.calls import Call
from sandbox.paperless.listing import page_of
from sandbox.paperless.permissions import may_see
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
        "groups": sorted(user.groups),
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


def list_groups(call: Call) -> Reply:
    groups = sorted(call.world.groups.values(), key=lambda group: group.name)
    return json_reply(
        page_of(call, groups, lambda group: {"id": group.id, "name": group.name, "permissions": []})
    )


def statistics(call: Call) -> Reply:
    """Return counts of what the user may see; every authenticated user may request this."""
    world = call.world
    seen = [d for d in world.documents.values() if not d.deleted_at and may_see(call.user, d)]
    inbox = sorted(tag.id for tag in world.tags.values() if tag.is_inbox_tag)
    types = Counter(document.mime_type for document in seen).most_common()
    return json_reply(
        {
            "documents_total": len(seen),
            "documents_inbox": sum(bool(d.tags & set(inbox)) for d in seen) if inbox else None,
            "inbox_tag": inbox[0] if inbox else None,
            "inbox_tags": inbox or None,
            "document_file_type_counts": [
                {"mime_type": name, "mime_type_count": count} for name, count in types
            ],
            "character_count": sum(len(document.content) for document in seen),
            "tag_count": len(world.tags),
            "correspondent_count": len(world.names[Kind.CORRESPONDENT]),
            "document_type_count": len(world.names[Kind.DOCUMENT_TYPE]),
            "storage_path_count": len(world.names[Kind.STORAGE_PATH]),
            "current_asn": max((d.archive_serial_number or 0 for d in seen), default=0),
        }
    )


def _all_permissions() -> set[str]:
    actions = ("view", "add", "change", "delete")
    return {f"{action}_{model}" for action in actions for model in _MODELS}

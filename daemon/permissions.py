"""Permissions that the settings require from the token's user in Paperless."""

from collections.abc import Collection

from core.fields import FieldMode, FieldName, NewNamePolicy
from core.names import NameOwner
from core.settings import InstanceSettings

_TO_READ = ("view_document", "view_tag", "view_correspondent", "view_documenttype")
_TO_WRITE = "change_document"
_TO_READ_CUSTOM_FIELDS = "view_customfield"
_TO_READ_STORAGE_PATHS = "view_storagepath"
_TO_READ_OWN_USER = "view_uisettings"
_TO_READ_GROUPS = "view_group"
_TO_CREATE = {
    FieldName.TAGS: "add_tag",
    FieldName.CORRESPONDENT: "add_correspondent",
    FieldName.DOCUMENT_TYPE: "add_documenttype",
}


def required_permissions(settings: InstanceSettings) -> frozenset[str]:
    """Return the permissions without which no job can complete: the model would be paid in vain."""
    to_create = _to_create(settings, {NewNamePolicy.CREATE})
    return frozenset({_TO_WRITE, *to_create, *_for_optional_fields(settings)})


def all_permissions(settings: InstanceSettings) -> list[str]:
    """Return the permissions for everything that the settings allow, reviews included."""
    wanted = {NewNamePolicy.CREATE, NewNamePolicy.REVIEW}
    return [
        *_TO_READ,
        _TO_WRITE,
        *_to_create(settings, wanted),
        *_for_optional_fields(settings),
    ]


def _for_optional_fields(settings: InstanceSettings) -> list[str]:
    """Return the permissions to read what only some settings ask for."""
    fields = settings.fields
    paths = [_TO_READ_STORAGE_PATHS] if fields.storage_path is not FieldMode.OFF else []
    return paths + ([_TO_READ_CUSTOM_FIELDS] if fields.custom_fields_on else [])


def _to_create(settings: InstanceSettings, wanted: Collection[NewNamePolicy]) -> list[str]:
    new_names = {
        FieldName.TAGS: settings.names.tags,
        FieldName.CORRESPONDENT: settings.names.correspondents,
        FieldName.DOCUMENT_TYPE: settings.names.document_types,
    }
    needed = [
        permission
        for field, permission in _TO_CREATE.items()
        if settings.fields.mode_of(field) is not FieldMode.OFF and new_names[field] in wanted
    ]
    names = settings.names
    if needed and names.owner is not NameOwner.NOBODY:
        needed.append(_TO_READ_OWN_USER)
    if needed and (names.view_groups or names.change_groups):
        needed.append(_TO_READ_GROUPS)
    return needed

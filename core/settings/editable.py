"""Which settings can be edited in the dashboard, and which of them are locked."""

from collections.abc import Mapping

from pydantic import BaseModel

from core.settings.daemon import DaemonSettings
from core.settings.environment import variable_name
from core.settings.errors import KeyPath
from core.settings.instance import DAEMON, InstanceTables
from core.settings.options import Option, list_options

# Listed one by one, so that a setting added later cannot be edited unless someone decides so. None
# of them may name an address, a file or a secret: a stolen session must not send documents away.
_OF_INSTANCES = frozenset(
    {
        ("ai", "model"),
        ("ai", "instructions"),
        ("ai", "type_instructions"),
        ("ai", "requests_per_minute"),
        ("ai", "tokens_per_minute"),
        ("ai", "hours"),
        ("ai", "hours_for"),
        ("scan", "cron"),
        ("scan", "enabled"),
        ("scan", "min_age"),
        ("scan", "include_tags"),
        ("scan", "exclude_tags"),
        ("scan", "done_tag"),
        ("scan", "remove_tags"),
        ("fields", "title"),
        ("fields", "correspondent"),
        ("fields", "document_type"),
        ("fields", "tags"),
        ("fields", "date"),
        ("fields", "storage_path"),
        ("fields", "custom_fields"),
        ("fields", "max_tags"),
        ("names", "tags"),
        ("names", "correspondents"),
        ("names", "document_types"),
        ("limits", "documents_per_day"),
        ("limits", "price_in"),
        ("limits", "price_out"),
        ("limits", "currency"),
        ("limits", "cost_per_month"),
        ("limits", "consent_above"),
    }
)
_OF_DAEMON = frozenset({("notify", "quiet_hours")})

ADD_ONLY = frozenset({("scan", "exclude_tags")})
"""Lists that can be added to. Taking away from them would send more documents to the model."""


def settings_model(stem: str) -> type[BaseModel]:
    """Return the model of a file: daemon.toml, or that of an instance."""
    return DaemonSettings if stem == DAEMON else InstanceTables


def list_editable(stem: str) -> tuple[Option, ...]:
    """Return the settings of a file that can be edited, in the order of declaration."""
    editable = _OF_DAEMON if stem == DAEMON else _OF_INSTANCES
    return tuple(option for option in list_options(settings_model(stem)) if option.path in editable)


def find_locks(stem: str, environ: Mapping[str, str]) -> dict[KeyPath, str]:
    """Return the environment variables that set an editable key: there the file has no effect."""
    return {
        option.path: name
        for option in list_editable(stem)
        for path in option.paths
        if environ.get(name := variable_name(stem, path), "").strip()
    }

"""The views of each path, and the permission that each needs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sandbox.paperless import custom_fields, documents, files, names, system, trash, workflows
from sandbox.paperless.auth import issue_token
from sandbox.paperless.bulk_edit import bulk_edit
from sandbox.paperless.calls import View
from sandbox.paperless.records import Kind


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The views of one path, by method."""

    pattern: re.Pattern[str]
    views: Mapping[str, View]
    codename: str | None = None
    """Object of the permission, as in `view_document`; None if the view decides."""
    is_open: bool = False
    """True if no login is required."""

    @property
    def allowed(self) -> str:
        return ", ".join([*self.views, "HEAD", "OPTIONS"])


def endpoint_for(path: str) -> tuple[Endpoint, str] | None:
    """Return the endpoint and the variable part of a path; None for an unknown path."""
    for endpoint in _ENDPOINTS:
        match = endpoint.pattern.fullmatch(path)
        if match is not None:
            return endpoint, match.groupdict().get("key", "")
    return None


def _endpoint(path: str, views: Mapping[str, View], codename: str | None = None) -> Endpoint:
    pattern = re.escape(path).replace("KEY", "(?P<key>[^/]+)")
    return Endpoint(re.compile(pattern), views, codename)


_ONE = "/api/documents/KEY/"
_ENDPOINTS = [
    Endpoint(re.compile("/api/token/"), {"POST": issue_token}, is_open=True),
    _endpoint("/api/ui_settings/", {"GET": system.ui_settings}),
    _endpoint("/api/status/", {"GET": system.status}),
    _endpoint("/api/statistics/", {"GET": system.statistics}),
    _endpoint("/api/groups/", {"GET": system.list_groups}, "group"),
    _endpoint("/api/trash/", {"GET": trash.list_trash, "POST": trash.empty_or_restore}),
    _endpoint("/api/documents/bulk_edit/", {"POST": bulk_edit}),
    _endpoint("/api/documents/", {"GET": documents.list_documents}, "document"),
    _endpoint(
        _ONE,
        {
            "GET": documents.show_document,
            "PUT": documents.put_document,
            "PATCH": documents.patch_document,
            "DELETE": documents.delete_document,
        },
        "document",
    ),
    _endpoint(f"{_ONE}thumb/", {"GET": files.thumb}, "document"),
    _endpoint(f"{_ONE}preview/", {"GET": files.preview}, "document"),
    _endpoint(f"{_ONE}download/", {"GET": files.download}, "document"),
    _endpoint(f"{_ONE}metadata/", {"GET": files.metadata}, "document"),
    _endpoint(f"{_ONE}suggestions/", {"GET": files.suggestions}, "document"),
    _endpoint(f"{_ONE}notes/", {"GET": files.list_notes, "POST": files.add_note}, "note"),
    _endpoint(
        "/api/custom_fields/",
        {"GET": custom_fields.list_fields, "POST": custom_fields.create_field},
        "customfield",
    ),
    _endpoint(
        "/api/custom_fields/KEY/",
        {
            "GET": custom_fields.show_field,
            "PATCH": custom_fields.patch_field,
            "DELETE": custom_fields.delete_field,
        },
        "customfield",
    ),
    _endpoint(
        "/api/workflows/",
        {"GET": workflows.list_workflows, "POST": workflows.create_workflow},
        "workflow",
    ),
    _endpoint(
        "/api/workflows/KEY/",
        {
            "GET": workflows.show_workflow,
            "PATCH": workflows.patch_workflow,
            "DELETE": workflows.delete_workflow,
        },
        "workflow",
    ),
    *(_endpoint(f"/api/{kind}/", names.collection(kind), kind.codename) for kind in Kind),
    *(_endpoint(f"/api/{kind}/KEY/", names.single(kind), kind.codename) for kind in Kind),
]

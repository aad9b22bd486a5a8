"""A typed asynchronous client for the REST API of Paperless-ngx, built on httpx.

`client` has a method for each request. `transport` sends it and turns failures into the classes of
`errors`, which say what a caller can do. `decoding` turns JSON into the values of `models`.
It may import `core` only.
"""

from paperless_client.client import PaperlessClient
from paperless_client.decoding import parse_http_date, parse_retry_after
from paperless_client.documents import (
    UNSET,
    CustomFieldValue,
    Document,
    DocumentFields,
    DocumentPatch,
    DocumentSummary,
    DocumentText,
    FetchedTexts,
    FreshFields,
    Unset,
    build_archive_document,
)
from paperless_client.errors import (
    AnswerTooLarge,
    CertificateUntrusted,
    DocumentGone,
    ListChanged,
    LoginRefused,
    MfaCodeRefused,
    MfaCodeRequired,
    NotPaperless,
    OutageSuspected,
    OutcomeUnknown,
    PaperlessError,
    PaperlessRefused,
    PaperlessUnavailable,
    PermissionMissing,
    TokenRefused,
    VersionUnsupported,
)
from paperless_client.lists import CachedList, NameLists
from paperless_client.login import Login, request_token, require_paperless
from paperless_client.models import (
    CustomField,
    FileStream,
    NamedObject,
    NameKind,
    Page,
    Parties,
    Rights,
    SelectOption,
    Server,
    Shares,
    Thumbnail,
    User,
)
from paperless_client.requests import (
    MAX_IDS,
    DocumentQuery,
    Ordering,
    chunked,
)
from paperless_client.timing import RequestStats
from paperless_client.transport import Transport, build_http
from paperless_client.versions import TRIED_VERSIONS, is_tried
from paperless_client.workflows import UpdateTrigger, WebhookWorkflow, Workflow

__all__ = [
    "MAX_IDS",
    "TRIED_VERSIONS",
    "UNSET",
    "AnswerTooLarge",
    "CachedList",
    "CertificateUntrusted",
    "CustomField",
    "CustomFieldValue",
    "Document",
    "DocumentFields",
    "DocumentGone",
    "DocumentPatch",
    "DocumentQuery",
    "DocumentSummary",
    "DocumentText",
    "FetchedTexts",
    "FileStream",
    "FreshFields",
    "ListChanged",
    "Login",
    "LoginRefused",
    "MfaCodeRefused",
    "MfaCodeRequired",
    "NameKind",
    "NameLists",
    "NamedObject",
    "NotPaperless",
    "Ordering",
    "OutageSuspected",
    "OutcomeUnknown",
    "Page",
    "PaperlessClient",
    "PaperlessError",
    "PaperlessRefused",
    "PaperlessUnavailable",
    "Parties",
    "PermissionMissing",
    "RequestStats",
    "Rights",
    "SelectOption",
    "Server",
    "Shares",
    "Thumbnail",
    "TokenRefused",
    "Transport",
    "Unset",
    "UpdateTrigger",
    "User",
    "VersionUnsupported",
    "WebhookWorkflow",
    "Workflow",
    "build_archive_document",
    "build_http",
    "chunked",
    "is_tried",
    "parse_http_date",
    "parse_retry_after",
    "request_token",
    "require_paperless",
]

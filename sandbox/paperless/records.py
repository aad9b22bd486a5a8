"""Records of a Paperless: users, documents, names, custom fields, notes, workflows."""

from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum


@dataclass(slots=True)
class User:
    """Someone with a token."""

    id: int
    username: str
    token: str
    password: str
    permissions: set[str]
    is_superuser: bool = False
    is_active: bool = True
    mfa_code: str = ""
    """The code that is valid now; empty if no second factor is set up."""
    groups: set[int] = field(default_factory=set)

    def may(self, codename: str) -> bool:
        return self.is_superuser or codename in self.permissions


@dataclass(slots=True)
class Group:
    """Users who share their permissions."""

    id: int
    name: str


@dataclass(slots=True)
class Shares:
    """Ids of the users and groups who may see or change an object of someone else."""

    view: set[int] = field(default_factory=set)
    change: set[int] = field(default_factory=set)
    view_groups: set[int] = field(default_factory=set)
    change_groups: set[int] = field(default_factory=set)

    def lets_view(self, user: User) -> bool:
        return user.id in self.view or bool(user.groups & self.view_groups)

    def lets_change(self, user: User) -> bool:
        return user.id in self.change or bool(user.groups & self.change_groups)

    def as_json(self) -> dict[str, object]:
        return {
            "view": {"users": sorted(self.view), "groups": sorted(self.view_groups)},
            "change": {"users": sorted(self.change), "groups": sorted(self.change_groups)},
        }


class Kind(StrEnum):
    """A kind of names, by its place in the API."""

    TAG = "tags"
    CORRESPONDENT = "correspondents"
    DOCUMENT_TYPE = "document_types"
    STORAGE_PATH = "storage_paths"

    @property
    def field(self) -> str:
        """Name of the document's field, also in filters and in bulk edits."""
        return self.value.removesuffix("s")

    @property
    def codename(self) -> str:
        """Name in permissions, as in `add_documenttype`."""
        return self.field.replace("_", "")

    @property
    def words(self) -> str:
        return self.field.replace("_", " ")

    @property
    def model(self) -> str:
        return "".join(part.capitalize() for part in self.field.split("_"))


@dataclass(slots=True)
class Name:
    """A tag, correspondent, document type or storage path."""

    id: int
    name: str
    owner: int | None = None
    match: str = ""
    matching_algorithm: int = 0
    is_insensitive: bool = True
    color: str = "#a6cee3"
    """Of tags only, like the next two."""
    is_inbox_tag: bool = False
    parent: int | None = None
    path: str = ""
    """Of storage paths only."""
    shares: Shares = field(default_factory=Shares)


@dataclass(slots=True)
class CustomField:
    """A field that was defined by users."""

    id: int
    name: str
    data_type: str
    options: list[dict[str, str]] = field(default_factory=list)
    """Label and id of each option; of select fields only."""
    currency: str | None = None
    """Currency of amounts without one; of monetary fields only."""


@dataclass(slots=True)
class Note:
    """A remark on a document."""

    id: int
    text: str
    created: datetime
    user: int


@dataclass(slots=True)
class Document:
    """A document, in the archive or in the trash."""

    id: int
    title: str
    content: str
    original: bytes
    """The file; it stays as it is when the content is edited."""
    e_invoice: bytes = field(default=b"", kw_only=True)
    """The XML of an e-invoice; the file is then a PDF with it."""
    pages: str = field(default="", kw_only=True)
    """Name of its PDF and picture among the pages of the sample documents; empty: it has none."""
    original_file_name: str | None
    mime_type: str
    created: date
    added: datetime
    modified: datetime
    owner: int | None = None
    tags: set[int] = field(default_factory=set)
    correspondent: int | None = None
    document_type: int | None = None
    storage_path: int | None = None
    archive_serial_number: int | None = None
    page_count: int | None = 1
    custom_fields: dict[int, object] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    shares: Shares = field(default_factory=Shares)
    deleted_at: datetime | None = None


ADDED, UPDATED = 2, 3
"""Types of the triggers of a workflow."""
WEBHOOK = 4
"""The type of an action."""


@dataclass(slots=True)
class Workflow:
    """A workflow, with its triggers and actions as the API shows them."""

    id: int
    name: str
    order: int
    enabled: bool
    triggers: list[dict[str, object]]
    actions: list[dict[str, object]]

    def as_json(self) -> dict[str, object]:
        return {
            "id": self.id,
            "name": self.name,
            "order": self.order,
            "enabled": self.enabled,
            "triggers": self.triggers,
            "actions": self.actions,
        }

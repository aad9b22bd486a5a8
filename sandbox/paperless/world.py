"""The state of a fake Paperless, and edits that bypass the API."""

import hashlib
import mimetypes
import threading
from collections.abc import Callable, Iterable
from datetime import date, datetime
from pathlib import PurePath
from zoneinfo import ZoneInfo

from sandbox.paperless import persons
from sandbox.paperless.clock import Clock, system_time
from sandbox.paperless.records import (
    ADDED,
    UPDATED,
    CustomField,
    Document,
    Group,
    Kind,
    Name,
    User,
    Workflow,
)
from sandbox.paperless.releases import V3, Release
from sandbox.paperless.webhooks import WebhookSender
from sandbox.paperless.worker import Worker

USUAL_PERMISSIONS = frozenset(
    {
        "view_document", "change_document", "view_uisettings",
        "view_tag", "add_tag",
        "view_correspondent", "add_correspondent",
        "view_documenttype", "add_documenttype",
        "view_storagepath", "view_customfield",
    }
)  # fmt: skip
LIMITED_PERMISSIONS = frozenset(
    {"view_document", "view_tag", "view_correspondent", "view_documenttype", "view_uisettings"}
)


class World:
    """Everything in one Paperless. Hold `lock` to read more than one value from outside."""

    def __init__(
        self,
        release: Release = V3,
        *,
        zone: str = "Europe/Berlin",
        clock: Callable[[], datetime] = system_time,
    ) -> None:
        self.release = release
        self.zone = ZoneInfo(zone)
        self.now = Clock(clock)
        self.lock = threading.RLock()
        self.worker = Worker(self._bump)
        self.users: dict[str, User] = {}
        self.groups: dict[int, Group] = {}
        self.documents: dict[int, Document] = {}
        """All documents; those in the trash have a `deleted_at`."""
        self.names: dict[Kind, dict[int, Name]] = {kind: {} for kind in Kind}
        self.custom_fields: dict[int, CustomField] = {}
        self.workflows: dict[int, Workflow] = {}
        self.webhooks = WebhookSender(self)
        self.token_requests: list[datetime] = []
        """Times of requests for a token with a password; v3 allows five per minute."""
        self.search_is_broken = False
        """True, as after a few writes to 3.x: `more_like_id` finds nothing until a reindex."""
        self.allowed_hosts: frozenset[str] | None = None
        """None, the default: any Host header is accepted."""
        self.texts_sent: list[int] = []
        """The documents whose text was sent, once per response."""
        self._last_ids: dict[str, int] = {}
        self._add_the_usual_users()

    @property
    def tags(self) -> dict[int, Name]:
        return self.names[Kind.TAG]

    def next_id(self, table: str) -> int:
        """Return an id that was never used in a table, as a database does."""
        self._last_ids[table] = self._last_ids.get(table, 0) + 1
        return self._last_ids[table]

    def user(self, id_: int) -> User:
        return next(user for user in self.users.values() if user.id == id_)

    def add_user(self, username: str, permissions: Iterable[str] = ()) -> User:
        token = hashlib.sha256(f"token of {username}".encode()).hexdigest()[:40]
        user = User(
            self.next_id("users"), username, token, f"{username}-password", set(permissions)
        )
        self.users[username] = user
        return user

    def add_name(
        self,
        kind: Kind,
        name: str,
        *,
        owner: int | None = None,
        parent: int | None = None,
        is_inbox_tag: bool = False,
        path: str = "",
    ) -> Name:
        with self.lock:
            id_ = self.next_id(kind)
            added = Name(id_, name, owner, parent=parent, is_inbox_tag=is_inbox_tag, path=path)
            self.names[kind][id_] = added
            return added

    def add_custom_field(
        self,
        name: str,
        data_type: str,
        labels: Iterable[str] = (),
        *,
        currency: str | None = None,
    ) -> CustomField:
        with self.lock:
            id_ = self.next_id("custom_fields")
            options = [{"label": label, "id": _option_id(id_, label)} for label in labels]
            self.custom_fields[id_] = CustomField(id_, name, data_type, options, currency)
            return self.custom_fields[id_]

    def add_document(
        self,
        content: str,
        original_file_name: str,
        *,
        title: str | None = None,
        created: date | None = None,
        added: datetime | None = None,
    ) -> Document:
        """Add a document as the consumer does: unowned, the file's stem as title, dated today."""
        with self.lock:
            added = added or self.now()
            self.now.pass_by(added)
            stem = PurePath(original_file_name).stem
            document = Document(
                id=self.next_id("documents"),
                title=stem[:128] if title is None else title,
                content=content,
                original=content.encode(),
                original_file_name=original_file_name,
                mime_type=mimetypes.guess_type(original_file_name)[0] or "text/plain",
                created=created or added.astimezone(self.zone).date(),
                added=added,
                modified=added,
            )
            self.documents[document.id] = document
            self.webhooks.fire(ADDED, document)
            return document

    def find(self, kind: Kind, name: str) -> Name:
        """Return a name by its text; raise KeyError if there is none."""
        for found in self.names[kind].values():
            if found.name == name:
                return found
        raise KeyError(f"no {kind.words} is called {name!r}")

    def find_custom_field(self, name: str) -> CustomField:
        """Return a custom field by its name; raise KeyError if there is none."""
        for found in self.custom_fields.values():
            if found.name == name:
                return found
        raise KeyError(f"no custom field is called {name!r}")

    def edit(self, document_id: int, **changes: object) -> Document:
        """Change a document as a person would in Paperless itself; see `persons.edit`."""
        return persons.edit(self, document_id, changes)

    def touch(self, document: Document) -> None:
        document.modified = self.now()

    def delete(self, document_id: int) -> None:
        """Move a document to the trash."""
        with self.lock:
            self.documents[document_id].deleted_at = self.now()

    def _bump(self, document_ids: Iterable[int]) -> None:
        with self.lock:
            for id_ in document_ids:
                self.touch(self.documents[id_])
                self.webhooks.fire(UPDATED, self.documents[id_])

    def _add_the_usual_users(self) -> None:
        # As in a real Paperless, where the first id belongs to a hidden user.
        self.next_id("users")
        self.add_user("admin").is_superuser = True
        self.add_user("limited", LIMITED_PERMISSIONS)
        self.add_user("paperclerk", USUAL_PERMISSIONS)


def _option_id(field: int, label: str) -> str:
    return hashlib.sha256(f"{field} {label}".encode()).hexdigest()[:16]

"""Changes grouped by document, or by document and run, as lists show them."""

from collections.abc import Iterable
from dataclasses import dataclass

from core.changes import UNDOABLE, Change
from core.documents import DocumentRef
from core.fields import Field


@dataclass(frozen=True, slots=True)
class ChangedDocument:
    """A document and some of its changes, in the order in which they were listed."""

    ref: DocumentRef
    changes: tuple[Change, ...]

    @property
    def by_state(self) -> dict[str, list[Change]]:
        """Return the changes by state; what someone changed since is a state of its own."""
        found: dict[str, list[Change]] = {}
        for change in self.changes:
            state = "changed" if change.is_changed_since else change.state.value
            found.setdefault(state, []).append(change)
        return found

    @property
    def fields(self) -> list[Field]:
        """Return the changed fields, each once."""
        return list(dict.fromkeys(change.field for change in self.changes))

    @property
    def can_undo(self) -> bool:
        return any(change.state in UNDOABLE for change in self.changes)


def group_by_document(changes: Iterable[Change]) -> list[ChangedDocument]:
    """Group changes by document; the documents are in the order of their first change."""
    found: dict[DocumentRef, list[Change]] = {}
    for change in changes:
        found.setdefault(change.document, []).append(change)
    return [ChangedDocument(ref, tuple(of_it)) for ref, of_it in found.items()]


def group_by_run(changes: Iterable[Change]) -> list[ChangedDocument]:
    """Group changes by document and analysis; the groups are in the order of their first change."""
    found: dict[tuple[DocumentRef, int], list[Change]] = {}
    for change in changes:
        found.setdefault((change.document, change.job_id), []).append(change)
    return [ChangedDocument(ref, tuple(of_it)) for (ref, _), of_it in found.items()]

"""The errors of the store.

PaperclerkError
└── StoreError
    ├── StoreUnavailable      the database does not answer: try later
    │   └── SchemaChanged     another version changed the schema while we worked
    ├── CannotOpen            the store cannot be opened: the operator must act
    │   ├── DataFolderNotWritable
    │   ├── DiskFull
    │   ├── DiskReadOnly
    │   ├── DatabaseMissing   nothing has run here yet
    │   ├── DatabaseGone      the file is missing, but another process works on it
    │   ├── SchemaTooNew
    │   ├── SchemaTooOld
    │   ├── NoRoomForBackup   in backup.py
    │   ├── BackupFailed      in backup.py
    │   ├── BackupUnusable    in restore.py
    │   └── WorkLocked        another process works on this queue
    ├── ClaimLost             the claim is over: drop the attempt, settle nothing
    ├── LeaseLost             another process has taken over: stop, write nothing
    ├── NotFound              nothing has that id or name
    │   ├── JobNotFound
    │   │   └── JobDeleted    retention deleted it
    │   ├── ScanNotFound
    │   ├── ResultNotFound
    │   ├── ChangeNotFound
    │   ├── InstanceNotFound
    │   ├── NotificationNotFound
    │   └── TokenNotFound
    └── Refused               not possible in the current state: report it to the caller
        ├── InvalidTransition
        ├── AlreadyQueued     a job of that document and kind is live
        ├── DocumentIgnored
        ├── NotIgnored
        ├── NotForReview      someone has already decided the change
        ├── ScanRunning       the instance is being scanned
        ├── TokenNameTaken    a token of that name is valid
        ├── TokenNameReserved the name stands for Paperclerk itself
        └── DocumentBusy      accepted changes are being written
"""

from datetime import datetime
from pathlib import Path

from core.documents import DocumentRef
from core.errors import PaperclerkError
from core.messages import Message, message, word
from core.scans import Scan


class StoreError(PaperclerkError):
    """Any error of the store."""

    code = "store"
    user_message = "Paperclerk's database rejected the operation."


class StoreUnavailable(StoreError):
    """The database does not answer, or cannot write; the transaction was not committed."""

    code = "store_unavailable"
    user_message = "Paperclerk's database is currently unavailable."
    hint = "Check for a full disk, a read-only folder, or a database server that is down."


class SchemaChanged(StoreUnavailable):
    """Another version of Paperclerk has changed the schema while this one had it open."""

    code = "schema_moved"
    user_message = "Another version of Paperclerk has changed this database."
    hint = "Restart the daemon with that version, or `paperclerk restore` a backup of this one."

    def __init__(self, found: str | None, *, known: str) -> None:
        super().__init__(
            message(
                "the database now has schema {found}, this Paperclerk needs {known}",
                found=str(found),
                known=known,
            )
        )


class CannotOpen(StoreError):
    """The store cannot be opened."""

    code = "store_cannot_open"
    user_message = "Paperclerk's database cannot be opened."

    def __init__(self, message: Message, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint or type(self).hint


class DataFolderNotWritable(CannotOpen):
    """The data folder is not writable."""

    code = "data_folder_not_writable"
    user_message = "Paperclerk has no write access to its data folder."

    def __init__(self, folder: Path, *, uid: int, gid: int) -> None:
        self.folder = folder
        said = message("cannot write to the data folder {folder}", folder=str(folder))
        super().__init__(said, hint=f"chown -R {uid}:{gid} {folder}")


class DiskFull(CannotOpen):
    """The disk with the data folder is full."""

    code = "disk_full"
    user_message = "The disk with Paperclerk's data folder is full."
    hint = "Free up space on that disk. Nothing is lost; processing then continues."

    def __init__(self, folder: Path) -> None:
        super().__init__(
            message("the disk with the data folder {folder} is full", folder=str(folder))
        )


class DiskReadOnly(CannotOpen):
    """The file system with the data folder is read-only."""

    code = "disk_read_only"
    user_message = "The disk with Paperclerk's data folder is read-only."
    hint = "Mount it writable; in a compose file, list its volume without `:ro`."

    def __init__(self, folder: Path) -> None:
        super().__init__(
            message("the data folder {folder} is on a read-only disk", folder=str(folder))
        )


class DatabaseMissing(CannotOpen):
    """There is no database, because nothing has run yet."""

    code = "nothing_yet"
    user_message = "Paperclerk has not been started yet."
    hint = "`paperclerk init` sets up an instance; `paperclerk run` starts the daemon."

    def __init__(self, where: Message) -> None:
        super().__init__(
            message(
                "there is no database {where}: Paperclerk has not been started yet", where=where
            )
        )


class DatabaseGone(CannotOpen):
    """The database file is missing, though another process is working on it."""

    code = "database_gone"
    user_message = "The database file is missing."
    hint = "Restore the file; the daemon waits for it. To start over, stop the daemon first."

    def __init__(self, file: Path, *, at_work: Message) -> None:
        super().__init__(
            message(
                "the database file {file} is missing, and {at_work}",
                file=str(file),
                at_work=at_work,
            )
        )


class SchemaTooOld(CannotOpen):
    """An older version made this database, and it is not migrated in this mode."""

    code = "schema_too_old"
    user_message = "This database was written by an older Paperclerk."
    hint = "Restart the daemon with this version to upgrade the database."

    def __init__(self, found: str, *, known: str, at_work: Message | None) -> None:
        said = message(
            "the database has schema {found}, this Paperclerk needs {known}",
            found=found,
            known=known,
        )
        alone = "A start of the daemon brings it up to date; so does `paperclerk check`."
        if at_work:
            super().__init__(message("{said}, and {at_work}", said=said, at_work=at_work))
        else:
            super().__init__(said, hint=alone)


class SchemaTooNew(CannotOpen):
    """A newer version has used this database."""

    code = "schema_too_new"
    user_message = "This database was written by a newer Paperclerk."
    hint = "Run the newer version again, or `paperclerk restore` the backup of this version."

    def __init__(self, found: str, *, known: str, hint: str = "") -> None:
        super().__init__(
            message(
                "the database has schema {found}, this Paperclerk supports at most {known}",
                found=found,
                known=known,
            ),
            hint=hint,
        )


class WorkLocked(CannotOpen):
    """Another process works on this queue."""

    code = "work_locked"
    user_message = "Another Paperclerk is using this data folder."
    hint = "Stop the other Paperclerk first, or use a different data folder."

    def __init__(self, pid: int | None, *, hint: str = "") -> None:
        self.pid = pid
        who = message("process {pid}", pid=str(pid)) if pid else message("another process")
        super().__init__(message("{who} is using this data folder", who=who), hint=hint)


class ClaimLost(StoreError):
    """The claim is over: the job was recovered, settled or claimed again in the meantime."""

    code = "not_ours"
    user_message = "This job is now being processed by another worker."

    def __init__(self, job_id: int, *, claim: int) -> None:
        self.job_id = job_id
        self.claim = claim
        super().__init__(
            message(
                "claim {claim} of job {job} is no longer valid", claim=str(claim), job=str(job_id)
            )
        )


class LeaseLost(StoreError):
    """The lease is over: another process has taken it."""

    code = "lease_lost"
    user_message = "Another Paperclerk process has taken over."

    def __init__(self, name: str) -> None:
        super().__init__(message("another process holds the lease {name}", name=name))


class NotFound(StoreError):
    """Nothing has that id or name."""

    code = "not_found"
    user_message = "Not found."

    def __init__(self, number: int | str) -> None:
        self.number = number
        super().__init__(self._describe(str(number)))

    def _describe(self, number: str) -> Message:
        return message("there is nothing called {number}", number=number)


class JobNotFound(NotFound):
    """No job has that id."""

    code = "job_not_found"
    user_message = "Job not found."

    def _describe(self, number: str) -> Message:
        return message("there is no job {number}", number=number)


class JobDeleted(JobNotFound):
    """Retention has deleted the job with that id."""

    code = "job_deleted"
    user_message = "This job has been deleted because of its age."

    def __init__(self, number: int, document: DocumentRef, deleted_at: datetime) -> None:
        self.document = document
        self.deleted_at = deleted_at
        super().__init__(number)

    def _describe(self, number: str) -> Message:
        day = self.deleted_at.date().isoformat()
        return message(
            "job {number} was deleted on {day} because of its age", number=number, day=day
        )


class ScanNotFound(NotFound):
    """No scan has that id."""

    code = "scan_not_found"
    user_message = "Scan not found."

    def _describe(self, number: str) -> Message:
        return message("there is no scan {number}", number=number)


class ResultNotFound(NotFound):
    """No result has that id."""

    code = "result_not_found"
    user_message = "Result not found."

    def _describe(self, number: str) -> Message:
        return message("there is no result {number}", number=number)


class ResultDeleted(ResultNotFound):
    """Retention has deleted the result with that id."""

    code = "gone"
    user_message = "This result has been deleted because of its age."

    def __init__(self, number: int, instance: str, deleted_at: datetime) -> None:
        self.instance = instance
        self.deleted_at = deleted_at
        super().__init__(number)

    def _describe(self, number: str) -> Message:
        day = self.deleted_at.date().isoformat()
        return message(
            "result {number} was deleted on {day} because of its age", number=number, day=day
        )


class ChangeNotFound(NotFound):
    """No change has that id."""

    code = "change_not_found"
    user_message = "Change not found."

    def _describe(self, number: str) -> Message:
        return message("there is no change {number}", number=number)


class InstanceNotFound(NotFound):
    """No instance of that name was ever registered."""

    code = "instance_not_found"
    user_message = "Instance not found."

    def _describe(self, number: str) -> Message:
        return message("there is no instance {number}", number=number)


class NotificationNotFound(NotFound):
    """No notification has that id."""

    code = "notification_not_found"
    user_message = "Notification not found."

    def _describe(self, number: str) -> Message:
        return message("there is no notification {number}", number=number)


class TokenNotFound(NotFound):
    """No valid API token has that name."""

    code = "token_not_found"
    user_message = "API token not found."

    def _describe(self, number: str) -> Message:
        return message("there is no valid API token {number}", number=number)


class Refused(StoreError):
    """The request is not possible in the current state."""

    code = "refused"


class InvalidTransition(Refused):
    """The transition is not possible from that state."""

    code = "wrong_move"
    user_message = "This is not possible in the current state."

    def __init__(self, what: Message, *, state: str, wanted: str) -> None:
        text = (
            message("{what} is already {state}", what=what, state=word(state))
            if state == wanted
            else message(
                "{what} is {state} and cannot become {wanted}",
                what=what,
                state=word(state),
                wanted=word(wanted),
            )
        )
        super().__init__(text)


class AlreadyQueued(Refused):
    """A job of that document and kind is already live."""

    code = "already_queued"
    user_message = "This document is already in the queue."

    def __init__(self, document: DocumentRef, *, kind: str) -> None:
        self.document = document
        super().__init__(
            message(
                "{document} already has an open job of kind {kind}",
                document=str(document),
                kind=kind,
            )
        )


class DocumentIgnored(Refused):
    """The document is ignored."""

    code = "document_ignored"
    user_message = "This document is ignored."
    hint = "Stop ignoring the document first."

    def __init__(self, document: DocumentRef) -> None:
        self.document = document
        super().__init__(message("{document} is ignored", document=str(document)))


class NotIgnored(Refused):
    """The document is not ignored."""

    code = "not_ignored"
    user_message = "This document is not ignored."

    def __init__(self, document: DocumentRef) -> None:
        self.document = document
        super().__init__(message("{document} is not ignored", document=str(document)))


class NotForReview(Refused):
    """The change is not for review, or no longer."""

    code = "not_waiting"
    user_message = "This change has already been decided."
    hint = "Reload the document to see its current state."

    def __init__(self, change_id: int) -> None:
        self.change_id = change_id
        super().__init__(
            message("change {change} is not waiting for a decision", change=str(change_id))
        )


class ScanRunning(Refused):
    """The instance is being scanned."""

    code = "scan_running"
    user_message = "A scan of this instance is already running."
    hint = "Try again when it has finished."

    def __init__(self, scan: Scan) -> None:
        self.scan = scan
        super().__init__(
            message(
                "scan {scan} of {instance} is running", scan=str(scan.id), instance=scan.instance
            )
        )


class TokenNameTaken(Refused):
    """A token of that name is valid."""

    code = "token_name_taken"
    user_message = "An API token with this name already exists."
    hint = "Choose another name, or revoke the existing token."

    def __init__(self, name: str) -> None:
        super().__init__(message("a valid API token {name} already exists", name=name))


class TokenNameReserved(Refused):
    """The name stands for Paperclerk itself, such as its rules."""

    code = "token_name_reserved"
    user_message = "An API token cannot have this name."
    hint = "Choose another name: this one is reserved for Paperclerk's own decisions."

    def __init__(self, name: str) -> None:
        super().__init__(message("an API token cannot be named {name}", name=name))


class DocumentBusy(Refused):
    """Accepted changes are being written, or checked in Paperless before their job ends."""

    code = "busy"
    user_message = "This document is currently being written."
    hint = "Try again in a moment."

    def __init__(self, document: DocumentRef) -> None:
        self.document = document
        super().__init__(
            message(
                "an apply job of {document} is being processed or compared", document=str(document)
            )
        )

"""The database, SQLite or PostgreSQL. The only package with SQL.

`Store`, opened by `open_store`, groups the methods by subject: `store.jobs`, `store.changes`,
`store.scans` and so on. Each method is one transaction and returns frozen values of `core`, never
rows. `queue` has the transitions of jobs, `changes` those of changes, `migrations` the schema.
It may import `core` only.
"""

from store.changes.reads import DONE_TO_PAPERLESS, DecidedBy, HistoryFilter
from store.changes.review import ReviewFilter, ReviewNeed, ReviewOrder, ReviewPlace
from store.data_folder import WorkLock
from store.errors import (
    AlreadyQueued,
    CannotOpen,
    ChangeNotFound,
    ClaimLost,
    DatabaseGone,
    DatabaseMissing,
    DataFolderNotWritable,
    DiskFull,
    DiskReadOnly,
    DocumentBusy,
    DocumentIgnored,
    InstanceNotFound,
    InvalidTransition,
    JobDeleted,
    JobNotFound,
    LeaseLost,
    NotForReview,
    NotFound,
    NotificationNotFound,
    NotIgnored,
    Refused,
    ResultDeleted,
    ResultNotFound,
    ScanNotFound,
    ScanRunning,
    SchemaChanged,
    SchemaTooNew,
    SchemaTooOld,
    StoreError,
    StoreUnavailable,
    TokenNameReserved,
    TokenNameTaken,
    TokenNotFound,
    WorkLocked,
)
from store.instances import SearchFault
from store.opening import OpenMode
from store.queue.reads import JobFilter
from store.statistics import InstanceFigures
from store.store import Store, open_store
from store.workers import HeldLease

__all__ = [
    "DONE_TO_PAPERLESS",
    "AlreadyQueued",
    "CannotOpen",
    "ChangeNotFound",
    "ClaimLost",
    "DataFolderNotWritable",
    "DatabaseGone",
    "DatabaseMissing",
    "DecidedBy",
    "DiskFull",
    "DiskReadOnly",
    "DocumentBusy",
    "DocumentIgnored",
    "HeldLease",
    "HistoryFilter",
    "InstanceFigures",
    "InstanceNotFound",
    "InvalidTransition",
    "JobDeleted",
    "JobFilter",
    "JobNotFound",
    "LeaseLost",
    "NotForReview",
    "NotFound",
    "NotIgnored",
    "NotificationNotFound",
    "OpenMode",
    "Refused",
    "ResultDeleted",
    "ResultNotFound",
    "ReviewFilter",
    "ReviewNeed",
    "ReviewOrder",
    "ReviewPlace",
    "ScanNotFound",
    "ScanRunning",
    "SchemaChanged",
    "SchemaTooNew",
    "SchemaTooOld",
    "SearchFault",
    "Store",
    "StoreError",
    "StoreUnavailable",
    "TokenNameReserved",
    "TokenNameTaken",
    "TokenNotFound",
    "WorkLock",
    "WorkLocked",
    "open_store",
]

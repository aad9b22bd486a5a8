"""Remember work: tables, every move of a job, migrations; the only place with SQL."""

from store.change_moves import RULE, SUPERSEDED
from store.change_reads import DONE_TO_PAPERLESS, HistoryFilter
from store.errors import (
    AlreadyQueued,
    Busy,
    CannotOpen,
    ChangeNotFound,
    DataFolderNotWritable,
    DocumentIgnored,
    InstanceNotFound,
    JobNotFound,
    NotFound,
    NotIgnored,
    NotOurs,
    NotWaiting,
    Refused,
    ResultNotFound,
    ScanNotFound,
    ScanRunning,
    SchemaTooNew,
    StoreError,
    StoreUnavailable,
    TokenNameTaken,
    TokenNotFound,
    WorkLocked,
    WrongMove,
)
from store.job_reads import JobFilter
from store.lock import WorkLock
from store.standing import Standing
from store.store import Store, open_store

__all__ = [
    "DONE_TO_PAPERLESS",
    "RULE",
    "SUPERSEDED",
    "AlreadyQueued",
    "Busy",
    "CannotOpen",
    "ChangeNotFound",
    "DataFolderNotWritable",
    "DocumentIgnored",
    "HistoryFilter",
    "InstanceNotFound",
    "JobFilter",
    "JobNotFound",
    "NotFound",
    "NotIgnored",
    "NotOurs",
    "NotWaiting",
    "Refused",
    "ResultNotFound",
    "ScanNotFound",
    "ScanRunning",
    "SchemaTooNew",
    "Standing",
    "Store",
    "StoreError",
    "StoreUnavailable",
    "TokenNameTaken",
    "TokenNotFound",
    "WorkLock",
    "WorkLocked",
    "WrongMove",
    "open_store",
]

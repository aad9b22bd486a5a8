"""Remember work: tables, every move of a job, migrations; the only place with SQL."""

from store.change_moves import RULE, SUPERSEDED
from store.change_reads import HistoryFilter
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
    WorkLocked,
    WrongMove,
)
from store.job_reads import JobFilter
from store.lock import WorkLock
from store.store import Store, open_store

__all__ = [
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
    "Store",
    "StoreError",
    "StoreUnavailable",
    "WorkLock",
    "WorkLocked",
    "WrongMove",
    "open_store",
]

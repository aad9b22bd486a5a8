"""The queue as its callers see it; its functions are documented where they are defined."""

from store.announcements import CHANGE_IF_ANY, WORK, WORK_IF_ANY
from store.database import Database
from store.queue import claims, due, events, moves, reads
from store.run_facts import list_run_facts


class Jobs:
    """The durable queue. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        write, read = database.as_write, database.as_read
        self.enqueue = write(moves.enqueue, announces=WORK_IF_ANY)
        self.claim = write(claims.claim, announces=CHANGE_IF_ANY)
        self.heartbeat = write(claims.heartbeat, announces=None)
        self.record_model_call = write(claims.record_model_call, announces=None)
        self.record_progress = write(claims.record_progress)
        self.succeed = write(moves.succeed)
        self.succeed_and_claim = write(claims.succeed_and_claim)
        self.retry = write(moves.retry)
        self.release = write(moves.release, announces=WORK)
        self.postpone = write(moves.postpone)
        self.fail = write(moves.fail)
        self.end_cancelled = write(moves.end_cancelled)
        self.end_gone = write(moves.end_gone)
        self.end_read_only = write(moves.end_read_only)
        self.conclude = write(moves.conclude)
        self.recover = write(claims.recover, announces=WORK_IF_ANY)
        self.recover_orphans = write(claims.recover_orphans, announces=WORK_IF_ANY)
        self.cancel = write(moves.cancel, announces=WORK)
        self.restart = write(moves.restart, announces=WORK)
        self.cancel_of_scan = write(moves.cancel_of_scan, announces=WORK)
        self.restart_each = write(moves.restart_each, announces=WORK)
        self.get = read(moves.get)
        self.list_processing = read(reads.list_processing)
        self.list_asking_model = read(reads.list_asking_model)
        self.list_by_ids = read(reads.list_by_ids)
        self.list = read(reads.list_newest)
        self.list_facts = read(list_run_facts)
        self.list_events = read(events.list_for_job)
        self.list_events_of_jobs = read(events.list_for_jobs)
        self.list_events_after = read(events.list_after)
        self.list_job_events_after = read(events.list_for_job_after)
        self.list_events_with_jobs = read(events.list_with_jobs)
        self.get_last_event_id = read(events.get_last_id)
        self.next_due_after = read(due.next_due_after)
        self.is_anything_due = read(due.is_anything_due)
        self.count_held = read(claims.count_held)
        self.count_held_by_instance = read(claims.count_held_by_instance)
        self.count_for_scan = read(reads.count_for_scan)
        self.count_for_scans = read(reads.count_for_scans)
        self.count_by_status = read(reads.count_by_status)

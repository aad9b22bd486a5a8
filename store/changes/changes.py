"""The ledger of changes as its callers see it; its functions are documented where defined."""

from store.announcements import WORK
from store.changes import decisions, moves, plans, reads, review, suggestions
from store.database import Database


class Changes:
    """The ledger of changes. Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        write, read = database.as_write, database.as_read
        self.record_plan = write(plans.record_plan)
        self.begin = write(moves.begin)
        self.begin_undo = write(moves.begin_undo)
        self.settle_unconfirmed = write(moves.settle_unconfirmed)
        self.settle = write(moves.settle)
        self.decide = write(decisions.decide, announces=WORK)
        self.revise = write(decisions.revise, announces=WORK)
        self.undo_decision = write(decisions.undo_decision, announces=WORK)
        self.list_for_review = read(reads.list_for_review)
        self.list_for_review_by_document = read(reads.list_for_review_by_document)
        self.list_review_page = read(review.list_review_page)
        self.find_review_place = read(review.find_review_place)
        self.list_correspondents_for_review = read(review.list_correspondents_for_review)
        self.list_for_review_with_new_names = read(reads.list_for_review_with_new_names)
        self.list_to_apply = read(reads.list_to_apply)
        self.list_for_apply_job = read(reads.list_for_apply_job)
        self.list_begun = read(reads.list_begun)
        self.list_written_automatically = read(reads.list_written_automatically)
        self.list_for_job = read(reads.list_for_job)
        self.list_for_document = read(reads.list_for_document)
        self.list_for_scan = read(reads.list_for_scan)
        self.get = read(reads.get)
        self.list_by_ids = read(reads.list_by_ids)
        self.list_applied = read(reads.list_applied)
        self.list_history = read(reads.list_history)
        self.list_latest = read(reads.list_latest)
        self.record_dry_run = write(suggestions.record_dry_run)
        self.list_suggestions = read(suggestions.list_suggestions)
        self.list_suggestions_of_jobs = read(suggestions.list_suggestions_of_jobs)

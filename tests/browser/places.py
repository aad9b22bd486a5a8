"""Every page there is, by a name."""

PLACES = {
    "overview": "/",
    "review": "/review",
    "review-one": "/review/home/34",
    "review-hostile": "/review/home/40",
    "review-text": "/review/home/34/text",
    "names": "/names",
    "activity": "/activity",
    "failed": "/activity?status=failed",
    "job": "/jobs/18",
    "job-failed": "/jobs/22",
    "documents": "/documents?q=rechnung",
    "document": "/documents/home/34",
    "document-unseen": "/documents/home/38",
    "history": "/history",
    "undo": "/undo?document=home/34",
    "costs": "/costs?month=2026-11",
    "costs-empty": "/costs?month=2020-01",
    "settings": "/settings",
    "login": "/login",
    "error": "/nowhere",
}

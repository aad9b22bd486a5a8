"""Read one document as a good model would, from the prompt alone."""

from datetime import date

from sandbox.model.custom import find_custom
from sandbox.model.dates import find_date
from sandbox.model.finding import Reading
from sandbox.model.question import Question
from sandbox.model.senders import find_sender
from sandbox.model.subjects import find_heading, find_kind, find_storage_path, find_tags
from sandbox.model.text import is_readable, language_of
from sandbox.model.titles import find_title


def read(question: Question) -> Reading:
    """Return everything found in the document; nothing for unreadable and empty pages."""
    text = question.text or ""
    if not is_readable(text):
        return Reading()
    sender = find_sender(text, question.names.get("correspondent", ()))
    day = find_date(text)
    on = date.fromisoformat(day.value) if day else None
    return Reading(
        title=find_title(text, find_heading(text), sender, on, language_of(text)),
        correspondent=sender,
        document_type=find_kind(text, question.names.get("document_type", ())),
        tags=find_tags(text, question.names.get("tag", ())),
        date=day,
        storage_path=find_storage_path(text, question.names.get("storage_path", ())),
        custom={
            field.key: found for field in question.custom if (found := find_custom(text, field))
        },
    )

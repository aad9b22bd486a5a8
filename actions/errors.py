"""What a person asks for and cannot be done as it was said.

PaperclerkError
└── AskedWrongly
    ├── InstanceUnknown     no such instance, or none for these eyes
    ├── ConcernsAll         about every instance, and the caller may see only some
    ├── NothingWaits        nothing that was named waits for review
    ├── Doubtful            something speaks against it: a person must look at it alone
    ├── NothingToUndo       nothing that was named is written
    ├── NothingToAsk        the document has no text, or no such part, to ask a model about
    └── NameUnclear         which name is meant, or where, cannot be told
"""

from core.documents import DocumentRef
from core.errors import PaperclerkError
from core.messages import message


class InvalidRequest(PaperclerkError):
    """What was asked for makes no sense as it was said."""

    code = "asked_wrongly"
    user_message = "This is not possible."


class InstanceUnknown(InvalidRequest):
    """There is no such instance, or the caller may not see it."""

    code = "instance_unknown"
    user_message = "Instance not found."

    def __init__(self, name: str) -> None:
        super().__init__(message('there is no instance "{name}"', name=name))


class AllInstancesRequired(InvalidRequest):
    """It is about every instance, and the caller may not see all of them."""

    code = "concerns_all"
    user_message = "This affects all instances, and you do not have access to all of them."

    def __init__(self) -> None:
        super().__init__(
            message("this affects all instances, and you do not have access to all of them")
        )


class NothingToReview(InvalidRequest):
    """Nothing of what was named waits for review."""

    code = "nothing_waits"
    user_message = "Nothing of it is waiting for review."


class NeedsIndividualReview(InvalidRequest):
    """Something speaks against what waits of a document: it is not accepted among many."""

    code = "doubtful"
    user_message = "A check failed."
    hint = "Review this document individually."

    def __init__(self, document: DocumentRef) -> None:
        super().__init__(
            message("at least one check failed for {document}", document=str(document))
        )


class NothingToUndo(InvalidRequest):
    """Nothing of what was named is written."""

    code = "nothing_to_undo"
    user_message = "There is nothing to undo."

    def __init__(self) -> None:
        super().__init__(message("there is nothing to undo"))


class NothingToAsk(InvalidRequest):
    """The document has no text, or no such part, that a model could be asked about."""

    code = "nothing_to_ask"
    user_message = "There is no text to send to a model."


class NameAmbiguous(InvalidRequest):
    """Which name is meant, or where, cannot be told from what was said."""

    code = "name_unclear"
    user_message = "It is unclear which name is meant."

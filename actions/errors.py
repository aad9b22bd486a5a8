"""Errors of invalid requests.

PaperclerkError
└── InvalidRequest
    ├── InstanceUnknown         no such instance, or the caller may not see it
    ├── AllInstancesRequired    about every instance, and the caller may see only some
    ├── NothingToReview         nothing requested waits for review
    ├── NeedsIndividualReview   cannot be accepted together with others
    ├── NothingToUndo           nothing requested is written
    ├── NothingToAsk            the document has no text, or no such chunk
    └── NameAmbiguous           the name, its field or its instance is not clear
"""

from core.documents import DocumentRef
from core.errors import PaperclerkError
from core.messages import message


class InvalidRequest(PaperclerkError):
    """The request is not valid."""

    code = "asked_wrongly"
    user_message = "That cannot be done."


class InstanceUnknown(InvalidRequest):
    """There is no such instance, or the caller may not see it."""

    code = "instance_unknown"
    user_message = "There is no such instance."

    def __init__(self, name: str) -> None:
        super().__init__(message('there is no instance "{name}"', name=name))


class AllInstancesRequired(InvalidRequest):
    """The request concerns every instance, and the caller may see only some."""

    code = "concerns_all"
    user_message = "This concerns all instances, and you may not see all of them."

    def __init__(self) -> None:
        super().__init__(message("this is about every instance, and you may not see all of them"))


class NothingToReview(InvalidRequest):
    """Nothing requested waits for review."""

    code = "nothing_waits"
    user_message = "Nothing of it waits for review."


class NeedsIndividualReview(InvalidRequest):
    """A document has failed checks or new names: it cannot be accepted with others."""

    code = "doubtful"
    user_message = "Something speaks against it."
    hint = "Look at this one yourself."

    def __init__(self, document: DocumentRef) -> None:
        super().__init__(
            message("something speaks against what waits of {document}", document=str(document))
        )


class NothingToUndo(InvalidRequest):
    """Nothing requested is written."""

    code = "nothing_to_undo"
    user_message = "There is nothing to take back."

    def __init__(self) -> None:
        super().__init__(message("there is nothing to take back"))


class NothingToAsk(InvalidRequest):
    """The document has no text, or no such chunk, to ask a model about."""

    code = "nothing_to_ask"
    user_message = "There is no text that a model could be asked about."


class NameAmbiguous(InvalidRequest):
    """The request does not say clearly which name is meant, or where."""

    code = "name_unclear"
    user_message = "It is not clear which name is meant."

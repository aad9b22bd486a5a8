"""Errors of invalid requests.

PaperclerkError
└── InvalidRequest
    ├── InstanceUnknown         no such instance, or the caller may not see it
    ├── AllInstancesRequired    about every instance, and the caller may see only some
    ├── ConsentRequired         it costs more than may be spent without asking
    ├── NothingToReview         nothing requested waits for review
    ├── NeedsIndividualReview   cannot be accepted together with others
    ├── ChangedSinceShown       a value is no longer what the person saw
    ├── NewNameNotAllowed       a typed name does not exist, and must not be created (typed_names)
    ├── NewNamesUnconfirmed     typed names would be created: confirm them (typed_names)
    ├── NothingToUndo           nothing requested is written
    ├── NothingToAsk            the document has no text, or no such chunk
    └── NameAmbiguous           the name, its field or its instance is not clear
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.documents import DocumentRef
from core.errors import PaperclerkError
from core.messages import Message, listed, message

if TYPE_CHECKING:
    from actions.costs import EstimateSummary


class InvalidRequest(PaperclerkError):
    """The request is not valid."""

    code = "asked_wrongly"
    user_message = "This is not possible."


class InstanceUnknown(InvalidRequest):
    """There is no such instance, or the caller may not see it."""

    code = "instance_unknown"
    user_message = "Instance not found."

    def __init__(self, name: str) -> None:
        super().__init__(message('there is no instance "{name}"', name=name))


class AllInstancesRequired(InvalidRequest):
    """The request concerns every instance, and the caller may see only some."""

    code = "concerns_all"
    user_message = "This affects all instances, and you do not have access to all of them."

    def __init__(self) -> None:
        super().__init__(
            message("this affects all instances, and you do not have access to all of them")
        )


class ConsentRequired(InvalidRequest):
    """A run is estimated to cost more than `limits.consent_above`: a person must confirm it."""

    code = "consent_required"
    user_message = "This must be confirmed because of its estimated cost."

    def __init__(self, estimates: "Sequence[EstimateSummary]") -> None:
        self.estimates = tuple(estimates)
        """One for each instance whose share must be confirmed."""
        super().__init__(listed(_describe_estimate(estimate) for estimate in estimates))


def _describe_estimate(estimate: "EstimateSummary") -> Message:
    return message(
        "{instance}: about {cost} {currency} is more than limits.consent_above ({above})",
        instance=estimate.instance,
        cost=f"{estimate.cost:.2f}",
        currency=estimate.currency,
        above=str(estimate.consent_above),
    )


class NothingToReview(InvalidRequest):
    """Nothing requested waits for review."""

    code = "nothing_waits"
    user_message = "None of these changes is waiting for review."


class NeedsIndividualReview(InvalidRequest):
    """A document has failed checks or new names: it cannot be accepted with others."""

    code = "doubtful"
    user_message = "A check failed."
    hint = "Review this document individually."

    def __init__(self, document: DocumentRef) -> None:
        super().__init__(
            message("at least one check failed for {document}", document=str(document))
        )


class ChangedSinceShown(InvalidRequest):
    """A suggestion or a value in Paperless is no longer what the person saw."""

    code = "changed_since_shown"
    user_message = "This document has changed since the page was loaded."
    hint = "Look at it again."

    def __init__(self, document: DocumentRef) -> None:
        super().__init__(
            message("{document} has changed since it was shown", document=str(document))
        )


class NothingToUndo(InvalidRequest):
    """Nothing requested is written."""

    code = "nothing_to_undo"
    user_message = "There is nothing to undo."

    def __init__(self) -> None:
        super().__init__(message("there is nothing to undo"))


class NothingToAsk(InvalidRequest):
    """The document has no text, or no such chunk, to ask a model about."""

    code = "nothing_to_ask"
    user_message = "There is no text to send to a model."


class NameAmbiguous(InvalidRequest):
    """The request does not say clearly which name is meant, or where."""

    code = "name_unclear"
    user_message = "It is unclear which name is meant."

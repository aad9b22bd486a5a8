"""Describe the results of actions on several things: what was done, what was not, and why."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from actions.jobs import EnqueueResult
from actions.review import DecisionResult, UndoneDecisions
from core.changes import Decision
from core.documents import DocumentRef
from core.errors import PaperclerkError
from core.jobs import Job
from dashboard.rendering import REFUSED
from i18n import Translator


def describe_accepted(translator: Translator, decided: DecisionResult) -> str:
    """Return how many documents were accepted, and how many were not."""
    number, left = len(decided.jobs), decided.refused
    done = translator.plural("{n} document accepted.", "{n} documents accepted.", number)
    return _with_refused(translator, done if number or not left else "", left)


def describe_rejected(translator: Translator, decided: DecisionResult) -> str:
    """Return how many documents were rejected, and how many were not."""
    number, left = len(decided.jobs), decided.refused
    done = translator.plural("{n} document rejected.", "{n} documents rejected.", number)
    return _with_refused(translator, done if number or not left else "", left)


def describe_ignored(
    translator: Translator, number: int, refused: Sequence[PaperclerkError]
) -> str:
    """Return how many documents are ignored from now on, and how many are not."""
    done = translator.plural(
        "{n} document is now ignored.", "{n} documents are now ignored.", number
    )
    return _with_refused(translator, done if number or not refused else "", refused)


def describe_undone_decisions(translator: Translator, result: UndoneDecisions) -> str:
    """Return what became of decisions that were undone."""
    done = []
    if result.returned:
        done.append(
            translator.plural(
                "{n} change is for review again.",
                "{n} changes are for review again.",
                result.returned,
            )
        )
    if result.undone:
        done.append(
            translator.plural(
                "The changes to {n} document were already written: they are being undone, and the "
                "document does not return to review.",
                "The changes to {n} documents were already written: they are being undone, and the "
                "documents do not return to review.",
                result.undone,
            )
        )
    if not done and not result.refused:
        done.append(translator.text("There is nothing to undo."))
    return _with_refused(translator, " ".join(done), result.refused)


def describe_decided(translator: Translator, ref: DocumentRef, result: DecisionResult) -> str:
    """Return what was decided about a document, and which names will be created."""
    (decision,) = result.decisions
    counts = translator.text(
        "{ref}: {what}.", ref=ref, what=", ".join(_count_decided(translator, decision))
    )
    new = [translator.text("“{name}” will be created.", name=name) for name in decision.new_names]
    return " ".join([counts, *new])


def describe_restarted(translator: Translator, again: EnqueueResult) -> str:
    """Return how many jobs were queued again, and how many were not."""
    number, left = len(again.jobs), again.refused
    done = translator.plural("{n} job queued again.", "{n} jobs queued again.", number)
    return _with_refused(translator, done if number or not left else "", left)


def describe_cancelled(translator: Translator, jobs: Sequence[Job]) -> str:
    """Return how many jobs were cancelled."""
    return translator.plural("{n} job cancelled.", "{n} jobs cancelled.", len(jobs))


def describe_created(translator: Translator, result: DecisionResult, name: str) -> str:
    """Return that a name will be created, with the first document that gets it."""
    done = translator.text("“{name}” will be created.", name=name) if result.jobs else ""
    return _describe_name_decision(translator, result, done)


def describe_alias(translator: Translator, result: DecisionResult, name: str, existing: str) -> str:
    """Return that a name means an existing one; that is stored even if documents were refused."""
    done = translator.text(
        "“{name}” is now replaced by “{existing}”.", name=name, existing=existing
    )
    return _describe_name_decision(translator, result, done)


def describe_never_suggested(translator: Translator, result: DecisionResult, name: str) -> str:
    """Return that a name is never suggested again; that is stored, too."""
    done = translator.text("“{name}” will never be suggested again.", name=name)
    return _describe_name_decision(translator, result, done)


def describe_selected_names(
    translator: Translator, action: str, number: int, result: DecisionResult
) -> str:
    """Return what was decided about several new names."""
    if number == 0:
        return f"{REFUSED}{translator.text('Nothing was selected.')}"
    decided = number - len(result.refused)
    done = (
        translator.plural("{n} name will be created.", "{n} names will be created.", decided)
        if action == "create"
        else translator.plural(
            "{n} name will never be suggested again.",
            "{n} names will never be suggested again.",
            decided,
        )
    )
    return _describe_name_decision(translator, result, done if decided > 0 else "")


def _count_decided(translator: Translator, decision: Decision) -> Iterator[str]:
    if taken := len(decision.accept) + len(decision.add):
        yield translator.plural("{n} accepted", "{n} accepted", taken)
    if left := len(decision.reject):
        yield translator.plural("{n} rejected", "{n} rejected", left)
    if same := len(decision.unchanged):
        yield translator.plural("{n} reviewed", "{n} reviewed", same)


def _describe_name_decision(translator: Translator, result: DecisionResult, done: str) -> str:
    waiting = len(result.still_waiting)
    still = translator.plural(
        "{n} document with this name still needs review for another reason.",
        "{n} documents with this name still need review for another reason.",
        waiting,
    )
    return _with_refused(translator, f"{done} {still if waiting else ''}".strip(), result.refused)


def _with_refused(translator: Translator, done: str, refused: Iterable[PaperclerkError]) -> str:
    """Return what was done and what was refused; mark it as refused if nothing was done."""
    left = " ".join(_describe_refused(translator, refused))
    return f"{done} {left}".strip() if done else f"{REFUSED}{left}"


def _describe_refused(translator: Translator, refused: Iterable[PaperclerkError]) -> Iterator[str]:
    for sentence, number in Counter(error.user_message for error in refused).items():
        why = translator.text(sentence)
        yield translator.plural("{n} skipped: {why}", "{n} skipped: {why}", number, why=why)

"""Say what came of a deed about many things: what was done, what was left, and why."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from actions.jobs import EnqueueResult
from actions.names import NameDecisionResult
from actions.review import DecisionResult
from core.changes import Decision
from core.documents import DocumentRef
from core.errors import PaperclerkError
from core.jobs import Job
from dashboard.rendering import REFUSED
from i18n import Translator


def describe_accepted(translator: Translator, decided: DecisionResult) -> str:
    """Say how many documents were accepted, and how many were left."""
    number, left = len(decided.jobs), decided.refused
    done = translator.plural("{n} document accepted.", "{n} documents accepted.", number)
    return _with_left(translator, done if number or not left else "", left)


def describe_decided(translator: Translator, ref: DocumentRef, done: DecisionResult) -> str:
    """Say what was decided about a document, and which names will be made with it."""
    (decision,) = done.decisions
    said = translator.text(
        "{ref}: {what}.", ref=ref, what=", ".join(_counted(translator, decision))
    )
    new = [translator.text("“{name}” will be created.", name=name) for name in decision.new_names]
    return " ".join([said, *new])


def _counted(translator: Translator, decision: Decision) -> Iterator[str]:
    if taken := len(decision.accept) + len(decision.add):
        yield translator.plural("{n} accepted", "{n} accepted", taken)
    if left := len(decision.reject):
        yield translator.plural("{n} rejected", "{n} rejected", left)
    if same := len(decision.unchanged):
        yield translator.plural("{n} unchanged", "{n} unchanged", same)


def describe_restarted(translator: Translator, again: EnqueueResult) -> str:
    """Say how many jobs were started again, and how many were left."""
    number, left = len(again.jobs), again.refused
    done = translator.plural("{n} job queued again.", "{n} jobs queued again.", number)
    return _with_left(translator, done if number or not left else "", left)


def describe_cancelled(translator: Translator, jobs: Sequence[Job]) -> str:
    """Say how many jobs were cancelled."""
    return translator.plural("{n} job cancelled.", "{n} jobs cancelled.", len(jobs))


def describe_created(translator: Translator, said: NameDecisionResult, name: str) -> str:
    """Say that a name will be created, which it is with the first document that gets it."""
    done = translator.text("“{name}” will be created.", name=name) if said.decided.jobs else ""
    return _about_name(translator, said, done)


def describe_alias(
    translator: Translator, said: NameDecisionResult, name: str, existing: str
) -> str:
    """Say that a name means another: that is remembered, whatever became of its documents."""
    done = translator.text(
        "“{name}” is now replaced by “{existing}”.", name=name, existing=existing
    )
    return _about_name(translator, said, done)


def describe_never_suggested(translator: Translator, said: NameDecisionResult, name: str) -> str:
    """Say that a name is never suggested again: that is remembered, too."""
    done = translator.text("“{name}” will never be suggested again.", name=name)
    return _about_name(translator, said, done)


def _about_name(translator: Translator, said: NameDecisionResult, done: str) -> str:
    waiting = len(said.still_wait)
    still = translator.plural(
        "{n} document with this name still needs review for another reason.",
        "{n} documents with this name still need review for another reason.",
        waiting,
    )
    return _with_left(
        translator, f"{done} {still if waiting else ''}".strip(), said.decided.refused
    )


def _with_left(translator: Translator, done: str, refused: Iterable[PaperclerkError]) -> str:
    """Say what was done, and what was left; if nothing was done, it is a refusal."""
    left = " ".join(_left(translator, refused))
    return f"{done} {left}".strip() if done else f"{REFUSED}{left}"


def _left(translator: Translator, refused: Iterable[PaperclerkError]) -> Iterator[str]:
    for why, number in Counter(error.user_message for error in refused).items():
        told = translator.text(why)
        yield translator.plural("{n} skipped: {why}", "{n} skipped: {why}", number, why=told)

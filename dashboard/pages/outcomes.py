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


def describe_accepted(speech: Translator, decided: DecisionResult) -> str:
    """Say how many documents were accepted, and how many were left."""
    number, left = len(decided.jobs), decided.refused
    done = speech.plural("{n} document is accepted.", "{n} documents are accepted.", number)
    return _with_left(speech, done if number or not left else "", left)


def describe_decided(speech: Translator, ref: DocumentRef, done: DecisionResult) -> str:
    """Say what was decided about a document, and which names will be made with it."""
    (decision,) = done.decisions
    said = speech.text("{ref}: {what}.", ref=ref, what=", ".join(_counted(speech, decision)))
    new = [speech.text("“{name}” will be created.", name=name) for name in decision.new_names]
    return " ".join([said, *new])


def _counted(speech: Translator, decision: Decision) -> Iterator[str]:
    if taken := len(decision.accept) + len(decision.add):
        yield speech.plural("{n} accepted", "{n} accepted", taken)
    if left := len(decision.reject):
        yield speech.plural("{n} rejected", "{n} rejected", left)
    if same := len(decision.unchanged):
        yield speech.plural("{n} left as it is", "{n} left as they are", same)


def describe_restarted(speech: Translator, again: EnqueueResult) -> str:
    """Say how many jobs were started again, and how many were left."""
    number, left = len(again.jobs), again.refused
    done = speech.plural(
        "{n} job is in the queue again.", "{n} jobs are in the queue again.", number
    )
    return _with_left(speech, done if number or not left else "", left)


def describe_cancelled(speech: Translator, jobs: Sequence[Job]) -> str:
    """Say how many jobs were cancelled."""
    return speech.plural("{n} job is cancelled.", "{n} jobs are cancelled.", len(jobs))


def describe_created(speech: Translator, said: NameDecisionResult, name: str) -> str:
    """Say that a name will be created, which it is with the first document that gets it."""
    done = speech.text("“{name}” will be created.", name=name) if said.decided.jobs else ""
    return _about_name(speech, said, done)


def describe_alias(speech: Translator, said: NameDecisionResult, name: str, existing: str) -> str:
    """Say that a name means another: that is remembered, whatever became of its documents."""
    done = speech.text("“{name}” means “{existing}” from now on.", name=name, existing=existing)
    return _about_name(speech, said, done)


def describe_never_suggested(speech: Translator, said: NameDecisionResult, name: str) -> str:
    """Say that a name is never suggested again: that is remembered, too."""
    done = speech.text("“{name}” is never suggested again.", name=name)
    return _about_name(speech, said, done)


def _about_name(speech: Translator, said: NameDecisionResult, done: str) -> str:
    waiting = len(said.still_wait)
    still = speech.plural(
        "{n} document still waits with it, for another reason.",
        "{n} documents still wait with it, for another reason.",
        waiting,
    )
    return _with_left(speech, f"{done} {still if waiting else ''}".strip(), said.decided.refused)


def _with_left(speech: Translator, done: str, refused: Iterable[PaperclerkError]) -> str:
    """Say what was done, and what was left; if nothing was done, it is a refusal."""
    left = " ".join(_left(speech, refused))
    return f"{done} {left}".strip() if done else f"{REFUSED}{left}"


def _left(speech: Translator, refused: Iterable[PaperclerkError]) -> Iterator[str]:
    for why, number in Counter(error.user_message for error in refused).items():
        told = speech.text(why)
        yield speech.plural("{n} is left: {why}", "{n} are left: {why}", number, why=told)

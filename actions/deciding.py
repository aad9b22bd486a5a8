"""Store what a person decided about documents, and say what follows from it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from actions.caller import Caller
from actions.errors import NothingWaits
from core.changes import Accepted, Decision
from core.documents import DocumentRef
from core.errors import PaperclerkError
from core.fields import is_empty, same
from core.jobs import Job
from core.messages import message
from core.names import Meaning
from store import Refused


@dataclass(frozen=True, slots=True)
class Decided:
    """What became of decisions about documents."""

    jobs: tuple[Job, ...] = ()
    """They write what was accepted."""
    remembered: tuple[Meaning, ...] = ()
    """What names mean from now on."""
    refused: tuple[PaperclerkError, ...] = ()
    """Why others were not carried out: mostly they came too late, for the document changed."""
    unclear: tuple[Meaning, ...] = ()
    """What names may well mean, but only the person knows: it is not remembered."""
    decisions: tuple[Decision, ...] = ()
    """What was stored, one for each of the jobs."""

    def __add__(self, other: "Decided") -> "Decided":
        return Decided(
            self.jobs + other.jobs,
            self.remembered + other.remembered,
            self.refused + other.refused,
            self.unclear + other.unclear,
            self.decisions + other.decisions,
        )

    def or_refused(self) -> "Decided":
        """Raise the first refusal, for who decided about one document only."""
        for error in self.refused:
            raise error
        return self


async def carry_out(caller: Caller, decisions: Mapping[DocumentRef, Decision]) -> Decided:
    """Store all decisions; nothing is stored if one of them says nothing.

    A document that changed meanwhile is told of; the others are not kept from their decision.
    """
    for ref, decision in decisions.items():
        if decision.says_nothing:
            raise NothingWaits(
                message("none of these fields of {document} waits for review", document=str(ref))
            )
    return together([await _decide(caller, *one) for one in decisions.items()])


def only_what_differs(decision: Decision) -> Decision:
    """Accept nothing that is just as Paperless has it.

    There is nothing to write, and what was not written cannot be taken back.
    """
    unchanged = {one.change_id for one in decision.accept if _is_so_already(one)}
    return replace(
        decision,
        accept=tuple(one for one in decision.accept if one.change_id not in unchanged),
        unchanged=tuple(sorted(unchanged)),
    )


def _is_so_already(one: Accepted) -> bool:
    return same(one.after, one.seen) or (is_empty(one.after) and is_empty(one.seen))


def together(decided: Iterable[Decided]) -> Decided:
    return sum(decided, start=Decided())


async def _decide(caller: Caller, ref: DocumentRef, wanted: Decision) -> Decided:
    decision = only_what_differs(wanted)
    try:
        job = await caller.store.changes.decide(
            ref,
            decision,
            by=caller.by,
            max_attempts=caller.attempts(ref),
            now=caller.now(),
        )
    except Refused as error:
        return Decided(refused=(error,))
    return Decided((job,), decision.remember, decisions=(decision,))

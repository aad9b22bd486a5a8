"""Carry out what a person decided about documents, and tell what is remembered of it."""

from collections.abc import Mapping

from core.changes import Decision
from core.documents import DocumentRef
from core.jobs import Job
from core.names import Meaning
from daemon.drain import work_on
from daemon.exits import Exit, UsageError, tell
from daemon.output import console
from daemon.wiring import Clerk
from processor.words import meaning_words
from store import Refused

BY_HAND = "hand"


async def carry_out(clerk: Clerk, decisions: Mapping[DocumentRef, Decision]) -> Exit:
    """Store all decisions and have them written; nothing is stored if one of them says nothing.

    A document that changed meanwhile is told of; the others are not kept from their decision.
    """
    for ref, decision in decisions.items():
        if decision == Decision():
            raise UsageError(f"none of these fields of {ref} waits for review")
    jobs: list[Job] = []
    refused: list[Refused] = []
    for ref, decision in decisions.items():
        try:
            jobs.append(await _decide(clerk, ref, decision))
        except Refused as error:
            refused.append(error)
        else:
            tell_meanings(decision.remember)
    ended = await work_on(clerk, jobs) if jobs else Exit.OK
    for one in refused:
        tell(one)
    return Exit.LOOK if refused else ended


def tell_meanings(meanings: tuple[Meaning, ...]) -> None:
    """Say what is remembered from now on, and how it is taken back."""
    for meaning in meanings:
        taken_back = "`paperclerk names forget` takes that back"
        console().print(f"remembered: {meaning_words(meaning)}; {taken_back}")


async def _decide(clerk: Clerk, ref: DocumentRef, decision: Decision) -> Job:
    return await clerk.store.changes.decide(
        ref,
        decision,
        by=BY_HAND,
        max_attempts=clerk.instances[ref.instance].retry.max_attempts,
        now=clerk.memory.clock(),
    )

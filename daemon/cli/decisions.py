"""Have written what a person decided about documents, and tell what is remembered of it."""

from collections.abc import Iterable

from actions.review import DecisionResult
from core.names import AliasRule
from daemon.cli.exits import Exit, print_error
from daemon.cli.output import console
from daemon.drain import process_jobs
from daemon.services import Services
from i18n.labels import alias_label


async def process_decisions(services: Services, decided: DecisionResult) -> Exit:
    """Work on what was decided; tell what is remembered, and which decisions came too late."""
    print_meanings(decided.remembered)
    ended = await process_jobs(services, decided.jobs) if decided.jobs else Exit.OK
    _print_unclear(decided.unclear)
    for one in decided.refused:
        print_error(one)
    return Exit.LOOK if decided.refused else ended


def print_meanings(meanings: Iterable[AliasRule]) -> None:
    """Say what is remembered from now on, and how it is taken back."""
    for meaning in meanings:
        taken_back = "`paperclerk names forget` takes that back"
        console().print(f"remembered: {alias_label(meaning)}; {taken_back}")


def _print_unclear(meanings: Iterable[AliasRule]) -> None:
    """Say how to have a name mean another from now on."""
    for meaning in meanings:
        words = f'"{meaning.spelling}" "{meaning.target}" --field {meaning.field}'
        console().print(f"not remembered; if it always means that: `names use {words}`")

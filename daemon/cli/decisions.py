"""Have written what a person decided about documents, and tell what is remembered of it."""

from collections.abc import Iterable

from actions.review import Decided
from core.names import Meaning
from daemon.cli.exits import Exit, tell
from daemon.cli.output import console
from daemon.drain import work_on
from daemon.services import Clerk
from i18n.labels import meaning_words


async def see_through(clerk: Clerk, decided: Decided) -> Exit:
    """Work on what was decided; tell what is remembered, and which decisions came too late."""
    tell_meanings(decided.remembered)
    ended = await work_on(clerk, decided.jobs) if decided.jobs else Exit.OK
    _tell_unclear(decided.unclear)
    for one in decided.refused:
        tell(one)
    return Exit.LOOK if decided.refused else ended


def tell_meanings(meanings: Iterable[Meaning]) -> None:
    """Say what is remembered from now on, and how it is taken back."""
    for meaning in meanings:
        taken_back = "`paperclerk names forget` takes that back"
        console().print(f"remembered: {meaning_words(meaning)}; {taken_back}")


def _tell_unclear(meanings: Iterable[Meaning]) -> None:
    """Say how to have a name mean another from now on."""
    for meaning in meanings:
        words = f'"{meaning.spelling}" "{meaning.target}" --field {meaning.field}'
        console().print(f"not remembered; if it always means that: `names use {words}`")

"""Process the jobs of a review decision, and print which names are remembered."""

from actions.review import DecisionResult
from daemon.cli.exits import Exit, print_error
from daemon.cli.output import console
from daemon.drain import process_jobs
from daemon.services import Services
from i18n.labels import alias_label


async def process_decisions(services: Services, decided: DecisionResult) -> Exit:
    """Process the jobs of decisions; print the new aliases and the refused decisions."""
    for alias in decided.remembered:
        console().print(
            f"remembered: {alias_label(alias)}; `paperclerk names forget` removes this again"
        )
    ended = await process_jobs(services, decided.jobs) if decided.jobs else Exit.OK
    for alias in decided.unclear:
        arguments = f'"{alias.spelling}" "{alias.target}" --field {alias.field}'
        console().print(f"not remembered; to use it from now on: `names use {arguments}`")
    for error in decided.refused:
        print_error(error)
    return Exit.LOOK if decided.refused else ended

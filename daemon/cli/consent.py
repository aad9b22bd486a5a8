"""Ask before a command that costs more than `limits.consent_above`."""

import sys
from collections.abc import Callable, Coroutine
from decimal import Decimal
from typing import Any

from actions.errors import ConsentRequired
from daemon.cli import parsing
from daemon.cli.exits import Exit, result_of, run


def run_with_consent(
    command: Callable[[Decimal | None], Coroutine[Any, Any, Exit]], *, yes: bool
) -> None:
    """Run a command and exit; if its cost must be confirmed, ask, and run it with the consent.

    The command is given the confirmed amount, and raises ConsentRequired before it does anything.
    """

    async def run_or_refuse() -> Exit | ConsentRequired:
        from actions.estimates import ANY_COST

        try:
            return await command(ANY_COST if yes else None)
        except ConsentRequired as required:
            return required

    # The question is asked outside the event loop, where Ctrl-C ends it.
    outcome = result_of(run_or_refuse)
    if isinstance(outcome, Exit):
        sys.exit(outcome)
    from daemon.cli.estimates import question_about

    parsing.confirm(question_about(outcome.estimates), instead="Add --yes to start.")
    up_to = max(estimate.cost or Decimal() for estimate in outcome.estimates)
    run(lambda: command(up_to))

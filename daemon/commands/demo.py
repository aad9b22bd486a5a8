"""`demo`: the clerk at work on forty sample documents, in a pretend Paperless."""

import tempfile
from pathlib import Path

from core.changes import ChangeFilter
from core.jobs import JobStatus
from core.private_files import make_private_folder, write_private_text
from daemon.cli.exits import Exit
from daemon.cli.options import Options
from daemon.cli.output import console, plural
from daemon.commands.scan import ScanRequest, scan_now
from daemon.context import open_context
from daemon.demo import run_until_stopped
from sandbox import Sandbox

NAME = "demo"
_ENOUGH = 30
_RULES = """
[scan]
cron = "* * * * *"
exclude_tags = ["Privat"]
min_age = "0s"

[names]
correspondents = "review"
tags = "never"

[fields]
title = "fill"
correspondent = "fill"
document_type = "fill"
tags = "fill"
date = "fill"
custom_fields = { "Rechnungsnummer" = "fill", "Betrag" = "fill" }

[limits]
cost_per_month = 5.0
price_in = 0.25
price_out = 2.0
"""


async def demo(*, leave: bool) -> Exit:
    """File the sample documents and end, or be a daemon among them until Ctrl-C."""
    with tempfile.TemporaryDirectory(prefix="paperclerk-demo-") as folder, Sandbox() as sandbox:
        options = _options(Path(folder), sandbox)
        console().print(
            f"A pretend Paperless is at {sandbox.url}, with a pretend model beside it;"
            " nothing of yours is touched."
        )
        if not leave:
            await run_until_stopped(options, sandbox)
            await _sum_up(options)
            return Exit.OK
        if await scan_now(options, ScanRequest(NAME)) is Exit.CANCELLED:
            return Exit.CANCELLED
        return Exit.OK if await _sum_up(options) >= _ENOUGH else Exit.LOOK


def _options(folder: Path, sandbox: Sandbox) -> Options:
    config = folder / "config"
    make_private_folder(config)
    write_private_text(config / f"{NAME}.toml", sandbox.settings(_RULES))
    return Options(config, folder / "data", log_at_least="error")


async def _sum_up(options: Options) -> int:
    """Tell what came of the documents; filed is what was written and needs nobody any more."""
    async with open_context(options) as memory:
        written = await memory.store.changes.list_applied(ChangeFilter(instance=NAME))
        waiting = await memory.store.changes.list_for_review_by_document([NAME], limit=1000)
        failed = (await memory.store.jobs.count_by_status(NAME))[JobStatus.FAILED]
    review = {change.document for change in waiting}
    filed = len({change.document for change in written} - review)
    console().print(f"{plural(filed, 'document')} filed, {len(review)} for review, {failed} failed")
    return filed

"""`demo`: file forty sample documents in the sandbox."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.changes import ChangeFilter
from core.jobs import JobStatus
from daemon.cli.app import app
from daemon.cli.arguments import FLAG
from daemon.cli.exits import Exit, async_command
from daemon.cli.options import Options
from daemon.cli.output import console, plural
from daemon.cli.scan import ScanRequest, scan_and_process
from daemon.cli.session import open_context

if TYPE_CHECKING:
    from sandbox import Sandbox

NAME = "demo"
_MIN_FILED = 30
"""With fewer filed documents, `demo --exit` exits with 1."""
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


@app.command("demo")
@async_command
async def demo(
    leave: Annotated[
        bool, typer.Option("--exit", metavar=FLAG, help="File all documents at once, then exit.")
    ] = False,
) -> Exit:
    """Watch Paperclerk file forty sample documents in a sandbox."""
    from daemon.demo import run_until_stopped
    from sandbox import Sandbox

    with tempfile.TemporaryDirectory(prefix="paperclerk-demo-") as folder, Sandbox() as sandbox:
        options = _write_settings(Path(folder), sandbox)
        console().print(
            f"Sandbox: a fake Paperless at {sandbox.url}, and a fake model."
            " Your own Paperless is not used."
        )
        if not leave:
            await run_until_stopped(options, sandbox)
            await _print_summary(options)
            return Exit.OK
        if await scan_and_process(options, ScanRequest(NAME)) is Exit.CANCELLED:
            return Exit.CANCELLED
        return Exit.OK if await _print_summary(options) >= _MIN_FILED else Exit.LOOK


def _write_settings(folder: Path, sandbox: "Sandbox") -> Options:
    from core.private_files import make_private_folder, write_private_text

    config = folder / "config"
    make_private_folder(config)
    write_private_text(config / f"{NAME}.toml", sandbox.settings(_RULES, stream=True))
    return Options(config, folder / "data", log_at_least="error")


async def _print_summary(options: Options) -> int:
    """Print how many documents were filed; return their number.

    A document with suggestions left for review does not count as filed.
    """
    from store import JobFilter

    async with open_context(options) as context:
        written = await context.store.changes.list_applied(ChangeFilter(instance=NAME))
        waiting = await context.store.changes.list_for_review_by_document([NAME], limit=1000)
        completed = await context.store.jobs.list(
            JobFilter(status=JobStatus.COMPLETED, instance=NAME), limit=1000
        )
        failed = (await context.store.jobs.count_by_status(NAME))[JobStatus.FAILED]
    for_review = {change.document for change in waiting}
    filed = {change.document for change in written} - for_review
    unchanged = {job.document for job in completed} - filed - for_review
    counts = [
        f"{plural(len(filed), 'document')} filed",
        f"{len(for_review)} for review",
        f"{failed} failed",
        f"{len(unchanged)} without changes" if unchanged else "",
    ]
    console().print(", ".join(count for count in counts if count))
    return len(filed)

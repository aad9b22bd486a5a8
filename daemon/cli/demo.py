"""`demo`: file sample documents in the sandbox."""

import tempfile
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from daemon.cli.app import app
from daemon.cli.arguments import FLAG, Options
from daemon.cli.exits import Exit, async_command
from daemon.cli.scan import ScanRequest, scan_and_process
from daemon.cli.session import open_context
from daemon.cli.terminal import console

if TYPE_CHECKING:
    from daemon.demo import Totals
    from sandbox import Sandbox

NAME = "demo"
_MIN_COMPLETED = 20
"""With fewer processed documents, `demo --exit` exits with 1."""
_RULES = """
[scan]
cron = "* * * * *"
exclude_tags = ["{private}"]
min_age = "0s"

[names]
correspondents = "review"
tags = "review"

[fields]
title = "fill"
correspondent = "review"
document_type = "fill"
tags = "review"
date = "fill"
custom_fields = {{ "{number}" = "review", "{amount}" = "review" }}

[limits]
cost_per_month = 5.0
price_in = 0.25
price_out = 2.0
currency = "{currency}"
"""


class DemoLanguage(StrEnum):
    """Languages of the sample documents."""

    ENGLISH = "en"
    GERMAN = "de"


_WORDS = {
    DemoLanguage.ENGLISH: {
        "private": "Private",
        "number": "Invoice number",
        "amount": "Amount",
        "currency": "GBP",
    },
    DemoLanguage.GERMAN: {
        "private": "Privat",
        "number": "Rechnungsnummer",
        "amount": "Betrag",
        "currency": "EUR",
    },
}
"""The names in each archive that the rules need."""


@app.command("demo")
@async_command
async def demo(
    leave: Annotated[
        bool, typer.Option("--exit", metavar=FLAG, help="Process all documents, then exit.")
    ] = False,
    language: Annotated[
        DemoLanguage | None,
        typer.Option(
            envvar="DEMO_LANG",
            help="Language of the documents; default: the language of the terminal.",
            show_default=False,
        ),
    ] = None,
) -> Exit:
    """Watch Paperclerk file sample documents in a sandbox."""
    from core.settings import get_environment
    from daemon.demo import run_until_stopped
    from sandbox import Sandbox
    from sandbox.paperless import Archive, load_world

    language = language or find_language(get_environment())
    world = load_world(Archive(language).folder)
    with (
        tempfile.TemporaryDirectory(prefix="paperclerk-demo-") as folder,
        Sandbox(world) as sandbox,
    ):
        options = _write_settings(Path(folder), sandbox, language)
        console().print(
            f"Sandbox: a fake Paperless at {sandbox.url}/documents, and a fake model."
            " Your own Paperless is not used."
        )
        if not leave:
            await run_until_stopped(options, sandbox)
        elif await scan_and_process(options, ScanRequest(NAME)) is Exit.CANCELLED:
            return Exit.CANCELLED
        totals = await _load_totals(options)
    console().print(f"{totals}.")
    is_good = not totals.failed and totals.completed >= _MIN_COMPLETED
    return Exit.OK if is_good or not leave else Exit.LOOK


def find_language(environ: Mapping[str, str]) -> DemoLanguage:
    """Return the language of the terminal, as gettext finds it; English if there is no archive."""
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    locale = next((found for name in names if (found := environ.get(name))), "")
    is_german = locale.lower().startswith("de")
    return DemoLanguage.GERMAN if is_german else DemoLanguage.ENGLISH


def _write_settings(folder: Path, sandbox: "Sandbox", language: DemoLanguage) -> Options:
    from core.private_files import make_private_folder, write_private_text

    config = folder / "config"
    make_private_folder(config)
    rules = _RULES.format(**_WORDS[language])
    write_private_text(config / f"{NAME}.toml", sandbox.settings(rules, stream=True))
    return Options(config, folder / "data", log_at_least="error")


async def _load_totals(options: Options) -> "Totals":
    from daemon.demo import load_totals

    async with open_context(options) as context:
        return await load_totals(context.store)

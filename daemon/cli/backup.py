"""`backup`, `restore`: copy the database, and put a copy in its place."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.calendar import utc_now
from daemon.cli.app import app
from daemon.cli.arguments import FLAG, Options
from daemon.cli.exits import Exit, UsageError, async_command, result_of, run
from daemon.cli.terminal import confirm, console, plural

if TYPE_CHECKING:
    from core.settings import Settings
    from daemon.backup import LostWork
    from store.restore import BackupContent

_IN_POSTGRESQL = "the database is in PostgreSQL, which has its own tools: {command}"


@app.command("backup")
@async_command
async def backup(
    ctx: typer.Context,
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write to this file; default: a file in the backups folder."
        ),
    ] = None,
) -> Exit:
    """Back up the database, also while the daemon is running."""
    from store.backup import add_backup, backups_folder, database_file, describe_dump, write_backup

    options: Options = ctx.obj
    if url := _postgresql_url(_load(options)):
        raise UsageError(_IN_POSTGRESQL.format(command=describe_dump(url)))
    database = database_file(options.data)
    if to is None:
        to = add_backup(database, backups_folder(options.data), now=utc_now())
    elif to.exists():
        raise UsageError(f"{to} exists already")
    else:
        write_backup(database, to)
    console().print(f"{to}: {to.stat().st_size / 1e6:.1f} MB, integrity checked")
    return Exit.OK


@app.command("restore")
def restore(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A backup.")],
    keep_tokens: Annotated[
        bool,
        typer.Option("--keep-tokens", metavar=FLAG, help="Do not revoke the backup's API tokens."),
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", metavar=FLAG, help="Do not ask before restoring.")
    ] = False,
) -> None:
    """Replace the database with a backup; the daemon must be stopped."""
    options: Options = ctx.obj
    # The question is asked outside the event loop, where Ctrl-C ends it.
    result_of(lambda: _preview(options, file))
    if not yes:
        confirm("Restore this backup?", instead="Add --yes to restore it.")
    run(lambda: _restore(options, file, keep_tokens=keep_tokens))


async def _preview(options: Options, file: Path) -> None:
    """Check a backup, and print what restoring it would mean."""
    from daemon.backup import find_lost_work
    from store.backup import describe_dump_restore
    from store.data_folder import WorkLock
    from store.restore import read_backup

    settings = _load(options)
    if url := _postgresql_url(settings):
        raise UsageError(_IN_POSTGRESQL.format(command=describe_dump_restore(url)))
    with WorkLock(options.data):
        content = await asyncio.to_thread(read_backup, file, options.data)
    _print_preview(file, content, find_lost_work(content, settings))


async def _restore(options: Options, file: Path, *, keep_tokens: bool) -> Exit:
    from store.data_folder import WorkLock
    from store.restore import restore_backup

    with WorkLock(options.data):
        restored = await asyncio.to_thread(
            restore_backup, file, options.data, keep_tokens=keep_tokens, now=utc_now()
        )
    kept = f"The previous database is {restored.former}." if restored.former else ""
    console().print(f"Restored. {kept}".strip())
    console().print(
        f"{plural(restored.sessions, 'session')} ended,"
        f" {plural(restored.tokens, 'API token')} revoked."
        " The dashboard's password is that of the backup."
    )
    console().print("Start the daemon with `paperclerk run`.")
    return Exit.OK


def _print_preview(file: Path, content: "BackupContent", lost: "LostWork") -> None:
    out = console()
    out.print(
        f"{file} is intact: {plural(len(content.documents), 'document')}, schema {content.schema}."
    )
    if content.present is None:
        out.print("There is no current database to compare it with.")
        out.print("All documents processed since this backup would be processed again.")
        return
    out.print(f"{plural(len(lost.processed), 'document')} would be processed again.")
    if lost.ignored:
        out.print(f"{plural(len(lost.ignored), 'document')} ignored since then would be processed.")


def _load(options: Options) -> "Settings":
    from daemon.context import load

    return load(options)


def _postgresql_url(settings: "Settings") -> str:
    return settings.daemon.database.url.get_secret_value()

"""`search`: documents by the words in their text."""
# ruff: noqa: PLR0913, PLR0917 - a parameter for each option

from typing import TYPE_CHECKING, Annotated

import typer

from core.archive import ArchiveHit, ArchiveSearch
from core.text import clean_line
from daemon.cli.app import app
from daemon.cli.arguments import AsJson, Limit, Since, Until
from daemon.cli.exits import Exit, async_command
from daemon.cli.session import open_context_for_reading
from daemon.cli.terminal import console, print_json, print_table

if TYPE_CHECKING:
    from actions.search import SearchResult

_SHOWN = 20
_NO_INDEX = "No instance has an archive index; see index.enabled in the settings."


@app.command("search")
@async_command
async def search(
    ctx: typer.Context,
    words: Annotated[list[str], typer.Argument(metavar="WORDS", help="Words to search for.")],
    instance: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only this instance; default: all.")
    ] = None,
    correspondent: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only of this correspondent.")
    ] = None,
    document_type: Annotated[
        str | None, typer.Option("--type", metavar="NAME", help="Only of this document type.")
    ] = None,
    tag: Annotated[str | None, typer.Option(metavar="NAME", help="Only with this tag.")] = None,
    since: Since = None,
    until: Until = None,
    limit: Limit = _SHOWN,
    as_json: AsJson = False,
) -> Exit:
    """Search the text of the documents in the archive index."""
    from actions.search import search_archive

    wanted = ArchiveSearch(
        words=" ".join(words),
        instances=frozenset(),
        correspondent=correspondent,
        document_type=document_type,
        tag=tag,
        created_since=since,
        created_until=until,
        limit=limit,
    )
    async with open_context_for_reading(ctx.obj) as context:
        names = context.select_instances(instance)
        result = await search_archive(context.caller, wanted, names)
    if as_json:
        print_json([_as_json(hit) for hit in result.found.hits])
    else:
        _print_hits(result)
    return Exit.OK


def _print_hits(result: "SearchResult") -> None:
    if not result.is_on:
        console().print(_NO_INDEX)
        return
    if result.found.hits:
        print_table(("document", "date", "page", "title", "text"), map(_row, result.found.hits))
    else:
        console().print("no matching documents")
    if result.found.next is not None:
        console().print("There are more; --limit shows them.")
    for name in result.not_ready:
        console().print(f"{name} is not searched yet: its index is being built.")


def _row(hit: ArchiveHit) -> tuple[str, ...]:
    return (
        str(hit.fields.ref),
        hit.fields.created.isoformat(),
        _page(hit),
        hit.fields.title,
        clean_line("".join(part.text for part in hit.snippet)),
    )


def _page(hit: ArchiveHit) -> str:
    if hit.page is None:
        return "-"
    return f"about {hit.page}" if hit.is_page_estimated else str(hit.page)


def _as_json(hit: ArchiveHit) -> dict[str, object]:
    return {
        "document": hit.fields.ref,
        "title": hit.fields.title,
        "correspondent": hit.correspondent,
        "document_type": hit.document_type,
        "tags": hit.tags,
        "created": hit.fields.created,
        "page": hit.page,
        "page_estimated": hit.is_page_estimated,
        "snippet": [{"text": part.text, "match": part.is_match} for part in hit.snippet],
    }

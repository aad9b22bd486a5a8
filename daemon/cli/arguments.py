"""Arguments and options of several commands."""

from datetime import date
from typing import Annotated

import typer

from daemon.cli import parsing

FLAG = ""
"""What a flag takes in the help: nothing, where typer would write `<bool>`."""

Instance = Annotated[str | None, typer.Argument(metavar="NAME", help="An instance; default: all.")]
Document = Annotated[str, typer.Argument(metavar="NAME/ID", help="A document, as in home/7.")]
Documents = Annotated[list[str], typer.Argument(metavar="NAME/ID", help="Documents, as in home/7.")]
Jobs = Annotated[
    list[int], typer.Argument(parser=parsing.number, metavar="JOB", help="Numbers of jobs.")
]
AsJson = Annotated[bool, typer.Option("--json", metavar=FLAG, help="Print JSON.")]
Yes = Annotated[
    bool,
    typer.Option("--yes", "-y", metavar=FLAG, help="Do not ask before a run that costs much."),
]
Limit = Annotated[
    int, typer.Option(parser=parsing.number, metavar="N", help="Show at most this many.")
]
Field = Annotated[
    str,
    typer.Option(
        metavar="FIELD",
        help="If ambiguous: correspondent, document_type, storage_path or tags.",
    ),
]
Of = Annotated[
    str | None, typer.Option("--instance", metavar="NAME", help="Its instance, if ambiguous.")
]
Only = Annotated[
    str | None, typer.Option(metavar="FIELDS", help="Only these fields, as in title,date.")
]
Since = Annotated[
    date | None,
    typer.Option(parser=parsing.day, metavar="DAY", help="From this day on: 2026-01-31."),
]
Until = Annotated[
    date | None,
    typer.Option(parser=parsing.day, metavar="DAY", help="Up to this day: 2026-01-31."),
]

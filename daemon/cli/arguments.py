"""What several commands take."""

from datetime import datetime
from typing import Annotated

import typer

FLAG = ""
"""What a flag takes in the help: nothing, where typer would write `<bool>`."""

Instance = Annotated[str | None, typer.Argument(metavar="NAME", help="An instance; default: all.")]
Document = Annotated[str, typer.Argument(metavar="NAME/ID", help="A document, as in home/7.")]
Documents = Annotated[list[str], typer.Argument(metavar="NAME/ID", help="Documents, as in home/7.")]
Jobs = Annotated[list[int], typer.Argument(metavar="JOB", help="Numbers of jobs.")]
AsJson = Annotated[bool, typer.Option("--json", metavar=FLAG, help="Answer in JSON.")]
Limit = Annotated[int, typer.Option(min=1, metavar="N", help="Show at most so many.")]
Field = Annotated[
    str, typer.Option(metavar="FIELD", help="correspondent, document_type or tags; if in doubt.")
]
Of = Annotated[
    str | None, typer.Option("--instance", metavar="NAME", help="An instance; if in doubt.")
]
Only = Annotated[str, typer.Option(metavar="FIELDS", help="Only these fields, as in title,date.")]
Since = Annotated[
    datetime | None,
    typer.Option(formats=["%Y-%m-%d"], metavar="DAY", help="From this day on: 2026-01-31."),
]
Until = Annotated[
    datetime | None,
    typer.Option(formats=["%Y-%m-%d"], metavar="DAY", help="Up to this day: 2026-01-31."),
]

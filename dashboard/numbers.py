"""The numbers by which a request names things, and its place in a list."""

from typing import Annotated

from fastapi import Path, Query

GREATEST = 2**53 - 1
"""The greatest number that every program reads from JSON as it was."""

Number = Annotated[int, Path(ge=1, le=GREATEST)]
Chosen = Annotated[int | None, Query(ge=1, le=GREATEST)]
"""Only what belongs to this one; left out: to any."""
Before = Annotated[int | None, Query(ge=1, le=GREATEST)]
"""Go on with what came before this one; left out: begin with the newest."""

"""Where the API is, as the one who asks calls it: below a path, if the dashboard is."""

from typing import Annotated

from fastapi import Depends, Request

from dashboard.auth.local import address_in

PREFIX = "/api/v1"


async def _root(request: Request) -> str:
    return address_in(request, PREFIX)


Root = Annotated[str, Depends(_root)]
"""What every address begins with that the API gives."""

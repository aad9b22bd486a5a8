"""What a route is given: the desk of the app that it belongs to."""

from typing import Annotated

from fastapi import Depends, Request

from dashboard.desk import Desk


def _desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


AtDesk = Annotated[Desk, Depends(_desk)]

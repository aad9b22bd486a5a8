"""What the routes at the door are given."""

from typing import Annotated

from fastapi import Depends, Form, Request

from dashboard.auth.login import Door


async def _door(request: Request) -> Door:
    door: Door = request.app.state.door
    return door


AtDoor = Annotated[Door, Depends(_door)]
Typed = Annotated[str, Form()]

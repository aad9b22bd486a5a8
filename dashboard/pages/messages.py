"""Messages to the owner: what became of the last one, and a button to try them."""

from fastapi import APIRouter
from starlette.responses import RedirectResponse

from dashboard.errors import NotAllowed, NotFound
from dashboard.pages.view import Acting

router = APIRouter(include_in_schema=False)


@router.post("/settings/test-message")
async def send_test_message(view: Acting) -> RedirectResponse:
    """Send a message as a test, for who may see all that messages are about."""
    if view.person.instances is not None:
        raise NotAllowed("messages concern all instances")
    if view.desk.send_test is None:
        raise NotFound("no messages are sent: there are no notify.urls in daemon.toml")
    deed = view.desk.send_test()
    return await view.carry_out("/settings", deed, "A test message is sent.")

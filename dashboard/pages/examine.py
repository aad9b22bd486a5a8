"""`/settings/home/paperless` and `/settings/home/model`: whether it does as it must."""

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from dashboard.connection_tests import Examined, examined
from dashboard.errors import NotFound
from dashboard.pages.view import Acting, Reading, View

router = APIRouter(include_in_schema=False)


@router.get("/settings/{instance}/{what}")
async def ask(view: Reading, instance: str, what: str) -> HTMLResponse:
    """Show the button: a test may cost something, so it is not done by looking at a page."""
    return await _page(view, instance, what)


@router.post("/settings/{instance}/{what}")
async def test(view: Acting, instance: str, what: str) -> HTMLResponse:
    """Test, and show what was found."""
    view.instance(instance)
    return await _page(view, instance, what, await examined(view.desk, what, instance))


async def _page(
    view: View, instance: str, what: str, found: Examined | None = None
) -> HTMLResponse:
    view.instance(instance)
    if what not in view.desk.examinations:
        raise NotFound(f"there is no {what} that could be tested")
    return await view.page("examine.html", instance=instance, what=what, found=found)

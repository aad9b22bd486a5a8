"""The web application: every router, behind the guard."""

from fastapi import FastAPI
from starlette.types import ASGIApp

from dashboard import description, health
from dashboard.access import Guard, account
from dashboard.access.door import Door
from dashboard.access.routes import router as door
from dashboard.answers import answer_errors
from dashboard.base_path import BasePath
from dashboard.bodies import ShortBodies
from dashboard.desk import Desk
from dashboard.headers import SafeHeaders
from dashboard.pages import add_pages


def build_app(desk: Desk, guard: Guard) -> ASGIApp:
    """Build the app for one daemon; it begins nothing by itself."""
    app = FastAPI(
        title="Paperclerk",
        version=desk.version,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
    )
    app.state.desk = desk
    app.state.guard = guard
    app.state.door = Door(desk)
    answer_errors(app)
    app.include_router(health.router)
    app.include_router(description.router)
    app.include_router(door)
    app.include_router(account.router)
    add_pages(app)
    app.add_middleware(SafeHeaders)
    app.add_middleware(ShortBodies)
    return BasePath(app, desk.settings.daemon.web.base_path)

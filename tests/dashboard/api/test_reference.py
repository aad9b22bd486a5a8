"""The reference of the API has every route, and no other."""

import re

from fastapi import FastAPI

from dashboard.api import routes as api
from tests.pages import page

REFERENCE = page("docs/reference/api.md")


def test_every_route_is_in_the_reference() -> None:
    written = set(re.findall(r"`(GET|POST) (/[^`]*)`", REFERENCE.section("## Routes")))

    assert written == set(routes())


def routes() -> list[tuple[str, str]]:
    app = FastAPI(routes=api)
    return [
        (method.upper(), path.removeprefix("/api/v1"))
        for path, methods in app.openapi()["paths"].items()
        for method in methods
    ]

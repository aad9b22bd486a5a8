"""The router of an API module."""

from fastapi import APIRouter, Depends
from fastapi.security import HTTPBearer

from dashboard.api.paging import PREFIX

# Only for the description: the authenticator accepts sessions, too.
_TOKEN = HTTPBearer(auto_error=False, description="An API token, from `paperclerk token create`.")


def api_router(path: str = "", *, tag: str = "") -> APIRouter:
    """Build a router for addresses below `/api/v1` and `path`.

    It has the whole address, because FastAPI keeps every route that one router includes from
    another twice, with its schemas.
    """
    return APIRouter(
        prefix=PREFIX + path, tags=[tag] if tag else None, dependencies=[Depends(_TOKEN)]
    )

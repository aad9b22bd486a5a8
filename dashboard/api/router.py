"""The router of an API module."""

from fastapi import APIRouter, Depends
from fastapi.security import HTTPBearer

from dashboard.api.paging import PREFIX

# Only for the description: the authenticator accepts sessions, too.
_TOKEN = HTTPBearer(auto_error=False, description="An API token, from `paperclerk token create`.")


def api_router(path: str = "", *, tag: str = "") -> APIRouter:
    """Build a router for addresses below `/api/v1` and `path`.

    The prefix is the whole address, so that no other router needs to include it: FastAPI keeps
    the routes of an included router twice, with their schemas.
    """
    return APIRouter(
        prefix=PREFIX + path, tags=[tag] if tag else None, dependencies=[Depends(_TOKEN)]
    )

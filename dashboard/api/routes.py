"""All routes of the API, below their one address."""

from fastapi import APIRouter, Depends
from fastapi.security import HTTPBearer

from dashboard.api import (
    changes,
    documents,
    figures,
    instances,
    jobs,
    names,
    questions,
    results,
    review,
    scans,
    stream,
)
from dashboard.api.root import PREFIX

# Only for the description: the guard knows tokens, and sessions as well.
_TOKEN = HTTPBearer(auto_error=False, description="An API token, from `paperclerk token create`.")

router = APIRouter(prefix=PREFIX, dependencies=[Depends(_TOKEN)])
_PARTS = (
    *(jobs, questions, results, documents, changes, review, names, scans, instances, figures),
    stream,
)
for part in _PARTS:
    router.include_router(part.router)

"""The wizard that sets up an instance: the values entered so far, and what its steps share."""

from collections import deque
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import HTMLResponse, RedirectResponse

from actions.errors import InvalidRequest
from actions.setup import Draft, ModelServer, PaperlessAddress
from core.calendar import Clock
from core.errors import PaperclerkError
from core.messages import message, message_in
from core.settings.instance import check_instance_name
from dashboard.context import DraftCheck
from dashboard.errors import NotAllowed, PageNotFound, TooManyRequests
from dashboard.pages.view import AdminView, View, is_admin_in_browser
from paperless_client import PaperlessError, User

PATH = "/add-instance"
_KEPT_FOR = timedelta(hours=1)
_MAX_REQUESTS = 60
_WITHIN = timedelta(minutes=10)

SetupError = PaperclerkError | PaperlessError


@dataclass(frozen=True, slots=True)
class SetupState:
    """How far a person has come."""

    draft: Draft
    address: PaperlessAddress
    changed_at: datetime
    has_token: bool = False
    user: User | None = None
    """The token's user; None if it may not read that."""
    server: ModelServer | None = None
    check: DraftCheck | None = None
    """The check of this draft; None if it changed since."""


class SetupDrafts:
    """The drafts by person, and a limit for the requests that setting up causes.

    They contain secrets, so they are never stored, and forgotten after an hour.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._states: dict[str, SetupState] = {}
        self._requests: deque[datetime] = deque()

    def get(self, person: str) -> SetupState | None:
        self._forget_old()
        return self._states.get(person)

    def begin(self, person: str, draft: Draft, address: PaperlessAddress) -> None:
        self._forget_old()
        self._states[person] = SetupState(draft, address, self._clock())

    def update(self, person: str, state: SetupState) -> None:
        self._states[person] = replace(state, changed_at=self._clock())

    def forget(self, person: str) -> None:
        self._states.pop(person, None)

    def count_request(self) -> None:
        """Count a request to an address that a person typed; raise TooManyRequests."""
        now = self._clock()
        while self._requests and now - self._requests[0] > _WITHIN:
            self._requests.popleft()
        if len(self._requests) >= _MAX_REQUESTS:
            raise TooManyRequests(self._requests[0] + _WITHIN - now)
        self._requests.append(now)

    def _forget_old(self) -> None:
        oldest = self._clock() - _KEPT_FOR
        self._states = {
            person: state for person, state in self._states.items() if state.changed_at > oldest
        }


@dataclass(frozen=True, slots=True)
class Wizard:
    """One request for a step, with what the person has entered so far."""

    view: View
    drafts: SetupDrafts

    @property
    def folder(self) -> Path:
        return self.view.context.settings.folder

    @property
    def state(self) -> SetupState | None:
        return self.drafts.get(self.view.person.key)

    def update(self, state: SetupState) -> None:
        self.drafts.update(self.view.person.key, state)

    def go_to(self, step: str) -> RedirectResponse:
        return RedirectResponse(self.view.url(f"{PATH}/{step}"), status_code=303)

    def restart(self) -> RedirectResponse:
        return self.view.redirect_with_message(
            PATH, "Your entries have expired. Please start again."
        )

    def require_free(self, name: str) -> None:
        """Raise InvalidRequest unless an instance can have this name."""
        try:
            check_instance_name(name)
        except ValueError as error:
            raise InvalidRequest(message_in(error)) from error
        if name in self.view.context.settings.instances or self.file_of(name).exists():
            raise InvalidRequest(
                message("{name}.toml exists already; choose another name", name=name)
            )

    def file_of(self, name: str) -> Path:
        """Return the settings file of an instance."""
        return self.folder / f"{name}.toml"

    async def page(
        self, step: str, error: SetupError | None = None, **values: object
    ) -> HTMLResponse:
        return await self.view.page(
            f"setup/{step}.html",
            status=_status_of(error),
            step=step,
            state=self.state,
            error=error,
            folder=str(self.folder),
            **values,
        )


def may_add_instance(view: View) -> bool:
    """Return whether the person may set up an instance here: an admin in a browser."""
    return view.context.start_check is not None and is_admin_in_browser(view.person)


def _status_of(error: SetupError | None) -> int:
    """Return the status of a page. Not one that a proxy replaces by a page of its own, as 502."""
    if isinstance(error, TooManyRequests):
        return error.status
    return 422 if error else 200


async def _build_wizard(request: Request, view: AdminView) -> Wizard:
    if view.context.start_check is None:
        raise PageNotFound("instances cannot be set up here")
    if not view.person.csrf:
        raise NotAllowed("instances are set up in a browser session, not with an API token")
    drafts: SetupDrafts = request.app.state.setup_drafts
    return Wizard(view, drafts)


WizardDep = Annotated[Wizard, Depends(_build_wizard)]

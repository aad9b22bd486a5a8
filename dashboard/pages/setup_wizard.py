"""The setup of an instance on pages: who may do it, and what its steps share."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import HTMLResponse, RedirectResponse

from actions.errors import InvalidRequest
from core.errors import PaperclerkError
from core.messages import message, message_in
from core.settings.instance import check_instance_name
from dashboard.errors import NotAllowed, PageNotFound, TooManyRequests
from dashboard.pages.view import AdminView, View, is_admin_in_browser
from dashboard.setup_drafts import SetupDrafts, SetupState
from paperless_client import PaperlessError

PATH = "/add-instance"

SetupError = PaperclerkError | PaperlessError


def _status_of(error: SetupError | None) -> int:
    """Return the status of a page. Not one that a proxy replaces by a page of its own, as 502."""
    if isinstance(error, TooManyRequests):
        return error.status
    return 422 if error else 200


def may_add_instance(view: View) -> bool:
    """Return whether the person may set up an instance here: an admin in a browser."""
    return view.context.start_check is not None and is_admin_in_browser(view.person)


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


async def _build_wizard(request: Request, view: AdminView) -> Wizard:
    if view.context.start_check is None:
        raise PageNotFound("instances cannot be set up here")
    if not view.person.csrf:
        raise NotAllowed("instances are set up in a browser session, not with an API token")
    drafts: SetupDrafts = request.app.state.setup_drafts
    return Wizard(view, drafts)


WizardDep = Annotated[Wizard, Depends(_build_wizard)]

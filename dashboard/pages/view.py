"""The view that every page receives: it renders pages, responds to forms and asks for consent."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_UP, Decimal
from typing import Annotated, TypeVar

from fastapi import Depends, Form
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from actions.caller import Caller
from actions.errors import AllInstancesRequired, ConsentRequired
from core.access import Permission
from core.documents import DocumentRef
from core.errors import PaperclerkError
from core.settings import SettingsStatus
from dashboard.auth import Person, RequireAct, RequireAdmin, RequireRead
from dashboard.auth.dependencies import ContextDep, build_caller
from dashboard.context import AppContext
from dashboard.errors import NotAllowed, PageNotFound
from dashboard.rendering import REFUSED, redirect, render, translator_for, url_builder
from i18n import Translator
from paperless_client import PaperlessError

T = TypeVar("T")

UpTo = Annotated[Decimal | None, Form(ge=0)]
"""The highest cost that the person has confirmed; left out: none."""
_CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class View:
    """One request of a person for a page."""

    request: Request
    context: AppContext
    person: Person
    chosen: str = ""
    """The instance to which the page is limited; "" for all."""

    @property
    def all_names(self) -> tuple[str, ...]:
        """Return the instances that the person may see."""
        return tuple(name for name in self.context.settings.instances if self.person.sees(name))

    @property
    def names(self) -> tuple[str, ...]:
        """Return the instances that the page shows."""
        return tuple(name for name in self.all_names if self.chosen in {"", name})

    @property
    def caller(self) -> Caller:
        """Return the caller for actions, which command line and API share."""
        return build_caller(self.context, self.person)

    @property
    def may_act(self) -> bool:
        return self.person.has_permission(Permission.ACT)

    @property
    def settings_status(self) -> SettingsStatus:
        """Return the state of the settings files; nothing for a person who sees only some."""
        is_limited = self.person.instances is not None
        return SettingsStatus() if is_limited else self.context.settings_status

    @property
    def translator(self) -> Translator:
        return translator_for(self.request, self.context)

    def require_connected(self, name: str) -> None:
        """Raise PageNotFound unless the instance is connected and the person may see it."""
        if name not in self.all_names or name not in self.context.instances:
            raise PageNotFound(f"there is no instance {name}")

    def require_visible(self, ref: DocumentRef) -> DocumentRef:
        """Return the document if the person may see it; raise PageNotFound."""
        if ref.instance not in self.all_names:
            raise PageNotFound(f"there is no document {ref}")
        return ref

    def link_to(self, ref: DocumentRef) -> str:
        """Return the address of a document in Paperless."""
        paperless = self.context.settings.instances[ref.instance].paperless
        return f"{paperless.link_url.rstrip('/')}/documents/{ref.id}/"

    def currency_of(self, name: str) -> str:
        """Return the currency of an instance; "" if it has been removed from the settings."""
        settings = self.context.settings.instances.get(name)
        return settings.limits.currency if settings else ""

    def url(self, path: str, **query: object) -> str:
        return url_builder(self.request)(path, **query)

    async def page(self, template: str, *, status: int = 200, **values: object) -> HTMLResponse:
        """Render a page; its header counts documents for review and unread notifications."""
        store = self.context.store
        waiting = await store.statistics.count_for_review(self.all_names)
        # Notifications concern all instances.
        sees_all = self.person.instances is None
        shared = {
            "person": self.person,
            "for_review": sum(waiting.values()),
            "unread": await store.notifications.count_unread() if sees_all else None,
            "instances": self.all_names,
            "chosen": self.chosen,
            "no_instance": not self.context.settings.instances,
        }
        return render(self.request, self.context, template, status=status, **(shared | values))

    async def perform(
        self, to: str, action: Awaitable[object], text: str, **values: object
    ) -> RedirectResponse:
        """Await an action and redirect to a page that shows the text, or the error."""
        return await self.perform_and_report(
            to, action, lambda translator, _: translator.text(text, **values)
        )

    async def perform_and_report(
        self, to: str, action: Awaitable[T], describe: Callable[[Translator, T], str]
    ) -> RedirectResponse:
        """Await an action and redirect to a page that shows its description, or the error.

        Raise ConsentRequired: the person can confirm it.
        """
        try:
            result = await action
        except ConsentRequired:
            raise
        except (PaperclerkError, PaperlessError) as error:
            return self.redirect_with_error(to, error)
        return redirect(self.request, self.url(to), describe(self.translator, result))

    def redirect_with_error(
        self, to: str, error: PaperclerkError | PaperlessError
    ) -> RedirectResponse:
        """Redirect to a page that shows an error."""
        advice = self.translator.text(error.hint) if error.hint else ""
        words = f"{self.translator.text(error.user_message)} {advice}".strip()
        detail = "" if advice else f" ({self.translator.translate(error.message)})"
        return redirect(self.request, self.url(to), f"{REFUSED}{words}{detail}")

    def redirect_with_message(self, to: str, text: str, **values: object) -> RedirectResponse:
        """Redirect to a page that shows the text."""
        return redirect(self.request, self.url(to), self.translator.text(text, **values))


@dataclass(frozen=True, slots=True)
class CostlyForm:
    """A form that may start something costly; it is sent again with the confirmed amount."""

    path: str
    label: str
    """Of its button, in English."""
    back: str
    """The page it was sent from."""
    fields: Mapping[str, str | Sequence[str]] = field(default_factory=dict)


async def ask_if_costly(view: View, response: Awaitable[Response], form: CostlyForm) -> Response:
    """Await the response to a form; if a cost must be confirmed, return the page that asks."""
    try:
        return await response
    except ConsentRequired as required:
        # Rounded up, so that the shown amount covers the estimate.
        costs = [
            (estimate, (estimate.cost or Decimal()).quantize(_CENT, ROUND_UP))
            for estimate in required.estimates
        ]
        up_to = max(cost for _, cost in costs)
        return await view.page("consent.html", status=409, costs=costs, up_to=up_to, form=form)


async def _build_read_view(request: Request, context: ContextDep, person: RequireRead) -> View:
    # Not a parameter: some pages have the instance in their path.
    return View(request, context, person, request.query_params.get("instance", ""))


async def _build_act_view(
    request: Request, context: ContextDep, person: RequireAct
) -> AsyncIterator[View]:
    """Yield a view for a person who may act; wake timers and processor afterwards."""
    yield View(request, context, person)
    context.wake()


async def _build_admin_view(request: Request, context: ContextDep, person: RequireAdmin) -> View:
    if person.instances is not None:
        # Otherwise a token for one instance could create one for all instances.
        raise AllInstancesRequired
    return View(request, context, person)


ReadView = Annotated[View, Depends(_build_read_view)]
"""The view of a page that only reads."""
ActView = Annotated[View, Depends(_build_act_view)]
"""The view of a form that changes something."""
AdminView = Annotated[View, Depends(_build_admin_view)]
"""The view of a page for administrators, about all instances."""


async def _build_browser_admin_view(view: AdminView) -> View:
    if not is_admin_in_browser(view.person):
        # A stolen token must not be able to change what is written automatically.
        raise NotAllowed("this is for a browser, not for API tokens")
    return view


def is_admin_in_browser(person: Person) -> bool:
    """Return whether a person may administrate everything and uses a browser, not a token."""
    return person.may_administrate and bool(person.csrf)


BrowserAdminView = Annotated[View, Depends(_build_browser_admin_view)]
"""The view of a page for administrators that API tokens cannot use."""

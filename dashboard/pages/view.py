"""What a page is given: who looks, from which desk, and at which instances."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, TypeVar

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse

from actions.caller import Caller
from actions.errors import AllInstancesRequired
from core.documents import DocumentRef
from core.errors import PaperclerkError
from dashboard.auth import Person, RequireAct, RequireAdmin, RequireRead
from dashboard.auth.dependencies import ContextDep, build_caller
from dashboard.context import AppContext
from dashboard.errors import PageNotFound
from dashboard.rendering import REFUSED, redirect, render, translator_for, url_builder
from i18n import Translator
from paperless_client import PaperlessError
from processor.instance import Instance

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class View:
    """One look at the dashboard by one person."""

    request: Request
    context: AppContext
    person: Person
    chosen: str = ""
    """The instance that they want to see alone; "" for all."""

    @property
    def all_names(self) -> tuple[str, ...]:
        """The instances that the person may see."""
        return tuple(name for name in self.context.settings.instances if self.person.sees(name))

    @property
    def names(self) -> tuple[str, ...]:
        """The instances that are looked at."""
        return tuple(name for name in self.all_names if self.chosen in {"", name})

    @property
    def caller(self) -> Caller:
        """Who asks, for what is shared with command line and API."""
        return build_caller(self.context, self.person)

    @property
    def translator(self) -> Translator:
        return translator_for(self.request, self.context)

    def instance(self, name: str) -> Instance:
        """Return an instance that the person may see; raise NotFound."""
        if name not in self.all_names or name not in self.context.instances:
            raise PageNotFound(f"there is no instance {name}")
        return self.context.instances[name]

    def require_visible(self, ref: DocumentRef) -> DocumentRef:
        """Return the name of a document if the person may see it; raise NotFound."""
        if ref.instance not in self.all_names:
            raise PageNotFound(f"there is no document {ref}")
        return ref

    def link_to(self, ref: DocumentRef) -> str:
        """Return where Paperless shows a document to people."""
        paperless = self.context.settings.instances[ref.instance].paperless
        return f"{paperless.link_url.rstrip('/')}/documents/{ref.id}/"

    def currency_of(self, name: str) -> str:
        """Return in what an instance pays; "" if its settings are not there any more."""
        settings = self.context.settings.instances.get(name)
        return settings.limits.currency if settings else ""

    def url(self, path: str, **query: object) -> str:
        return url_builder(self.request)(path, **query)

    async def page(self, template: str, *, status: int = 200, **values: object) -> HTMLResponse:
        """Render a page, with how much waits for review in its navigation."""
        waiting = await self.context.store.statistics.count_for_review(self.all_names)
        shown = {
            "person": self.person,
            "for_review": sum(waiting.values()),
            "instances": self.all_names,
            "chosen": self.chosen,
            "no_instance": not self.context.settings.instances,
        }
        return render(self.request, self.context, template, status=status, **(shown | values))

    async def perform(
        self, to: str, deed: Awaitable[object], said: str, **values: object
    ) -> RedirectResponse:
        """Do something, and go on to a page that says what was done, or why it was not."""
        return await self.perform_and_report(
            to, deed, lambda translator, _: translator.text(said, **values)
        )

    async def perform_and_report(
        self, to: str, deed: Awaitable[T], told: Callable[[Translator, T], str]
    ) -> RedirectResponse:
        """Do something, and go on to a page that says what came of it, or why it was not done."""
        try:
            result = await deed
        except (PaperclerkError, PaperlessError) as error:
            return self.redirect_with_error(to, error)
        return redirect(self.request, self.url(to), told(self.translator, result))

    def redirect_with_error(
        self, to: str, error: PaperclerkError | PaperlessError
    ) -> RedirectResponse:
        """Go on to a page that says why something was not done."""
        advice = self.translator.text(error.hint) if error.hint else ""
        words = f"{self.translator.text(error.user_message)} {advice}".strip()
        detail = "" if advice else f" ({self.translator.translate(error.message)})"
        return redirect(self.request, self.url(to), f"{REFUSED}{words}{detail}")

    def redirect_with_message(self, to: str, said: str, **values: object) -> RedirectResponse:
        """Go on to a page that says what was done."""
        return redirect(self.request, self.url(to), self.translator.text(said, **values))


async def _reading(request: Request, context: ContextDep, person: RequireRead) -> View:
    # Not a parameter: some pages have the instance in their path.
    return View(request, context, person, request.query_params.get("instance", ""))


async def _acting(request: Request, context: ContextDep, person: RequireAct) -> AsyncIterator[View]:
    """Give a view to who may act; whatever they did, timers and processor hear of it."""
    yield View(request, context, person)
    context.wake()


async def _administering(request: Request, context: ContextDep, person: RequireAdmin) -> View:
    if person.instances is not None:
        # Else a token for one instance could make itself one for all, or look at all.
        raise AllInstancesRequired
    return View(request, context, person)


ReadView = Annotated[View, Depends(_reading)]
"""A page that only shows."""
ActView = Annotated[View, Depends(_acting)]
"""A form that does something."""
AdminView = Annotated[View, Depends(_administering)]
"""What is for administrators alone, and about all instances."""

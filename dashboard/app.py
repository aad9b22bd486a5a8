"""Build the web application: routers, middleware and error handlers."""

from collections.abc import Callable

from fastapi import FastAPI
from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from actions.health import HealthSnapshotCache
from dashboard import health, invalid_settings, webhooks
from dashboard.api import openapi
from dashboard.api import routes as api
from dashboard.api.stream import pages as event_stream
from dashboard.auth import AuthenticationBackend, account
from dashboard.auth.login import Login
from dashboard.auth.login import router as login_pages
from dashboard.auth.origin import TrustedProxies
from dashboard.auth.sessions import CookieRenewal
from dashboard.context import AppContext
from dashboard.error_handlers import register_error_handlers
from dashboard.live import LiveFeed
from dashboard.metrics import Tally
from dashboard.metrics import router as metrics
from dashboard.middleware import BasePath, BodySizeLimit, RequestId, SecurityHeaders
from dashboard.pages import PAGES
from dashboard.pages.setup_state import SetupDrafts

# Routes instead of routers: FastAPI keeps the routes of an included router twice, and builds the
# second ones at the first request of each app.
_ROUTES: list[BaseRoute] = [
    *health.router.routes,
    *webhooks.router.routes,
    *openapi.routes,
    *metrics.routes,
    *api,
    *event_stream.routes,
    *login_pages.routes,
    *account.router.routes,
    *invalid_settings.done.routes,
    *webhooks.pages.routes,
    *PAGES,
]


def build_app(
    context: AppContext,
    authentication: AuthenticationBackend,
    *,
    current: Callable[[], AppContext] | None = None,
) -> ASGIApp:
    """Build the app for one daemon; it starts no task by itself.

    `current` returns the context of a request, which changes with the settings.
    """
    base_path = context.settings.daemon.web.base_path
    app = FastAPI(
        title="Paperclerk",
        version=context.version,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        routes=_ROUTES,
        servers=[{"url": base_path or "/"}],
    )
    app.state.get_context = current or (lambda: context)
    app.state.authentication = authentication
    app.state.login = Login(context)
    app.state.proxies = TrustedProxies(context.settings.daemon.web.trusted_proxies)
    app.state.health = HealthSnapshotCache(app.state.get_context)
    app.state.webhook_rate = webhooks.WebhookRate()
    app.state.tally = Tally(context.store)
    app.state.setup_drafts = SetupDrafts(context.clock)
    app.state.feed = LiveFeed(context.store, stopping=context.stopping)
    register_error_handlers(app)
    app.add_middleware(CookieRenewal)
    app.add_middleware(BodySizeLimit)
    # Around the framework, which answers unexpected errors outside of its own middleware.
    return SecurityHeaders(RequestId(BasePath(app, base_path)))

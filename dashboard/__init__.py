"""The web interface: pages, REST API, live events, metrics and authentication."""

from actions.health import Liveness
from dashboard.app import build_app
from dashboard.context import AppContext
from dashboard.server import WebServer

__all__ = ["AppContext", "Liveness", "WebServer", "build_app"]

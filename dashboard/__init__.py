"""Show work: pages, REST API, live events and the door with its lock."""

from actions.health import Signs
from dashboard.app import build_app
from dashboard.context import Desk
from dashboard.server import WebServer

__all__ = ["Desk", "Signs", "WebServer", "build_app"]

"""Show work: pages, REST API, live events and the door with its lock."""

from dashboard.app import build_app
from dashboard.desk import Desk, Signs
from dashboard.server import WebServer

__all__ = ["Desk", "Signs", "WebServer", "build_app"]

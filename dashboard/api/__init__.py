"""The REST API below /api/v1: each route parses the request, calls one action, returns a schema."""

from dashboard.api.routes import routes

__all__ = ["routes"]

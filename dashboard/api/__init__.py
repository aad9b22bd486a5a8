"""The REST API below /api/v1: each route reads what was sent, calls one function, answers."""

from dashboard.api.routes import router

__all__ = ["router"]

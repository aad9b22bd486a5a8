"""Pages for people: HTML rendered on the server, refreshed with htmx."""

from dashboard.pages.routes import PAGES

__all__ = ["PAGES"]

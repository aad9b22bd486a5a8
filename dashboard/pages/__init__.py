"""Pages for people: HTML rendered on the server, refreshed with htmx."""

from dashboard.pages.routes import add_pages

__all__ = ["add_pages"]

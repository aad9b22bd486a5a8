"""Pages for people: plain HTML, rendered here, alive with a little htmx."""

from dashboard.pages.routes import add_pages

__all__ = ["add_pages"]

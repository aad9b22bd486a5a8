"""Render pages: templates and labels in the language of the browser."""

from dashboard.rendering.page import (
    REFUSED,
    STATIC,
    THEMES,
    path_of,
    redirect,
    render,
    translator_for,
    url_builder,
)
from i18n.labels import Labels

__all__ = [
    "REFUSED",
    "STATIC",
    "THEMES",
    "Labels",
    "path_of",
    "redirect",
    "render",
    "translator_for",
    "url_builder",
]

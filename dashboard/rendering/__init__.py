"""Render pages: templates, labels and timelines in the language of the browser."""

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
from dashboard.rendering.timeline import build_steps, format_raw_steps
from i18n.labels import Labels

__all__ = [
    "REFUSED",
    "STATIC",
    "THEMES",
    "Labels",
    "build_steps",
    "format_raw_steps",
    "path_of",
    "redirect",
    "render",
    "translator_for",
    "url_builder",
]

"""Turn templates and values into pages: escaped, in the language of who looks."""

from dashboard.rendering.labels import Worded
from dashboard.rendering.page import (
    REFUSED,
    STATIC,
    THEMES,
    path_of,
    redirect,
    render,
    speech_for,
    urls_of,
)
from dashboard.rendering.timeline import raw_steps, steps_told

__all__ = [
    "REFUSED",
    "STATIC",
    "THEMES",
    "Worded",
    "path_of",
    "raw_steps",
    "redirect",
    "render",
    "speech_for",
    "steps_told",
    "urls_of",
]

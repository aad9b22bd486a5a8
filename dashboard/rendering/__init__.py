"""Turn templates and values into pages: escaped, in the language of who looks."""

from dashboard.rendering.flash import REFUSED, redirect
from dashboard.rendering.page import STATIC, THEMES, path_of, render, speech_for, urls_of
from dashboard.rendering.steps import raw_steps, steps_told
from dashboard.rendering.worded import Worded

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

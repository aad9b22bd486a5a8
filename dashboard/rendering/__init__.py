"""Turn templates and values into pages: escaped, in the language of who looks."""

from dashboard.rendering.flash import REFUSED, redirect
from dashboard.rendering.page import STATIC, THEMES, path_of, render, speech_for, urls_of

__all__ = ["REFUSED", "STATIC", "THEMES", "path_of", "redirect", "render", "speech_for", "urls_of"]

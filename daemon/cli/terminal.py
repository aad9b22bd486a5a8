"""A rich console that prints text as it is. A module of its own, because rich loads slowly."""

from typing import Any

from rich.console import Console
from rich.text import Text

from core.text import remove_invisible


class Terminal(Console):
    """A console that removes control characters: a title or a name may contain any."""

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(remove_invisible(text), **options)

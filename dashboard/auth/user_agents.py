"""Recognize the browser and the operating system in a User-Agent header."""

import re
from dataclasses import dataclass

# Most browsers also claim to be others: the first match counts.
_BROWSERS = (
    ("Edge", r"\bEdg(?:A|iOS)?/"),
    ("Opera", r"\bOPR/"),
    ("Samsung Internet", r"\bSamsungBrowser/"),
    ("Firefox", r"\b(?:Firefox|FxiOS)/"),
    ("Chrome", r"\b(?:Chrome|CriOS)/"),
    ("Safari", r"\bSafari/"),
)
_SYSTEMS = (
    ("iOS", r"\b(?:iPhone|iPad)\b"),
    ("Android", r"\bAndroid\b"),
    ("Windows", r"\bWindows\b"),
    ("ChromeOS", r"\bCrOS\b"),
    ("macOS", r"\bMacintosh\b"),
    ("Linux", r"\bLinux\b"),
)


@dataclass(frozen=True, slots=True)
class UserAgent:
    """A browser and the system it runs on; "" if unknown."""

    browser: str
    system: str


def parse_user_agent(header: str) -> UserAgent:
    """Return the browser and the system, as far as they are known."""
    return UserAgent(_find(_BROWSERS, header), _find(_SYSTEMS, header))


def _find(names: tuple[tuple[str, str], ...], header: str) -> str:
    return next((name for name, pattern in names if re.search(pattern, header)), "")

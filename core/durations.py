"""Durations: `timedelta` in code, "5m" or "1h30m" where people write them."""

import re
from datetime import timedelta

from core.messages import message

_UNITS = {"d": timedelta(days=1), "h": timedelta(hours=1), "m": timedelta(minutes=1)}
_UNITS["s"] = timedelta(seconds=1)
_DURATION = re.compile("".join(f"(?:(?P<{unit}>[0-9]{{1,9}}){unit})?" for unit in _UNITS))


def parse_duration(text: str) -> timedelta:
    """Read "30s", "5m", "2h", "1d" or "1h30m"; raise ValueError with a sentence for the user."""
    match = _DURATION.fullmatch(text.strip())
    if match is None or not match[0]:
        raise ValueError(
            message('"{text}" is not a duration - write "30s", "5m", "2h" or "1d"', text=text)
        )
    parts = match.groupdict(default="0")
    try:
        return sum((int(parts[unit]) * length for unit, length in _UNITS.items()), timedelta())
    except OverflowError:
        raise ValueError(message('"{text}" is too long', text=text)) from None


def format_duration(duration: timedelta) -> str:
    """Write whole seconds so that `parse_duration` reads them back: the largest units first."""
    if duration < timedelta() or duration.microseconds:
        raise ValueError(f"not a duration of whole seconds: {duration!r}")
    text = ""
    for unit, length in _UNITS.items():
        count, duration = divmod(duration, length)
        text += f"{count}{unit}" if count else ""
    return text or "0s"

"""Say in a sentence why what was sent cannot be understood (pure)."""

from collections.abc import Mapping
from typing import Any

_HOW = "send JSON, with `Content-Type: application/json`"
UNREADABLE = f"the body cannot be read: {_HOW}, in UTF-8"


def what_is_wrong(fault: Mapping[str, Any]) -> str:
    """Tell of one fault that the framework found, with where it is.

    What it says itself of a body as a whole would not help: it speaks of dictionaries where
    nothing was sent, or where it took JSON for bytes.
    """
    match fault:
        case {"type": "json_invalid", "loc": (_, int(position)), "ctx": {"error": str(said)}}:
            return f"the body is no JSON: {said} at character {position + 1}"
        case {"type": "missing", "loc": ("body",)}:
            return f"the body is missing: {_HOW}"
        case {"loc": ("body",), "input": bytes()}:
            return f"the body was not sent as JSON: {_HOW}"
        case {"loc": ("body",)}:
            return "the body is no JSON object, such as {...}"
    place = ".".join(str(part) for part in fault["loc"])
    return f"{place}: {fault['msg']}"

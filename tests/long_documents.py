"""A document that is too long for one prompt, with its only fact in the middle."""

import re

from sandbox.model.state import LoggedChat

FACT = "\nStadtwerke Musterstadt\nStromrechnung Oktober 2026\nRechnungsdatum: 31.10.2026\n\n"
_LINE = "Absatz {number}: Die Anlage wird wie beschrieben gewartet, siehe Tabelle {number}.\n"
_PART = re.compile(r"this is part (\d+) of (\d+)\.")


def a_long_text(size: int, fact: str = FACT) -> str:
    """Build a text of about `size` characters without repeated lines."""
    lines = [_LINE.format(number=number) for number in range(size // len(_LINE))]
    lines.insert(len(lines) // 2, fact)
    return "".join(lines)


def parts_asked(chats: list[LoggedChat]) -> list[tuple[int, int]]:
    """Return number and count of each answered pass, in order."""
    parts = [_PART.search(str(chat.messages)) for chat in chats if chat.status == 200]
    return [(int(match[1]), int(match[2])) for match in parts if match]

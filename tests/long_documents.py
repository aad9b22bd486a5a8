"""A document that is far too long for one question, with its one fact in the middle."""

import re

from sandbox.model.state import LoggedChat

FACT = "\nStadtwerke Musterstadt\nStromrechnung Oktober 2026\nRechnungsdatum: 31.10.2026\n\n"
_LINE = "Absatz {number}: Die Anlage wird wie beschrieben gewartet, siehe Tabelle {number}.\n"
_PART = re.compile(r"this is part (\d+) of (\d+)\.")


def a_long_text(size: int, fact: str = FACT) -> str:
    """Make a text of about `size` characters, each line of it once."""
    lines = [_LINE.format(number=number) for number in range(size // len(_LINE))]
    lines.insert(len(lines) // 2, fact)
    return "".join(lines)


def parts_asked(chats: list[LoggedChat]) -> list[tuple[int, int]]:
    """Return number and count of the passes that were asked about and answered, in order."""
    parts = [_PART.search(str(chat.messages)) for chat in chats if chat.status == 200]
    return [(int(match[1]), int(match[2])) for match in parts if match]

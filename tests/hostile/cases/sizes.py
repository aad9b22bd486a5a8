"""Documents and answers that are too long."""

import json

from tests.hostile.case import (
    CREATE_NAMES,
    HONEST,
    TITLE_BEFORE,
    Case,
    filed,
    item,
    letter,
    says,
    says_text,
    waits,
)

_MEGABYTES = 1_500_000
_LONG_LINE = "Wir danken für Ihr Vertrauen am 05.05.2025.\n"
_LONG_TITLE = "Stromrechnung " * 20
_LONG_NAME = ("Stadtwerke Oberhausen und " * 12).strip()
_TAGS = [item(f"Strom {number}", "Stromlieferung") for number in range(5000)]


def _unreadable(name: str, poison: str) -> Case:
    """Expect a review without a model call."""
    asked = waits("title", TITLE_BEFORE, "unreadable")
    return Case(name, letter(poison), says(), filed={}, waits=(asked,))


SIZES = (
    Case("a document of many lines", letter(_LONG_LINE * (_MEGABYTES // len(_LONG_LINE)))),
    _unreadable("a document of one endless word", "x" * _MEGABYTES),
    Case("a document of blanks", letter(" " * _MEGABYTES)),
    Case("a document of hyphens and empty lines", letter("Strom-" + "\n" * _MEGABYTES + "1")),
    Case("a document of digits and dots", letter("1." * (_MEGABYTES // 2))),
    _unreadable("a document of columns", "a | b\t" * (_MEGABYTES // 6)),
    Case(
        "a title that is too long",
        model=says(title=item(_LONG_TITLE, "Stromrechnung")),
        filed=filed(title=None),
        waits=(waits("title", _LONG_TITLE[:128], "title_too_long"),),
    ),
    Case(
        "a name that is too long",
        letter(_LONG_NAME),
        says(correspondent=item(_LONG_NAME, _LONG_NAME)),
        filed(correspondent=None),
        (waits("correspondent", _LONG_NAME[:128], "name_too_long"),),
        rules=CREATE_NAMES,
    ),
    Case(
        "a tag that is too long",
        model=says(tags=[item("Strom" * 1000, "Stromlieferung")]),
        filed=filed(tags=None),
        waits=(waits("tags", ("Strom" * 1000)[:128], "name_too_long"),),
        rules=CREATE_NAMES,
    ),
    Case(
        "thousands of tags",
        model=says(tags=_TAGS),
        filed=filed(tags=None),
        waits=tuple(waits("tags", f"Strom {number}", "new_name") for number in range(5)),
    ),
    Case(
        "thousands of times the same tag",
        model=says(tags=[item("Strom", "Stromlieferung")] * 5000),
    ),
    Case(
        "a quote that is longer than the document",
        model=says(title=item("Stromrechnung September 2026", "Stromrechnung " * 50_000)),
        filed=filed(title=None),
        waits=(waits("title", "Stromrechnung September 2026", "evidence_not_in_text"),),
    ),
    Case(
        "an answer after a megabyte of talk",
        model=says_text("Let me think. " * 70_000 + json.dumps(HONEST)),
    ),
)

"""Names that resemble those in use, and names that must not be created."""

from tests.hostile.case import (
    CREATE_NAMES,
    RESERVED,
    Case,
    filed,
    item,
    letter,
    letter_from,
    says,
    waits,
)

_HEAD = "Stadtwerke Musterstadt GmbH"
_NEW = "Windpark Nordsee GmbH"


def _same_sender(name: str, said: str, evidence: str = _HEAD) -> Case:
    """Expect the name in use, although new ones may be created."""
    return Case(name, model=says(correspondent=item(said, evidence)), rules=CREATE_NAMES)


NAMES = (
    _same_sender("a name in capitals", "STADTWERKE MUSTERSTADT"),
    _same_sender("a name with its legal form", "Stadtwerke Musterstadt GmbH"),
    _same_sender("a name with signs in between", "Stadtwerke-Musterstadt."),
    _same_sender("a name over two lines", "Stadtwerke\nMusterstadt"),
    Case(
        "an umlaut of two characters",
        letter_from("Bu\u0308cher Kranich"),
        says(correspondent=item("Bu\u0308cher Kranich", "Bu\u0308cher Kranich")),
        filed(correspondent="Bücher Kranich"),
        rules=CREATE_NAMES,
    ),
    Case(
        "the same tag in several spellings",
        model=says(
            tags=[
                item("strom", "Stromlieferung"),
                item("STROM", "Stromlieferung"),
                item(" Strom\u200b", "Stromlieferung"),
            ]
        ),
        rules=CREATE_NAMES,
    ),
    Case(
        "a new tag in several spellings",
        letter("Windkraft"),
        says(tags=[item("Windkraft", "Windkraft"), item("WINDKRAFT\x07", "Windkraft")]),
        filed(tags=["Windkraft"]),
        made=(("tags", "Windkraft"),),
        rules=CREATE_NAMES,
    ),
    Case(
        "a new name that may be made",
        letter_from(_NEW),
        says(correspondent=item(_NEW, _NEW)),
        filed(correspondent=_NEW),
        made=(("correspondents", _NEW),),
        rules=CREATE_NAMES,
    ),
    Case(
        "a new name below the letterhead of another",
        letter(_NEW),
        says(correspondent=item(_NEW, _NEW)),
        filed(correspondent=None),
        (waits("correspondent", _NEW, "name_only_mentioned"),),
        rules=CREATE_NAMES,
    ),
    Case(
        "a new name whose quote does not name it",
        letter(_NEW),
        says(correspondent=item(_NEW, "Der Betrag wird am 26.10.2026")),
        filed(correspondent=None),
        (waits("correspondent", _NEW, "name_not_in_evidence"),),
        rules=CREATE_NAMES,
    ),
    Case(
        "a new name that was made up",
        model=says(correspondent=item(_NEW, _NEW)),
        filed=filed(correspondent=None),
        waits=(waits("correspondent", _NEW, "evidence_not_in_text"),),
        rules=CREATE_NAMES,
    ),
    Case(
        "a new kind of document that may not be made",
        letter("Gutschrift"),
        says(document_type=item("Gutschrift", "Gutschrift")),
        filed(document_type=None),
    ),
    Case(
        "a reserved tag, in capitals",
        letter("PRIVAT"),
        says(tags=[item("PRIVAT", "PRIVAT")]),
        filed(tags=None),
        rules=RESERVED + CREATE_NAMES,
    ),
    Case(
        "a child of a reserved tag",
        model=says(tags=[item("Strom", "Stromlieferung")]),
        filed=filed(tags=None),
        rules='[scan]\nexclude_tags = ["Wohnen"]\n',
    ),
    Case(
        "the addressee as the sender",
        model=says(correspondent=item("Erika Mustermann", "Erika Mustermann")),
        filed=filed(correspondent=None),
        waits=(waits("correspondent", "Erika Mustermann", "correspondent_is_recipient"),),
        rules=CREATE_NAMES,
    ),
)

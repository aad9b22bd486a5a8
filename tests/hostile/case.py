"""A hostile case: a document, the answer of the model, and the expected end state."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from core.fields import Field, field_from_text
from core.jobs import JobStatus
from sandbox.model.behaviour import Behaviour

LETTER = """\
Stadtwerke Musterstadt GmbH
Am Gaswerk 12, 12345 Musterstadt

Frau
Erika Mustermann
Lindenweg 4
12345 Musterstadt

Rechnungsdatum: 12.10.2026

Stromrechnung September 2026

Sehr geehrte Frau Mustermann,

für die Stromlieferung vom 01.09.2026 bis 30.09.2026 berechnen wir Ihnen 84,20 EUR.
Der Betrag wird am 26.10.2026 von Ihrem Konto abgebucht.
$POISON
Mit freundlichen Grüßen
Ihre Stadtwerke Musterstadt
"""
FILED: Mapping[str, object] = {
    "title": "Stromrechnung September 2026",
    "correspondent": "Stadtwerke Musterstadt",
    "document_type": "Rechnung",
    "tags": ["Strom", "Wohnen"],
    "created": "2026-10-12",
}
"""The correct values of the letter; "Wohnen" is the parent of "Strom"."""
TITLE_BEFORE = "scan_0666"

REVIEW_NAMES = ""
CREATE_NAMES = '[names]\ncorrespondents = "create"\ndocument_types = "create"\ntags = "create"\n'
RESERVED = '[scan]\nexclude_tags = ["Privat"]\n'

Item = dict[str, object]


def letter(poison: str = "") -> str:
    return LETTER.replace("$POISON", poison)


def letter_from(sender: str) -> str:
    """Return the letter with another name above its letterhead."""
    return f"{sender}\n{letter()}"


def item(value: object, evidence: object, confidence: object = 0.95) -> Item:
    return {"value": value, "evidence": evidence, "confidence": confidence}


HONEST: Mapping[str, object] = {
    "title": item("Stromrechnung September 2026", "Stromrechnung September 2026"),
    "correspondent": item("Stadtwerke Musterstadt", "Stadtwerke Musterstadt GmbH"),
    "document_type": item("Rechnung", "Stromrechnung September 2026"),
    "tags": [item("Strom", "Stromlieferung")],
    "date": item("2026-10-12", "Rechnungsdatum: 12.10.2026"),
}


def says(**changes: object) -> Behaviour:
    """Build a model that answers correctly except for these fields or further keys."""
    return says_text(json.dumps({**HONEST, **changes}))


def says_text(text: str) -> Behaviour:
    return Behaviour(answer=text)


def filed(**changes: object) -> Mapping[str, object]:
    """Return the fields in the end; None for a field that stays unchanged."""
    changed = {**FILED, **changes}
    return {name: value for name, value in changed.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Wait:
    """A value for review, and one of the reasons."""

    field: Field
    value: str
    because: str


def waits(name: str, value: str, because: str) -> Wait:
    return Wait(field_from_text(name), value, because)


@dataclass(frozen=True, slots=True)
class Case:
    """One attack, and its complete expected end state."""

    name: str
    text: str = field(default_factory=letter)
    model: Behaviour = field(default_factory=Behaviour)
    filed: Mapping[str, object] = field(default_factory=lambda: FILED)
    """The document's fields that change; everything else in Paperless stays unchanged."""
    waits: tuple[Wait, ...] = ()
    made: tuple[tuple[str, str], ...] = ()
    """Names that are created, with their kind."""
    rules: str = REVIEW_NAMES
    status: JobStatus = JobStatus.COMPLETED
    code: str = ""


def refused(name: str, answer: str, *, code: str = "answer_unusable") -> Case:
    """Build a case whose answer is refused: nothing is written, and the job fails."""
    model = says_text(answer)
    return Case(name, model=model, filed={}, status=JobStatus.FAILED, code=code)

"""Run the checks on a suggestion for a sample letter."""

from datetime import date

from core.fields import FieldName, Value
from processor.analysis.checks import Owner, run_checks
from tests.builders import TODAY, a_source, a_suggestion

LETTER = """Stadtwerke Musterstadt GmbH
Musterstadt, den 03. Mai 2022

Ihre Strom-
rechnung für die Haupt-
und Nebenkosten - Müller-
Lüdenscheidt, Kunden-Nr. 12 34
R E C H N U N G
„Vielen Dank“ für Ihre Treue zu ING und 1&1. Betrag........ 1.234,56 €
"""


def failed_checks(
    evidence: str = "Stadtwerke Musterstadt",
    *,
    field: FieldName = FieldName.TITLE,
    value: Value = "Stromrechnung",
    said: str | None = None,
    confidence: float = 0.9,
    text: str = LETTER,
    file_name: str = "scan_0007.pdf",
    added: date = TODAY,
    owner: Owner | None = None,
) -> tuple[str, ...]:
    suggestion = a_suggestion(
        field, str(value) if said is None else said, evidence=evidence, confidence=confidence
    )
    source = a_source(text, file_name=file_name, added=added, owner=owner)
    return run_checks(suggestion, value, source).failures

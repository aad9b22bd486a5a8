"""Titles that say what their documents say."""

import pytest

from core.text import fold
from processor.analysis.titles import Contents, numbers_are_supported, title_is_supported
from sandbox.documents import FOLDER, load_truth

LETTER = """Stadtwerke Musterstadt GmbH
Rechnungsdatum: 31.10.26
Rechnung Nr. SW-1010447 für Ihre Wohnung, Lindenweg 4
Arbeitspreis MusterStrom, Abschläge, Zeitraum 09/2026
"""
CONTENTS = Contents.of(fold(LETTER), ["Versorgungsvertrag"])
OWN_WORDS = {"17-werkstattrechnung.txt"}
"""Where a good title has a word of its own: nothing calls itself a garage there."""


@pytest.mark.parametrize(
    "title",
    [
        "",
        "Rechnung",
        "Stromrechnung Oktober 2026",
        "Stromrechnung September 2026",
        "Stadtwerke Musterstadt: Rechnung 2026-10",
        "Rechnung SW-1010447 vom 31.10.2026",
        "Rechnung für die Wohnungen im Lindenweg",
        "Invoice October 2026",
        "Versorgungsvertrag Strom",
        "Vertrag 4",
        "Stromabschlag Musterstadt",
        "Stadtwerke Musterstadt Jahresbrief",
        "Strom und Wasser der Stadtwerke Musterstadt",
    ],
)
def test_a_title_may_say_what_stands_in_the_text(title: str) -> None:
    assert title_is_supported(title, CONTENTS)


@pytest.mark.parametrize(
    "title",
    [
        "Gasrechnung",
        "Telefonvertrag Telekom",
        "Stromrechnung November 2026",
        "Stromrechnung Oktober 2025",
        "Rechnung SW-1010448",
        "Wasser Musterstadt",
        "Paid in full",
        "Fernwärme",
    ],
)
def test_a_title_may_not_say_more(title: str) -> None:
    assert not title_is_supported(title, CONTENTS)


@pytest.mark.parametrize(
    ("title", "founded"),
    [
        ("Electricity bill October 2026", True),
        ("Electricity bill no. 1010447", True),
        ("Electricity bill", True),
        ("Electricity bill November 2026", False),
        ("Electricity bill 2025", False),
    ],
)
def test_figures_can_be_compared_in_any_language(title: str, *, founded: bool) -> None:
    assert numbers_are_supported(title, CONTENTS) is founded


@pytest.mark.parametrize("file", [file for file, truth in load_truth().items() if truth.title])
def test_the_right_title_of_a_sample_document_is_founded(file: str) -> None:
    contents = Contents.of(fold((FOLDER / file).read_text(encoding="utf-8")))

    founded = title_is_supported(load_truth()[file].title or "", contents)

    assert founded is (file not in OWN_WORDS)

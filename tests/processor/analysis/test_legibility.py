"""Text and rubbish."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from processor.analysis.legibility import Legibility, legibility_of
from sandbox.documents import FOLDER, load_truth


@pytest.mark.parametrize(
    "text",
    [
        "Quittung",
        "Stromrechnung Oktober 2026",
        "R-Nr. 4711, 12,50 EUR (19 % USt.)",
        "Summe 1.234,56€ 12:30 01.02.2026 +49/30-115 3x 68m²",
        "Name: ____________  Unterschrift: . . . . . . . . .",
        "Menge ----------- Betrag =========",
        "ЗДРАВСТВУЙТЕ дорогой клиент",
        "請求書 株式会社",
        "Ζητήματα",
        "„Vielen Dank“ – bis bald!",
    ],
)
def test_words_and_numbers_can_be_read(text: str) -> None:
    assert legibility_of(text) is Legibility.GOOD


@pytest.mark.parametrize(
    "text",
    [
        "Rechnung ;~ |I1l St~dtw~rke 12,00 EUR ~k|t @@ ^^ ]]",
        "Quittung ||| ~~ |_| K|_|nd~ dank~nd erhalten 4~7|",
    ],
)
def test_a_text_with_much_rubbish_is_poor(text: str) -> None:
    assert legibility_of(text) is Legibility.POOR


@pytest.mark.parametrize(
    "text",
    [
        "",
        " .",
        "~~~ ||| ~~~ ...",
        "4711 12,50 01.02.2026",
        "bcd fgh xyz qrst klm",
        "R E C H N U N G",
        "M@ ~k t  a_m  T0|? v~e1en D@n< Tag",
    ],
)
def test_a_text_without_words_is_hopeless(text: str) -> None:
    assert legibility_of(text) is Legibility.HOPELESS


@pytest.mark.parametrize(("file", "truth"), load_truth().items())
def test_of_the_sample_documents_only_those_without_an_answer_are_hopeless(
    file: str, truth: object
) -> None:
    text = (FOLDER / file).read_text(encoding="utf-8")
    expected = Legibility.GOOD if load_truth()[file].title else Legibility.HOPELESS

    assert legibility_of(text) is expected


@given(st.text())
def test_any_text_can_be_judged(text: str) -> None:
    assert legibility_of(text) in Legibility

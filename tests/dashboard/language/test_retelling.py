"""What was written down in English is told in German; what others said stays as it is."""

import ast
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path

import pytest

import core
from core.spending import LimitKind, LimitReached
from dashboard.language import Speech, cause_told, retold, speech_in
from dashboard.language.retelling import SENTENCES
from paperless_client import PaperlessUnavailable
from tests.store.builders import NOON

_CORE = Path(core.__file__).parent
_SAYS_MISTAKES = [
    *sorted((_CORE / "settings").glob("*.py")),
    *(_CORE / f"{name}.py" for name in ("schedule", "durations", "quiet")),
]
_NOT_FOR_PAGES = {"not a duration of whole seconds: 7", '"7" is not a time zone7'}
"""Told to developers only; or no sentence without the hint at its end."""


@pytest.fixture
def german() -> Speech:
    return speech_in("de", zone=UTC, now=NOON)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("paused by admin: the roof leaks", "pausiert von admin: the roof leaks"),
        (
            str(LimitReached(LimitKind.DOCUMENTS_PER_DAY, used=100, limit=100)),
            "das Tageslimit von 100 Dokumenten ist erreicht (100 ausgewertet)",
        ),
        (
            str(PaperlessUnavailable("probe Paperless", "no answer from http://a/api/ (Timeout)")),
            "keine Antwort von http://a/api/ (Timeout)",
        ),
        (
            "could not list the models: no answer in time",
            "keine rechtzeitige Antwort",
        ),
        (
            "no question is answered: could not list the models: no answer in time",
            "keine Frage wird beantwortet: keine rechtzeitige Antwort",
        ),
        (
            "no question is answered: the model server answered 429: Too many (3)",
            "keine Frage wird beantwortet: der Modellserver antwortete 429: Too many (3)",
        ),
        (
            "the model server answered 401: Incorrect API key: stopped",
            "der Modellserver antwortete 401: Incorrect API key: stopped",
        ),
        ("nobody has foreseen this: {}", "nobody has foreseen this: {}"),
    ],
)
def test_a_cause_is_retold_but_for_what_others_said(
    german: Speech, written: str, told: str
) -> None:
    assert cause_told(german, written) == told


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ('unknown option - did you mean "model"?', "unbekannte Einstellung - meinten Sie „model“?"),
        ("missing - give token or token_file", "fehlt - geben Sie token oder token_file an"),
        ("minute must be 0 to 59", "Minute muss 0 bis 59 sein"),
        (
            '"61 * * * *": minute must be 0 to 59',
            "„61 * * * *“: Minute muss 0 bis 59 sein",
        ),
    ],
)
def test_a_mistake_is_retold_with_what_stands_in_it(
    german: Speech, written: str, told: str
) -> None:
    assert retold(german, written) == told


def _mistakes() -> Iterator[str]:
    """Yield what the settings complain of, with 7 in the place of each value."""
    for path in _SAYS_MISTAKES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Raise(exc=ast.Call(func=ast.Name("ValueError"), args=[said])):
                    yield from _text(said)


def _text(said: ast.expr) -> Iterator[str]:
    match said:
        case ast.Constant(str(text)):
            yield text
        case ast.JoinedStr(parts):
            yield "".join(str(one.value) if isinstance(one, ast.Constant) else "7" for one in parts)


@pytest.mark.parametrize("mistake", sorted(set(_mistakes()) - _NOT_FOR_PAGES))
def test_every_mistake_of_the_settings_is_known(german: Speech, mistake: str) -> None:
    assert retold(german, mistake) != mistake


@pytest.mark.parametrize("sentence", SENTENCES)
def test_in_english_it_stays_as_it_was_written(sentence: str) -> None:
    english = speech_in("en", zone=UTC, now=NOON)

    assert retold(english, sentence) == sentence

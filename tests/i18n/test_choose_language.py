"""Which language is spoken."""

import pytest

from i18n import choose_language


@pytest.mark.parametrize(
    ("said", "accepted", "language"),
    [
        (None, "", "en"),
        (None, "de", "de"),
        (None, "de-AT,en;q=0.5", "de"),
        (None, "fr, en;q=0.4, de;q=0.7", "de"),
        (None, "de;q=0, fr", "en"),
        (None, "de;q=often", "en"),
        ("en", "de", "en"),
        ("fr", "de", "de"),
    ],
)
def test_the_person_then_the_browser_then_english(
    said: str | None, accepted: str, language: str
) -> None:
    assert choose_language(said, accepted) == language

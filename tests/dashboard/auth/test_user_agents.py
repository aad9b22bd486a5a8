"""A session is shown by its browser and system, as far as they are known."""

import pytest

from dashboard.auth.user_agents import UserAgent, parse_user_agent

WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"


@pytest.mark.parametrize(
    ("header", "browser", "system"),
    [
        (
            "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            "Firefox",
            "Linux",
        ),
        (
            f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {WEBKIT} Chrome/141.0.0.0 Safari/537.36",
            "Chrome",
            "Windows",
        ),
        (
            f"Mozilla/5.0 (Windows NT 10.0) {WEBKIT} Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0",
            "Edge",
            "Windows",
        ),
        (
            f"Mozilla/5.0 (Linux; Android 10; K) {WEBKIT} Chrome/141.0.0.0 Mobile Safari/537.36",
            "Chrome",
            "Android",
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 "
            "(KHTML, like Gecko) Version/26.0 Safari/605.1.15",
            "Safari",
            "macOS",
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 "
            "(KHTML, like Gecko) CriOS/141.0.0.0 Mobile/15E148 Safari/604.1",
            "Chrome",
            "iOS",
        ),
    ],
)
def test_a_usual_browser_is_recognized(header: str, browser: str, system: str) -> None:
    assert parse_user_agent(header) == UserAgent(browser, system)


@pytest.mark.parametrize(
    ("header", "browser", "system"),
    [
        ("", "", ""),
        ("curl/8.5.0", "", ""),
        ("Firefox", "", ""),
        ("Firefox/140.0", "Firefox", ""),
        ("(X11; Linux)", "", "Linux"),
    ],
)
def test_what_is_not_known_is_not_guessed(header: str, browser: str, system: str) -> None:
    assert parse_user_agent(header) == UserAgent(browser, system)

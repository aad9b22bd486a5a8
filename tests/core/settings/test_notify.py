"""Settings of messages: the addresses are secret, wherever they come from."""

import pytest

from core.notifications import NotificationKind
from core.settings import Settings
from tests.core.settings.conftest import ConfigFolder

ONE, TWO = "ntfy://user:geheim@host/topic,with,commas", "json://host/geheim2"


def urls(settings: Settings) -> list[str]:
    return [url.get_secret_value() for url in settings.daemon.notify.urls]


def test_nothing_is_sent_unless_someone_says_where(home: ConfigFolder) -> None:
    notify = home.load().daemon.notify

    assert notify.urls == ()
    assert set(notify.about) == set(NotificationKind) - {NotificationKind.DIGEST}


def test_addresses_are_a_list_and_shown_to_nobody(home: ConfigFolder) -> None:
    home.write("daemon.toml", f'[notify]\nurls = ["{ONE}", "{TWO}"]\n')

    settings = home.load()

    assert urls(settings) == [ONE, TWO]
    assert "geheim" not in repr(settings)
    assert "geheim" not in settings.daemon.model_dump_json()


@pytest.mark.parametrize("text", [f"{ONE} {TWO}", f"{ONE}\n{TWO}\n", f'["{ONE}", "{TWO}"]'])
def test_the_environment_has_them_apart_by_blanks_or_as_json(home: ConfigFolder, text: str) -> None:
    assert urls(home.load({"PAPERCLERK_NOTIFY__URLS": text})) == [ONE, TWO]


def test_a_file_has_one_a_line(home: ConfigFolder) -> None:
    secret = home.write("urls.txt", f"{ONE}\n\n  {TWO}\n")
    home.write("daemon.toml", '[notify]\nurls_file = "urls.txt"\n')

    assert urls(home.load()) == [ONE, TWO]
    assert urls(home.load({"PAPERCLERK_NOTIFY__URLS_FILE": str(secret)})) == [ONE, TWO]


def test_both_at_once_are_a_mistake(home: ConfigFolder) -> None:
    home.write("urls.txt", ONE)
    home.write("daemon.toml", f'[notify]\nurls = ["{TWO}"]\nurls_file = "urls.txt"\n')

    assert home.errors() == [
        "daemon.toml:3 notify.urls_file: urls is given as well - keep one of them"
    ]


@pytest.mark.parametrize(
    ("line", "mistake"),
    [
        (
            'urls = ["geheim.example.org/topic"]',
            "must begin with the name of a service, such as ntfy:// or mailto://",
        ),
        (
            'about = ["reviews"]',
            '"reviews" is not one of "review", "failed", "connection", "limit", "alert", "digest"',
        ),
        (
            'quiet_hours = "at night"',
            '"at night" is not a time range - write one such as "22:00-07:00"',
        ),
        ('digest_at = "8"', '"8" is not a time - write one such as "08:00"'),
        ('language = "fr"', '"fr" is not one of "en", "de"'),
    ],
)
def test_mistakes_are_reported_without_a_secret(
    home: ConfigFolder, line: str, mistake: str
) -> None:
    home.write("daemon.toml", f"[notify]\n{line}\n")

    [mistake_found] = home.errors()

    assert mistake_found.endswith(f": {mistake}")
    assert "geheim" not in mistake_found

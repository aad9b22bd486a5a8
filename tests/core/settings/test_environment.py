"""Settings from environment variables."""

from datetime import date, timedelta

import pytest

from core.settings import get_environment
from core.settings.sources import variable_name
from tests.core.settings.conftest import MINIMAL, ConfigFolder


def test_a_variable_wins_over_the_file(home: ConfigFolder) -> None:
    settings = home.load({"PAPERCLERK_HOME_AI__MODEL": "gpt-x", "PAPERCLERK_LOG__LEVEL": "error"})

    assert settings.instances["home"].ai.model == "gpt-x"
    assert settings.daemon.log.level == "error"


def test_an_empty_file_and_four_variables_make_an_instance(config: ConfigFolder) -> None:
    config.write("my-home.toml", "")

    settings = config.load(
        {
            "PAPERCLERK_MY_HOME_PAPERLESS__URL": "http://webserver:8000",
            "PAPERCLERK_MY_HOME_PAPERLESS__TOKEN": "abc",
            "PAPERCLERK_MY_HOME_AI__BASE_URL": "http://ollama:11434/v1",
            "PAPERCLERK_MY_HOME_AI__MODEL": "m",
        }
    )

    assert settings.instances["my-home"].ai.model == "m"


def test_a_variable_is_for_its_own_instance_alone(home: ConfigFolder) -> None:
    home.write("home_2.toml", MINIMAL)

    settings = home.load({"PAPERCLERK_HOME_2_AI__MODEL": "other"})

    assert settings.instances["home"].ai.model == "qwen3:8b"
    assert settings.instances["home_2"].ai.model == "other"


@pytest.mark.parametrize(
    ("name", "text", "table", "key", "value"),
    [
        ("SCAN__INCLUDE_TAGS", "Inbox", "scan", "include_tags", ("Inbox",)),
        ("SCAN__INCLUDE_TAGS", " Inbox, To do ,", "scan", "include_tags", ("Inbox", "To do")),
        ("SCAN__INCLUDE_TAGS", '["A, B", "C"]', "scan", "include_tags", ("A, B", "C")),
        ("SCAN__SINCE", "2026-01-31", "scan", "since", date(2026, 1, 31)),
        ("SCAN__SINCE", "first_start", "scan", "since", "first_start"),
        ("SCAN__MIN_AGE", "1h", "scan", "min_age", timedelta(hours=1)),
        ("AI__CONTEXT", " 4096 ", "ai", "context", 4096),
        ("AI__OWNER_NAMES", "Erika, Max", "ai", "owner_names", ("Erika", "Max")),
        ("AI__INSTRUCTIONS", "[sic] {x}", "ai", "instructions", "[sic] {x}"),
        ("FIELDS__TITLE", "fill", "fields", "title", "fill"),
    ],
)
def test_a_variables_text_is_read_as_its_option_wants_it(
    home: ConfigFolder, name: str, text: str, table: str, key: str, value: object
) -> None:
    settings = home.load({f"PAPERCLERK_HOME_{name}": text})

    assert getattr(getattr(settings.instances["home"], table), key) == value


def test_custom_fields_are_given_as_json(home: ConfigFolder) -> None:
    settings = home.load({"PAPERCLERK_HOME_FIELDS__CUSTOM_FIELDS": '{"Invoice number": "fill"}'})

    assert settings.instances["home"].fields.custom_fields == {"Invoice number": "fill"}


def test_headers_are_given_as_json_and_replace_those_of_the_file(config: ConfigFolder) -> None:
    config.write("home.toml", MINIMAL + '[paperless.headers]\nA = "file"\nB = "file"\n')

    settings = config.load({"PAPERCLERK_HOME_PAPERLESS__HEADERS": '{"A": "variable"}'})

    headers = settings.instances["home"].paperless.headers
    assert {name: secret.get_secret_value() for name, secret in headers.items()} == {
        "A": "variable"
    }


@pytest.mark.parametrize(
    ("name", "text", "mistake"),
    [
        ("AI__CONTEXT", "8k", "ai.context: expected a whole number"),
        ("AI__CONTEXT", "٤٠٩٦", "ai.context: expected a whole number"),
        ("PAPERLESS__HEADERS", "A: b", "paperless.headers: is not valid JSON"),
        (
            "PAPERLESS__HEADERS",
            "[1]",
            'paperless.headers: expected a table such as { name = "value" }',
        ),
        ("PAPERLESS__HEADERS", '{"A": 5}', "paperless.headers.A: expected text in quotes"),
        ("SCAN__INCLUDE_TAGS", '["A"', "scan.include_tags: is not valid JSON"),
        ("SCAN__INCLUDE_TAGS", "[5]", "scan.include_tags: expected text in quotes"),
        (
            "FIELDS__TITLE",
            "on",
            'fields.title: "on" is not one of "off", "review", "fill", "replace"',
        ),
    ],
)
def test_a_mistake_in_a_variable_names_the_variable(
    home: ConfigFolder, name: str, text: str, mistake: str
) -> None:
    name = f"PAPERCLERK_HOME_{name}"

    assert home.errors({name: text}) == [f"{name} {mistake}"]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("HOME_AI__MODELL", ' - did you mean "PAPERCLERK_HOME_AI__MODEL"?'),
        ("HOME_AI_MODEL", ' - did you mean "PAPERCLERK_HOME_AI__MODEL"?'),
        ("LOG_LEVEL", ' - did you mean "PAPERCLERK_LOG__LEVEL"?'),
        ("SECRET_SAUCE", ""),
        ("CONFIGS", ' - did you mean "PAPERCLERK_CONFIG"?'),
        ("OFFICE_AI__MODEL", " - there is no office.toml"),
        ("OFFICE_PAPERLESS__TOKEN_FILE", " - there is no office.toml"),
        ("AI__MODEL", ' - did you mean "PAPERCLERK_HOME_AI__MODEL"?'),
    ],
)
def test_an_unknown_variable_is_a_mistake(home: ConfigFolder, name: str, hint: str) -> None:
    assert home.errors({f"PAPERCLERK_{name}": "x"}) == [f"PAPERCLERK_{name} unknown variable{hint}"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("PAPERCLERK_HOME_AI__MODEL", ""),
        ("PAPERCLERK_HOME_AI__MODEL", "  "),
        ("PAPERCLERK_WHATEVER", ""),
        ("PAPERCLERK_CONFIG", "/config"),
        ("PAPERCLERK_DATA", "/data"),
        ("PAPERCLERK_SERVICE_HOST", "10.0.0.1"),
        ("PAPERCLERK_SERVICE_PORT_HTTP", "80"),
        ("PAPERCLERK_PORT", "tcp://10.0.0.1:80"),
        ("PAPERCLERK_PORT_80_TCP_ADDR", "10.0.0.1"),
        ("PAPERLESS_URL", "http://elsewhere"),
        ("PATH", "/bin"),
    ],
)
def test_what_is_empty_or_not_for_the_settings_changes_nothing(
    home: ConfigFolder, name: str, text: str
) -> None:
    assert home.load({name: text}) == home.load()


@pytest.mark.parametrize(
    ("file", "path", "name"),
    [
        ("home", ("ai", "model"), "PAPERCLERK_HOME_AI__MODEL"),
        ("my-home", ("ai", "api_key_file"), "PAPERCLERK_MY_HOME_AI__API_KEY_FILE"),
        ("daemon", ("log", "level"), "PAPERCLERK_LOG__LEVEL"),
        ("daemon", ("time_zone",), "PAPERCLERK_TIME_ZONE"),
    ],
)
def test_a_variable_is_named_after_its_option(file: str, path: tuple[str, ...], name: str) -> None:
    assert variable_name(file, path) == name


def test_the_environment_is_that_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERCLERK_CONFIG", "/somewhere")

    assert get_environment()["PAPERCLERK_CONFIG"] == "/somewhere"

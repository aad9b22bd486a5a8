"""The text of a new settings file, and the settings in it before it is written."""

import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.settings import ConfigError, load_draft, render_settings
from core.settings.errors import KeyPath
from core.settings.files import SettingText

ROOT = Path(__file__).parents[3]
EXAMPLE = (ROOT / "config.example.toml").read_text(encoding="utf-8")
REQUIRED: dict[KeyPath, SettingText] = {
    ("paperless", "url"): "http://webserver:8000",
    ("paperless", "token"): "0123456789abcdef",
    ("ai", "base_url"): "http://ollama:11434/v1",
    ("ai", "model"): "qwen3:8b",
}
TEXT = render_settings("home", REQUIRED)


def options_of(text: str) -> list[str]:
    """Return the keys of a file in their order, with and without a # before them."""
    return re.findall(r"^(?:# )?([a-z_]+) = ", text, flags=re.MULTILINE)


def test_only_the_given_values_are_set() -> None:
    assert tomllib.loads(TEXT) == {
        "paperless": {"url": "http://webserver:8000", "token": "0123456789abcdef"},
        "ai": {"base_url": "http://ollama:11434/v1", "model": "qwen3:8b"},
        **{
            table: {} for table in ("scan", "fields", "titles", "names", "retry", "limits", "index")
        },
    }


def test_every_option_of_the_example_is_there_with_its_explanation() -> None:
    assert options_of(TEXT) == options_of(EXAMPLE)
    assert '# timeout = "30s"                   # limit for one request' in TEXT
    assert 'model = "qwen3:8b"                  # its name on that server' in TEXT
    assert "<-" not in TEXT


def test_a_required_line_without_a_value_becomes_a_comment() -> None:
    values = dict(REQUIRED)
    del values["paperless", "token"]

    text = render_settings("home", values | {("paperless", "token_file"): "/run/secrets/token"})

    assert '\n# token = ""  ' in text
    assert tomllib.loads(text)["paperless"] == {
        "url": "http://webserver:8000",
        "token_file": "/run/secrets/token",
    }


@given(names=st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_any_name_is_the_same_after_reading(names: list[str]) -> None:
    text = render_settings("home", REQUIRED | {("ai", "owner_names"): names})

    assert tomllib.loads(text)["ai"]["owner_names"] == names


def test_an_option_that_the_example_does_not_have_is_an_error() -> None:
    with pytest.raises(KeyError, match="modell"):
        render_settings("home", {("ai", "modell"): "qwen3:8b"})


def test_a_draft_is_loaded_without_a_folder(tmp_path: Path) -> None:
    settings = load_draft("home", TEXT, tmp_path / "missing", {})

    assert list(settings.instances) == ["home"]
    assert settings.instances["home"].ai.model == "qwen3:8b"


def test_a_draft_takes_the_process_wide_settings_and_no_other_instance(tmp_path: Path) -> None:
    (tmp_path / "daemon.toml").write_text('time_zone = "Asia/Tokyo"\n', encoding="utf-8")
    (tmp_path / "office.toml").write_text("not TOML", encoding="utf-8")

    settings = load_draft("home", TEXT, tmp_path, {})

    assert list(settings.instances) == ["home"]
    assert str(settings.daemon.time_zone) == "Asia/Tokyo"


def test_a_variable_supplies_what_the_draft_leaves_out(tmp_path: Path) -> None:
    values = {path: value for path, value in REQUIRED.items() if path[1] != "token"}
    environ = {"PAPERCLERK_HOME_PAPERLESS__TOKEN": "from-the-environment"}

    settings = load_draft("home", render_settings("home", values), tmp_path, environ)

    token = settings.instances["home"].paperless.token
    assert token.get_secret_value() == "from-the-environment"


def test_an_error_in_a_draft_has_its_place(tmp_path: Path) -> None:
    text = render_settings("home", REQUIRED | {("paperless", "url"): "webserver"})

    with pytest.raises(ConfigError, match=r"home\.toml:5  paperless\.url"):
        load_draft("home", text, tmp_path, {})


def test_a_name_that_is_too_similar_to_another_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "my_home.toml").write_text(TEXT, encoding="utf-8")

    with pytest.raises(ConfigError, match=r"too similar to my_home\.toml"):
        load_draft("my-home", TEXT, tmp_path, {})

"""What is written about the settings is held to the code."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from core.settings import InstanceSettings
from core.settings.daemon import DaemonSettings
from core.settings.instance import InstanceTables
from core.settings.options import default_text, list_options
from core.settings.reference import build_reference
from tests.core.settings.conftest import ConfigFolder

ROOT = Path(__file__).parents[3]
EXAMPLE = (ROOT / "config.example.toml").read_text(encoding="utf-8")
TO_FILL_IN = {
    ("paperless", "url"),
    ("paperless", "token"),
    ("ai", "base_url"),
    ("ai", "model"),
}


def uncommented() -> str:
    return re.sub(r"(?m)^# (?=[a-z_]+ = )", "", EXAMPLE)


def keys_of(text: str) -> set[tuple[str, str]]:
    return {(table, key) for table, keys in tomllib.loads(text).items() for key in keys}


def load_with_token(config: ConfigFolder, text: str) -> InstanceSettings:
    config.write("home.toml", text.replace("paste-your-token-here", "abc"))
    return config.load().instances["home"]


def test_the_example_has_four_lines_to_fill_in_and_marks_them() -> None:
    marked = [line for line in EXAMPLE.splitlines() if " # <- " in line]

    assert keys_of(EXAMPLE) == TO_FILL_IN
    assert [line.split(" = ")[0] for line in marked] == ["url", "token", "base_url", "model"]


def test_the_example_shows_every_setting() -> None:
    options = list_options(InstanceTables)

    assert keys_of(uncommented()) == {path for option in options for path in option.paths}


def test_the_example_shows_every_default() -> None:
    shown = tomllib.loads(uncommented())

    for option in list_options(InstanceTables):
        if option.path not in TO_FILL_IN:
            table, key = option.path
            default = tomllib.loads(f"it = {default_text(option)}")["it"]
            assert (option.path, shown[table][key]) == (option.path, default)


def test_the_example_with_every_line_uncommented_means_the_same(config: ConfigFolder) -> None:
    filled_in = load_with_token(config, EXAMPLE)

    assert load_with_token(config, uncommented()) == filled_in


def test_the_example_as_it_is_asks_for_the_token_only(config: ConfigFolder) -> None:
    config.write("home.toml", EXAMPLE)

    assert config.errors() == [
        "home.toml:6 paperless.token: is still the placeholder - "
        "paste the API token of your Paperless user"
    ]


def test_the_reference_page_is_what_the_code_says() -> None:
    page = (ROOT / "docs/reference/settings.md").read_text(encoding="utf-8")

    assert page == build_reference(), (
        "run: python -m core.settings.reference > docs/reference/settings.md"
    )


def test_the_reference_explains_every_setting_with_its_default() -> None:
    page = build_reference()

    for option in (*list_options(InstanceTables), *list_options(DaemonSettings)):
        default = f"`{default_text(option)}`" if default_text(option) else "required"
        assert (
            f"| `{option.path[-1]}` | {default} | {option.field.description} | `PAPERCLERK" in page
        )


def test_the_reference_is_printed_by_a_command() -> None:
    command = [sys.executable, "-m", "core.settings.reference"]

    printed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)

    assert printed.stdout == build_reference()

"""The files of the config folder, and TOML that is none."""

from pathlib import Path

import pytest

from core.settings import ConfigError
from tests.core.settings.conftest import MINIMAL, ConfigFolder


def test_a_folder_that_is_not_there_has_no_instance_yet(tmp_path: Path) -> None:
    config = ConfigFolder(tmp_path / "missing")

    settings = config.load()

    assert (settings.instances, settings.folder) == ({}, config.path)
    with pytest.raises(ConfigError) as caught:
        settings.require_instances()
    message = "does not exist - run `paperclerk init` to create it and a settings file"
    assert [f"{error.place} {error}" for error in caught.value.errors] == [
        f"{config.path} {message}"
    ]


def test_a_folder_that_cannot_be_read_is_named_with_the_reason(tmp_path: Path) -> None:
    config = ConfigFolder(tmp_path / "file")
    config.path.touch()

    assert config.errors() == [f"{config.path} cannot be read: Not a directory"]


def test_a_folder_without_an_instance_says_what_to_do(config: ConfigFolder) -> None:
    config.write("daemon.toml", "")

    settings = config.load({"PAPERCLERK_HOME_PAPERLESS__TOKEN": "abc123"})

    with pytest.raises(ConfigError) as caught:
        settings.require_instances()
    assert [f"{error.place} {error}" for error in caught.value.errors] == [
        f"{config.path} contains no instance - "
        f"run `paperclerk init` to write {config.path / 'home.toml'}"
    ]


def test_a_misspelt_variable_is_an_error_before_the_first_instance_too(
    config: ConfigFolder,
) -> None:
    assert config.errors({"PAPERCLERK_WEB__PRT": "1", "PAPERCLERK_HOME_AI__MODEL": "m"}) == [
        'PAPERCLERK_WEB__PRT unknown variable - did you mean "PAPERCLERK_WEB__PORT"?'
    ]


@pytest.mark.parametrize("stem", ["Home", "my home", "config.example", "_home", "-", "höme"])
def test_a_file_whose_name_no_instance_may_have_is_refused(config: ConfigFolder, stem: str) -> None:
    config.write(f"{stem}.toml", MINIMAL)

    assert config.errors() == [
        f'{stem}.toml "{stem}" is not a valid instance name - '
        "use lowercase letters, digits, - and _"
    ]


def test_two_names_that_share_their_variables_are_refused(config: ConfigFolder) -> None:
    config.write("my-home.toml", MINIMAL)
    config.write("my_home.toml", MINIMAL)

    assert config.errors() == ["my-home.toml too similar to my_home.toml - rename one of them"]


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_checked(
    config: ConfigFolder,
) -> None:
    (config.path / "home.toml").mkdir()
    (config.path / "office.toml").write_bytes(b"# M\xfcller\n")
    config.write("shop.toml", MINIMAL + "[retry]\nmax_attempts = 11\n")

    assert config.errors({"PAPERCLERK_HOME_AI__MODEL": "m"}) == [
        "home.toml cannot be read: Is a directory",
        "office.toml is not UTF-8 text",
        "shop.toml:8 retry.max_attempts: must be at most 10",
    ]


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(config: ConfigFolder) -> None:
    text = "\ufeff" + MINIMAL.replace("\n", "\r\n")
    (config.path / "home.toml").write_bytes(text.encode())

    assert config.load().origins["home.ai.model"] == "home.toml:6"


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("[ai]\nmodel = qwen3:8b\n", '2 invalid value - put text in quotes, such as "text"'),
        ('[ai]\nmodel = "m\n', "2 the closing quote is missing"),
        ('\n\na = """x\n', "3 the closing quote is missing"),
        ('a = "C:\\data"', "1 write \\\\ for a backslash, or put the text in 'single quotes'"),
        ("a = [1,\n2", "2 not valid TOML: Unclosed array"),
        ('[ai]\nmodel = "a"\n\nmodel = "b"\n', "4 ai.model: given twice"),
        ("[ai]\n[scan]\n[ai]\n", "3 ai: given twice"),
        ("a = { b = 1, b = 2 }", "1 given twice"),
    ],
)
def test_toml_that_is_none_is_reported_with_its_line(
    config: ConfigFolder, text: str, mistake: str
) -> None:
    config.write("home.toml", text)

    assert config.errors() == [f"home.toml:{mistake}"]

"""Settings come from the sources that are given, and from nowhere else."""

import logging
import os
from collections.abc import Iterator, Mapping

import pytest
from pydantic import ValidationError

from core.settings import DaemonSettings
from core.settings.instance import InstanceTables
from tests.core.settings.conftest import MINIMAL, ConfigFolder


class WatchedEnvironment(Mapping[str, str]):
    """An environment that remembers what was looked up in it, and when it was read as a whole."""

    def __init__(self) -> None:
        self.looked_up: set[str] = set()

    def __getitem__(self, name: str) -> str:
        self.looked_up.add(name)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        self.looked_up.add("everything")
        return iter(())

    def __len__(self) -> int:
        return 0


def test_no_variable_of_the_process_is_looked_up(
    home: ConfigFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = WatchedEnvironment()

    with monkeypatch.context() as patch:
        patch.setattr(os, "environ", watched)
        settings = home.load({"PAPERCLERK_LOG__LEVEL": "debug"})
        tables = dict(settings.instances["home"])
        tables.pop("name")
        InstanceTables.model_validate(tables)
        DaemonSettings()

    # The first switches the library's own logging, which we silence. The second is its own source,
    # which copies the environment when it is made and is left out of the sources in use.
    assert watched.looked_up <= {"PYDANTIC_SETTINGS_DEBUG", "everything"}


def test_what_the_library_would_find_by_itself_changes_nothing(
    home: ConfigFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = home.load()
    home.write(".env", "TIME_ZONE=Europe/Paris\nPAPERCLERK_TIME_ZONE=Europe/Paris\n")
    home.write("time_zone", "Europe/Paris")
    monkeypatch.chdir(home.path)
    for name in ("time_zone", "TIME_ZONE", "PAPERCLERK_TIME_ZONE"):
        monkeypatch.setenv(name, "Europe/Paris")
    monkeypatch.setenv("scan", '{"done_tag": "Done"}')

    assert home.load() == plain
    assert DaemonSettings() == plain.daemon


def test_a_table_is_put_together_from_file_and_variables_key_by_key(config: ConfigFolder) -> None:
    config.write("home.toml", MINIMAL + '[scan]\nmin_age = "1m"\ndone_tag = "Done"\n')

    scan = config.load({"PAPERCLERK_HOME_SCAN__DONE_TAG": "Seen"}).instances["home"].scan

    assert (scan.min_age.total_seconds(), scan.done_tag) == (60, "Seen")


def test_a_variable_is_checked_even_if_the_file_has_no_table_for_it(config: ConfigFolder) -> None:
    config.write("home.toml", MINIMAL)
    config.write("daemon.toml", "database = 5")
    missing = config.path / "missing"

    assert config.errors({"PAPERCLERK_DATABASE__URL_FILE": "missing"}) == [
        "daemon.toml:1 database: expected a table",
        "PAPERCLERK_DATABASE__URL_FILE database.url_file: "
        f"cannot read {missing}: No such file or directory",
    ]


def test_the_library_does_not_log_secrets_when_asked_to_log_what_it_finds(
    home: ConfigFolder, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("PYDANTIC_SETTINGS_DEBUG", "1")

    home.load({"PAPERCLERK_HOME_AI__API_KEY": "hush"})

    assert caplog.text == ""


def test_a_key_in_capitals_is_another_key(config: ConfigFolder) -> None:
    config.write("home.toml", MINIMAL + "[Scan]\n")

    assert config.errors() == ['home.toml:7 Scan: unknown option - did you mean "scan"?']
    with pytest.raises(ValidationError, match="Log"):
        DaemonSettings.model_validate({"Log": {}})

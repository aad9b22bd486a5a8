"""Settings under their former names."""

import pytest

from core.settings import ConfigError, Settings, load_settings
from core.settings.daemon import DaemonSettings
from core.settings.instance import InstanceTables
from core.settings.options import list_options
from core.settings.sources import RENAMED, Renames
from tests.core.settings.conftest import MINIMAL, ConfigFolder

RENAMES: Renames = {
    ("scan", "every"): ("scan", "cron"),
    ("engine", "size"): ("ai", "context"),
    ("server", "port"): ("web", "port"),
    ("paperless", "key_file"): ("paperless", "token_file"),
}
ADVICE = "the old name is accepted until the next major version"


def load(config: ConfigFolder, environ: dict[str, str] | None = None) -> Settings:
    return load_settings(config.path, environ or {}, renames=RENAMES)


def warnings_of(settings: Settings) -> list[str]:
    return [f"{warning.place} {warning}" for warning in settings.warnings]


def test_a_former_name_is_used_and_its_line_is_named_in_a_warning(config: ConfigFolder) -> None:
    config.write("home.toml", f'{MINIMAL}[scan]\nevery = "@daily"\n[engine]\nsize = 16384\n')
    config.write("daemon.toml", "[server]\nport = 9000\n")

    settings = load(config)

    assert settings.instances["home"].scan.cron == "@daily"
    assert settings.instances["home"].ai.context == 16384
    assert settings.daemon.web.port == 9000
    assert settings.origins["home.scan.cron"] == "home.toml:8"
    assert warnings_of(settings) == [
        f"daemon.toml:2 server.port: was renamed to web.port - {ADVICE}",
        f"home.toml:8 scan.every: was renamed to scan.cron - {ADVICE}",
        f"home.toml:10 engine.size: was renamed to ai.context - {ADVICE}",
    ]


def test_a_variable_with_a_former_name_is_used_with_a_warning(home: ConfigFolder) -> None:
    settings = load(home, {"PAPERCLERK_HOME_ENGINE__SIZE": "16384"})

    assert settings.instances["home"].ai.context == 16384
    assert warnings_of(settings) == [
        f"PAPERCLERK_HOME_ENGINE__SIZE engine.size: was renamed to ai.context - {ADVICE}"
    ]


def test_the_present_name_wins_over_the_former_one(config: ConfigFolder) -> None:
    config.write("home.toml", f'{MINIMAL}[scan]\nevery = "@daily"\ncron = "@hourly"\n')

    settings = load(config)

    assert settings.instances["home"].scan.cron == "@hourly"
    assert len(settings.warnings) == 1


def test_an_error_under_a_former_name_has_its_line(config: ConfigFolder) -> None:
    config.write("home.toml", f'{MINIMAL}[scan]\nevery = "daily"\n')

    with pytest.raises(ConfigError) as caught:
        load(config)

    [error] = caught.value.errors
    assert (error.place, error.path) == ("home.toml:8", "scan.cron")


def test_a_secret_file_under_a_former_name_is_read(config: ConfigFolder) -> None:
    config.write("token", "0123456789abcdef\n")
    config.write("home.toml", MINIMAL.replace('token = "abc123"', 'key_file = "token"'))

    settings = load(config)

    assert settings.instances["home"].paperless.token.get_secret_value() == "0123456789abcdef"


def test_an_unknown_name_is_still_an_error(config: ConfigFolder) -> None:
    config.write("home.toml", f'{MINIMAL}[scan]\noften = "@daily"\n')

    with pytest.raises(ConfigError):
        load(config)


def test_every_renamed_setting_leads_to_one_that_exists() -> None:
    models = (InstanceTables, DaemonSettings)
    known = {path for model in models for option in list_options(model) for path in option.paths}

    assert set(RENAMED.values()) <= known
    assert not known & RENAMED.keys()

"""What differs between two states of the settings, and which of it may be taken over."""

import pytest

from core.settings import (
    Settings,
    SettingsDiff,
    compare_settings,
    fingerprint,
    keep_until_restart,
    merge_reading,
    read_settings,
)
from tests.core.settings.conftest import MINIMAL, ConfigFolder

MOVED = MINIMAL.replace("webserver", "elsewhere").replace("abc123", "def456")


def changed(config: ConfigFolder, former: Settings) -> tuple[Settings, SettingsDiff]:
    """Return what the files contain now, and how it differs from what is in force."""
    wanted = merge_reading(read_settings(config.path, {}), former)
    return wanted, compare_settings(former, wanted)


@pytest.fixture
def former(config: ConfigFolder) -> Settings:
    config.write("home.toml", MINIMAL)
    config.write("office.toml", MINIMAL)
    return config.load()


def test_the_same_files_make_no_difference(config: ConfigFolder, former: Settings) -> None:
    _, diff = changed(config, former)

    assert diff == SettingsDiff()
    assert diff.is_empty


def test_added_changed_and_removed_instances_are_named(
    config: ConfigFolder, former: Settings
) -> None:
    config.write("attic.toml", MINIMAL)
    config.write("home.toml", MINIMAL + '[scan]\ncron = "@daily"\n[fields]\ntitle = "fill"\n')
    (config.path / "office.toml").unlink()
    config.write("daemon.toml", '[log]\nlevel = "debug"\n')

    wanted, diff = changed(config, former)

    assert diff == SettingsDiff(
        added=("attic",),
        changed={"home": ("scan.cron", "fields.title")},
        removed=("office",),
        daemon=("log.level",),
    )
    assert diff.keys == ("home.scan.cron", "home.fields.title", "daemon.log.level")
    assert keep_until_restart(former, wanted) == wanted


def test_what_needs_a_restart_is_named_and_stays_as_it_is(
    config: ConfigFolder, former: Settings
) -> None:
    config.write("home.toml", MOVED + '[fields]\ntitle = "fill"\n')
    config.write("daemon.toml", '[web]\nport = 1\n[database]\nurl = "postgresql://h/n"\n')

    wanted, diff = changed(config, former)
    kept = keep_until_restart(former, wanted)

    assert set(diff.needs_restart) == {
        *("daemon.web.port", "daemon.database.url"),
        *("home.paperless.url", "home.paperless.token"),
    }
    assert (diff.changed, diff.daemon) == ({"home": ("fields.title",)}, ())
    assert kept.instances["home"].paperless == former.instances["home"].paperless
    assert kept.daemon == former.daemon


def test_the_address_of_an_added_instance_needs_no_restart(
    config: ConfigFolder, former: Settings
) -> None:
    config.write("attic.toml", MOVED)

    wanted, diff = changed(config, former)

    assert (diff.added, diff.needs_restart) == (("attic",), ())
    assert keep_until_restart(former, wanted).instances["attic"].paperless.token == (
        wanted.instances["attic"].paperless.token
    )


def test_a_file_with_an_error_keeps_what_is_in_force_and_does_not_hold_up_the_others(
    config: ConfigFolder, former: Settings
) -> None:
    config.write("home.toml", "[paperless\n")
    config.write("office.toml", MINIMAL + "[limits]\ndocuments_per_day = 7\n")
    config.write("attic.toml", "[ai]\n")
    config.write("daemon.toml", "prt = 1\n")

    wanted, diff = changed(config, former)

    assert diff == SettingsDiff(changed={"office": ("limits.documents_per_day",)})
    assert wanted.instances["home"] == former.instances["home"]
    assert wanted.origins["home.ai.model"] == "home.toml:6"
    assert wanted.daemon == former.daemon


def test_a_variable_with_an_error_makes_its_file_invalid(
    config: ConfigFolder, former: Settings
) -> None:
    reading = read_settings(config.path, {"PAPERCLERK_HOME_NAMES__DESCRIPTIONS": "{"})

    assert reading.invalid == {"home"}
    assert list(reading.instances) == ["office"]
    assert not reading.has_unknown_variables


@pytest.mark.parametrize(
    ("old", "new", "differs"),
    [("abc123", "def456", False), ("qwen3:8b", "qwen3:4b", True)],
    ids=["token", "model"],
)
def test_a_fingerprint_tells_settings_apart_but_not_their_secrets(
    config: ConfigFolder, former: Settings, old: str, new: str, *, differs: bool
) -> None:
    config.write("home.toml", MINIMAL.replace(old, new))

    assert (fingerprint(config.load()) != fingerprint(former)) is differs

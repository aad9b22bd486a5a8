"""Loading a config folder: what comes out, and what is said when it cannot be used."""

from datetime import date, timedelta

import pytest
from pydantic import ValidationError

from core.fields import FieldMode, FieldName, NewNamePolicy
from core.names import NameOwner
from core.settings import DaemonSettings, LogFormat, LogLevel, Since
from tests.core.settings.conftest import MINIMAL, ConfigFolder


def test_four_lines_are_enough_and_the_rest_are_defaults(home: ConfigFolder) -> None:
    settings = home.load()

    instance = settings.instances["home"]
    assert instance.name == "home"
    assert instance.paperless.token.get_secret_value() == "abc123"
    assert instance.paperless.timeout == timedelta(seconds=30)
    assert instance.ai.model == "qwen3:8b"
    assert not instance.ai.api_key
    assert instance.scan.since is Since.EVERYTHING
    others = set(FieldName) - {FieldName.STORAGE_PATH}
    assert {instance.fields.mode_of(name) for name in others} == {FieldMode.REVIEW}
    assert instance.fields.storage_path is FieldMode.OFF
    assert instance.names.document_types is NewNamePolicy.NEVER
    assert instance.names.owner is NameOwner.NOBODY
    assert instance.retry.step == timedelta(minutes=5)
    assert settings.daemon == DaemonSettings()


def test_each_file_is_an_instance_and_daemon_is_none(home: ConfigFolder) -> None:
    home.write("my-office_2.toml", MINIMAL)
    home.write("daemon.toml", 'time_zone = "Europe/Berlin"\n[log]\nlevel = "debug"')
    home.write("notes.txt", "not a settings file")
    home.write(".home.toml", "= an editor's backup")

    settings = home.load()

    assert set(settings.instances) == {"home", "my-office_2"}
    assert str(settings.daemon.time_zone) == "Europe/Berlin"
    assert settings.daemon.log.level is LogLevel.DEBUG
    assert settings.daemon.log.format is LogFormat.AUTO


def test_what_is_written_is_what_is_set(config: ConfigFolder) -> None:
    config.write(
        "home.toml",
        """
        [paperless]
        url = "https://docs.example.org/paperless/api/"
        token = " abc "
        headers.X-Proxy-Key = "hush"

        [ai]
        base_url = "https://api.example.org/v1/"
        model = "m"
        timeout = "1h30m"

        [scan]
        include_tags = ["Inbox"]
        since = 2026-01-31
        min_age = "0s"
        """,
    )

    instance = config.load().instances["home"]

    assert instance.paperless.url == "https://docs.example.org/paperless"
    assert instance.paperless.token.get_secret_value() == "abc"
    assert instance.paperless.headers["X-Proxy-Key"].get_secret_value() == "hush"
    assert instance.ai.base_url == "https://api.example.org/v1"
    assert instance.ai.timeout == timedelta(minutes=90)
    assert instance.scan.include_tags == ("Inbox",)
    assert instance.scan.since == date(2026, 1, 31)
    assert instance.scan.min_age == timedelta()


def test_the_tree_cannot_be_changed(home: ConfigFolder) -> None:
    settings = home.load({"PAPERCLERK_HOME_PAPERLESS__HEADERS": '{"X": "x"}'})
    instance = settings.instances["home"]

    with pytest.raises(ValidationError, match="frozen"):
        instance.ai.model = "other"  # type: ignore[misc] # the very thing that must not work
    with pytest.raises(TypeError):
        settings.instances["office"] = instance  # type: ignore[index] # likewise
    with pytest.raises(TypeError):
        instance.paperless.headers["X"] = instance.ai.api_key  # type: ignore[index] # likewise


def test_no_dump_of_the_settings_shows_a_secret(config: ConfigFolder) -> None:
    config.write(
        "home.toml", MINIMAL.replace("[ai]", 'headers = { X = "hush" }\n[ai]\napi_key="key"')
    )
    config.write("daemon.toml", '[database]\nurl = "postgresql://me:pass@db/x"')

    settings = config.load()

    instance = settings.instances["home"]
    dumps = (repr(settings), str(instance.model_dump()), instance.model_dump_json())
    assert not [
        secret
        for secret in ("abc123", "hush", '"key"', "pass@")
        for dump in dumps
        if secret in dump
    ]


def test_every_setting_knows_where_it_came_from(home: ConfigFolder) -> None:
    home.write("daemon.toml", '\n[log]\nlevel = "debug"')

    origins = home.load({"PAPERCLERK_HOME_AI__CONTEXT": "4096"}).origins

    assert origins["home.ai.model"] == "home.toml:6"
    assert origins["home.ai.context"] == "PAPERCLERK_HOME_AI__CONTEXT"
    assert origins["home.ai.timeout"] == "default"
    assert origins["daemon.log.level"] == "daemon.toml:3"
    assert origins["daemon.time_zone"] == "default"


def test_all_mistakes_of_all_files_and_variables_come_at_once(config: ConfigFolder) -> None:
    config.write(
        "home.toml",
        """\
        [paperless]
        url = "webserver:8000"
        token = "abc"
        timeout = 30

        [ai]
        base_url = "http://ollama:11434/v1"
        models = "qwen3:8b"

        [scan]
        min_age = "5"
        """,
    )
    config.write("office.toml", "[paperless\n")
    config.write("daemon.toml", "[log]\nlevel = 5\n")

    assert config.errors({"PAPERCLERK_HOME_RETRY__STEP": "0s", "PAPERCLERK_LOGLEVEL": "x"}) == [
        'daemon.toml:2 log.level: expected one of "debug", "info", "warning", "error"',
        "home.toml:2 paperless.url: must begin with http:// or https:// and contain a host name",
        'home.toml:4 paperless.timeout: expected a duration such as "30s"',
        'home.toml:8 ai.models: unknown option - did you mean "model"?',
        'home.toml:11 scan.min_age: "5" is not a duration - write "30s", "5m", "2h" or "1d"',
        "PAPERCLERK_HOME_RETRY__STEP retry.step: must be greater than 0",
        "office.toml:1 not valid TOML: Expected ']' at the end of a table declaration",
        'PAPERCLERK_LOGLEVEL unknown variable - did you mean "PAPERCLERK_LOG__LEVEL"?',
    ]


def test_what_is_missing_is_reported_at_its_table_or_at_the_files_start(
    config: ConfigFolder,
) -> None:
    config.write("home.toml", '\n[ai]\nmodel = "m"\n')

    assert config.errors() == [
        "home.toml:1 paperless.token: missing - set token or token_file",
        'home.toml:1 paperless.url: missing - write for example "http://webserver:8000"',
        'home.toml:2 ai.base_url: missing - write for example "http://ollama:11434/v1"',
    ]


@pytest.mark.parametrize(
    ("more", "mistake"),
    [
        ("contxt = 8192", 'ai.contxt: unknown option - did you mean "context"?'),
        ("api-key-file = ''", 'ai.api-key-file: unknown option - did you mean "api_key_file"?'),
        ("min_age = '1m'", 'ai.min_age: unknown option - did you mean "scan.min_age"?'),
        ("zzz = 1", "ai.zzz: unknown option"),
        ("[scann]", 'scann: unknown option - did you mean "scan"?'),
        ("[log]", "log: unknown option - it belongs in daemon.toml"),
        ("[scan.timer]", "scan.timer: unknown option"),
        ("[[retry]]", "retry: expected a table"),
    ],
)
def test_an_unknown_option_is_refused_and_the_likeliest_is_offered(
    config: ConfigFolder, more: str, mistake: str
) -> None:
    config.write("home.toml", MINIMAL + more)

    assert config.errors() == [f"home.toml:7 {mistake}"]


def test_the_name_of_an_instance_is_no_option(config: ConfigFolder) -> None:
    config.write("home.toml", 'name = "office"\n' + MINIMAL)

    assert config.errors() == ['home.toml:1 name: unknown option - did you mean "names"?']


def test_an_instances_table_in_daemon_toml_is_sent_to_its_place(home: ConfigFolder) -> None:
    home.write("daemon.toml", '[ai]\nmodel = "m"\n')

    assert home.errors() == [
        "daemon.toml:1 ai: unknown option - it belongs in the file of an instance"
    ]


def test_a_number_where_a_table_belongs_is_reported_even_under_a_variable(
    config: ConfigFolder,
) -> None:
    config.write("home.toml", "retry = 3\n" + MINIMAL)

    assert config.errors({"PAPERCLERK_HOME_RETRY__STEP": "1m"}) == [
        "home.toml:1 retry: expected a table"
    ]


def test_a_header_of_the_wrong_type_is_found_on_its_own_line(config: ConfigFolder) -> None:
    config.write("home.toml", MINIMAL + '[paperless.headers]\nA = "x"\nB = 5\n')

    assert config.errors() == ["home.toml:9 paperless.headers.B: expected text in quotes"]


def test_two_instances_with_the_same_paperless_are_warned_of_with_both_files(
    home: ConfigFolder,
) -> None:
    home.write("attic.toml", MINIMAL.replace("webserver", "elsewhere"))
    home.write("office.toml", MINIMAL.replace(":8000", ":8000/"))

    settings = home.load()

    assert set(settings.instances) == {"attic", "home", "office"}
    assert [f"{warning.place} {warning}" for warning in settings.warnings] == [
        "office.toml:2 paperless.url: home.toml has the same address: documents that both"
        " instances select are processed and paid for twice"
    ]


def test_the_warning_names_the_variable_that_sets_the_same_address(home: ConfigFolder) -> None:
    home.write("office.toml", MINIMAL.replace("webserver", "elsewhere"))
    variable = "PAPERCLERK_OFFICE_PAPERLESS__URL"

    [warning] = home.load({variable: "http://webserver:8000"}).warnings

    assert (warning.place, warning.path) == (variable, "paperless.url")

"""What each setting accepts, and what is said of anything else."""

from datetime import timedelta
from decimal import Decimal

import pytest

from core.documents import DocumentRef
from core.fields import FieldMode, FieldName
from core.settings import FieldsSettings, InstanceSettings
from core.settings.instance import check_instance_name
from tests.core.settings.conftest import MINIMAL, ConfigFolder

TIME_ZONE = 'time_zone: "{}" is not a time zone - '


def with_line(table: str, line: str) -> str:
    """Return the least settings with one line more, or another one."""
    key = line.partition("=")[0].strip()
    lines = [least for least in MINIMAL.splitlines() if not least.startswith(f"{key} ")]
    others = lines if f"[{table}]" in lines else [*lines, f"[{table}]"]
    at = others.index(f"[{table}]") + 1
    return "\n".join([*others[:at], line, *others[at:]])


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://webserver:8000", "http://webserver:8000"),
        ("http://webserver:8000/", "http://webserver:8000"),
        ("http://webserver:8000/api", "http://webserver:8000"),
        ("https://example.org/docs/api/", "https://example.org/docs"),
        ("https://example.org/docs//", "https://example.org/docs"),
        ("http://api", "http://api"),
        ("http://[::1]:8000/", "http://[::1]:8000"),
        (" http://webserver:8000 ", "http://webserver:8000"),
    ],
)
def test_the_address_of_paperless_is_brought_to_one_form(
    config: ConfigFolder, text: str, url: str
) -> None:
    config.write("home.toml", with_line("paperless", f'url = "{text}"'))

    assert config.load().instances["home"].paperless.url == url


def test_links_go_to_the_public_address_if_there_is_one(config: ConfigFolder) -> None:
    config.write("home.toml", MINIMAL)
    config.write("office.toml", with_line("paperless", 'public_url = "https://docs.example.org/"'))

    instances = config.load().instances

    assert instances["home"].paperless.link_url == "http://webserver:8000"
    assert instances["office"].paperless.link_url == "https://docs.example.org"


PARTS = "available: {correspondent}, {type}, {date}, {year}, {month}, {day}"
WEB = "must begin with http:// or https:// and contain a host name"
NO_SINCE = 'expected "everything", "first_start" or a date such as 2026-01-31'


@pytest.mark.parametrize(
    ("table", "line", "message"),
    [
        ("paperless", 'url = ""', WEB),
        ("paperless", 'url = "webserver:8000"', WEB),
        ("paperless", 'url = "ftp://webserver"', WEB),
        ("paperless", 'url = "http://"', WEB),
        ("paperless", 'url = "http://a b"', "contains a space"),
        ("paperless", 'url = "http://me@host"', "must not contain a user name or password"),
        ("paperless", 'url = "http://:hush@host"', "must not contain a user name or password"),
        ("paperless", 'url = "http://me:hush@host"', "must not contain a user name or password"),
        ("paperless", 'url = "http://host/?a=b"', "must not contain ? or #"),
        (
            "paperless",
            'url = "http://h:99999"',
            "is not a web address - check the host name and the port",
        ),
        (
            "paperless",
            'url = "http://[h"',
            "is not a web address - check the host name and the port",
        ),
        ("paperless", "url = 5", "expected text in quotes"),
        ("paperless", 'public_url = "x"', WEB),
        ("paperless", 'token = ""', "must not be empty"),
        ("paperless", 'token = "Token abc"', "contains a space - give only the key"),
        ("paperless", 'token = "höm"', "contains invalid characters - paste it again"),
        (
            "paperless",
            'token = "paste-your-token-here"',
            "is still the placeholder - paste the API token of your Paperless user",
        ),
        ("paperless", 'timeout = "0s"', "must be greater than 0"),
        ("paperless", 'timeout = "366d"', "must be at most one year"),
        ("paperless", "timeout = 30", 'expected a duration such as "30s"'),
        ("paperless", 'headers = { "a b" = "x" }', '"a b" is not the name of a header'),
        ("paperless", 'headers = { accept = "x" }', '"accept" is set by Paperclerk itself'),
        (
            "paperless",
            'headers = { A = "ü" }',
            'the value of "A" contains characters that are not allowed in a header',
        ),
        (
            "paperless",
            'headers = { A = "x\\ny" }',
            'the value of "A" contains characters that are not allowed in a header',
        ),
        ("ai", 'base_url = "ollama:11434"', WEB),
        (
            "ai",
            'base_url = "http://x/v1/chat/completions"',
            "must not contain /chat/completions; it usually ends in /v1",
        ),
        ("ai", 'model = " "', "must not be empty"),
        ("ai", 'api_key = "a b"', "contains a space - give only the key"),
        ("ai", "context = 4095", "must be at least 4096"),
        ("ai", "context = 8192.0", "expected a whole number"),
        ("ai", "context = true", "expected a whole number"),
        (
            "ai",
            'language = "German"',
            '"German" is not a language - write "document" or two letters such as "de"',
        ),
        ("ai", "instructions = []", "expected text in quotes"),
        ("ai", 'owner_names = ["Erika Mustermann", " "]', "a name must not be empty"),
        ("ai", "examples = -1", "must be at least 0"),
        ("ai", "examples = 11", "must be at most 10"),
        ("ai", "max_passes = 0", "must be at least 1"),
        ("ai", 'type_instructions = { " " = "x" }', "a name must not be empty"),
        ("ai", 'type_instructions = { Bill = " " }', 'the instructions for "Bill" are empty'),
        ("titles", 'pattern = "{sender}"', f'"{{sender}}" is not a part of a title - {PARTS}'),
        ("titles", 'pattern = "Scan"', f"has no variable part - {PARTS}"),
        ("names", 'descriptions = { " " = "x" }', "a name must not be empty"),
        ("names", 'descriptions = { Tax = " " }', 'the description of "Tax" is empty'),
        (
            "names",
            f'descriptions = {{ Tax = "{"x" * 201}" }}',
            'the description of "Tax" is longer than 200 characters',
        ),
        ("scan", 'cron = "99 * * * *"', '"99 * * * *": minute must be 0 to 59'),
        ("scan", 'cron = "0 0 30 2 *"', '"0 0 30 2 *": this day never occurs'),
        ("scan", 'enabled = "perhaps"', "expected true or false"),
        ("limits", "documents_per_day = -1", "must be at least 0"),
        ("limits", "price_in = nan", "expected a number such as 2.5"),
        ("limits", "price_in = true", "expected a number such as 2.5"),
        ("limits", 'price_out = "much"', "expected a number such as 2.5"),
        ("limits", "price_out = -1.0", "must not be negative"),
        ("limits", 'currency = "€"', '"€" is not a currency - write three letters such as "EUR"'),
        ("limits", "cost_per_month = 5.0", "cannot be enforced without price_in or price_out"),
        ("scan", 'include_tags = "Inbox"', 'expected a list such as ["Inbox"]'),
        ("scan", 'include_tags = ["A", ""]', "the name of a tag must not be empty"),
        ("scan", "since = 2026-01-31T00:00:00", NO_SINCE),
        ("scan", 'since = "20260131"', NO_SINCE),
        ("scan", 'since = "2026-02-30"', NO_SINCE),
        ("scan", "since = 5", NO_SINCE),
        ("scan", 'min_age = "-5m"', '"-5m" is not a duration - write "30s", "5m", "2h" or "1d"'),
        ("fields", "title = true", 'expected one of "off", "review", "fill", "replace"'),
        ("fields", "max_tags = 0", "must be at least 1"),
        ("fields", "max_tags = 21", "must be at most 20"),
        ("names", 'owner = "anna"', '"anna" is not one of "nobody", "me", "document"'),
        ("names", 'tags = "ask"', '"ask" is not one of "never", "review", "create"'),
        ("retry", "max_attempts = 0", "must be at least 1"),
        ("retry", 'step = "0m"', "must be greater than 0"),
    ],
)
def test_a_value_that_an_instance_cannot_use_is_explained(
    config: ConfigFolder, table: str, line: str, message: str
) -> None:
    text = with_line(table, line)
    config.write("home.toml", text)

    place = text.splitlines().index(line) + 1
    key = line.partition("=")[0].strip()
    assert config.errors() == [f"home.toml:{place} {table}.{key}: {message}"]


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        (
            'time_zone = "Europe/Berln"',
            TIME_ZONE.format("Europe/Berln") + 'did you mean "Europe/Berlin"?',
        ),
        ('time_zone = "/etc/x"', TIME_ZONE.format("/etc/x") + 'write "Europe/Berlin"'),
        ("time_zone = 5", TIME_ZONE.format("5") + 'write "Europe/Berlin"'),
        (
            'database.url = "mysql://x"',
            "database.url: must begin with postgresql:// (leave it empty for SQLite)",
        ),
        (
            'log.format = "yaml"',
            'log.format: "yaml" is not one of "auto", "text", "logfmt", "json"',
        ),
    ],
)
def test_a_value_that_the_daemon_cannot_use_is_explained(
    home: ConfigFolder, text: str, mistake: str
) -> None:
    home.write("daemon.toml", text)

    assert home.errors() == [f"daemon.toml:1 {mistake}"]


def test_an_empty_time_zone_is_the_systems(home: ConfigFolder) -> None:
    home.write("daemon.toml", 'time_zone = ""\n')

    assert home.load().daemon.time_zone is None


def test_a_folder_of_time_zones_is_no_time_zone(home: ConfigFolder) -> None:
    [mistake] = home.errors({"PAPERCLERK_TIME_ZONE": "Europe"})

    assert mistake.startswith('PAPERCLERK_TIME_ZONE time_zone: "Europe" is not a time zone')


@pytest.mark.parametrize(
    ("scan", "mistakes"),
    [
        (
            'include_tags = ["A"]\nexclude_tags = ["B", "A"]\nmin_age = 5',
            [
                'home.toml:9 scan.exclude_tags: "A" is also in include_tags',
                'home.toml:10 scan.min_age: expected a duration such as "30s"',
            ],
        ),
        (
            'remove_tags = ["Inbox", "Done"]\ndone_tag = "Done"',
            ['home.toml:8 scan.remove_tags: "Done" is also the done_tag'],
        ),
    ],
)
def test_tags_that_contradict_each_other_are_mistakes_beside_others(
    config: ConfigFolder, scan: str, mistakes: list[str]
) -> None:
    config.write("home.toml", f"{MINIMAL}[scan]\n{scan}\n")

    assert config.errors() == mistakes


def test_the_done_tag_may_be_excluded_and_a_trigger_removed(config: ConfigFolder) -> None:
    config.write(
        "home.toml",
        MINIMAL + '[scan]\ndone_tag = " Done "\nexclude_tags = ["Done"]\n'
        'include_tags = ["Inbox"]\nremove_tags = ["Inbox"]\n',
    )

    scan = config.load().instances["home"].scan

    assert (scan.done_tag, scan.exclude_tags, scan.remove_tags) == ("Done", ("Done",), ("Inbox",))


def test_at_least_one_field_must_be_on(config: ConfigFolder) -> None:
    off = "\n".join(f'{name} = "off"' for name in FieldName)
    config.write("home.toml", f"{MINIMAL}[fields]\nmax_tags = 0\n{off}\n")

    assert config.errors() == [
        "home.toml:7 fields.custom_fields: all fields are off - turn on at least one",
        "home.toml:8 fields.max_tags: must be at least 1",
    ]


@pytest.mark.parametrize("on", FieldName)
def test_one_field_is_enough(on: FieldName) -> None:
    modes = {name: FieldMode.FILL if name is on else FieldMode.OFF for name in FieldName}

    fields = FieldsSettings.model_validate(modes)

    assert {name: fields.mode_of(name) for name in FieldName} == modes


def test_settings_are_made_from_values_of_ours_too(home: ConfigFolder) -> None:
    home.write("daemon.toml", 'time_zone = "Europe/Berlin"\n')
    settings = home.load()

    for tree in (settings.instances["home"], settings.daemon):
        values = {name: getattr(tree, name) for name in type(tree).model_fields}
        tables = {
            key: dict(value) if key in {"ai", "scan"} else value for key, value in values.items()
        }
        assert type(tree).model_validate(tables) == tree


@pytest.mark.parametrize("name", ["home", "h", "2", "my-home", "my_home_2"])
def test_a_name_of_an_instance_can_name_documents(name: str) -> None:
    assert DocumentRef.parse(f"{check_instance_name(name)}/7").instance == name


@pytest.mark.parametrize("name", ["", "daemon", "Home", "a b", "-a", "a/b", "a\n"])
def test_no_other_name_is_a_name_of_an_instance(home: ConfigFolder, name: str) -> None:
    tables = dict(home.load().instances["home"])

    with pytest.raises(ValueError, match="is not a valid instance name"):
        InstanceSettings.model_validate({**tables, "name": name})


def test_a_pause_grows_from_the_step(config: ConfigFolder) -> None:
    config.write("home.toml", MINIMAL + '[retry]\nstep = "1h30m"\n')

    assert config.load().instances["home"].retry.step == timedelta(minutes=90)


def test_a_budget_keeps_its_cents(config: ConfigFolder) -> None:
    text = MINIMAL + "\n[limits]\nprice_in = 0.1\nprice_out = 2\ncost_per_month = 5.30\n"
    config.write("home.toml", text)

    limits = config.load().instances["home"].limits

    assert (limits.price_in, limits.price_out) == (Decimal("0.1"), Decimal(2))
    assert limits.cost_per_month == Decimal("5.3")


def test_custom_fields_have_modes_by_name(config: ConfigFolder) -> None:
    config.write(
        "home.toml",
        MINIMAL + '[fields]\ncustom_fields = { " Invoice number " = "fill", "Kind" = "off" }\n',
    )

    fields = config.load().instances["home"].fields

    assert fields.custom_fields == {"Invoice number": "fill", "Kind": "off"}
    assert fields.custom_fields_on == {"Invoice number": "fill"}


def test_custom_fields_may_stand_in_a_table_of_their_own(config: ConfigFolder) -> None:
    config.write("home.toml", MINIMAL + '[fields.custom_fields]\nAmount = "review"\n')

    assert config.load().instances["home"].fields.custom_fields == {"Amount": "review"}


@pytest.mark.parametrize(
    ("custom_fields", "mistake"),
    [
        ('{ " " = "fill" }', "custom_fields: the name of a custom field must not be empty"),
        ('{ "Kind" = "fill", "KIND" = "off" }', 'custom_fields: "KIND" is given twice'),
        ('{ "Kind" = "fill", " Kind" = "off" }', 'custom_fields: "Kind" is given twice'),
        (
            '{ "Kind" = "always" }',
            'custom_fields.Kind: "always" is not one of "off", "review", "fill", "replace"',
        ),
        (
            '{ "Kind" = true }',
            'custom_fields.Kind: expected one of "off", "review", "fill", "replace"',
        ),
        ('["Kind"]', 'custom_fields: expected a table such as { name = "value" }'),
    ],
)
def test_mistakes_in_custom_fields_are_reported_with_their_line(
    config: ConfigFolder, custom_fields: str, mistake: str
) -> None:
    config.write("home.toml", f"{MINIMAL}[fields]\ncustom_fields = {custom_fields}\n")

    assert config.errors() == [f"home.toml:8 fields.{mistake}"]


def test_a_custom_field_that_is_on_is_something_to_ask(config: ConfigFolder) -> None:
    off = "\n".join(f'{name} = "off"' for name in FieldName)
    config.write(
        "home.toml", f'{MINIMAL}[fields]\n{off}\ncustom_fields = {{ "Kind" = "review" }}\n'
    )

    assert config.load().instances["home"].fields.custom_fields_on == {"Kind": "review"}


def test_a_custom_field_that_is_off_is_nothing_to_ask(config: ConfigFolder) -> None:
    off = "\n".join(f'{name} = "off"' for name in FieldName)
    config.write("home.toml", f'{MINIMAL}[fields]\n{off}\ncustom_fields = {{ "Kind" = "off" }}\n')

    assert config.errors() == [
        "home.toml:14 fields.custom_fields: all fields are off - turn on at least one"
    ]

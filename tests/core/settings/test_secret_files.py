"""Files that settings point to."""

from pathlib import Path

import certifi
import pytest

from tests.core.settings.conftest import MINIMAL, ConfigFolder

TOKEN = 'token = "abc123"'


def token_of(config: ConfigFolder, environ: dict[str, str] | None = None) -> str:
    return config.load(environ).instances["home"].paperless.token.get_secret_value()


def test_a_secret_is_read_from_a_file_without_its_newline(
    config: ConfigFolder, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("from-file\n", encoding="utf-8")
    config.write("home.toml", MINIMAL.replace(TOKEN, f'token_file = "{secret}"'))

    assert token_of(config) == "from-file"
    assert config.load().origins["home.paperless.token"] == "home.toml:3"


def test_a_relative_name_starts_at_the_config_folder(config: ConfigFolder) -> None:
    config.write("token.txt", "from-file")
    config.write("home.toml", MINIMAL.replace(TOKEN, 'token_file = "token.txt"'))

    assert token_of(config) == "from-file"


def test_an_empty_text_beside_a_file_does_not_count(config: ConfigFolder) -> None:
    config.write("token.txt", "from-file")
    config.write("home.toml", MINIMAL.replace(TOKEN, 'token = ""\ntoken_file = "token.txt"'))

    assert token_of(config) == "from-file"


def test_every_secret_may_be_a_file(home: ConfigFolder) -> None:
    key, url = home.write("key", "k\n"), home.write("url", "postgresql://db/x\n")

    settings = home.load(
        {"PAPERCLERK_HOME_AI__API_KEY_FILE": str(key), "PAPERCLERK_DATABASE__URL_FILE": str(url)}
    )

    assert settings.instances["home"].ai.api_key.get_secret_value() == "k"
    assert settings.daemon.database.url.get_secret_value() == "postgresql://db/x"
    assert settings.origins["daemon.database.url"] == "PAPERCLERK_DATABASE__URL_FILE"


def test_text_and_file_at_once_are_a_mistake(config: ConfigFolder) -> None:
    config.write("token.txt", "from-file")
    config.write("home.toml", MINIMAL.replace(TOKEN, f'{TOKEN}\ntoken_file = "token.txt"'))

    assert config.errors() == [
        "home.toml:4 paperless.token_file: token is given as well - keep one of them"
    ]


def test_both_at_once_are_a_mistake_in_the_environment_too(home: ConfigFolder) -> None:
    file, text = "PAPERCLERK_DATABASE__URL_FILE", "PAPERCLERK_DATABASE__URL"

    assert home.errors({file: str(home.write("url", "x")), text: "postgresql://db/x"}) == [
        f"{file} database.url_file: url is given as well - keep one of them"
    ]


def test_a_variable_of_either_form_wins_over_the_file_of_settings(config: ConfigFolder) -> None:
    config.write("home.toml", MINIMAL.replace(TOKEN, 'token_file = "not-here-and-not-read"'))
    config.write("token.txt", "from-file")

    assert token_of(config, {"PAPERCLERK_HOME_PAPERLESS__TOKEN": "variable"}) == "variable"
    assert token_of(config, {"PAPERCLERK_HOME_PAPERLESS__TOKEN_FILE": "token.txt"}) == "from-file"


def test_the_placeholder_does_no_harm_under_a_variable(config: ConfigFolder) -> None:
    config.write("home.toml", MINIMAL.replace("abc123", "paste-your-token-here"))

    assert token_of(config, {"PAPERCLERK_HOME_PAPERLESS__TOKEN": "real"}) == "real"


@pytest.mark.parametrize(
    ("content", "mistake"),
    [
        (None, "cannot read {file}: No such file or directory"),
        (b" \n", "{file} is empty"),
        (b"\xff\xfe", "{file} is not text"),
    ],
)
def test_a_secrets_file_that_cannot_be_used_is_named_once(
    config: ConfigFolder, content: bytes | None, mistake: str
) -> None:
    file = config.path / "token.txt"
    if content is not None:
        file.write_bytes(content)
    config.write("home.toml", MINIMAL.replace(TOKEN, 'token_file = "token.txt"'))

    assert config.errors() == [f"home.toml:3 paperless.token_file: {mistake.format(file=file)}"]


def test_what_is_wrong_in_a_secrets_file_is_reported_where_it_is_named(
    config: ConfigFolder,
) -> None:
    config.write("token.txt", "Token abc")
    config.write("home.toml", MINIMAL.replace(TOKEN, 'token_file = "token.txt"'))

    assert config.errors() == ["home.toml:3 paperless.token: contains a space - give only the key"]


@pytest.mark.parametrize("key", ["token_file", "ca_file"])
def test_the_name_of_a_file_is_text(config: ConfigFolder, key: str) -> None:
    token = "" if key == "token_file" else TOKEN
    config.write("home.toml", MINIMAL.replace(TOKEN, f"{key} = 5\n{token}"))

    assert config.errors() == [f"home.toml:3 paperless.{key}: expected text in quotes"]


def test_a_file_of_certificates_is_found_from_the_config_folder(config: ConfigFolder) -> None:
    config.write("ca.pem", Path(certifi.where()).read_text(encoding="utf-8"))
    config.write("home.toml", MINIMAL.replace(TOKEN, f'{TOKEN}\nca_file = "ca.pem"'))

    assert config.load().instances["home"].paperless.ca_file == config.path / "ca.pem"


def test_an_empty_name_of_a_file_means_none(config: ConfigFolder) -> None:
    config.write("home.toml", MINIMAL.replace(TOKEN, f'{TOKEN}\nca_file = ""'))

    assert config.load().instances["home"].paperless.ca_file is None


@pytest.mark.parametrize(
    ("content", "mistake"),
    [
        (None, "cannot read {file}: No such file or directory"),
        ("nothing to see", "there is no certificate in {file}"),
    ],
)
def test_a_file_without_certificates_is_a_mistake(
    config: ConfigFolder, content: str | None, mistake: str
) -> None:
    file = config.path / "ca.pem"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    config.write("home.toml", MINIMAL.replace(TOKEN, f'{TOKEN}\nca_file = "ca.pem"'))

    assert config.errors() == [f"home.toml:4 paperless.ca_file: {mistake.format(file=file)}"]

"""How mistakes are reported."""

from core.errors import PaperclerkError
from core.messages import plain
from core.settings import ConfigError, SettingError

ADDRESS = SettingError(
    "home.toml", 3, "paperless.url", plain("must begin with http:// or https://")
)
MODEL = SettingError("home.toml", 13, "ai.models", plain('unknown option - did you mean "model"?'))
VARIABLE = SettingError("PAPERCLERK_X", None, "", plain("unknown variable"))


def test_all_mistakes_are_reported_at_once_and_aligned() -> None:
    assert str(ConfigError([ADDRESS, MODEL, VARIABLE])) == (
        "config: 3 problems\n"
        "  home.toml:3   paperless.url: must begin with http:// or https://\n"
        '  home.toml:13  ai.models: unknown option - did you mean "model"?\n'
        "  PAPERCLERK_X  unknown variable"
    )


def test_one_mistake_is_one_problem() -> None:
    assert str(ConfigError([MODEL])) == (
        'config: 1 problem\n  home.toml:13  ai.models: unknown option - did you mean "model"?'
    )


def test_mistakes_are_an_error_of_ours_with_a_code() -> None:
    error = ConfigError([MODEL])

    assert isinstance(error, PaperclerkError)
    assert (error.code, error.errors) == ("config", (MODEL,))

"""A config folder to write settings into."""

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

import pytest

from core.settings import ConfigError, Settings, load_settings

MINIMAL = """\
[paperless]
url = "http://webserver:8000"
token = "abc123"
[ai]
base_url = "http://ollama:11434/v1"
model = "qwen3:8b"
"""
"""The required settings; what is appended begins in line 7."""


class ConfigFolder:
    """A folder with settings files, which can be loaded."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, file: str, text: str) -> Path:
        path = self.path / file
        path.write_text(dedent(text), encoding="utf-8")
        return path

    def load(self, environ: Mapping[str, str] | None = None) -> Settings:
        return load_settings(self.path, environ or {})

    def errors(self, environ: Mapping[str, str] | None = None) -> list[str]:
        """Load invalid settings, and return the error messages without their alignment."""
        with pytest.raises(ConfigError) as caught:
            self.load(environ)
        return [f"{mistake.place} {mistake}" for mistake in caught.value.errors]


@pytest.fixture
def config(tmp_path: Path) -> ConfigFolder:
    """An empty config folder."""
    return ConfigFolder(tmp_path)


@pytest.fixture
def home(config: ConfigFolder) -> ConfigFolder:
    """A config folder with the required settings of the instance `home`."""
    config.write("home.toml", MINIMAL)
    return config

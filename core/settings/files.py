"""Files that settings point to: secrets are read from them, certificates are looked at."""

import ssl
from collections.abc import Sequence
from pathlib import Path

from core.settings.layers import Given, Layer, is_given
from core.settings.mistakes import Mistake
from core.settings.options import Kind, Option


def read_files(
    layer: Layer, options: Sequence[Option], folder: Path
) -> tuple[Layer, list[Mistake]]:
    """Put what is in the files in place of their names; relative names start at `folder`.

    A secret whose file cannot be used is left out, and the mistake is about its `_file` key.
    """
    found = dict(layer)
    mistakes: list[Mistake] = []
    for option in options:
        try:
            found |= _resolve(found, option, folder)
        except (OSError, ValueError) as error:
            path = option.paths[-1]
            mistakes.append(Mistake.at(found[path].place, path, str(error)))
        if option.kind is Kind.SECRET:
            found.pop(option.file_path, None)
    return found, mistakes


def _resolve(layer: Layer, option: Option, folder: Path) -> Layer:
    """Return what one option's file changes in the layer: nothing, if it names none."""
    path = option.paths[-1]
    if option.kind not in {Kind.SECRET, Kind.FILE} or not is_given(layer, path):
        return {}
    given = layer[path]
    if not isinstance(given.value, str):
        raise ValueError("expected text in quotes")  # noqa: TRY004 - a mistake like the others
    file = folder / given.value
    if option.kind is Kind.FILE:
        _check_certificates(file)
        return {path: Given(str(file), given.place)}
    return {option.path: Given(_secret(file), given.place)}


def _secret(file: Path) -> str:
    try:
        text = file.read_text(encoding="utf-8").strip()
    except UnicodeDecodeError:
        raise ValueError(f"{file} is not text") from None
    except OSError as error:
        raise ValueError(f"cannot read {file}: {error.strerror}") from None
    if not text:
        raise ValueError(f"{file} is empty")
    return text


def _check_certificates(file: Path) -> None:
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=file)
    except ssl.SSLError:
        raise ValueError(f"there is no certificate in {file}") from None
    except OSError as error:
        raise ValueError(f"cannot read {file}: {error.strerror}") from None

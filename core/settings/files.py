"""Files that settings point to: secrets are read from them, certificates are looked at."""

import ssl
from pathlib import Path

from core.messages import Message, message
from core.settings.options import Kind


def look_into(name: object, kind: Kind, folder: Path) -> str | list[str]:
    """Return the secret in a file, or the secrets, one a line; of certificates its full name.

    A relative name starts at `folder`. Raise ValueError if the file cannot be used.
    """
    if not isinstance(name, str):
        raise ValueError(message("expected text in quotes"))  # noqa: TRY004 - a mistake like the others
    file = folder / name
    if kind is Kind.SECRET:
        return _secret(file)
    if kind is Kind.SECRETS:
        return [line.strip() for line in _secret(file).splitlines() if line.strip()]
    _check_certificates(file)
    return str(file)


def _secret(file: Path) -> str:
    try:
        text = file.read_text(encoding="utf-8").strip()
    except UnicodeDecodeError:
        raise ValueError(message("{path} is not text", path=str(file))) from None
    except OSError as error:
        raise ValueError(_unreadable(file, error)) from None
    if not text:
        raise ValueError(message("{path} is empty", path=str(file)))
    return text


def _check_certificates(file: Path) -> None:
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=file)
    except ssl.SSLError:
        raise ValueError(message("there is no certificate in {path}", path=str(file))) from None
    except OSError as error:
        raise ValueError(_unreadable(file, error)) from None


def _unreadable(file: Path, error: OSError) -> Message:
    return message("cannot read {path}: {why}", path=str(file), why=str(error.strerror))

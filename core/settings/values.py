"""Types of single settings, with the checks and conversions of their values."""

import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from ipaddress import ip_address, ip_network
from pathlib import Path
from types import MappingProxyType
from typing import Annotated
from urllib.parse import SplitResult, urlsplit
from zoneinfo import ZoneInfo, available_timezones

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    PlainSerializer,
    SecretStr,
)

from core import title_patterns
from core.calendar import DailyHours, parse_duration, parse_time_of_day
from core.cron import Schedule
from core.fields import FieldMode
from core.messages import Message, closest_match, did_you_mean, message, message_in

TOKEN_PLACEHOLDER = "paste-your-token-here"  # noqa: S105 - what config.example.toml says
_MAX_DURATION = timedelta(days=365)
_MAX_DESCRIPTION_LENGTH = 200
_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)+")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NOT_SINCE = message('expected "everything", "first_start" or a date such as 2026-01-31')
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_OUR_HEADERS = frozenset({"accept", "authorization", "content-length", "content-type"})


class Table(BaseModel):
    """A table of a settings file: immutable, and unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Since(StrEnum):
    """From when on documents are scanned, if it is not a date."""

    EVERYTHING = "everything"
    FIRST_START = "first_start"


class Reanalyze(StrEnum):
    """When a filed document is analyzed again automatically."""

    NEVER = "never"
    WHEN_CONTENT_CHANGES = "when_content_changes"


class LogLevel(StrEnum):
    """The lowest level that is logged."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class MessageLanguage(StrEnum):
    """The language of notifications."""

    EN = "en"
    DE = "de"


class LogFormat(StrEnum):
    """Format of log lines; `auto` is text on a terminal and logfmt elsewhere."""

    AUTO = "auto"
    TEXT = "text"
    LOGFMT = "logfmt"
    JSON = "json"


def check_paperless_url(text: str) -> str:
    """Return the address of a Paperless without a trailing slash or /api; raise ValueError."""
    parts = _web_address(text)
    # Only in the path: a host may well be called "api".
    path = parts.path.rstrip("/").removesuffix("/api").rstrip("/")
    return parts._replace(path=path).geturl()


def check_ai_url(text: str) -> str:
    """Return the base address of a model's API without a trailing slash; raise ValueError."""
    parts = _web_address(text)
    path = parts.path.rstrip("/")
    if path.endswith("/completions"):
        raise ValueError(message("must not contain /chat/completions; it usually ends in /v1"))
    return parts._replace(path=path).geturl()


def check_public_url(text: str) -> str:
    """Return an address that people open, without a trailing slash; raise ValueError."""
    parts = _web_address(text)
    return parts._replace(path=parts.path.rstrip("/")).geturl()


def _web_address(text: str) -> SplitResult:
    text = text.strip()
    if any(letter.isspace() for letter in text):
        raise ValueError(message("contains a space"))
    parts = _split(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(message("must begin with http:// or https:// and contain a host name"))
    if parts.username is not None:
        raise ValueError(message("must not contain a user name or password"))
    if parts.query or parts.fragment:
        raise ValueError(message("must not contain ? or #"))
    return parts


def _split(text: str) -> SplitResult:
    """Split an address; raise ValueError with our message, also for an invalid port."""
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        raise ValueError(
            message("is not a web address - check the host name and the port")
        ) from None
    return parts


def _duration(value: object) -> timedelta:
    if not isinstance(value, str | timedelta):
        raise ValueError(message('expected a duration such as "30s"'))  # noqa: TRY004 - pydantic's protocol
    duration = parse_duration(value) if isinstance(value, str) else value
    if duration > _MAX_DURATION:
        raise ValueError(message("must be at most one year"))
    return duration


def _check_positive(duration: timedelta) -> timedelta:
    if duration <= timedelta():
        raise ValueError(message("must be greater than 0"))
    return duration


def _since(value: object) -> date | Since:
    """Parse a TOML date, a date as text, or a keyword; a time of day is not accepted."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    text = str(value)
    try:
        return date.fromisoformat(text) if _DAY.fullmatch(text) else Since(text)
    except ValueError:
        raise ValueError(_NOT_SINCE) from None


def _cron(text: str) -> str:
    try:
        Schedule(text)
    except ValueError as error:
        raise ValueError(message('"{text}": {said}', text=text, said=message_in(error))) from None
    return text.strip()


def _money(value: object) -> Decimal:
    """Parse a number or its text, without rounding to a binary fraction."""
    try:
        amount = Decimal(str(value)) if not isinstance(value, bool) else None
    except InvalidOperation:
        amount = None
    if amount is None or not amount.is_finite():
        raise ValueError(message("expected a number such as 2.5"))
    if amount < 0:
        raise ValueError(message("must not be negative"))
    return amount


def _currency(text: str) -> str:
    if not re.fullmatch("[A-Z]{3}", text):
        raise ValueError(
            message('"{text}" is not a currency - write three letters such as "EUR"', text=text)
        )
    return text


def _time_zone(value: object) -> ZoneInfo | None:
    if value is None or isinstance(value, ZoneInfo):
        return value
    if value == "":
        return None
    try:
        return ZoneInfo(str(value))
    except (KeyError, ValueError, OSError):
        raise ValueError(_not_a_time_zone(str(value))) from None


def _not_a_time_zone(text: str) -> Message:
    guess = closest_match(text, available_timezones())
    if guess is None:
        return message('"{text}" is not a time zone - write "Europe/Berlin"', text=text)
    return did_you_mean(message('"{text}" is not a time zone', text=text), guess)


def _language(text: str) -> str:
    if text != "document" and not re.fullmatch("[a-z]{2}", text):
        raise ValueError(
            message(
                '"{text}" is not a language - write "document" or two letters such as "de"',
                text=text,
            )
        )
    return text


def _check_not_empty(text: str) -> str:
    if not text.strip():
        raise ValueError(message("must not be empty"))
    return text.strip()


def _tag(text: str) -> str:
    if not text.strip():
        raise ValueError(message("the name of a tag must not be empty"))
    return text.strip()


def _name(text: str) -> str:
    if not text.strip():
        raise ValueError(message("a name must not be empty"))
    return text.strip()


def _path(value: object) -> Path | None:
    if not isinstance(value, str | Path):
        raise ValueError(message("expected text in quotes"))  # noqa: TRY004 - pydantic's protocol
    return Path(value) if str(value).strip() else None


def _key(secret: SecretStr) -> SecretStr:
    """Check that a key can be sent in a header, where it would fail with an unclear error."""
    text = secret.get_secret_value().strip()
    if any(letter.isspace() for letter in text):
        raise ValueError(message("contains a space - give only the key"))
    if not text.isascii() or not text.isprintable():
        raise ValueError(message("contains invalid characters - paste it again"))
    return SecretStr(text)


def _token(secret: SecretStr) -> SecretStr:
    if not secret:
        raise ValueError(message("must not be empty"))
    if secret.get_secret_value() == TOKEN_PLACEHOLDER:
        raise ValueError(
            message("is still the placeholder - paste the API token of your Paperless user")
        )
    return secret


def _database(secret: SecretStr) -> SecretStr:
    text = secret.get_secret_value().strip()
    if text and not text.startswith("postgresql://"):
        raise ValueError(message("must begin with postgresql:// (leave it empty for SQLite)"))
    return SecretStr(text)


def _headers(headers: Mapping[str, SecretStr]) -> Mapping[str, SecretStr]:
    for name, value in headers.items():
        text = value.get_secret_value()
        if not _HEADER_NAME.fullmatch(name):
            raise ValueError(message('"{text}" is not the name of a header', text=name))
        if name.lower() in _OUR_HEADERS:
            raise ValueError(message('"{text}" is set by Paperclerk itself', text=name))
        if not text.isascii() or not text.isprintable():
            raise ValueError(
                message(
                    'the value of "{text}" contains characters that are not allowed in a header',
                    text=name,
                )
            )
    return MappingProxyType(dict(headers))


def _descriptions(descriptions: Mapping[str, str]) -> Mapping[str, str]:
    for name, text in descriptions.items():
        if not name.strip():
            raise ValueError(message("a name must not be empty"))
        if not text.strip():
            raise ValueError(message('the description of "{text}" is empty', text=name))
        if len(text) > _MAX_DESCRIPTION_LENGTH:
            raise ValueError(
                message(
                    'the description of "{text}" is longer than {n} characters',
                    n=_MAX_DESCRIPTION_LENGTH,
                    text=name,
                )
            )
    return MappingProxyType(dict(descriptions))


def _type_instructions(instructions: Mapping[str, str]) -> Mapping[str, str]:
    for name, text in instructions.items():
        if not name.strip():
            raise ValueError(message("a name must not be empty"))
        if not text.strip():
            raise ValueError(message('the instructions for "{text}" are empty', text=name))
    return MappingProxyType(dict(instructions))


def _title_pattern(pattern: str) -> str:
    trimmed = pattern.strip()
    if not trimmed or trimmed == title_patterns.LIKE_EARLIER:
        return trimmed
    unknown = title_patterns.find_unknown_placeholder(trimmed)
    known = ", ".join(f"{{{name}}}" for name in title_patterns.PLACEHOLDERS)
    if unknown is not None:
        raise ValueError(
            message(
                '"{text}" is not a part of a title - available: {known}', text=unknown, known=known
            )
        )
    if not title_patterns.list_fields(trimmed):
        raise ValueError(message("has no variable part - available: {known}", known=known))
    return trimmed


def _custom_fields(modes: Mapping[str, FieldMode]) -> Mapping[str, FieldMode]:
    """Return the modes by trimmed name; names that differ only in case are an error."""
    found: dict[str, FieldMode] = {}
    for name, mode in modes.items():
        trimmed = name.strip()
        if not trimmed:
            raise ValueError(message("the name of a custom field must not be empty"))
        if trimmed.casefold() in {other.casefold() for other in found}:
            raise ValueError(message('"{text}" is given twice', text=trimmed))
        found[trimmed] = mode
    return MappingProxyType(found)


def _host(text: str) -> str:
    """Check that it is an IP address: the address of a host name may change."""
    try:
        return str(ip_address(text.strip().strip("[]")))
    except ValueError:
        raise ValueError(
            message('"{text}" is not an address - write one such as 127.0.0.1', text=text)
        ) from None


def _base_path(text: str) -> str:
    path = text.strip().rstrip("/")
    if path and not _PATH.fullmatch(path):
        raise ValueError(message('"{text}" is not a path - write one such as "/clerk"', text=text))
    return path


def _network(text: str) -> str:
    """Check that it is an IP address or a network, but not the whole internet."""
    try:
        network = ip_network(text.strip(), strict=False)
    except ValueError:
        raise ValueError(
            message(
                '"{text}" is neither an address nor a network - write one such as 172.18.0.0/16',
                text=text,
            )
        ) from None
    if network.prefixlen == 0:
        raise ValueError(message('"{text}" would trust everyone', text=text))
    return str(network)


def _header_name(text: str) -> str:
    name = text.strip()
    if name and not _HEADER_NAME.fullmatch(name):
        raise ValueError(message('"{text}" is not the name of a header', text=name))
    return name


def _service(secret: SecretStr) -> SecretStr:
    """Check the form of an Apprise address; the command `check` knows the services."""
    text = secret.get_secret_value().strip()
    if not re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", text):
        raise ValueError(
            message("must begin with the name of a service, such as ntfy:// or mailto://")
        )
    return SecretStr(text)


def _hours(text: str) -> str:
    DailyHours.parse(text)
    return text.strip()


def _time_of_day(text: str) -> str:
    return parse_time_of_day(text).isoformat("minutes")


Duration = Annotated[timedelta, BeforeValidator(_duration)]
PositiveDuration = Annotated[Duration, AfterValidator(_check_positive)]
PaperlessUrl = Annotated[str, AfterValidator(check_paperless_url)]
PublicUrl = Annotated[str, AfterValidator(lambda text: check_paperless_url(text) if text else "")]
DashboardUrl = Annotated[str, AfterValidator(lambda text: check_public_url(text) if text else "")]
AiUrl = Annotated[str, AfterValidator(check_ai_url)]
NonEmptyText = Annotated[str, AfterValidator(_check_not_empty)]
Trimmed = Annotated[str, AfterValidator(str.strip)]
Tags = tuple[Annotated[str, AfterValidator(_tag)], ...]
Names = tuple[Annotated[str, AfterValidator(_name)], ...]
Host = Annotated[str, AfterValidator(_host)]
BasePath = Annotated[str, AfterValidator(_base_path)]
Networks = tuple[Annotated[str, AfterValidator(_network)], ...]
HeaderName = Annotated[str, AfterValidator(_header_name)]
TitlePattern = Annotated[str, AfterValidator(_title_pattern)]
Cron = Annotated[str, AfterValidator(_cron)]
Money = Annotated[Decimal, BeforeValidator(_money)]
Currency = Annotated[str, AfterValidator(_currency)]
Language = Annotated[str, AfterValidator(_language)]
SinceWhen = Annotated[date | Since, BeforeValidator(_since)]
OptionalSwitch = Annotated[
    bool | None, BeforeValidator(lambda given: given if given != "" else None)
]
TimeZone = Annotated[ZoneInfo | None, BeforeValidator(_time_zone)]
FilePath = Annotated[Path | None, BeforeValidator(_path)]
ApiKey = Annotated[SecretStr, AfterValidator(_key)]
Token = Annotated[SecretStr, AfterValidator(_key), AfterValidator(_token)]
NotificationUrls = tuple[Annotated[SecretStr, AfterValidator(_service)], ...]
Hours = Annotated[str, AfterValidator(_hours)]
TimeOfDay = Annotated[str, AfterValidator(_time_of_day)]
DatabaseUrl = Annotated[SecretStr, AfterValidator(_database)]
# pydantic cannot serialize a mapping proxy.
CustomFields = Annotated[
    Mapping[str, FieldMode],
    AfterValidator(_custom_fields),
    PlainSerializer(dict, return_type=dict[str, FieldMode]),
]
Headers = Annotated[
    Mapping[str, SecretStr],
    AfterValidator(_headers),
    PlainSerializer(dict, return_type=dict[str, SecretStr]),
]
Descriptions = Annotated[
    Mapping[str, str],
    AfterValidator(_descriptions),
    PlainSerializer(dict, return_type=dict[str, str]),
]
TypeInstructions = Annotated[
    Mapping[str, str],
    AfterValidator(_type_instructions),
    PlainSerializer(dict, return_type=dict[str, str]),
]

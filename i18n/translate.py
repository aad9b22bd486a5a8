"""Translate texts, and write numbers, money, dates and durations in the language of a person.

Translations are in `<language>.po`. The catalogue is compiled in memory when it is first needed, so
that a source checkout needs no build step and a compiled file cannot be out of date.
"""

import struct
from ast import literal_eval
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from decimal import Decimal
from functools import cache
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from io import BytesIO

from core.calendar import day_at
from core.messages import Message, Value

LANGUAGES = {"en": "English", "de": "Deutsch"}
"""The name of each language in that language, by its code. The first is the default."""

_MONTHS = {
    "en": ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    "de": (
        *("Jan.", "Feb.", "März", "Apr.", "Mai", "Juni"),
        *("Juli", "Aug.", "Sept.", "Okt.", "Nov.", "Dez."),
    ),
}
_SIGNS = {"EUR": "€", "USD": "$", "GBP": "£"}
_SMALLEST = Decimal("0.01")
_DAYS = timedelta(hours=47.5)
"""Longer durations are counted in days."""
_MAX_LANGUAGES = 20
"""Entries of Accept-Language that are read: no browser sends more, an attacker might."""
_MO_MAGIC = 0x950412DE
_PO_KEYWORDS = ("msgid_plural", "msgid", "msgstr[0]", "msgstr[1]", "msgstr")


@dataclass(frozen=True, slots=True)
class Translator:
    """Writes texts, numbers and dates for one person. The results are text, never markup."""

    language: str
    translations: NullTranslations
    zone: tzinfo
    now: datetime

    def text(self, sentence: str, **values: object) -> str:
        """Return an English sentence translated, with its values; unknown ones stay English."""
        # The empty msgid is the header of the catalogue.
        translated = self.translations.gettext(sentence) if sentence else ""
        return translated.format(**values) if values else translated

    def translate(self, message: Message) -> str:
        """Translate a message, the messages in it, and its numbers."""
        values = {name: self._value(value) for name, value in message.values.items()}
        return self.text(message.template, **values)

    def _value(self, value: Value) -> str:
        match value:
            case Message():
                return self.translate(value)
            case int():
                return self.number(value)
            case float():
                return self.number(value, 1)
        return value

    def plural(self, singular: str, plural: str, number: int, **values: object) -> str:
        """Return the form for a number of things; `{n}` stands for the number."""
        translated = self.translations.ngettext(singular, plural, number)
        return translated.format(n=self.number(number), **values)

    def number(self, number: float | Decimal, digits: int = 0) -> str:
        """Write a number with the separators of the language."""
        return self._separated(f"{number:,.{digits}f}")

    def money(self, amount: Decimal, currency: str, digits: int = 2) -> str:
        """Write an amount of money; less than a cent is "< €0.01". The currency may be ""."""
        if digits == 2 and 0 < amount < _SMALLEST:
            return "< " + self.money(_SMALLEST, currency)
        written, sign = self.number(amount, digits), _SIGNS.get(currency, currency)
        if not currency:
            return written
        if self.language == "de":
            return f"{written}\u00a0{sign}"
        return f"{sign}{written}" if currency in _SIGNS else f"{sign}\u00a0{written}"

    def day(self, day: date | datetime) -> str:
        """Write a day, with its year if that is not this year."""
        if isinstance(day, datetime):
            day = day_at(day, self.zone)
        month = _MONTHS[self.language][day.month - 1]
        short = f"{day.day}.\u00a0{month}" if self.language == "de" else f"{day.day}\u00a0{month}"
        return short if day.year == self.today.year else f"{short} {day.year}"

    def short_day(self, day: date) -> str:
        """Write a day of this year or the last, for the axis of a chart."""
        if self.language == "de":
            return f"{day.day}.{day.month}."
        return f"{day.day}\u00a0{_MONTHS[self.language][day.month - 1]}"

    def full_date(self, day: date) -> str:
        """Write the date of a document, always with its year."""
        if self.language == "de":
            return day.strftime("%d.%m.%Y")
        return f"{day.day} {day.strftime('%b')} {day.year}"

    def typed_date(self, text: str) -> str:
        """Write an ISO date, as forms send it; other texts are returned unchanged."""
        try:
            return self.full_date(date.fromisoformat(text))
        except ValueError:
            return text

    def month(self, day: date) -> str:
        return f"{_MONTHS[self.language][day.month - 1]} {day.year}"

    def clock(self, moment: datetime) -> str:
        return moment.astimezone(self.zone).strftime("%H:%M")

    def moment(self, moment: datetime) -> str:
        """Write the time of day, with the day if it is not today."""
        day = day_at(moment, self.zone)
        if day == self.today:
            return self.clock(moment)
        near = {-1: self.text("yesterday"), 1: self.text("tomorrow")}
        written = near.get((day - self.today).days) or self.day(day)
        return f"{written}, {self.clock(moment)}"

    def moment_with_seconds(self, moment: datetime) -> str:
        """Write a moment as `moment` does, with the seconds."""
        clock = moment.astimezone(self.zone).strftime("%H:%M:%S")
        return self.moment(moment).removesuffix(self.clock(moment)) + clock

    def iso(self, moment: datetime) -> str:
        """Write a moment in ISO format, for programs."""
        return moment.isoformat(timespec="seconds")

    def timestamp(self, moment: datetime) -> str:
        """Write a moment to the second."""
        return moment.astimezone(self.zone).strftime("%Y-%m-%d %H:%M:%S %Z").strip()

    def duration(self, span: timedelta) -> str:
        """Write a duration, with no-break spaces."""
        return self._duration(span).replace(" ", "\u00a0")

    def elapsed(self, span: timedelta) -> str:
        """Write a duration that is still being measured: in whole seconds, and not negative."""
        minutes, seconds = divmod(max(0, round(span.total_seconds())), 60)
        if minutes >= 60:
            return self.duration(span)
        time = self.text("{n} s", n=seconds)
        if minutes:
            time = f"{self.text('{n} min', n=minutes)} {time}"
        return time.replace(" ", "\u00a0")

    def percent(self, number: int) -> str:
        return self.text("{n}%", n=number)

    def _duration(self, span: timedelta) -> str:
        seconds = span.total_seconds()
        if seconds < 60:
            return self.text("{n} s", n=self.number(seconds, 1 if seconds < 10 else 0))
        minutes, hours = round(seconds / 60), round(seconds / 3600)
        if minutes < 60:
            return self.text("{n} min", n=minutes)
        if hours < 48:
            return self.text("{n} h", n=hours)
        return self.plural("{n} day", "{n} days", span.days)

    def ago(self, moment: datetime) -> str:
        """Return how long ago a moment was."""
        span = self.now - moment
        if span < timedelta(minutes=1):
            return self.text("just now")
        if span >= _DAYS:
            return self.plural("{n} day ago", "{n} days ago", span.days)
        return self.text("{span} ago", span=self.duration(span))

    @property
    def today(self) -> date:
        return day_at(self.now, self.zone)

    def _separated(self, written: str) -> str:
        if self.language == "de":
            return written.translate(str.maketrans(",.", ".,"))
        return written


def get_translator(language: str, *, zone: tzinfo, now: datetime) -> Translator:
    """Return the translator for one of `LANGUAGES`."""
    return Translator(language, load_translations(language), zone, now)


def choose_language(chosen: str | None, accepted: str) -> str:
    """Return the code of a supported language; `accepted` is the header Accept-Language."""
    if chosen in LANGUAGES:
        return chosen
    parts = accepted.split(",")[:_MAX_LANGUAGES]
    preferred = sorted(map(_parse_preference, parts), key=lambda preference: -preference[1])
    known = (code for code, weight in preferred if code in LANGUAGES and weight > 0)
    return next(known, next(iter(LANGUAGES)))


@cache
def load_translations(language: str) -> NullTranslations:
    """Load the translations of a language; English needs none."""
    if language == "en":
        return NullTranslations()
    text = files("i18n").joinpath(f"{language}.po").read_text(encoding="utf-8")
    return GNUTranslations(BytesIO(compile_mo(parse_po(text))))


def parse_po(text: str) -> dict[str, str]:
    """Parse a .po file into the entries of a .mo file.

    Plural forms are joined by a zero byte, as gettext keeps them. Entries without a translation are
    left out.
    """
    entries: dict[str, str] = {}
    for entry in _po_entries(text):
        msgid = "\0".join(entry[key] for key in ("msgid", "msgid_plural") if key in entry)
        forms = [entry[key] for key in ("msgstr", "msgstr[0]", "msgstr[1]") if entry.get(key)]
        if forms:
            entries[msgid] = "\0".join(forms)
    return entries


def compile_mo(entries: Mapping[str, str]) -> bytes:
    """Build a .mo file: a header, two tables of lengths and offsets, the texts."""
    texts = sorted((key.encode(), value.encode()) for key, value in entries.items())
    columns = [[key for key, _ in texts], [value for _, value in texts]]
    tables_at, table_size = 7 * 4, 8 * len(texts)
    offset = tables_at + 2 * table_size
    tables, data = b"", b""
    for column in columns:
        for text in column:
            tables += struct.pack("<2I", len(text), offset + len(data))
            data += text + b"\0"
    header = (_MO_MAGIC, 0, len(texts), tables_at, tables_at + table_size, 0, offset)
    return struct.pack("<7I", *header) + tables + data


def _po_entries(text: str) -> Iterator[dict[str, str]]:
    """Yield the entries of a .po file by keyword; an empty line separates them."""
    for block in text.split("\n\n"):
        entry: dict[str, str] = {}
        keyword = ""
        for line in block.splitlines():
            if line.startswith("#") or not line.strip():
                continue
            first, _, rest = line.partition(" ")
            keyword, quoted = (keyword, line) if line.startswith('"') else (first, rest)
            assert keyword in _PO_KEYWORDS, f"not a line of a .po file: {line}"
            entry[keyword] = entry.get(keyword, "") + literal_eval(quoted.strip())
        if entry:
            yield entry


def _parse_preference(part: str) -> tuple[str, float]:
    """Return the language and the weight of one entry of Accept-Language."""
    tag, _, parameter = part.strip().partition(";")
    _, _, weight = parameter.partition("q=")
    try:
        return tag.partition("-")[0].lower(), float(weight) if weight else 1.0
    except ValueError:
        return "", 0.0

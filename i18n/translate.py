"""Read what our sentences are in another language, from a .po file as translators know it."""

from ast import literal_eval
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from decimal import Decimal
from functools import cache
from importlib.resources import files

from core.calendar import day_at
from core.messages import Message, Value

_KEYWORDS = ("msgid_plural", "msgid", "msgstr[0]", "msgstr[1]", "msgstr")


@cache
def load_catalogue(language: str) -> Mapping[str, tuple[str, ...]]:
    """Return the sentences of a language by the English ones; English has none of its own."""
    if language == "en":
        return {}
    text = files("i18n").joinpath(f"{language}.po").read_text(encoding="utf-8")
    return parse_po(text)


def parse_po(text: str) -> Mapping[str, tuple[str, ...]]:
    """Read the text of a .po file: one sentence for each msgid, or one for one and one for many."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in _entries(text):
        forms = [entry[key] for key in ("msgstr", "msgstr[0]", "msgstr[1]") if entry.get(key)]
        if entry.get("msgid") and forms:
            found[entry["msgid"]] = tuple(forms)
    return found


def _entries(text: str) -> Iterator[dict[str, str]]:
    """Yield the entries, which stand apart by an empty line."""
    for block in text.split("\n\n"):
        entry: dict[str, str] = {}
        keyword = ""
        for line in block.splitlines():
            if line.startswith("#") or not line.strip():
                continue
            named, _, rest = line.partition(" ")
            goes_on = line.startswith('"')
            keyword, quoted = (keyword, line) if goes_on else (named, rest)
            assert keyword in _KEYWORDS, f"not a line of a .po file: {keyword}"
            entry[keyword] = entry.get(keyword, "") + literal_eval(quoted.strip())
        yield entry


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
"""What lasts longer is counted in days."""


@dataclass(frozen=True, slots=True)
class Translator:
    """Says things to one person. What it returns is text, never markup."""

    language: str
    messages: Mapping[str, tuple[str, ...]]
    zone: tzinfo
    now: datetime

    def text(self, sentence: str, **values: object) -> str:
        """Translate an English sentence and put values in; unknown ones stay English."""
        told = self.messages.get(sentence, (sentence,))[0]
        return told.format(**values) if values else told

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

    def plural(self, one: str, many: str, number: int, **values: object) -> str:
        """Say how many of something there are; `{n}` stands for the number."""
        forms = self.messages.get(one, (one, many))
        told = forms[0] if number == 1 else forms[-1]
        return told.format(n=self.number(number), **values)

    def number(self, number: float | Decimal, digits: int = 0) -> str:
        """Write a number with the marks of the language."""
        return self._marked(f"{number:,.{digits}f}")

    def money(self, amount: Decimal, currency: str, digits: int = 2) -> str:
        """Write an amount; one too small to be seen is told as such. "" is no currency."""
        if digits == 2 and 0 < amount < _SMALLEST:
            return "< " + self.money(_SMALLEST, currency)
        written, sign = self.number(amount, digits), _SIGNS.get(currency, currency)
        if not currency:
            return written
        if self.language == "de":
            return f"{written}\u00a0{sign}"
        return f"{sign}{written}" if currency in _SIGNS else f"{sign}\u00a0{written}"

    def day(self, day: date | datetime) -> str:
        """Write a day, with its year if that is another one."""
        if isinstance(day, datetime):
            day = day_at(day, self.zone)
        month = _MONTHS[self.language][day.month - 1]
        short = f"{day.day}.\u00a0{month}" if self.language == "de" else f"{day.day}\u00a0{month}"
        return short if day.year == self.today.year else f"{short} {day.year}"

    def month(self, day: date) -> str:
        return f"{_MONTHS[self.language][day.month - 1]} {day.year}"

    def clock(self, moment: datetime) -> str:
        return moment.astimezone(self.zone).strftime("%H:%M")

    def moment(self, moment: datetime) -> str:
        """Write when something was or will be: the time, and the day if it is another one."""
        day = day_at(moment, self.zone)
        if day == self.today:
            return self.clock(moment)
        near = {-1: self.text("yesterday"), 1: self.text("tomorrow")}
        told = near.get((day - self.today).days) or self.day(day)
        return f"{told}, {self.clock(moment)}"

    def moment_with_seconds(self, moment: datetime) -> str:
        """Write when something was, as `moment` does, with the seconds."""
        clock = moment.astimezone(self.zone).strftime("%H:%M:%S")
        return self.moment(moment).removesuffix(self.clock(moment)) + clock

    def timestamp(self, moment: datetime) -> str:
        """Write a moment to the second."""
        return moment.astimezone(self.zone).strftime("%Y-%m-%d %H:%M:%S %Z").strip()

    def duration(self, span: timedelta) -> str:
        """Write how long something takes, as people say it; it stays in one line."""
        return self._duration(span).replace(" ", "\u00a0")

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
        """Say how long ago something was."""
        span = self.now - moment
        if span < timedelta(minutes=1):
            return self.text("just now")
        if span >= _DAYS:
            return self.plural("{n} day ago", "{n} days ago", span.days)
        return self.text("{span} ago", span=self.duration(span))

    @property
    def today(self) -> date:
        return day_at(self.now, self.zone)

    def _marked(self, written: str) -> str:
        if self.language == "de":
            return written.translate(str.maketrans(",.", ".,"))
        return written


def get_translator(language: str, *, zone: tzinfo, now: datetime) -> Translator:
    """Return the speech of a language that we speak."""
    return Translator(language, load_catalogue(language), zone, now)


LANGUAGES = {"en": "English", "de": "Deutsch"}
"""By code, each as it calls itself; the first is spoken when nothing else is asked for."""


def choose_language(said: str | None, accepted: str) -> str:
    """Return the code of a language that we speak; `accepted` is the header Accept-Language."""
    if said in LANGUAGES:
        return said
    wanted = sorted(map(_weighed, accepted.split(",")[:_MOST]), key=lambda one: -one[1])
    known = (code for code, weight in wanted if code in LANGUAGES and weight > 0)
    return next(known, next(iter(LANGUAGES)))


_MOST = 20
"""No browser asks for more, and a header may be as long as it likes."""


def _weighed(part: str) -> tuple[str, float]:
    tag, _, parameter = part.strip().partition(";")
    _, _, weight = parameter.partition("q=")
    try:
        return tag.partition("-")[0].lower(), float(weight) if weight else 1.0
    except ValueError:
        return "", 0.0

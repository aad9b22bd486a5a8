"""Say in the language of who looks what was written down in English.

Causes of holds, steps of jobs and mistakes in the settings are kept as text: logs and programs
read them, too. Sentences of ours are known here by their form; what a server said in between
stays as it was said.
"""

import re
from collections.abc import Iterator
from functools import cache

from dashboard.language.speech import Speech

_DEEP = frozenset({"said", "more"})
"""Places that may hold a sentence of ours again."""

CAUSES = (
    "paused by {who}: {why}",
    "paused by {who}",
    "documents_per_day is limited to {limit}, and {used} is used",
    "cost_per_month is limited to {limit}, and {used} is used",
    "no question is answered: {said}",
    "no answer in time",
    "no answer from {address} ({why})",
    "{said}, a redirect to {address}",
    "{said}, not as expected at {places}",
    "{said} with broken JSON",
    "{said} (redirects are not followed)",
    "the model server answered {status}: {answer}",
    "the model server answered {status}",
    "{address} answered {status} ({kind}): {answer}",
    "{address} answered {status} ({kind})",
    "{address} speaks neither API version {version}",
    "the token is empty",
    "the token has spaces or odd characters in it",
    "no answer from the model in time",
    "no connection to the model: {why}",
    "the model server's answer cannot be read: {why}",
    "the model server has no model {name}",
    "GET /models did not answer with a list of models",
    "the answer to a chat completion is not a completion",
    "the answer to a chat completion has no message",
)
"""Why something rests."""

STEPS = (
    "stopped",
    "ended",
    "the database was away",
    "the document is gone from Paperless",
    "carries the excluded tag {tags}",
    "is not shared for editing with the token's user",
    "given back more than {n} times, and its attempts are used up",
    "the worker died while it had this job",
)
"""Why a job was given back or cancelled."""

REFUSALS = (
    '"{text}" is not a date; write it as 2026-01-31',
    "the {more} must not be empty",
    "the {more} has {n} characters; Paperless takes {most}",
    "Paperless has no field {name} any more",
    '"{text}" is no value for {name}: choose one of {choices}',
    '"{text}" is no value for {name}: its type is {kind}',
    "nothing waits for review in: {fields}",
    'no document waits with the new name "{name}"',
    'there is no {more} "{name}" in {instance}',
    '"{name}" is the {more} "{existing}" already',
)
"""Why what a person wanted was not done."""

MISTAKES = (
    '{said} - did you mean "{guess}"?',
    "{said} - it belongs in daemon.toml",
    "{said} - it belongs in the file of an instance",
    "unknown option",
    "unknown variable",
    "unknown variable - there is no {name}.toml",
    "is not valid JSON",
    "given twice",
    "{key} is given as well - keep one of them",
    "missing",
    "missing - give {key} or {file}",
    'missing - write for example "{example}"',
    "expected text in quotes",
    "expected a whole number",
    "expected true or false",
    'expected a list such as ["Inbox"]',
    'expected a table such as { name = "value" }',
    "expected a table",
    "expected a number such as 2.5",
    'expected a duration such as "30s"',
    'expected "everything", "first_start" or a date such as 2026-01-31',
    "expected one of {choices}",
    '"{value}" is not one of {choices}',
    "must be at least {least}",
    "must be at most {most}",
    "must be a year at most",
    "must be more than nothing",
    "must not be less than nothing",
    "must not be empty",
    "the name of a tag must not be empty",
    "a name must not be empty",
    "the name of a custom field must not be empty",
    "has a space in it",
    "has a space in it - give the key alone",
    "has characters that no key has - paste it again",
    "is still the placeholder - paste the API token of your Paperless user",
    "must begin with postgresql:// (leave it empty for SQLite)",
    "must begin with http:// or https:// and name a host",
    "must begin with the name of a service, such as ntfy:// or mailto://",
    "must end before /chat/completions, mostly with /v1",
    "must end before the ? or #",
    "must not carry a user name or password",
    "is not a web address - look at the host and the port",
    '"{text}" is not a currency - write three letters such as "EUR"',
    '"{text}" is not a time zone - write "Europe/Berlin"',
    '"{text}" is not a time zone',
    '"{text}" is not a language - write "document" or two letters such as "de"',
    '"{text}" is not a path - write one such as "/clerk"',
    '"{text}" is not an address - write one such as 127.0.0.1',
    '"{text}" is neither an address nor a network - write one such as 172.18.0.0/16',
    '"{text}" would trust everybody',
    '"{text}" is not the name of a header',
    '"{text}" is set by Paperclerk itself',
    'the value of "{text}" has characters that no header has',
    'nothing is said about "{text}"',
    'more than {n} characters about "{text}"',
    '"{text}" is given twice',
    '"{text}" is also in include_tags',
    '"{text}" is also the done_tag',
    "all fields are off - leave at least one on",
    "cannot be kept without price_in or price_out",
    "is believed from trusted proxies alone - name them in trusted_proxies",
    "cannot be off while everybody in the network can reach the dashboard - "
    'set host = "127.0.0.1", or name a proxy in trusted_proxies',
    '"{name}" is not a name for an instance - use lower case letters, digits, - and _',
    '"{name}" is not a name for an instance',
    "too much like {name}.toml - rename one",
    "no instance here - copy config.example.toml to {path} and fill it in",
    "there is no such folder - create it, and copy config.example.toml to home.toml in it",
    "cannot be read: {why}",
    "cannot read {path}: {why}",
    "{path} is empty",
    "{path} is not text",
    "is not UTF-8 text",
    "there is no certificate in {path}",
    'this is not a value - text needs quotes, as in "text"',
    "write \\\\ for a backslash, or put the text in 'single quotes'",
    "text without a closing quote",
    "not valid TOML: {why}",
    "unknown word - use one of {choices}",
    "expected five fields (minute hour day month weekday), got {n}",
    "{more} step needs a range, as in */15 or 0-30/10",
    "{more} step must be 1 to {last}",
    '{more} cannot be "{text}"',
    "{more} must be {first} to {last}",
    "{more} {span} runs backwards",
    "such a day never comes",
    '"{text}" is not a duration - write "30s", "5m", "2h" or "1d"',
    '"{text}" is too long',
    '"{text}" is not a time - write one such as "08:00"',
    '"{text}" is not a time - a day ends at 23:59',
    '"{text}" is not a span of hours - write one such as "22:00-07:00"',
    "begins and ends at the same time",
    '"{text}": {said}',
    *("minute", "hour", "day", "month", "weekday"),
)
"""What is wrong with settings; what stands around another sentence comes first."""

SENTENCES = (*CAUSES, *STEPS, *REFUSALS, *MISTAKES)


def retold(speech: Speech, text: str) -> str:
    """Say a sentence of ours in another language; what is none of ours stays as it is."""
    if text in SENTENCES:
        return speech.say(text)
    for sentence, form in _forms():
        if found := form.fullmatch(text):
            return speech.say(sentence, **dict(_values(speech, found)))
    return speech.say(text)


def cause_told(speech: Speech, cause: str) -> str:
    """Say why something rests; what was to be done when it was noticed is of no interest."""
    return retold(speech, _ATTEMPTED.sub(r"\1", cause))


_ATTEMPTED = re.compile(r"\A(no question is answered: )?could not [^:]+: ")


def _values(speech: Speech, found: "re.Match[str]") -> Iterator[tuple[str, str]]:
    for place, value in found.groupdict().items():
        yield place, retold(speech, value) if place in _DEEP else value


@cache
def _forms() -> tuple[tuple[str, "re.Pattern[str]"], ...]:
    return tuple((one, _form(one)) for one in SENTENCES if re.search(r"{\w+}", one))


def _form(sentence: str) -> "re.Pattern[str]":
    """Turn a sentence into what recognises it; each place takes as little as it can."""
    escaped = re.escape(sentence)
    return re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", escaped), re.DOTALL)

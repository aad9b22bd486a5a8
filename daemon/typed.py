"""Read what was typed on the command line; anything else is told in a sentence."""

import sys
from collections.abc import Iterable, Mapping
from getpass import getpass

from core.access import Right
from core.documents import DocumentRef
from core.fields import FieldName
from core.names import NAMED_FIELDS
from daemon.exits import UsageError, there_are


def document(text: str) -> DocumentRef:
    """Read NAME/ID."""
    try:
        return DocumentRef.parse(text)
    except ValueError as error:
        raise UsageError(str(error)) from error


def documents(texts: Iterable[str]) -> list[DocumentRef]:
    """Read several NAME/ID, each once."""
    return list(dict.fromkeys(document(text) for text in texts))


def fields(text: str) -> frozenset[str] | None:
    """Read `title,Invoice number`; None, which means all, if nothing was typed."""
    return frozenset(one.strip() for one in text.split(",")) if text else None


def named_field(text: str) -> FieldName | None:
    """Read the name of a field whose values are names; None if nothing was typed."""
    if not text:
        return None
    if text.strip() not in NAMED_FIELDS:
        raise UsageError(f"a {text} is no name; {there_are(sorted(NAMED_FIELDS))}")
    return FieldName(text.strip())


def settings(texts: Iterable[str]) -> Mapping[str, str]:
    """Read several `title=Some words`."""
    values = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign:
            raise UsageError(f'"{text}" sets nothing; write FIELD=VALUE, as in title="New title"')
        values[name.strip()] = value
    return values


def right(text: str) -> Right:
    """Read what a token may do."""
    known = {one.name.lower(): one for one in Right}
    if text.strip().lower() not in known:
        raise UsageError(f'there is no right "{text}"; {there_are(known)}')
    return known[text.strip().lower()]


def new_password() -> str:
    """Ask for a password without showing it, twice; from a script take a line of its input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password = getpass("New password: ")
    if getpass("The same again: ") != password:
        raise UsageError("the two passwords differ")
    return password

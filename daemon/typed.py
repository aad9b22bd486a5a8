"""Read what was typed on the command line; anything else is told in a sentence."""

from collections.abc import Iterable, Mapping

from core.documents import DocumentRef
from core.fields import FieldName
from daemon.exits import UsageError


def document(text: str) -> DocumentRef:
    """Read NAME/ID."""
    try:
        return DocumentRef.parse(text)
    except ValueError as error:
        raise UsageError(str(error)) from error


def documents(texts: Iterable[str]) -> list[DocumentRef]:
    """Read several NAME/ID, each once."""
    return list(dict.fromkeys(document(text) for text in texts))


def field(text: str) -> FieldName:
    """Read the name of a field."""
    try:
        return FieldName(text.strip())
    except ValueError as error:
        raise UsageError(f'"{text}" is no field; there is: {", ".join(FieldName)}') from error


def fields(text: str) -> frozenset[FieldName] | None:
    """Read `title,date`; None, which means all, if nothing was typed."""
    return frozenset(field(one) for one in text.split(",")) if text else None


def settings(texts: Iterable[str]) -> Mapping[FieldName, str]:
    """Read several `title=Some words`."""
    values = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign:
            raise UsageError(f'"{text}" sets nothing; write FIELD=VALUE, as in title="New title"')
        values[field(name)] = value
    return values

"""Filters of the document list. Unknown ones are silently ignored, as in Paperless."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime

from sandbox.paperless.checksums import checksum
from sandbox.paperless.filter_values import (
    COMPARISONS,
    TEXT_MATCHES,
    boolean,
    comparison,
    contains,
    day,
    keys_or_none,
    moment,
    number,
    numbers,
)
from sandbox.paperless.records import Document, Kind
from sandbox.paperless.replies import Refused, not_imitated
from sandbox.paperless.values import Invalid
from sandbox.paperless.world import World

Test = Callable[[Document], bool]
Builder = Callable[[World, str], Test | None]
"""Builds a predicate from a filter's value; None if Paperless ignores the filter."""

_NOT_IMITATED = ("custom_field_query", "shared_by__id")


def filter_documents(
    world: World, query: Mapping[str, str], documents: Iterable[Document]
) -> list[Document]:
    """Return the documents that pass all filters; refuse all invalid values together."""
    tests: list[Test] = []
    errors: dict[str, list[str]] = {}
    for name, value in query.items():
        try:
            test = _test(world, name, value)
        except Invalid as invalid:
            errors[name] = [invalid.message]
        else:
            tests += [test] if test else []
    if errors:
        raise Refused(400, errors)
    return [document for document in documents if all(test(document) for test in tests)]


def _test(world: World, name: str, value: str) -> Test | None:
    if name in _NOT_IMITATED:
        raise not_imitated(f"the filter {name}")
    builder = _FILTERS.get(name)
    return builder(world, value) if builder and value else None


def _id(_: World, value: str) -> Test:
    wanted = number(value)
    return lambda document: document.id == wanted


def _id_in(_: World, value: str) -> Test:
    wanted = numbers(value)
    return lambda document: document.id in wanted


def _flag(holds: Callable[[World, Document], bool]) -> Builder:
    def build(world: World, value: str) -> Test | None:
        wanted = boolean(value)
        return None if wanted is None else lambda document: holds(world, document) == wanted

    return build


def _in_inbox(world: World, document: Document) -> bool:
    return any(world.tags[tag].is_inbox_tag for tag in document.tags)


def _sets(of: Callable[[Document], Iterable[int]], prefix: str) -> dict[str, Builder]:
    """Filter by several ids; a value that is not a list of numbers disables the filter."""

    def build(passes: Callable[[set[int], set[int]], bool]) -> Builder:
        def builder(_: World, value: str) -> Test | None:
            wanted = keys_or_none(value)
            return (lambda d: passes(wanted, set(of(d)))) if wanted is not None else None

        return builder

    return {
        f"{prefix}__id__all": build(lambda wanted, have: wanted <= have),
        f"{prefix}__id__in": build(lambda wanted, have: bool(wanted & have)),
        f"{prefix}__id__none": build(lambda wanted, have: not wanted & have),
    }


def _references(prefix: str) -> dict[str, Builder]:
    """Filter by one other object: correspondent, document type, storage path, owner."""

    def of(document: Document) -> int | None:
        value: int | None = getattr(document, prefix)
        return value

    def exact(_: World, value: str) -> Test:
        wanted = number(value)
        return lambda document: of(document) == wanted

    def among(_: World, value: str) -> Test:
        wanted = numbers(value)
        return lambda document: of(document) in wanted

    def none_of(_: World, value: str) -> Test | None:
        unwanted = keys_or_none(value)
        return (lambda d: of(d) not in unwanted) if unwanted is not None else None

    return {
        f"{prefix}__isnull": _flag(lambda _, document: of(document) is None),
        f"{prefix}__id": exact,
        f"{prefix}__id__in": among,
        f"{prefix}__id__none": none_of,
    }


def _texts(prefix: str, texts: Callable[[World, Document], list[str]]) -> dict[str, Builder]:
    def build(matches: Callable[[str, str], bool]) -> Builder:
        return lambda world, value: (
            lambda document: any(
                matches(text.lower(), value.lower()) for text in texts(world, document)
            )
        )

    return {f"{prefix}__{lookup}": build(matches) for lookup, matches in TEXT_MATCHES.items()}


def _names(kind: Kind, ids: Callable[[Document], Iterable[int | None]]) -> dict[str, Builder]:
    def texts(world: World, document: Document) -> list[str]:
        return [world.names[kind][id_].name for id_ in ids(document) if id_ is not None]

    prefix = "tags" if kind is Kind.TAG else kind.field
    return _texts(f"{prefix}__name", texts)


def _moments(prefix: str, of: Callable[[Document], datetime]) -> dict[str, Builder]:
    def build(lookup: str) -> Builder:
        def builder(world: World, value: str) -> Test:
            border = moment(value, world.zone).astimezone(UTC)
            return lambda document: COMPARISONS[lookup](of(document), border)

        return builder

    def local_day(world: World, document: Document) -> date:
        return of(document).astimezone(world.zone).date()

    return {f"{prefix}__{lookup}": build(lookup) for lookup in COMPARISONS} | _parts(
        prefix, local_day
    )


def _days(prefix: str, of: Callable[[Document], date]) -> dict[str, Builder]:
    """Filter by a date; a date with a time is refused."""

    def build(lookup: str) -> Builder:
        return lambda _, value: comparison(lookup, of, day(value))

    return {f"{prefix}__{lookup}": build(lookup) for lookup in COMPARISONS} | _parts(
        prefix, lambda _, document: of(document)
    )


def _parts(prefix: str, of: Callable[[World, Document], date]) -> dict[str, Builder]:
    def by_day(lookup: str) -> Builder:
        return lambda world, value: comparison(lookup, lambda d: of(world, d), day(value))

    def by_part(part: str) -> Builder:
        def builder(world: World, value: str) -> Test:
            wanted = number(value)
            return lambda document: getattr(of(world, document), part) == wanted

        return builder

    days = {f"{prefix}__date__{lookup}": by_day(lookup) for lookup in COMPARISONS}
    return days | {f"{prefix}__{part}": by_part(part) for part in ("year", "month", "day")}


def _title_or_content(_: World, value: str) -> Test:
    return lambda document: contains(document.title, value) or contains(document.content, value)


def _tag_is(_: World, value: str) -> Test:
    wanted = number(value)
    return lambda document: wanted in document.tags


_FILTERS: dict[str, Builder] = {
    "id": _id,
    "id__in": _id_in,
    "tags__id": _tag_is,
    "is_tagged": _flag(lambda _, document: bool(document.tags)),
    "is_in_inbox": _flag(_in_inbox),
    "has_custom_fields": _flag(lambda _, document: bool(document.custom_fields)),
    "mime_type": lambda _, value: lambda document: contains(document.mime_type, value),
    "search": _title_or_content,
    "title_content": _title_or_content,
    **_sets(lambda document: document.tags, "tags"),
    **_sets(lambda document: document.custom_fields, "custom_fields"),
    **_references("correspondent"),
    **_references("document_type"),
    **_references("storage_path"),
    **_references("owner"),
    **_names(Kind.TAG, lambda document: document.tags),
    **_names(Kind.CORRESPONDENT, lambda document: [document.correspondent]),
    **_names(Kind.DOCUMENT_TYPE, lambda document: [document.document_type]),
    **_names(Kind.STORAGE_PATH, lambda document: [document.storage_path]),
    **_texts("title", lambda _, document: [document.title]),
    **_texts("content", lambda _, document: [document.content]),
    **_texts("original_filename", lambda _, document: [document.original_file_name or ""]),
    **_texts("checksum", lambda world, document: [checksum(world, document)]),
    **_moments("added", lambda document: document.added),
    **_moments("modified", lambda document: document.modified),
    **_days("created", lambda document: document.created),
}

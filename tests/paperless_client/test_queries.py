"""Queries and patches as Paperless understands them."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from paperless_client import MAX_IDS, DocumentPatch, DocumentQuery, Ordering, chunked

BERLIN = timezone(timedelta(hours=1))


def test_a_query_for_everything_has_no_filter() -> None:
    assert DocumentQuery().params() == {"ordering": "id"}


def test_every_part_of_a_query_becomes_a_filter() -> None:
    query = DocumentQuery(
        include_tags=frozenset({3, 2}),
        exclude_tags=frozenset({9}),
        added_since=datetime(2026, 11, 15, tzinfo=UTC),
        added_until=datetime(2026, 11, 16, tzinfo=UTC),
        modified_since=datetime(2026, 11, 16, 1, 5, 45, 574922, tzinfo=BERLIN),
        modified_until=datetime(2026, 11, 17, tzinfo=UTC),
        ids=frozenset({12, 7}),
        ordering=Ordering.MODIFIED,
    )

    assert query.params() == {
        "tags__id__all": "2,3",
        "tags__id__none": "9",
        "added__gte": "2026-11-15T00:00:00+00:00",
        "added__lte": "2026-11-16T00:00:00+00:00",
        "modified__gte": "2026-11-16T01:05:45.574922+01:00",
        "modified__lte": "2026-11-17T00:00:00+00:00",
        "id__in": "7,12",
        "ordering": "modified,id",
    }


def test_no_ids_means_no_documents_and_not_all_of_them() -> None:
    assert DocumentQuery(ids=frozenset()).params()["id__in"] == "0"


@pytest.mark.parametrize(
    "bound", ["added_since", "added_until", "modified_since", "modified_until"]
)
def test_a_time_without_an_offset_is_refused(bound: str) -> None:
    naive = datetime(2026, 11, 15)  # noqa: DTZ001 - what is refused

    with pytest.raises(ValueError, match="offset"):
        DocumentQuery(**{bound: naive})  # type: ignore[arg-type]  # one of the four bounds


def test_more_ids_than_fit_into_an_address_are_refused() -> None:
    assert DocumentQuery(ids=frozenset(range(MAX_IDS)))

    with pytest.raises(ValueError, match=str(MAX_IDS)):
        DocumentQuery(ids=frozenset(range(MAX_IDS + 1)))


@pytest.mark.parametrize(
    ("patch", "body"),
    [
        (DocumentPatch(title=""), {"title": ""}),
        (DocumentPatch(correspondent=4), {"correspondent": 4}),
        (DocumentPatch(correspondent=None), {"correspondent": None}),
        (DocumentPatch(document_type=None), {"document_type": None}),
        (DocumentPatch(created=date(2026, 10, 31)), {"created": "2026-10-31"}),
        (
            DocumentPatch("Stromrechnung", 4, 2, date(2026, 10, 31)),
            {
                "title": "Stromrechnung",
                "correspondent": 4,
                "document_type": 2,
                "created": "2026-10-31",
            },
        ),
    ],
)
def test_a_patch_sends_what_is_set_and_nothing_else(
    patch: DocumentPatch, body: dict[str, object]
) -> None:
    assert patch.body() == body


def test_a_patch_that_sets_nothing_is_not_sent() -> None:
    with pytest.raises(ValueError, match="nothing"):
        DocumentPatch().body()


def test_a_time_of_day_is_not_a_day() -> None:
    with pytest.raises(TypeError, match="day"):
        DocumentPatch(created=datetime(2024, 3, 1, 23, 30, tzinfo=UTC))


def test_ids_are_cut_into_sets_that_fit_into_an_address() -> None:
    short = list(chunked(range(2500, 0, -1)))
    long = list(chunked(range(1_000_000, 1_002_000)))

    assert [len(ids) for ids in short] == [1000, 1000, 500]
    assert max(short[1]) == 1500
    assert frozenset().union(*long) == frozenset(range(1_000_000, 1_002_000))
    for ids in (*short, *long):
        assert len(DocumentQuery(ids=ids).params()["id__in"]) <= 7000


def test_no_ids_make_no_set() -> None:
    assert list(chunked([])) == []

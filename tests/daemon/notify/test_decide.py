"""Which notifications are sent, given the state now and those sent before."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from actions.health import HealthSnapshot
from core.documents import DocumentRef
from core.notifications import NewNotification, Notification, NotificationKind
from daemon.notify.decide import (
    Day,
    LastNotifications,
    LimitReached,
    Outage,
    Snapshot,
    day_before,
    decide,
)
from store.notifications import ActivityCounts, FailureGroup
from tests.store.builders import NOON

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
WELL = Snapshot(
    NOON, 0, 0, (), NOON, (), (), HealthSnapshot(NOON, 0, 0, 0, None, (), timedelta()), None
)
OUTAGE = Outage("paperless:home", is_model=False, instances=("home",), since=NOON, waiting=6)


def as_sent(notices: Iterable[NewNotification], *, at: datetime = NOON) -> LastNotifications:
    """Return the last notifications as if these had been sent."""
    return {
        new.topic: Notification(1, new.kind, new.topic, new.facts, is_silent=False, recorded_at=at)
        for new in notices
    }


def decided(
    snapshot: Snapshot, kind: NotificationKind, earlier: LastNotifications | None = None
) -> tuple[NewNotification, ...]:
    return decide(snapshot, earlier or {}, [kind])


def test_nothing_is_sent_while_all_is_well() -> None:
    begun = decided(WELL, NotificationKind.FAILED)

    assert [notice.is_silent for notice in begun] == [True]
    assert decide(WELL, as_sent(begun), list(NotificationKind)) == ()


def test_what_the_owner_does_not_want_to_hear_is_not_sent() -> None:
    snapshot = replace(WELL, for_review=9, newest_waiting=1, outages=(OUTAGE,), at=NOON + HOUR)

    assert decide(snapshot, {}, []) == ()
    assert [notice.kind for notice in decide(snapshot, {}, [NotificationKind.REVIEW])] == [
        NotificationKind.REVIEW
    ]


class TestReview:
    FIVE = replace(WELL, for_review=5, newest_waiting=31)

    def test_five_are_worth_a_message_and_four_are_not(self) -> None:
        assert decided(replace(self.FIVE, for_review=4), NotificationKind.REVIEW) == ()
        [notice] = decided(self.FIVE, NotificationKind.REVIEW)
        assert notice.facts["documents"] == 5

    @pytest.mark.parametrize(
        ("later", "newest", "count"),
        [
            (timedelta(days=7), 31, 0),
            (59 * MINUTE, 32, 0),
            (HOUR, 32, 1),
        ],
        ids=["nothing came", "too soon", "more came"],
    )
    def test_it_is_sent_again_if_more_came_and_at_most_once_an_hour(
        self, later: timedelta, newest: int, count: int
    ) -> None:
        earlier = as_sent(decided(self.FIVE, NotificationKind.REVIEW))
        snapshot = replace(self.FIVE, at=NOON + later, newest_waiting=newest, for_review=50)

        assert len(decided(snapshot, NotificationKind.REVIEW, earlier)) == count


class TestFailed:
    BEGUN = as_sent(decided(WELL, NotificationKind.FAILED))
    SWARM = (
        FailureGroup("No use.", NOON, tuple(DocumentRef("home", number) for number in range(1, 8))),
        FailureGroup("Gone.", NOON + MINUTE, (DocumentRef("home", 9),)),
    )

    def at(self, later: timedelta) -> Snapshot:
        return replace(WELL, at=NOON + later, failures_until=NOON + later, failures=self.SWARM)

    def test_a_swarm_is_one_notice_after_the_others_had_time_to_come(self) -> None:
        begun = {"failed": replace(self.BEGUN["failed"], is_silent=True)}

        early = decided(self.at(4 * MINUTE), NotificationKind.FAILED, begun)
        [notice] = decided(self.at(5 * MINUTE), NotificationKind.FAILED, begun)

        assert early == ()
        assert notice.facts["until"] == (NOON + 5 * MINUTE).isoformat()
        assert notice.facts["causes"] == [
            {"why": "No use.", "count": 7, "documents": [f"home/{n}" for n in range(1, 6)]},
            {"why": "Gone.", "count": 1, "documents": ["home/9"]},
        ]

    def test_the_next_comes_an_hour_later(self) -> None:
        assert decided(self.at(59 * MINUTE), NotificationKind.FAILED, self.BEGUN) == ()
        assert len(decided(self.at(HOUR), NotificationKind.FAILED, self.BEGUN)) == 1


class TestConnection:
    def test_an_outage_is_reported_when_it_lasts_and_once(self) -> None:
        short = replace(WELL, at=NOON + 14 * MINUTE, outages=(OUTAGE,))
        long = replace(WELL, at=NOON + 15 * MINUTE, outages=(OUTAGE,))

        down = decided(long, NotificationKind.CONNECTION)

        assert decided(short, NotificationKind.CONNECTION) == ()
        assert [(notice.facts["down"], notice.facts["waiting"]) for notice in down] == [(True, 6)]
        assert (
            decided(replace(long, at=NOON + DAY), NotificationKind.CONNECTION, as_sent(down)) == ()
        )

    def test_the_end_is_reported_once_and_only_of_what_was_reported(self) -> None:
        down = decided(
            replace(WELL, at=NOON + HOUR, outages=(OUTAGE,)), NotificationKind.CONNECTION
        )
        over = replace(WELL, at=NOON + 2 * HOUR)

        up = decided(over, NotificationKind.CONNECTION, as_sent(down))

        assert [notice.facts["down"] for notice in up] == [False]
        assert decided(over, NotificationKind.CONNECTION, as_sent(up)) == ()
        assert decided(over, NotificationKind.CONNECTION) == ()

    def test_the_next_outage_is_another(self) -> None:
        down = decided(
            replace(WELL, at=NOON + HOUR, outages=(OUTAGE,)), NotificationKind.CONNECTION
        )
        again = replace(OUTAGE, since=NOON + 2 * HOUR)
        snapshot = replace(WELL, at=NOON + 3 * HOUR, outages=(again,))

        found = decided(snapshot, NotificationKind.CONNECTION, as_sent(down))

        assert [notice.facts["down"] for notice in found] == [True, False]
        assert len({notice.key for notice in (*down, *found)}) == 3


class TestLimit:
    def test_it_is_sent_once_for_as_long_as_it_lasts(self) -> None:
        month = LimitReached("home", NOON, NOON + 20 * DAY)

        found = decided(replace(WELL, limits=(month,)), NotificationKind.LIMIT)

        assert [notice.facts["instance"] for notice in found] == ["home"]
        later = replace(WELL, limits=(month,), at=NOON + 15 * DAY)
        assert decided(later, NotificationKind.LIMIT, as_sent(found)) == ()

    @pytest.mark.parametrize(("days", "count"), [(1, 0), (6, 0), (7, 1)])
    def test_the_limit_of_a_day_is_not_reported_every_day(self, days: int, count: int) -> None:
        earlier = as_sent(
            decided(
                replace(WELL, limits=(LimitReached("home", NOON, NOON + DAY / 2),)),
                NotificationKind.LIMIT,
            )
        )
        later = NOON + days * DAY
        snapshot = replace(WELL, at=later, limits=(LimitReached("home", later, later + DAY / 2),))

        assert len(decided(snapshot, NotificationKind.LIMIT, earlier)) == count


class TestAlert:
    BAD = replace(
        WELL,
        figures=HealthSnapshot(NOON, 100, 10, 10, None, ("home",), 5 * MINUTE),
    )

    def test_each_warning_is_reported_once_a_day(self) -> None:
        found = decided(self.BAD, NotificationKind.ALERT)

        assert {notice.facts["warning"] for notice in found} == {
            "processor_silent",
            "scan_late",
            "many_waiting",
            "many_failed",
        }
        earlier = as_sent(found)
        assert (
            decided(replace(self.BAD, at=NOON + 23 * HOUR), NotificationKind.ALERT, earlier) == ()
        )
        assert len(decided(replace(self.BAD, at=NOON + DAY), NotificationKind.ALERT, earlier)) == 4

    def test_nobody_is_alarmed_by_a_start(self) -> None:
        assert decided(replace(self.BAD, figures=None), NotificationKind.ALERT) == ()


class TestDigest:
    SPAN = (NOON - DAY, NOON)

    def test_a_day_is_summarised_and_one_without_events_is_only_recorded(self) -> None:
        full = replace(WELL, for_review=3, day=Day(self.SPAN, ActivityCounts(7, 1, 5)))
        empty = replace(WELL, for_review=3, day=Day(self.SPAN, ActivityCounts(0, 0, 0)))

        [digest] = decided(full, NotificationKind.DIGEST)
        [silent] = decided(empty, NotificationKind.DIGEST)

        assert (digest.facts["completed"], digest.facts["waiting"]) == (7, 3)
        assert (digest.is_silent, silent.is_silent) == (False, True)
        assert digest.key == silent.key

    @pytest.mark.parametrize(
        ("now", "begin", "end"),
        [
            ("2026-07-01T05:59", "2026-06-29T06:00", "2026-06-30T06:00"),
            ("2026-07-01T06:00", "2026-06-30T06:00", "2026-07-01T06:00"),
            ("2026-03-29T06:00", "2026-03-28T07:00", "2026-03-29T06:00"),
            ("2026-10-25T06:59", "2026-10-23T06:00", "2026-10-24T06:00"),
            ("2026-10-25T07:00", "2026-10-24T06:00", "2026-10-25T07:00"),
        ],
    )
    def test_days_end_when_the_wall_shows_the_time(self, now: str, begin: str, end: str) -> None:
        at, *span = (datetime.fromisoformat(f"{time}:00+00:00") for time in (now, begin, end))

        assert day_before(at.astimezone(UTC), "08:00", ZoneInfo("Europe/Berlin")) == tuple(span)

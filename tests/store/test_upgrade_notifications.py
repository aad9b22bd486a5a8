"""A database of before deliveries by channel: what was sent stays known, what waited is unread."""

from datetime import timedelta
from pathlib import Path

from sqlalchemy import column, table

from core.notifications import IN_APP
from store import open_store
from store.columns import CleanText, Json, UtcTime
from store.engine import engines_for
from store.migrate import prepare_database
from tests.store.builders import NOON, FakeClock
from tests.store.conftest import Place
from tests.store.test_upgrade_begun import old_scripts

MORNING = NOON - timedelta(hours=3)
NOTICES = table(
    "notices",
    *(column(name, CleanText()) for name in ("kind", "topic", "key", "state", "problem")),
    *(column(name, UtcTime()) for name in ("recorded_at", "due_at", "settled_at")),
    column("facts", Json()),
    column("tries"),
)


async def test_deliveries_are_kept_and_the_unsent_is_unread(
    empty_place: Place, tmp_path: Path, clock: FakeClock
) -> None:
    engines = engines_for(empty_place.url, empty_place.data)
    scripts = old_scripts(tmp_path, newest="0027")
    prepare_database(engines, empty_place.data, now=NOON, scripts=scripts)
    with engines.migrator.begin() as connection:
        for state in ("silent", "sent", "lost", "waiting", "sending"):
            is_over = state in {"silent", "sent", "lost"}
            row: dict[str, object] = {
                **{"kind": "failed", "topic": state, "key": state, "state": state, "problem": ""},
                **{"recorded_at": MORNING, "due_at": MORNING, "facts": {"causes": []}},
                **{"settled_at": MORNING if is_over else None, "tries": 1},
            }
            connection.execute(NOTICES.insert().values(**row))
    engines.dispose()

    async with open_store(empty_place.url, empty_place.data, clock=clock) as store:
        listed = await store.notifications.list(limit=10)
        latest = await store.notifications.get_latest()

    assert latest["silent"].is_silent
    assert [
        (notification.topic, notification.deliveries[1].state, notification.read_at is not None)
        for notification in reversed(listed)
    ] == [
        ("sent", "sent", True),
        ("lost", "lost", True),
        ("waiting", "lost", False),
        ("sending", "lost", False),
    ]
    assert {notification.deliveries[0].channel for notification in listed} == {IN_APP}

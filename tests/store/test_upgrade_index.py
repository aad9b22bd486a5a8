"""Whoever set an instance up before there was an index is asked; a new instance is not."""

from pathlib import Path

from core.archive import IndexChoice
from store import open_store
from store.engine import engines_for
from store.migrate import prepare_database
from store.tables import instances
from tests.store.builders import NOON, FakeClock
from tests.store.conftest import Place
from tests.store.test_upgrade_begun import add_row, old_scripts


async def test_only_an_instance_of_before_is_asked(
    empty_place: Place, tmp_path: Path, clock: FakeClock
) -> None:
    engines = engines_for(empty_place.url, empty_place.data)
    scripts = old_scripts(tmp_path, newest="0024")
    prepare_database(engines, empty_place.data, now=NOON, scripts=scripts)
    with engines.migrator.begin() as connection:
        row = {"name": "home", "endpoint": "http://a/v1", "first_started_at": NOON}
        add_row(connection, instances, row)
    engines.dispose()

    async with open_store(empty_place.url, empty_place.data, clock=clock) as store:
        for name in ("home", "attic"):
            await store.instances.register(name, endpoint="http://a/v1", now=NOON)
        known = {instance.name: instance for instance in await store.instances.list_all()}
        assert known["home"].index_choice is IndexChoice.ASK
        assert known["attic"].index_choice is None

        await store.instances.choose_index("home", IndexChoice.PROCESSED)

        chosen = await store.instances.register("home", endpoint="http://b/v1", now=NOON)
        assert chosen.index_choice is IndexChoice.PROCESSED

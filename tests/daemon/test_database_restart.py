"""PostgreSQL is restarted while the daemon works: nothing is lost or paid for twice."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import psycopg
import pytest

from sandbox import Sandbox
from sandbox.model.behaviour import Behaviour, Failure, FailureScope
from sandbox.paperless import World, load_world
from tests.daemon.database_proxy import LosingProxy
from tests.daemon.processes import RunningDaemon, a_daemon
from tests.daemon.test_run import enqueue
from tests.installation import ONLY_BY_HAND, Installation
from tests.postgres import Server
from tests.waiting import LONG

DOCUMENTS = 30
NUMBER = re.compile(r"Beleg Nr\. (\d+)")


@pytest.fixture
def world() -> World:
    """Letters, each with its own number."""
    world = load_world()
    letters = [letter.content for letter in world.documents.values()]
    world.documents.clear()
    for number in range(1, DOCUMENTS + 1):
        letter = letters[number % 3]
        world.add_document(f"Beleg Nr. {number}\n{letter}", f"beleg{number}.pdf")
    return world


@pytest.fixture
def database(installation: Installation, postgres: Server) -> Iterator[str]:
    """A PostgreSQL that may be stopped, and a daemon that does three documents at a time."""
    if postgres.control is None:
        pytest.skip("the server is somebody else's")
    name = postgres.create()
    url = postgres.url(name)
    settings = f'[database]\nurl = "{url}"\n[processor]\nparallel = 3\n'
    (installation.config / "daemon.toml").write_text(settings, encoding="utf-8")
    installation.configure(ONLY_BY_HAND + "[limits]\ndocuments_per_day = 0\n", all_fields="replace")
    yield url
    postgres.drop(name)


def paid(sandbox: Sandbox) -> Counter[int]:
    """Count the answers that were given about each document."""
    counted: Counter[int] = Counter()
    for chat in sandbox.model.state.chats():
        found = NUMBER.search(str(chat.messages))
        if found:
            counted[int(found[1])] += 1
    return counted


def wait_until_completed(url: str, number: int, daemon: RunningDaemon) -> None:
    until = monotonic() + LONG
    while monotonic() < until:
        with psycopg.connect(url) as connection:
            row = connection.execute(
                "SELECT count(*) FROM jobs WHERE status = 'completed'"
            ).fetchone()
        if row is not None and row[0] >= number:
            return
        daemon.wait_a_moment()
    raise AssertionError(f"not all are done\n{daemon.log}")


@pytest.fixture
def proxy(database: str, installation: Installation, postgres: Server) -> Iterator[LosingProxy]:
    """A proxy through which the daemon speaks to the database."""
    folder = Path(database.partition("host=")[2])
    with LosingProxy(folder / ".s.PGSQL.5432") as running:
        name = database.partition("?")[0].rpartition("/")[2]
        through = f"postgresql://postgres@127.0.0.1:{running.port}/{name}"
        settings = installation.config / "daemon.toml"
        settings.write_text(settings.read_text().replace(database, through))
        yield running


def test_a_claim_whose_answer_is_lost_is_given_back_and_nobody_waits_for_it(
    database: str, proxy: LosingProxy, installation: Installation
) -> None:
    proxy.lose_commit_of("claimed")
    enqueue(installation, 41, 42)

    with a_daemon(installation) as daemon:
        assert proxy.lost.wait(LONG), daemon.log
        wait_until_completed(database, 2, daemon)

    assert "the database was unreachable" in daemon.log
    assert "job recovered" not in daemon.log


def test_a_retry_whose_answer_is_lost_is_reported_with_its_time(
    database: str, proxy: LosingProxy, installation: Installation, sandbox: Sandbox
) -> None:
    sandbox.model.behave(Behaviour(failure=Failure.SERVER_ERROR, reach=FailureScope.COMPLETIONS))
    proxy.lose_commit_of("retried")
    enqueue(installation, 41)

    with a_daemon(installation) as daemon:
        assert proxy.lost.wait(LONG), daemon.log
        daemon.wait_for("job was settled before the database went away")

    assert 'event="job retried"' not in daemon.log
    assert "status=pending scheduled_for=" in daemon.log


@pytest.mark.timeout(600)
def test_no_document_is_paid_twice_when_the_database_is_restarted(
    database: str, installation: Installation, sandbox: Sandbox, postgres: Server
) -> None:
    sandbox.model.behave(Behaviour(delay=0.4))
    enqueue(installation, *sorted(sandbox.world.documents))

    with a_daemon(installation) as daemon:
        for done in (3, 9, 15):
            wait_until_completed(database, done, daemon)
            with postgres.stopped():
                pass
        wait_until_completed(database, DOCUMENTS, daemon)

    twice = {number: times for number, times in paid(sandbox).items() if times != 1}
    assert twice == {}
    assert len(paid(sandbox)) == DOCUMENTS

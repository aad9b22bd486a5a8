"""Consent to costly runs: commands ask, beside a running daemon as well; timers never do."""

import sqlite3
from collections.abc import Iterator
from decimal import Decimal

import httpx
import pytest

from sandbox import Sandbox
from sandbox.model.behaviour import Behaviour, Outcome
from store.engine import FILE_NAME
from tests.daemon.conftest import Paperclerk
from tests.daemon.processes import RunningDaemon, a_daemon
from tests.installation import ONLY_BY_HAND, Installation
from tests.waiting import LONG

COSTLY = "[limits]\nprice_in = 500\nprice_out = 500\nconsent_above = 0.01\n"


def consents_in(installation: Installation, table: str) -> list[tuple[str, Decimal]]:
    query = f"SELECT consented_by, consented_cost FROM {table} WHERE consented_at IS NOT NULL"  # noqa: S608
    with sqlite3.connect(installation.data / FILE_NAME) as database:
        # Amounts are stored in billionths.
        return [(by, Decimal(cost) / 10**9) for by, cost in database.execute(query)]


@pytest.fixture
def daemon(installation: Installation) -> Iterator[RunningDaemon]:
    installation.configure(f"{ONLY_BY_HAND}{COSTLY}", all_fields="review")
    with a_daemon(installation) as running:
        running.wait_for("event=started")
        yield running


class TestCommands:
    """`process` and `retry`."""

    @pytest.fixture(autouse=True)
    def costly(self, installation: Installation) -> None:
        installation.configure(f"{COSTLY}[retry]\nmax_attempts = 1\n")

    def test_process_asks_and_changes_nothing_before_the_answer(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        refused = paperclerk("process", "home/1")

        assert refused.code == 2
        assert "home: 1 document, about" in refused.err
        assert "Add --yes to start." in refused.err
        assert paperclerk("jobs").out == "no jobs\n"
        assert sandbox.model.state.chats() == []

    def test_the_job_keeps_who_confirmed_it(
        self, installation: Installation, paperclerk: Paperclerk
    ) -> None:
        done = paperclerk("process", "home/1", "--yes")

        assert done.code == 0, done.err
        [(by, cost)] = consents_in(installation, "jobs")
        assert by == "hand"
        assert cost > 1
        assert f"estimated cost of the run: {cost:.2f} EUR, confirmed by the command line" in (
            paperclerk("job", "1").out
        )

    def test_retry_asks_for_all_failed_jobs_together(
        self, installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        sandbox.model.behave(Behaviour(outcome=Outcome.REFUSAL))
        paperclerk("scan-now", "--yes")
        sandbox.model.behave(Behaviour())

        refused = paperclerk("retry")
        failed = paperclerk("jobs", "--status", "failed", "--json").json()
        done = paperclerk("retry", "--yes")

        assert refused.code == 2
        assert "home: 3 documents, about" in refused.err
        assert isinstance(failed, list)
        assert len(failed) == 3
        assert done.code == 0, done.err
        assert [by for by, _ in consents_in(installation, "jobs")] == ["hand"] * 3


class TestBesideADaemon:
    """The daemon carries out what was confirmed."""

    def test_a_command_asks_and_the_daemon_does_the_work(
        self,
        daemon: RunningDaemon,
        installation: Installation,
        paperclerk: Paperclerk,
        sandbox: Sandbox,
    ) -> None:
        refused = [paperclerk("scan-now").code, paperclerk("process", "home/1").code]
        asked = sandbox.model.state.chats()
        done = [
            paperclerk("process", "home/1", "--yes").code,
            paperclerk("scan-now", "--yes").code,
        ]

        assert (refused, asked, done) == ([2, 2], [], [0, 0])
        assert daemon.log.count("job completed") == 3
        assert [by for by, _ in consents_in(installation, "jobs")] == ["hand"]
        assert [by for by, _ in consents_in(installation, "scans")] == ["hand"]

    def test_its_api_refuses_until_the_cost_is_confirmed(
        self,
        daemon: RunningDaemon,
        installation: Installation,
        paperclerk: Paperclerk,
        sandbox: Sandbox,
    ) -> None:
        token = paperclerk("token", "create", "importer", "--right", "act").out.strip()
        host, port = daemon.web_address
        with httpx.Client(
            base_url=f"http://{host}:{port}/api/v1",
            headers={"authorization": f"Bearer {token}"},
            timeout=LONG,
        ) as client:
            refused = client.post("/scans", json={"instance": "home"})
            asked = sandbox.model.state.chats()
            confirmed = {"instance": "home", "consent_up_to": refused.json()["estimate"]["cost"]}
            accepted = client.post("/scans", json=confirmed)
            daemon.wait_for("job completed", times=3)

        assert (refused.status_code, asked, accepted.status_code) == (409, [], 202)
        assert [by for by, _ in consents_in(installation, "scans")] == ["importer"]


def test_a_scheduled_scan_never_waits_for_consent(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(COSTLY, all_fields="review")

    with a_daemon(installation) as daemon:
        daemon.wait_for("job completed", times=3)

    assert consents_in(installation, "scans") == []

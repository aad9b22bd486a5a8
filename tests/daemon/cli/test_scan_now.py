"""`scan-now`: looks, works, and says in words or JSON what came of it."""

import asyncio
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from sandbox import Sandbox
from sandbox.model.behaviour import Behaviour, Failure, FailureScope, Outcome
from sandbox.paperless import World, load_world
from tests.daemon.conftest import Paperclerk
from tests.daemon.processes import a_daemon
from tests.installation import Installation, fields_of, process, snapshot, writes

LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
KEYS = {
    "instance",
    "seen",
    "enqueued",
    "skipped",
    "completed",
    "done",
    "failed",
    "held",
    "pending",
    "seconds",
}


async def first_attempt(installation: Installation) -> None:
    """Work on document 1 as if it were weeks ago, so that its next attempt is due by now."""
    installation.clock.advance(days=-60)
    async with installation.open() as services:
        await process(services)


def summary(said: object) -> dict[str, object]:
    assert isinstance(said, dict)
    return {key: value for key, value in said.items() if key not in {"seconds", "scan"}}


def test_what_was_written_is_shown_with_its_evidence(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    installation.configure(all_fields="replace")

    said = paperclerk("scan-now")

    assert said.code == 0
    assert "3 new documents of 3 seen" in said.out
    assert "home/1  Stromrechnung August 2026" in said.out
    line = 'title          scan_0031 -> Stromrechnung August 2026  [written]  "Stromrechnung'
    assert line in said.out
    assert "home: 3 done" in said.out


def test_a_limit_says_at_its_end_how_many_were_left_out(paperclerk: Paperclerk) -> None:
    said = paperclerk("scan-now", "home", "--limit", "1")

    last = said.out.splitlines()[-1]
    assert last.endswith(" s, 2 more documents found and left out (limit: 1)")


def test_a_limit_that_leaves_nothing_out_is_not_mentioned(paperclerk: Paperclerk) -> None:
    said = paperclerk("scan-now", "home", "--limit", "3")

    assert said.out.splitlines()[-1].endswith(" s")


def test_a_limit_says_how_many_documents_were_not_read(
    paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    for number in range(1100):
        sandbox.world.add_document("", f"{number}.pdf", added=LONG_AGO)

    said = paperclerk("scan-now", "home", "--limit", "1")

    left_out = "999 more documents found and left out (limit: 1), 103 older documents not read"
    assert left_out in said.out


def test_what_waits_is_reported(installation: Installation, paperclerk: Paperclerk) -> None:
    said = paperclerk("scan-now", "home")

    assert "[for review" in said.out
    assert "home: 0 done, 3 documents for review (paperclerk review list)" in said.out


def test_json_has_the_documented_keys(installation: Installation, paperclerk: Paperclerk) -> None:
    said = paperclerk("scan-now", "--json", "--limit", "2")

    assert said.code == 0
    output = said.json()
    assert isinstance(output, dict)
    assert output.keys() >= KEYS
    assert summary(output) == {
        "instance": "home",
        "changed_since": None,
        "seen": 3,
        "enqueued": 2,
        "skipped": {"over_limit": 1},
        "completed": 2,
        "done": 0,
        "failed": 0,
        "held": 0,
        "pending": 0,
    }


def test_a_failed_document_wants_a_look(
    installation: Installation, sandbox: Sandbox, paperclerk: Paperclerk
) -> None:
    sandbox.model.behave(Behaviour(outcome=Outcome.REFUSAL, only_for="PAYSLIP"))

    said = paperclerk("scan-now")

    assert said.code == 1
    assert "failed: the model refused to answer" in said.out
    assert "home: 0 done, 1 failed, 2 documents for review" in said.out


def test_an_attempt_that_failed_is_reported_with_its_next_time(
    installation: Installation, sandbox: Sandbox, paperclerk: Paperclerk
) -> None:
    sandbox.model.behave(Behaviour(outcome=Outcome.RUBBISH, only_for="PAYSLIP"))

    said = paperclerk("scan-now")

    assert said.code == 0
    assert "attempt 1 of 3 failed: the answer contains no JSON object" in said.out
    assert "home: 0 done, 1 in the queue, 2 documents for review" in said.out


def test_a_model_that_is_down_holds_the_queue(
    installation: Installation, sandbox: Sandbox, paperclerk: Paperclerk
) -> None:
    sandbox.model.behave(Behaviour(failure=Failure.UNAVAILABLE, reach=FailureScope.EVERYTHING))

    said = paperclerk("scan-now")
    output = paperclerk("scan-now", "--json").json()

    assert said.code == 3
    assert "waits: the model server answered 503" in said.out
    held = "3 of them on hold: the model server answered 503"
    assert f"home: 0 done, 3 in the queue, {held}" in said.out
    assert summary(output)["held"] == 3


def test_a_document_held_at_its_second_attempt_says_why_it_waits(
    installation: Installation, sandbox: Sandbox, paperclerk: Paperclerk
) -> None:
    sandbox.model.behave(Behaviour(outcome=Outcome.RUBBISH), times=3)
    asyncio.run(first_attempt(installation))
    sandbox.model.behave(Behaviour(failure=Failure.UNAVAILABLE, reach=FailureScope.EVERYTHING))

    said = paperclerk("scan-now")

    assert "waits: the model server answered 503" in said.out
    assert "attempt 1 of 3 failed" not in said.out


def test_held_work_goes_on_when_the_model_is_back(
    installation: Installation, sandbox: Sandbox, paperclerk: Paperclerk
) -> None:
    sandbox.model.behave(Behaviour(failure=Failure.UNAVAILABLE, reach=FailureScope.EVERYTHING))
    paperclerk("scan-now")
    sandbox.model.behave(Behaviour())

    said = paperclerk("scan-now")

    assert said.code == 0
    assert "home: 0 done, 3 documents for review" in said.out


def test_a_dry_run_shows_what_would_be_written(
    installation: Installation, sandbox: Sandbox, paperclerk: Paperclerk
) -> None:
    installation.configure(all_fields="replace")

    said = paperclerk("scan-now", "--dry-run")

    assert said.code == 0
    assert "[would be written]" in said.out
    assert writes(sandbox) == []
    assert paperclerk("history").out == "nothing was written yet\n"


def test_a_dry_run_leaves_work_that_was_left_over_alone(
    installation: Installation, sandbox: Sandbox, paperclerk: Paperclerk
) -> None:
    installation.configure(all_fields="replace")
    sandbox.model.behave(Behaviour(outcome=Outcome.RUBBISH), times=3)
    asyncio.run(first_attempt(installation))

    said = paperclerk("scan-now", "--dry-run")

    assert writes(sandbox) == []
    assert "home: 2 done, 1 in the queue" in said.out


def test_one_instances_trouble_leaves_the_others_alone(
    installation: Installation, sandbox: Sandbox, paperclerk: Paperclerk
) -> None:
    other = sandbox.settings().replace(sandbox.token, "0" * 40)
    (installation.config / "attic.toml").write_text(other)

    said = paperclerk("scan-now")

    assert said.code == 4
    assert said.err.startswith("attic: ") or "\nattic: " in said.err
    assert "home: 0 done, 3 documents for review" in said.out


def test_an_instance_ends_with_its_own_hold(
    installation: Installation, sandbox: Sandbox, paperclerk: Paperclerk
) -> None:
    installation.configure("[limits]\ndocuments_per_day = 1\n")
    other = sandbox.settings().replace(sandbox.model.url, "http://127.0.0.1:9")
    (installation.config / "attic.toml").write_text(other)

    said = paperclerk("scan-now")

    attic, home = (line for line in said.out.splitlines() if " done, " in line)
    limited = "2 of them on hold: daily limit reached (1 of 1 documents); resumes at "
    assert "3 of them on hold: no connection to the model" in attic
    assert home.startswith(f"home: 0 done, 2 in the queue, {limited}")
    assert said.code == 4


def unreachable(installation: Installation, sandbox: Sandbox) -> None:
    settings = installation.settings_file.read_text().replace(sandbox.url, "http://127.0.0.1:9")
    installation.settings_file.write_text(settings)


def unknown_token(_: Installation, sandbox: Sandbox) -> None:
    sandbox.world.users["paperclerk"].token = "f" * 40


def forbidden(_: Installation, sandbox: Sandbox) -> None:
    sandbox.world.users["paperclerk"].permissions.discard("view_document")


def tagless(installation: Installation, _: Sandbox) -> None:
    installation.configure('[scan]\nexclude_tags = ["Fertig"]\n')


WRONG = [
    (unreachable, 3, (r"home: could not .*", "Check that Paperless is running")),
    (
        unknown_token,
        4,
        (r"home: the token for Paperless was rejected: .* 401 .*", "Create a token in Paperless"),
    ),
    (forbidden, 4, (r"home: .*view_document.*", "Give the token's user the permission")),
    (tagless, 2, (r"home: no such tag in Paperless: Fertig", "Create the tag in Paperless")),
]


@pytest.mark.parametrize(("spoil", "code", "said"), WRONG)
def test_what_stops_a_scan_is_reported_in_a_line_with_what_to_do(
    installation: Installation,
    sandbox: Sandbox,
    paperclerk: Paperclerk,
    spoil: Callable[[Installation, Sandbox], None],
    code: int,
    said: tuple[str, str],
) -> None:
    spoil(installation, sandbox)

    ended = paperclerk("scan-now")

    assert (ended.code, ended.out) == (code, "")
    message, hint = (line for line in ended.err.splitlines() if "event=" not in line)
    assert re.fullmatch(said[0], message)
    assert hint.startswith(f"  -> {said[1]}")
    assert paperclerk("jobs").out == "no jobs\n"


@pytest.mark.parametrize(("spoil", "code", "said"), WRONG)
def test_beside_a_daemon_it_reports_the_same_and_ends_the_same(
    installation: Installation,
    sandbox: Sandbox,
    paperclerk: Paperclerk,
    spoil: Callable[[Installation, Sandbox], None],
    code: int,
    said: tuple[str, str],
) -> None:
    spoil(installation, sandbox)

    with a_daemon(installation) as daemon:
        daemon.wait_for("event=started")
        ended = paperclerk("scan-now")
        status = paperclerk("status")

    assert (ended.code, ended.out) == (code, "")
    message, hint = (line for line in ended.err.splitlines() if "event=" not in line)
    assert re.fullmatch(said[0], message)
    assert hint.startswith(f"  -> {said[1]}")
    assert message.replace("home: ", "home: the last scan failed: ") in status.out


def test_status_tells_when_a_scan_last_went_through_and_why_the_last_one_did_not(
    installation: Installation, sandbox: Sandbox, paperclerk: Paperclerk
) -> None:
    paperclerk("scan-now")
    good, token = of_home(paperclerk("status", "--json").json()), sandbox.token
    unknown_token(installation, sandbox)

    paperclerk("scan-now")

    bad, words = of_home(paperclerk("status", "--json").json()), paperclerk("status").out
    assert (good["last_failure"], good["last_failure_at"]) == (None, None)
    assert bad["last_scan_at"] == good["last_scan_at"]
    assert str(bad["last_failure_at"]) > str(good["last_scan_at"])
    assert isinstance(bad["last_failure"], dict)
    assert bad["last_failure"]["code"] == "paperless_token_refused"
    assert "home: the last scan failed: the token for Paperless was rejected" in words
    assert "\n  -> Create a token in Paperless" in words

    sandbox.world.users["paperclerk"].token = token
    paperclerk("scan-now")
    mended = of_home(paperclerk("status", "--json").json())
    assert mended["last_failure"] is None
    assert str(mended["last_scan_at"]) > str(bad["last_failure_at"])


def of_home(output: object) -> dict[str, object]:
    assert isinstance(output, dict)
    [instance] = output["instances"]
    assert isinstance(instance, dict)
    return instance


def test_an_unknown_instance_is_named(paperclerk: Paperclerk) -> None:
    said = paperclerk("scan-now", "hime")

    assert said.code == 2
    assert 'there is no instance "hime"; there is: home' in said.err


def test_an_unknown_instance_is_reported_with_all_that_there_are(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    (installation.config / "office.toml").write_text(
        installation.sandbox.settings(""), encoding="utf-8"
    )

    said = paperclerk("scan-now", "hime")

    assert 'there is no instance "hime"; there are: home, office' in said.err


def test_nested_tags_come_along_and_undo_of_the_scan_takes_all_back(
    installation: Installation, sandbox: Sandbox, paperclerk: Paperclerk
) -> None:
    installation.configure('[scan]\nremove_tags = ["Inbox"]\n', all_fields="replace")
    before = snapshot(sandbox)

    paperclerk("scan-now")
    assert fields_of(sandbox)["tags"] == ["Strom", "Wohnen"]
    said = paperclerk("undo", "--scan", "1", "--yes")

    assert said.code == 0
    assert "undone" in said.out
    assert snapshot(sandbox) == before


class TestManyDocuments:
    """The whole sample archive: more changes wait than are read at a time."""

    @pytest.fixture
    def world(self) -> World:
        return load_world()

    def test_every_document_that_waits_is_counted(
        self, installation: Installation, paperclerk: Paperclerk
    ) -> None:
        installation.configure('[scan]\nexclude_tags = ["Privat"]\n', all_fields="review")

        said = paperclerk("scan-now")

        waiting = _list(paperclerk("review", "list", "--json").json())
        documents = {str(change["document"]) for change in waiting}
        assert len(waiting) > 100
        assert f"{len(documents)} documents for review" in said.out


def _list(output: object) -> list[dict[str, object]]:
    assert isinstance(output, list)
    return output


def test_evidence_that_the_model_did_not_quote_is_marked(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    found = {"value": "2026-08-31", "evidence": "Stadtwerke Musterstadt", "confidence": 0.9}
    sandbox.model.behave(Behaviour(answer=json.dumps({"date": found})))
    installation.configure(all_fields="replace")

    shown = [paperclerk("process", "home/1").out, paperclerk("explain", "home/1").out]

    line = '"Rechnungsdatum: 31.08.2026" (found by Paperclerk)'
    assert [line in out for out in shown] == [True, True]

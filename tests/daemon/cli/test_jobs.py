"""`jobs`, `job`, `process`, `retry`, `cancel`, `explain`, `ignore`, `models`, `version`."""

import re

import pytest

from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from sandbox.model.behaviour import Behaviour, Failure, FailureScope, Outcome
from tests.daemon.conftest import Paperclerk
from tests.installation import Installation, fields_of
from tests.long_documents import a_long_text


def test_an_empty_queue_is_said_so(paperclerk: Paperclerk) -> None:
    assert paperclerk("jobs").out == "no jobs\n"
    assert paperclerk("jobs", "--json").json() == []


class TestOneDocument:
    """`process` and what can be seen of it afterwards."""

    def test_process_files_a_document_at_once_and_again(
        self, installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        installation.configure(all_fields="replace")

        first = paperclerk("process", "home/1")
        second = paperclerk("process", "home/1")

        assert (first.code, second.code) == (0, 0)
        assert "[written]" in first.out
        assert "nothing to write" in second.out
        assert len(sandbox.model.state.chats()) == 2

    @pytest.mark.parametrize("command", ["process", "explain"])
    def test_a_number_that_does_not_exist_is_reported_in_words_and_leaves_no_trace(
        self, paperclerk: Paperclerk, command: str
    ) -> None:
        said = paperclerk(command, "home/4711")

        assert (said.code, said.out) == (1, "")
        lines = [line for line in said.err.splitlines() if not line.startswith("timestamp=")]
        assert lines == [
            "Paperless has no document 4711 that the token's user may see",
            "  -> If it still exists, share it with the token's user.",
        ]
        assert paperclerk("jobs").out == "no jobs\n"

    @pytest.mark.parametrize("typed", ["home", "home/", "home/x", "/1", "HOME/1", "home/0"])
    def test_what_names_no_document_is_reported(self, paperclerk: Paperclerk, typed: str) -> None:
        said = paperclerk("process", typed)

        assert said.code == 2
        assert f'"{typed}" does not name a document' in said.err

    def test_a_document_that_waits_in_the_queue_already_is_worked_on(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        sandbox.model.behave(Behaviour(failure=Failure.UNAVAILABLE, reach=FailureScope.EVERYTHING))
        assert paperclerk("process", "home/1").code == 3
        sandbox.model.behave(Behaviour())

        said = paperclerk("process", "home/1")

        assert said.code == 0
        assert [job["id"] for job in jobs(paperclerk)] == [1]

    def test_it_is_queued_though_paperless_is_away(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        sandbox.paperless.faults.add(Fault(times=None, effect=Answer(status=503)))

        said = paperclerk("process", "home/1")

        assert (said.code, "waits: " in said.out) == (3, True)
        assert [(job["document"], job["status"]) for job in jobs(paperclerk)] == [
            ("home/1", "pending")
        ]

    def test_a_limit_ends_it_as_it_ends_a_scan(
        self, installation: Installation, paperclerk: Paperclerk
    ) -> None:
        installation.configure("[limits]\ndocuments_per_day = 1\n")
        assert paperclerk("process", "home/1").code == 0

        at_the_limit = paperclerk("process", "home/2")
        above_it = paperclerk("process", "home/2")
        scanned = paperclerk("scan-now")

        assert (at_the_limit.code, above_it.code, scanned.code) == (4, 4, 4)
        assert "waits: daily limit reached (1 of 1 documents)" in above_it.out

    def test_a_pause_is_wanted_and_nothing_to_look_at(self, paperclerk: Paperclerk) -> None:
        paperclerk("pause", "home")

        said = paperclerk("process", "home/1")

        assert (said.code, "home/1 waits: paused by hand" in said.out) == (0, True)

    def test_a_document_whose_next_attempt_is_later_is_processed_at_once(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        sandbox.model.behave(Behaviour(outcome=Outcome.RUBBISH))
        assert paperclerk("process", "home/1").code == 1
        sandbox.model.behave(Behaviour())

        said = paperclerk("process", "home/1")

        assert said.code == 0
        [job] = jobs(paperclerk)
        assert (job["status"], job["attempts"]) == ("completed", 2)

    def test_an_attempt_that_failed_wants_a_look(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        sandbox.model.behave(Behaviour(outcome=Outcome.RUBBISH))

        assert paperclerk("process", "home/1").code == 1

    def test_the_passes_of_a_long_document_are_shown(
        self, installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        installation.configure("context = 4096\nmax_passes = 2\n")
        sandbox.world.edit(1, content=a_long_text(60_000))
        paperclerk("process", "home/1")

        said, output = paperclerk("job", "1"), paperclerk("job", "1", "--json").json()

        assert re.search(r'\n  pass 1 of \d+: title "Absatz 0', said.out)
        assert re.search(r"\n  \d{5} characters of the text were not read\n", said.out)
        assert isinstance(output, dict)
        first, last = (result["analysis"]["part"] for result in output["partial_results"])
        assert (first["number"], last["number"]) == (1, first["of"])
        assert output["result"]["kind"] == "final"

    def test_the_whole_story_of_a_job(
        self, installation: Installation, paperclerk: Paperclerk
    ) -> None:
        installation.configure(all_fields="replace")
        paperclerk("process", "home/1")

        said = paperclerk("job", "1")

        assert said.code == 0
        assert "job 1: analysis of home/1, completed, requested by the command line" in said.out
        assert "call json_schema: ok" in said.out
        assert "scan_0031 -> Stromrechnung August 2026" in said.out
        assert "\n  checks passed: title 8 of 8, correspondent 8 of 8," in said.out
        assert "requested by the command line" in said.out
        assert re.search(r"=[\[{(]", said.out) is None
        for event in ("enqueued", "started", "result stored", "changes settled", "completed"):
            assert event in said.out

    def test_the_story_as_json(self, paperclerk: Paperclerk) -> None:
        paperclerk("process", "home/1")

        output = paperclerk("job", "1", "--json").json()

        assert isinstance(output, dict)
        assert output.keys() == {
            *("job", "events", "calls", "result", "partial_results", "changes", "suggestions"),
        }
        assert output["job"]["document"] == "home/1"

    def test_a_job_that_does_not_exist(self, paperclerk: Paperclerk) -> None:
        said = paperclerk("job", "7")

        assert (said.code, said.err) == (1, "there is no job 7\n")


class TestFailedJobs:
    """A document that the model declines, and how it is started again."""

    @pytest.fixture(autouse=True)
    def _declined(
        self, installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        installation.configure(all_fields="replace")
        sandbox.model.behave(Behaviour(outcome=Outcome.REFUSAL))
        assert paperclerk("process", "home/1").code == 1
        sandbox.model.behave(Behaviour())

    def test_the_job_says_what_went_wrong(self, paperclerk: Paperclerk) -> None:
        assert "answer_refused: the model refused to answer" in paperclerk("job", "1").out
        assert "the model refused to answer" in paperclerk("jobs", "--status", "failed").out

    @pytest.mark.parametrize("words", [(), ("1",), ("--instance", "home")])
    def test_retry_starts_it_again(
        self, paperclerk: Paperclerk, sandbox: Sandbox, words: tuple[str, ...]
    ) -> None:
        said = paperclerk("retry", *words)

        assert said.code == 0
        assert fields_of(sandbox)["title"] == "Stromrechnung August 2026"
        assert paperclerk("retry").out == "nothing has failed\n"

    def test_only_what_failed_or_was_cancelled_can_be_retried(self, paperclerk: Paperclerk) -> None:
        paperclerk("retry")

        said = paperclerk("retry", "1")

        assert said.code == 1
        assert "job 1 is completed and cannot become pending" in said.err

    def test_one_that_cannot_be_retried_stops_no_other(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        said = paperclerk("retry", "4711", "1")

        assert (said.code, said.err.splitlines()[0]) == (1, "there is no job 4711")
        assert fields_of(sandbox)["title"] == "Stromrechnung August 2026"


class TestWaitingJobs:
    """Three documents that wait because the model is down."""

    @pytest.fixture(autouse=True)
    def _held(self, paperclerk: Paperclerk, sandbox: Sandbox) -> None:
        sandbox.model.behave(Behaviour(failure=Failure.UNAVAILABLE, reach=FailureScope.EVERYTHING))
        assert paperclerk("scan-now").code == 3

    def test_a_cancelled_job_keeps_who_and_why(self, paperclerk: Paperclerk) -> None:
        said = paperclerk("cancel", "1", "--why", "not mine")

        assert said.code == 0
        assert said.out == "job 1 (home/3) is cancelled\n"
        output = paperclerk("job", "1", "--json").json()
        assert isinstance(output, dict)
        assert output["job"]["cancel_requested"] == "hand: not mine"
        assert "it was cancelled" in paperclerk("explain", "home/3").out

    def test_a_pending_job_cannot_be_retried(self, paperclerk: Paperclerk) -> None:
        said = paperclerk("retry", "1")

        assert (said.code, said.err.splitlines()[0]) == (1, "job 1 is already pending")

    def test_cancel_twice_is_harmless(self, paperclerk: Paperclerk) -> None:
        paperclerk("cancel", "1", "2")

        assert paperclerk("cancel", "1").out == "job 1 (home/3) is cancelled\n"

    def test_an_ignored_document_loses_its_job_and_is_left_alone(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        assert paperclerk("ignore", "home/3", "home/3").out == "home/3 is ignored\n"
        sandbox.model.behave(Behaviour())

        said = paperclerk("scan-now", "--json").json()

        assert isinstance(said, dict)
        assert (said["completed"], said["enqueued"]) == (2, 0)
        assert paperclerk("process", "home/3").code == 1
        assert "it is ignored" in paperclerk("explain", "home/3").out

    def test_a_document_that_paperless_does_not_have_is_not_ignored(
        self, paperclerk: Paperclerk
    ) -> None:
        said = paperclerk("ignore", "home/3", "home/999")

        assert said.code == paperclerk("explain", "home/999").code == 1
        assert "Paperless has no document 999" in said.err
        assert said.out == ""

    def test_a_new_document_can_be_ignored_while_paperless_is_unreachable(
        self, paperclerk: Paperclerk, sandbox: Sandbox
    ) -> None:
        down = Fault(path="/api/.*", times=None, effect=Answer(status=503))
        sandbox.paperless.faults.add(down)

        assert paperclerk("ignore", "home/999").out == "home/999 is ignored\n"

    def test_what_is_not_ignored_any_more_may_be_selected(self, paperclerk: Paperclerk) -> None:
        paperclerk("ignore", "home/3")

        said = paperclerk("unignore", "home/3")

        assert said.code == 0
        assert "the next scan may select it" in said.out
        assert "a scan would select it" in paperclerk("explain", "home/3").out
        assert paperclerk("unignore", "home/3").code == 1


def test_explain_tells_what_a_scan_would_do(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    installation.configure('[scan]\ninclude_tags = ["Bank"]\n')

    said = paperclerk("explain", "home/1")

    assert said.code == 0
    assert said.out == "home/1  scan_0031\n    it lacks a required tag\n"


def test_explain_names_the_tag_that_excludes_a_document(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    sandbox.world.edit(1, tags=["Privat"])
    installation.configure('[scan]\nexclude_tags = ["Privat", "Bank"]\n')

    said = paperclerk("explain", "home/1")

    assert said.out == "home/1  scan_0031\n    it has an excluded tag: Privat\n"


def test_explain_as_json(paperclerk: Paperclerk) -> None:
    paperclerk("process", "home/1")

    output = paperclerk("explain", "home/1", "--json").json()

    assert isinstance(output, dict)
    assert output.keys() == {"document", "title", "selected", "reason", "jobs", "changes"}
    assert (output["document"], output["selected"], output["reason"]) == ("home/1", False, "done")


def test_explain_lists_jobs_and_changes(paperclerk: Paperclerk) -> None:
    paperclerk("process", "home/1")

    said = paperclerk("explain", "home/1")

    assert "it has already been processed" in said.out
    assert "job 1: analysis, completed" in said.out
    assert "[for review]" in said.out


def test_explain_names_a_dry_run(paperclerk: Paperclerk) -> None:
    paperclerk("scan-now", "--dry-run")

    said = paperclerk("explain", "home/1")

    assert ": dry run, completed" in said.out
    listed = paperclerk("jobs").out
    assert "dry run" in listed
    assert "rehearse" not in listed


def test_the_models_on_offer_are_listed(paperclerk: Paperclerk, sandbox: Sandbox) -> None:
    sandbox.model.behave(Behaviour(models=("small", "sandbox-model")))

    assert paperclerk("models", "home").out == "  small\n* sandbox-model\n"
    assert paperclerk("models", "home", "--json").json() == ["small", "sandbox-model"]


def test_a_model_server_that_is_down_is_reported(paperclerk: Paperclerk, sandbox: Sandbox) -> None:
    sandbox.model.stop()

    said = paperclerk("models", "home")

    assert said.code == 3
    assert "no connection to the model" in said.err
    assert "-> Check that the model server is running" in said.err


def test_the_version_is_shown(paperclerk: Paperclerk) -> None:
    assert paperclerk("version").out.startswith("paperclerk ")


def test_without_a_command_the_help_is_shown(paperclerk: Paperclerk) -> None:
    said = paperclerk("--help")

    for command in ("check", "scan-now", "review", "history", "undo", "demo"):
        assert command in said.out


def jobs(paperclerk: Paperclerk) -> list[dict[str, object]]:
    output = paperclerk("jobs", "home", "--json").json()
    assert isinstance(output, list)
    return output

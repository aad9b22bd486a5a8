"""The mutants: each takes one promise out of the code, and names the tests that must notice.

A mutant must still be a program that works as long as nothing goes wrong: what fails at once proves
nothing about the promise.
"""

from dataclasses import dataclass
from pathlib import Path


class SourceChanged(Exception):
    """The text that a mutant replaces is not there, or more than once."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One exact replacement of text."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def apply(self, root: Path) -> None:
        """Change the file; raise SourceChanged if it is not as it was when this was written."""
        path = root / self.file
        text = path.read_text("utf-8")
        if text.count(self.old) != 1:
            raise SourceChanged(f"{self.file} has {text.count(self.old)} times: {self.old}")
        path.write_text(text.replace(self.old, self.new), "utf-8")


_KILLS = "tests/kill/test_kills.py::"
_REQUESTS = f"{_KILLS}test_filing_survives_a_kill_at_every_point[requests]"
_ANSWERS = f"{_KILLS}test_filing_survives_a_kill_at_every_point[claims and answers]"
_ENDS = f"{_KILLS}test_filing_survives_a_kill_at_every_point[plans and ends]"
_UNDO = f"{_KILLS}test_what_a_person_asked_for_survives_a_kill_at_every_point[undo]"
_SHARED = f"{_KILLS}test_a_shared_database_survives_as_well"
_LISTED = f"{_KILLS}test_a_play_that_nobody_disturbs_ends_as_it_is_listed[filing]"
_AUDIT = "tests/kill/test_audit.py"
_UNFINISHED = "tests/kill/test_unfinished_writes.py::"
_DIES = f"{_UNFINISHED}test_a_job_that_dies_while_its_write_hangs_ends_when_the_effect_is_known"
_BLIND = f"{_UNFINISHED}test_a_write_that_can_never_be_read_back_is_unconfirmed_and_offered_to_undo"
_CRASHER = "tests/kill/test_crasher.py"
_TAKING = "tests/processor/test_settle_and_take.py"
_SUPERVISE = "tests/processor/test_supervise.py"

MUTANTS = (
    Mutant(
        "no fence: a stale claim may settle",
        "store/fence.py",
        'jobs.c.claim == bindparam("our_claim")',
        'jobs.c.claim >= bindparam("our_claim")',
        ("tests/store/test_moves.py", "tests/store/test_claims.py"),
    ),
    Mutant(
        "the claim counts no attempt",
        "store/claims.py",
        "attempts=jobs.c.attempts + case((_IS_TO_END, 0), else_=1),",
        "attempts=jobs.c.attempts,",
        (_CRASHER,),
    ),
    Mutant(
        "no lease: silence is never noticed",
        "store/claims.py",
        "silent = jobs.c.heartbeat_at < silent_since",
        "silent = jobs.c.heartbeat_at < jobs.c.created_at",
        ("tests/store/test_recovery.py",),
    ),
    Mutant(
        "no heartbeat: it is not written down",
        "store/claims.py",
        'return change_ours(connection, job, {"heartbeat_at": now})',
        "return require_ours(connection, job)",
        ("tests/store/test_recovery.py", "tests/store/test_claims.py"),
    ),
    Mutant(
        "a start takes no orphans back",
        "daemon/work.py",
        "found = await jobs.recover_orphans(now=now)",
        "found = await jobs.recover(silent_since=now - SILENT, now=now)",
        (_ANSWERS,),
    ),
    Mutant(
        "a dead process's scan is never given up",
        "store/scan_moves.py",
        "    return _interrupt("
        "connection, and_(scans.c.started_at < silent_since, ~can_be_theirs), now)\n",
        "    return ()\n",
        (_SHARED,),
    ),
    Mutant(
        "the event is outside of the move's transaction",
        "store/engine.py",
        "    connection.execute(_alone(step.build), step.values)",
        '    if connection.dialect.name == "sqlite":\n'
        '        connection.exec_driver_sql("COMMIT")\n'
        '        connection.exec_driver_sql("BEGIN IMMEDIATE")\n'
        "    connection.execute(_alone(step.build), step.values)",
        (_ENDS,),
    ),
    Mutant(
        "the checkpoint is ignored: the model is asked again",
        "processor/process.py",
        "stored or await Asker(",
        "await Asker(",
        (_ANSWERS,),
    ),
    Mutant(
        "the write is marked as begun after it was sent",
        "processor/apply.py",
        "    begun = await attempt.store.changes.begin(\n"
        "        attempt.job, plan.send, plan.further, decided_by=RULE, now=attempt.now()\n"
        "    )\n"
        "    result = await instance.writer.write(attempt.document.id, begun, reading)\n",
        "    from core.changes import Change\n"
        "    early = [\n"
        "        Change(\n"
        "            -n, attempt.document, attempt.job.id, p.field, p.before, p.after,\n"
        '            ChangeState.INTENDED, "", 1.0, (), None, "rule", attempt.now(), None,\n'
        "        )\n"
        "        for n, p in enumerate(plan.further, 1)\n"
        "    ]\n"
        "    await instance.writer.write(attempt.document.id, (*plan.send, *early), reading)\n"
        "    begun = await attempt.store.changes.begin(\n"
        "        attempt.job, plan.send, plan.further, decided_by=RULE, now=attempt.now()\n"
        "    )\n"
        "    result = await instance.writer.write(attempt.document.id, begun, reading)\n",
        ("tests/processor/test_process_one_patch.py",),
    ),
    Mutant(
        "no read-back: what was sent is taken for written",
        "processor/writer.py",
        "    if same(found, last.after):\n",
        "    if True:\n",
        ("tests/processor/test_writing_faults.py",),
    ),
    Mutant(
        "a write and its read-back are not shielded",
        "processor/apply.py",
        "await uninterrupted(_carry_out(attempt, instance, plan, reading))",
        "await _carry_out(attempt, instance, plan, reading)",
        ("tests/processor/test_process_one_patch.py",),
    ),
    Mutant(
        "an undo and its read-back are not shielded",
        "processor/undo.py",
        "await uninterrupted(_carry_out(attempt, instance, applied, compared, reading))",
        "await _carry_out(attempt, instance, applied, compared, reading)",
        ("tests/processor/test_process_one_patch.py",),
    ),
    Mutant(
        "an old value that Paperless refuses keeps everything from being written",
        "processor/writer.py",
        "            await self._send_apart(document, patch, changes)\n",
        "            raise\n",
        ("tests/processor/test_process_one_patch.py",),
    ),
    Mutant(
        "a conflict found by the fresh read does not keep the document unmarked",
        "processor/apply.py",
        "    if any(one.standing is Standing.DIFFERS for one in compared):\n",
        "    if False:\n",
        ("tests/processor/test_process_one_patch.py", "tests/processor/test_writer.py"),
    ),
    Mutant(
        "a cancel may come after the first write",
        "processor/supervise.py",
        "    if attempt.writing:\n        return\n",
        "",
        (_SUPERVISE, "tests/processor/test_process_attempts.py"),
    ),
    Mutant(
        "the point of no return is noted too late",
        "processor/attempt.py",
        "        self.writing = True\n        await self.reached(Stage.APPLY, 70)\n",
        "        await self.reached(Stage.APPLY, 70)\n        self.writing = True\n",
        (f"{_SUPERVISE}::test_a_cancel_that_is_seen_while_the_writing_begins_comes_too_late",),
    ),
    Mutant(
        "write and read-back are not shielded",
        "processor/writer.py",
        "        return await asyncio.shield(task)\n",
        "        return await task\n",
        (f"{_SUPERVISE}::test_a_write_under_way_is_read_back_before_its_task_ends",),
    ),
    Mutant(
        "the model's client follows redirects",
        "processor/analysis/openai_client.py",
        "            follow_redirects=False,\n",
        "            follow_redirects=True,\n",
        ("tests/processor/analysis/test_model.py",),
    ),
    Mutant(
        "an answer about another document is believed",
        "paperless_client/answers.py",
        "    wanted = request.wanted_id\n",
        "    wanted = None\n",
        ("tests/paperless_client/test_client_reads.py",),
    ),
    Mutant(
        "what was taken with a settle stays in the hand of who is ended",
        "processor/processor.py",
        "            await self._let_go((await both)[1])\n",
        "            await both\n",
        (_TAKING,),
    ),
    Mutant(
        "an attempt that has not begun is ended with its job in hand",
        "processor/processor.py",
        "        await asyncio.sleep(0)\n",
        "",
        (_TAKING,),
    ),
    Mutant(
        "give-backs are not capped",
        "store/moves.py",
        "counted = given_back >= MAX_GIVE_BACKS",
        "counted = False",
        ("tests/store/test_give_backs.py",),
    ),
    Mutant(
        "a hold gives no attempt back",
        "store/moves.py",
        'return {"attempts": job.attempts - 1}',
        'return {"attempts": job.attempts}',
        ("tests/processor/test_settle.py", "tests/processor/test_process_attempts.py"),
    ),
    Mutant(
        "exclusion is not checked before the text is fetched",
        "processor/fetching.py",
        "    if not excluded:\n",
        "    if True:\n",
        ("tests/processor/test_process_excluded.py",),
    ),
    Mutant(
        "exclusion is not checked on the text that was fetched",
        "paperless_client/client.py",
        "if one.id == id_ and not one.tags & without_tags)",
        "if one.id == id_)",
        ("tests/paperless_client/test_client_reads.py",),
    ),
    Mutant(
        "a stored plan is carried out whatever has changed since",
        "store/change_moves.py",
        "if stored and _plan_made_from(connection, job) == made_from:",
        "if stored:",
        ("tests/processor/test_stale_plans.py",),
    ),
    Mutant(
        "a replaced plan proposes again what a person has decided",
        "store/change_moves.py",
        "in stored if _is_by_person(one))\n",
        "in stored if False)\n",
        ("tests/store/test_begun_writes.py",),
    ),
    Mutant(
        "an acceptance whose job failed stands in no list",
        "store/moves.py",
        "        change_moves.return_to_review(connection, job, now)\n",
        "        pass\n",
        ("tests/store/test_decide.py",),
    ),
    Mutant(
        "an undo does not remember that it put the trigger tag back",
        "processor/process.py",
        "    if puts_trigger_back(newest_first(changes)):\n",
        "    if False:\n",
        (_UNDO, "tests/processor/test_process_undo.py"),
    ),
    Mutant(
        "a notice that was sent can be taken to be sent again",
        "store/notices.py",
        '        "state": NoticeState.SENDING.value,\n        "tries"',
        '        "state": NoticeState.WAITING.value,\n        "tries"',
        ("tests/daemon/notify/test_notifier.py",),
    ),
    Mutant(
        "failures are told from this start on, not from the last notice",
        "daemon/notify/standing.py",
        "    span = (moment_of(last.facts[UNTIL]), until)\n",
        "    span = (desk.signs.started_at, until)\n",
        ("tests/daemon/notify/test_notifier.py",),
    ),
    Mutant(
        "no watermark overlap: a write that shows late is never seen",
        "scanner/horizon.py",
        "OVERLAP = timedelta(minutes=5)",
        "OVERLAP = timedelta(0)",
        ("tests/scanner/test_horizon.py::test_a_write_that_shows_late_is_found",),
    ),
    Mutant(
        "a scan drops one document of each page",
        "scanner/scan.py",
        "                for one in documents\n                if reasons[one.id] is None\n",
        "                for one in documents[:-1]\n                if reasons[one.id] is None\n",
        (_LISTED,),
    ),
    Mutant(
        "the audit does not miss a document that was dropped",
        "tests/kill/audit.py",
        '    yield from _unlike("jobs", outcome.jobs, expected.jobs)\n',
        "",
        (_AUDIT,),
    ),
    Mutant(
        "the audit does not look for what no change has written",
        "tests/kill/audit.py",
        "        if (effect.document, effect.field) not in known:\n",
        "        if False:\n",
        (_AUDIT,),
    ),
    Mutant(
        "every kill falls on the first document of the queue",
        "tests/kill/campaign.py",
        "            killer.shuffle(random)\n",
        "",
        (_ANSWERS,),
    ),
    Mutant(
        "a job that dies forgets the write that it had begun",
        "store/claims.py",
        "ends and job.ends_as is None and write_has_begun(connection, job)",
        "False",
        (_DIES,),
    ),
    Mutant(
        "a job that fails forgets the write that it had begun",
        "store/moves.py",
        "    elif change_moves.write_has_begun(connection, job):\n",
        "    elif False:\n",
        (_BLIND,),
    ),
)

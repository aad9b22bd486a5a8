"""The mutants: each takes one promise out of the code, and names the tests that must notice.

A mutant must still be a program that works as long as nothing goes wrong: what fails at once proves
nothing about the promise.
"""

from tests.mutants.locate import Mutant

_KILLS = "test_filing_survives_a_kill_at_every_point"

QUEUE = (
    Mutant(
        "a stale claim can settle a job",
        "_STILL_OURS",
        'jobs.c.claim == bindparam("our_claim")',
        'jobs.c.claim >= bindparam("our_claim")',
        ("test_a_stale_worker_cannot_settle",),
    ),
    Mutant(
        "a worker that lost its claim pays for a model call",
        "reserve",
        "require_claim(connection, claimed)",
        "claimed",
        ("test_a_worker_that_was_taken_for_dead_books_no_call",),
    ),
    Mutant(
        "a costly run starts without consent",
        "_collect_consents",
        "up_to is None or cost > up_to",
        "False",
        ("test_the_api_asks_once_for_all_jobs_that_are_retried_together",),
    ),
    Mutant(
        "a daemon that lost the lease writes about scans",
        "HeldLease.require",
        "get_lease(connection, self._name).term != self.term",
        "False",
        ("test_a_former_holder_writes_nothing",),
    ),
    Mutant(
        "a lease that is taken over keeps its term",
        "acquire_lease",
        "leases.c.term + 1",
        "leases.c.term",
        ("test_an_expired_one_is_taken_for_a_new_term",),
    ),
    Mutant(
        "a claim does not count an attempt",
        "_build_claim",
        "jobs.c.attempts + case((is_ending, _ZERO), else_=_ONE)",
        "jobs.c.attempts",
        ("test_a_crasher_fails_after_its_three_attempts_and_costs_its_neighbours_one_at_most",),
    ),
    Mutant(
        "a missing heartbeat is never noticed",
        "recover",
        "jobs.c.heartbeat_at < silent_since",
        "jobs.c.heartbeat_at < jobs.c.created_at",
        ("test_a_silent_job_comes_back_at_once_and_its_attempt_counts",),
    ),
    Mutant(
        "heartbeats are not stored",
        "heartbeat",
        'update_claimed(connection, job, {"heartbeat_at": now})',
        "require_claim(connection, job)",
        ("test_a_job_that_was_heard_of_is_left_alone",),
    ),
    Mutant(
        "a start does not recover orphaned jobs",
        "recover",
        "jobs.recover_orphans(now=now)",
        "jobs.recover(silent_since=now - WORKER_TIMEOUT, now=now)",
        ("test_what_a_killed_process_was_processing_is_recovered_at_the_next_start",),
    ),
    Mutant(
        "the event of a move is outside its transaction",
        "execute_step",
        "connection.execute(_build_unconditional(step.build), step.values)",
        """
if connection.dialect.name == "sqlite":
    connection.exec_driver_sql("COMMIT")
    connection.exec_driver_sql("BEGIN IMMEDIATE")
connection.execute(_build_unconditional(step.build), step.values)
""",
        (f"{_KILLS}[plans and ends]",),
    ),
    Mutant(
        "a cancelled settle keeps the job that it claimed",
        "_settle_and_claim",
        "self._release_or_defer((await settling)[1])",
        "settling",
        ("test_who_is_ended_while_a_job_is_settled_gives_the_next_one_back",),
    ),
    Mutant(
        "an attempt that is ended before its first step keeps its job",
        "_cancel_all",
        "await asyncio.sleep(0)",
        "pass",
        ("test_a_caller_who_stops_after_a_job_leaves_no_other_claimed",),
    ),
    Mutant(
        "refunded attempts are not capped",
        "release",
        "releases_so_far >= MAX_RELEASES",
        "False",
        ("test_what_is_always_given_back_fails_in_the_end",),
    ),
    Mutant(
        "a hold does not refund the attempt",
        "_refund_values",
        "job.attempts - 1",
        "job.attempts",
        ("test_a_job_given_back_too_often_is_reported_as_failed",),
    ),
    Mutant(
        "a job that dies forgets the write that it had begun",
        "_recover",
        "ends and job.ends_as is None and change_moves.write_has_begun(connection, job)",
        "False",
        ("test_a_job_that_dies_while_its_write_hangs_ends_when_the_effect_is_known",),
    ),
    Mutant(
        "a job that fails forgets the write that it had begun",
        "_end",
        "change_moves.write_has_begun(connection, job)",
        "False",
        ("test_a_write_that_can_never_be_read_back_is_unconfirmed_and_offered_to_undo",),
    ),
)

FILING = (
    Mutant(
        "a streamed answer that breaks off is taken for a whole one",
        "StreamedAnswer.is_complete",
        "self._finish_reason is not None",
        "self._chunks > 0",
        ("test_a_stream_that_ends_early_is_no_answer",),
    ),
    Mutant(
        "a server that reports no usage is streamed from",
        "is_good",
        "reply.is_streamed and reply.tokens_in > 0",
        "reply.is_streamed",
        ("test_a_server_that_does_not_stream_as_needed_gets_plain_calls",),
    ),
    Mutant(
        "the percentage falls while the model is asked",
        "record_model_call",
        "max(require_claim(connection, job).progress, percent)",
        "percent",
        ("test_the_progress_of_a_model_call_never_goes_down",),
    ),
    Mutant(
        "a stored model response is ignored and the model called again",
        "DocumentAnalyzer.analyze",
        "stored is not None",
        "False",
        ("test_an_attempt_that_dies_after_the_answer_does_not_pay_for_it_twice",),
    ),
    Mutant(
        "the model's client follows redirects",
        "OpenAIClient.__init__",
        "follow_redirects = False",
        "follow_redirects = True",
        ("test_a_redirect_of_the_model_server_carries_no_document_to_another_host",),
    ),
    Mutant(
        "a response about another document is accepted",
        "decode",
        "request.wanted_id",
        "None",
        ("test_an_answer_about_another_document_is_an_error",),
    ),
    Mutant(
        "excluded tags are not checked before the text is fetched",
        "fetch_document",
        "not excluded",
        "True",
        ("test_a_tag_put_on_after_the_scan_keeps_the_text_where_it_is",),
    ),
    Mutant(
        "excluded tags are not checked on the text that was fetched",
        "fetch_document_unless_tagged",
        "document.id == id_ and not document.tags & without_tags",
        "document.id == id_",
        ("test_a_document_is_read_in_one_request_unless_it_carries_a_tag",),
    ),
    Mutant(
        "a stored plan is carried out whatever has changed since",
        "record_plan",
        "stored and _read_fingerprint(connection, job) == made_from",
        "stored",
        ("test_a_text_that_changed_before_the_retry_gets_a_plan_of_its_own",),
    ),
    Mutant(
        "a replaced plan proposes again what a person has decided",
        "_is_decided",
        "_is_by_person(change)",
        "False",
        ("test_what_a_person_decided_stands_when_a_plan_is_replaced",),
    ),
    Mutant(
        "an accepted change is in no list after its job failed",
        "after_end",
        "change_moves.return_to_review(connection, job, now)",
        "pass",
        ("test_an_acceptance_that_was_not_written_returns_to_review",),
    ),
    Mutant(
        "an e-invoice settles a value that the page does not show",
        "settle_by_e_invoice",
        "not is_on_page(facts.e_invoice[suggestion.field], facts.page)",
        "False",
        ("test_a_value_that_the_page_does_not_show_is_not_settled",),
    ),
    Mutant(
        "the reader of e-invoices accepts entities",
        "read_xml",
        "parser.StartDoctypeDeclHandler = _refuse_document_type",
        "pass",
        ("test_what_no_program_for_invoices_writes_is_refused",),
    ),
    Mutant(
        "the reader of e-invoices may open files",
        "limit_resources",
        "resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, _OPEN_FILES))",
        "pass",
        ("test_the_process_opens_no_file_and_no_connection_and_has_little_memory",),
    ),
    Mutant(
        "a title is written before its part is accepted",
        "apply_pattern",
        "field in parts.in_review",
        "False",
        ("test_a_title_with_a_value_in_review_is_for_review_too",),
    ),
)

WRITING = (
    Mutant(
        "a write is recorded as begun after it was sent",
        "_carry_out",
        """
begun = await attempt.store.changes.begin(
    attempt.job, plan.send, plan.further, decided_by=RULE, now=attempt.now()
)
result = await instance.writer.write(attempt.document.id, begun, reading)
""",
        """
unstored = [
    Change(
        id=-number, document=attempt.document, job_id=attempt.job.id,
        field=planned.field, before=planned.before, after=planned.after,
        state=ChangeState.INTENDED, evidence="", confidence=1.0, reasons=(), found=None,
        decided_by=RULE, created_at=attempt.now(), settled_at=None,
    )
    for number, planned in enumerate(plan.further, 1)
]
result = await instance.writer.write(attempt.document.id, (*plan.send, *unstored), reading)
begun = await attempt.store.changes.begin(
    attempt.job, plan.send, plan.further, decided_by=RULE, now=attempt.now()
)
result = replace(result, outcomes=tuple(
    replace(outcome, change_id=change.id)
    for outcome, change in zip(result.outcomes, begun, strict=True)
))
""",
        (f"{_KILLS}[requests]",),
    ),
    Mutant(
        "what was sent counts as written without being read back",
        "_judge",
        "is_same_value(found, last.after)",
        "True",
        ("test_a_patch_that_did_not_take_effect_is_tried_again",),
    ),
    Mutant(
        "a stop interrupts a write before it is read back",
        "apply_changes",
        "run_uninterrupted(_carry_out(attempt, instance, plan, reading))",
        "_carry_out(attempt, instance, plan, reading)",
        ("test_a_write_under_way_is_read_back_and_stored_whoever_ends_the_attempt",),
    ),
    Mutant(
        "a stop interrupts an undo before it is read back",
        "undo_changes",
        "run_uninterrupted(_carry_out(attempt, instance, applied, compared, reading))",
        "_carry_out(attempt, instance, applied, compared, reading)",
        ("test_an_undo_under_way_is_read_back_and_stored_whoever_ends_the_attempt",),
    ),
    Mutant(
        "a stop interrupts what must be uninterrupted",
        "run_uninterrupted",
        "asyncio.shield(task)",
        "task",
        ("test_a_write_under_way_is_read_back_before_its_task_ends",),
    ),
    Mutant(
        "one old value that Paperless refuses keeps everything from being written",
        "_send_whole",
        "await self._send_apart(document, patch, changes)",
        "raise",
        ("test_an_old_value_that_paperless_refuses_keeps_nothing_from_being_written",),
    ),
    Mutant(
        "a document with a conflict is marked as filed",
        "plan_write",
        "any(compared.comparison is Comparison.DIFFERS for compared in compared_changes)",
        "False",
        ("test_a_conflict_found_by_the_fresh_read_keeps_the_document_unmarked",),
    ),
    Mutant(
        "a job is cancelled after its first write",
        "_raise_if_over",
        "attempt.writing",
        "False",
        ("test_a_cancel_that_comes_after_the_first_write_comes_too_late",),
    ),
    Mutant(
        "a job is cancelled while its first write begins",
        "begin_writing",
        """
self.writing = True
await self.set_progress(Stage.APPLY, 70)
""",
        """
await self.set_progress(Stage.APPLY, 70)
self.writing = True
""",
        ("test_a_cancel_that_is_seen_while_the_writing_begins_comes_too_late",),
    ),
    Mutant(
        "an undo does not remember that it restored the trigger tag",
        "undo",
        "restores_trigger_tag(undoable)",
        "False",
        (
            "test_what_a_person_asked_for_survives_a_kill_at_every_point[undo]",
            "test_an_undone_document_is_not_selected_again_although_its_trigger_tag_is_back",
        ),
    ),
)

SCANS_AND_NOTIFICATIONS = (
    Mutant(
        "the scan of a dead process is never closed",
        "close_abandoned",
        "_interrupt(connection, and_(scans.c.started_at < silent_since, ~can_be_theirs), now)",
        "()",
        ("test_a_scan_of_a_silent_process_ends_and_the_instance_can_be_scanned_again",),
    ),
    Mutant(
        "scans do not overlap: a write that shows late is never seen",
        "OVERLAP",
        "timedelta(minutes=5)",
        "timedelta(0)",
        ("test_a_write_that_shows_late_is_found",),
    ),
    Mutant(
        "a scan drops one document of each page",
        "_select",
        """(
    (self._build_job(document, order, new_since), document.title)
    for document in documents
    if reasons[document.id] is None
)""",
        """(
    (self._build_job(document, order, new_since), document.title)
    for document in documents[:-1]
    if reasons[document.id] is None
)""",
        ("test_a_play_that_nobody_disturbs_ends_as_it_is_listed[filing]",),
    ),
    Mutant(
        "a notification that was sent can be sent again",
        "claim_due",
        "DeliveryState.SENDING.value",
        "DeliveryState.WAITING.value",
        ("test_what_waits_is_reported_once_also_after_a_restart",),
    ),
    Mutant(
        "failures from before the start are in no notification",
        "_failures",
        "parse_moment(last.facts[UNTIL])",
        "context.liveness.started_at",
        ("test_what_failed_while_the_process_was_down_or_before_anyone_asked",),
    ),
)

ACCESS = (
    Mutant(
        "the CSRF token of a form is not compared",
        "require_csrf_token",
        "not secrets_equal(await _read_csrf_token(request), token)",
        "False",
        ("test_an_action_needs_what_only_our_pages_know",),
    ),
    Mutant(
        "requests from other sites are accepted",
        "require_same_origin",
        "not is_same_origin(site, origin, host=host)",
        "False",
        ("test_another_site_cannot_act_though_it_knows_the_mark",),
    ),
    Mutant(
        "any host name is accepted from this machine (DNS rebinding)",
        "_by_client",
        "client.from_here and is_rebinding_safe(client.host)",
        "client.from_here",
        ("test_without_login_a_name_of_someone_else_does_not_stand_for_us",),
    ),
    Mutant(
        "the user header is trusted without a proxy",
        "_by_client",
        "header and client.by_proxy",
        "header",
        ("test_nobody_else_may",),
    ),
    Mutant(
        "forwarded headers are trusted from anyone",
        "read_client",
        "request.headers if trusted else {}",
        "request.headers",
        ("test_the_address_is_the_last_that_someone_trusted_saw",),
    ),
    Mutant(
        "a login keeps the session from before",
        "log_in",
        "await self._end_session(request)",
        "pass",
        ("test_each_login_begins_a_session_of_its_own",),
    ),
    Mutant(
        "failed logins are not limited",
        "check_password",
        "locked_until is not None",
        "False",
        ("test_after_some_wrong_passwords_none_is_looked_at",),
    ),
    Mutant(
        "a revoked token is valid",
        "get_token",
        "(api_tokens.c.token_hash == token_hash, api_tokens.c.revoked_at.is_(None))",
        "(api_tokens.c.token_hash == token_hash,)",
        ("test_a_token_is_known_by_its_hash_until_it_is_revoked",),
    ),
    Mutant(
        "a one-time link is valid twice",
        "_is_valid_link",
        "one_time_links.c.used_at.is_(None)",
        "one_time_links.c.expires_at > now",
        ("test_a_link_sets_the_password_once",),
    ),
    Mutant(
        "a new password leaves sessions open",
        "set_password",
        "end_all(connection, ADMIN)",
        "pass",
        ("test_a_new_password_takes_the_place_of_the_old_and_ends_its_sessions",),
    ),
    Mutant(
        "a login redirects to any address",
        "local_path",
        "path if is_local and path.isprintable() else FIRST_PAGE",
        "path",
        ("test_nobody_is_sent_elsewhere_after_the_login",),
    ),
    Mutant(
        "permissions are not checked",
        "require_permission",
        "not person.has_permission(right)",
        "False",
        ("test_every_endpoint_allows_whom_it_should_and_nobody_else",),
    ),
    Mutant(
        "a list shows a limited token other instances",
        "visible_instances",
        "caller.only",
        "None",
        ("test_nothing_is_shown_of_an_instance_that_is_not_theirs",),
    ),
)

EVIDENCE = (
    Mutant(
        "evidence is found for a quote that is not in the text",
        "find_evidence",
        "evidence_stands_in_text.rule(suggestion, value, facts) is not None",
        "False",
        ("test_nothing_is_found_for_a_quote_that_is_not_in_the_text",),
    ),
    Mutant(
        "evidence is found although the quote shows another value",
        "find_evidence",
        "_shows_another(suggestion, value, facts)",
        "False",
        ("test_a_quote_that_shows_another_value_contradicts",),
    ),
    Mutant(
        "two custom fields may rest on one quote",
        "_add_result",
        "counts[fold(candidate.evidence)] > 1",
        "False",
        ("test_custom_fields_that_share_a_quote_are_for_a_person",),
    ),
    Mutant(
        "words are learnt from documents that were filed automatically",
        "_find_filed_words",
        "(entry.fields.ref, field, name.id) not in ours",
        "True",
        ("test_words_of_automatically_filed_documents_are_not_learnt",),
    ),
)

LEARNING = (
    Mutant(
        "our own automatic writes teach us",
        "is_filed_by_person",
        "correspondent not in {None, written}",
        "correspondent is not None",
        ("test_what_was_written_automatically_is_not_learnt_from",),
    ),
    Mutant(
        "a number of several senders recognises the first of them",
        "find_known_senders",
        "len(senders) == 1",
        "True",
        ("test_a_number_drops_out",),
    ),
    Mutant(
        "a number counts although the page has one of another sender",
        "recognise_sender",
        "len({name.id for name in numbers.values()}) != 1",
        "not numbers",
        ("test_a_sender_is_not_recognised",),
    ),
    Mutant(
        "a proposed name of the owner counts before a person confirms it",
        "list_confirmed",
        "decision.approval is Approval.CONFIRMED",
        "True",
        ("test_only_confirmed_names_count",),
    ),
    Mutant(
        "what a document taught is kept after an undo",
        "undo",
        "await attempt.store.learnt.forget(attempt.document.instance, [attempt.document.id])",
        "pass",
        ("test_a_number_is_forgotten_at_once_when_an_accepted_sender_is_undone",),
    ),
)

KILL_TESTS = (
    Mutant(
        "the audit does not miss a document that was dropped",
        "differences",
        'yield from _unlike("jobs", outcome.jobs, expected.jobs)',
        "pass",
        ("test_the_audit_tells",),
        package="tests/kill",
    ),
    Mutant(
        "the audit does not look for writes without a change",
        "what_we_wrote_is_in_the_ledger",
        "(effect.document, effect.field) not in known",
        "False",
        ("test_the_audit_tells",),
        package="tests/kill",
    ),
    Mutant(
        "every kill affects the first document of the queue",
        "campaign",
        "killer.shuffle(random)",
        "pass",
        (f"{_KILLS}[claims and answers]",),
        package="tests/kill",
    ),
)

MUTANTS = (
    *(*QUEUE, *FILING, *WRITING, *SCANS_AND_NOTIFICATIONS),
    *(*ACCESS, *EVIDENCE, *LEARNING, *KILL_TESTS),
)

"""Results, model calls and capabilities: what was paid for is kept."""

from dataclasses import replace
from datetime import timedelta

import pytest

from core.analysis import Analysis, Capabilities, Chunk, ModelCall, ResultKind
from core.jobs import ANALYZE, DRY_RUN, EventName, Job
from store import ClaimLost, ResultNotFound, Store
from tests.store.builders import (
    HOME_7,
    HOME_8,
    NOON,
    PROBLEM,
    FakeClock,
    an_analysis,
    claim,
    enqueue_and_claim,
    record_call,
)


async def reusable(store: Store, job: Job, like: Analysis) -> Analysis | None:
    return await store.results.find_reusable(
        job,
        content_hash=like.content_hash,
        prompt_version=like.prompt_version,
        model=like.model,
    )


async def test_a_result_is_kept_as_it_was(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    analysis = an_analysis(title="Überweisung – „Strom“")

    result = await store.results.save(job, analysis, now=clock())

    assert (result.job_id, result.analysis, result.created_at) == (job.id, analysis, clock())
    assert await store.results.get(result.id) == result
    assert await store.results.get_final(job.id) == result
    *_, event = await store.jobs.list_events(job.id)
    assert event.name is EventName.RESULT_STORED
    assert event.data == {
        "result": result.id,
        "suggestions": 1,
        "reused_from": None,
        "model": "gemma",
    }


async def test_saving_again_replaces_nothing(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    first = await store.results.save(job, an_analysis(), now=clock())

    again = await store.results.save(job, an_analysis(title="Anders"), now=clock())

    assert again == first
    assert await store.results.get_final(job.id) == first


async def test_a_changed_text_makes_a_new_final_result_and_keeps_the_old_readable(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    old = await store.results.save(job, an_analysis(), now=clock())

    new = await store.results.save(job, an_analysis(content_hash="other"), now=clock())

    assert new.analysis == an_analysis(content_hash="other")
    assert await store.results.get_final(job.id) == new
    assert await store.results.get(old.id) == replace(old, kind=ResultKind.PARTIAL)
    assert await reusable(store, job, new.analysis) == new.analysis


async def test_a_job_without_a_result_has_none(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)

    assert await store.results.get_final(job.id) is None
    with pytest.raises(ResultNotFound):
        await store.results.get(99)


async def test_an_answer_is_stored_though_the_claim_was_lost_and_the_next_attempt_uses_it(
    store: Store, clock: FakeClock
) -> None:
    stale = await enqueue_and_claim(store, clock)
    await store.jobs.recover_orphans(now=clock())

    for _ in range(2):
        with pytest.raises(ClaimLost):
            await store.results.save(stale, an_analysis(), now=clock())

    second = await claim(store, clock)
    assert await reusable(store, second, an_analysis()) == an_analysis()
    assert len(await store.results.list_for_job(stale.id)) == 1


async def test_a_late_answer_about_another_text_does_not_replace_the_final_result(
    store: Store, clock: FakeClock
) -> None:
    stale = await enqueue_and_claim(store, clock)
    await store.jobs.recover_orphans(now=clock())
    second = await claim(store, clock)
    final = await store.results.save(second, an_analysis(content_hash="new"), now=clock())

    with pytest.raises(ClaimLost):
        await store.results.save(stale, an_analysis(content_hash="old"), now=clock())

    assert await store.results.get_final(stale.id) == final
    assert [result.kind for result in await store.results.list_for_job(stale.id)] == [
        "final",
        "partial",
    ]


async def test_the_answer_of_a_job_that_is_deleted_is_dropped(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    nobody = replace(job, id=job.id + 1)

    for save in (store.results.save, store.results.save_chunk):
        with pytest.raises(ClaimLost):
            await save(nobody, an_analysis(), now=clock())


async def test_the_next_attempt_does_not_pay_again(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.results.save(job, an_analysis(), now=clock())
    await store.jobs.retry(job, PROBLEM, at=clock(), now=clock())

    second = await claim(store, clock)

    assert await reusable(store, second, an_analysis()) == an_analysis()


@pytest.mark.parametrize(
    "wanted",
    [
        an_analysis(content_hash="other"),
        an_analysis(prompt_version="other"),
        an_analysis(model="other"),
    ],
)
async def test_an_analysis_of_something_else_is_not_reused(
    store: Store, clock: FakeClock, wanted: Analysis
) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.results.save(job, an_analysis(), now=clock())

    assert await reusable(store, job, wanted) is None


async def test_a_dry_run_is_reused_and_the_source_is_recorded(
    store: Store, clock: FakeClock
) -> None:
    rehearsal = await enqueue_and_claim(store, clock, kind=DRY_RUN)
    source = await store.results.save(rehearsal, an_analysis(), now=clock())
    await store.jobs.succeed(rehearsal, now=clock())
    job = await enqueue_and_claim(store, clock, kind=ANALYZE)

    analysis = await reusable(store, job, an_analysis())
    assert analysis == an_analysis()
    await store.results.save(job, analysis, now=clock())

    *_, event = await store.jobs.list_events(job.id)
    assert event.data["reused_from"] == source.id


async def test_who_asks_for_a_new_analysis_gets_a_new_one(store: Store, clock: FakeClock) -> None:
    first = await enqueue_and_claim(store, clock)
    await store.results.save(first, an_analysis(), now=clock())
    await store.jobs.succeed(first, now=clock())

    again = await enqueue_and_claim(store, clock)

    assert await reusable(store, again, an_analysis()) is None


async def test_an_older_rehearsal_is_not_reused_after_a_newer_analysis(
    store: Store, clock: FakeClock
) -> None:
    for kind in (DRY_RUN, ANALYZE):
        job = await enqueue_and_claim(store, clock, kind=kind)
        await store.results.save(job, an_analysis(), now=clock())
        await store.jobs.succeed(job, now=clock())

    again = await enqueue_and_claim(store, clock)

    assert await reusable(store, again, an_analysis()) is None


async def test_another_documents_analysis_is_not_reused(store: Store, clock: FakeClock) -> None:
    other = await enqueue_and_claim(store, clock, HOME_8, kind=DRY_RUN)
    await store.results.save(other, an_analysis(), now=clock())

    job = await enqueue_and_claim(store, clock, HOME_7)

    assert await reusable(store, job, an_analysis()) is None


async def test_calls_are_recorded_whatever_became_of_them(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    cut = ModelCall("http://ollama/v1", "gemma", "json_schema", "answer_cut", 900, 50, 1200, NOON)
    fine = replace(cut, outcome="ok", at=NOON + timedelta(microseconds=1))

    for call in (cut, fine):
        await record_call(store, call, instance="home", job_id=job.id)
    await record_call(store, fine, instance="home", job_id=None)

    assert await store.calls.list_for_job(job.id) == (cut, fine)


async def test_capabilities_are_remembered_for_a_week(store: Store, clock: FakeClock) -> None:
    found = Capabilities("json_object", "max_completion_tokens", temperature=False)
    assert await store.capabilities.get("http://a/v1", "gemma", now=clock()) is None

    await store.capabilities.save("http://a/v1", "gemma", found, now=clock())

    clock.advance(days=6, hours=23)
    assert await store.capabilities.get("http://a/v1", "gemma", now=clock()) == found
    clock.advance(hours=1)
    assert await store.capabilities.get("http://a/v1", "gemma", now=clock()) is None


async def test_capabilities_belong_to_endpoint_and_model(store: Store, clock: FakeClock) -> None:
    found = Capabilities("text")
    await store.capabilities.save("http://a/v1", "gemma", found, now=clock())

    assert await store.capabilities.get("http://a/v1", "llama", now=clock()) is None
    assert await store.capabilities.get("http://b/v1", "gemma", now=clock()) is None


async def test_capabilities_can_be_learned_anew_and_forgotten(
    store: Store, clock: FakeClock
) -> None:
    for mode in ("text", "json_schema"):
        await store.capabilities.save(
            "http://a/v1", "gemma", Capabilities(mode), now=clock.advance(days=6)
        )
    recalled = await store.capabilities.get("http://a/v1", "gemma", now=clock())
    assert recalled == Capabilities("json_schema")

    await store.capabilities.delete("http://a/v1", "gemma")

    assert await store.capabilities.get("http://a/v1", "gemma", now=clock()) is None


def of_pass(number: int, **fields: str) -> Analysis:
    return replace(an_analysis(**fields), part=Chunk(number, 3), unread=5)


async def test_a_pass_leaves_a_partial_result_that_stays_beside_the_final_one(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)

    first = await store.results.save_chunk(job, of_pass(1, content_hash="a"), now=clock())
    second = await store.results.save_chunk(job, of_pass(2, content_hash="b"), now=clock())
    final = await store.results.save(job, an_analysis(), now=clock())

    assert await store.results.list_for_job(job.id) == (first, second, final)
    assert [result.kind for result in (first, second, final)] == ["partial", "partial", "final"]
    assert [result.number for result in (first, second, final)] == [1, 2, 3]
    assert first.analysis == of_pass(1, content_hash="a")
    assert await store.results.get_final(job.id) == final
    *_, event, _ = await store.jobs.list_events(job.id)
    assert event.name is EventName.RESULT_STORED
    assert (event.data["part"], event.data["parts"], event.data["result"]) == (2, 3, second.id)


async def test_a_pass_is_stored_once(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    first = await store.results.save_chunk(job, of_pass(1), now=clock())

    again = await store.results.save_chunk(job, of_pass(1, title="Anders"), now=clock())

    assert again == first
    assert await store.results.list_for_job(job.id) == (first,)


async def test_passes_are_gone_on_with_by_their_job_under_the_same_prompt_and_model(
    store: Store, clock: FakeClock
) -> None:
    job = await enqueue_and_claim(store, clock)
    ours = await store.results.save_chunk(job, of_pass(1), now=clock())
    await store.results.save_chunk(job, of_pass(1, prompt_version="other"), now=clock())
    await store.results.save_chunk(job, of_pass(1, model="other"), now=clock())
    await store.results.save(job, an_analysis(), now=clock())
    other = await enqueue_and_claim(store, clock, HOME_8)

    asked = {"prompt_version": "prompt", "model": "gemma"}
    assert await store.results.list_chunks(job, **asked) == (ours.analysis,)
    assert await store.results.list_chunks(other, **asked) == ()


async def test_a_pass_is_stored_though_the_claim_was_lost(store: Store, clock: FakeClock) -> None:
    job = await enqueue_and_claim(store, clock)
    await store.jobs.retry(job, PROBLEM, at=clock(), now=clock())

    with pytest.raises(ClaimLost):
        await store.results.save_chunk(job, of_pass(1), now=clock())

    again = await claim(store, clock)
    asked = {"prompt_version": "prompt", "model": "gemma"}
    assert await store.results.list_chunks(again, **asked) == (of_pass(1),)


async def test_the_ways_by_which_results_came_about_are_listed_latest_first(
    store: Store, clock: FakeClock
) -> None:
    for document, model in ((HOME_7, "old"), (HOME_8, "old"), (HOME_7, "young")):
        clock.advance(hours=1)
        job = await enqueue_and_claim(store, clock, document)
        await store.results.save(job, replace(an_analysis(), model=model), now=clock())
        await store.jobs.succeed(job, now=clock())

    young, old = await store.results.list_models_and_prompts(["home"])

    assert (young.model, young.last_at) == ("young", clock())
    assert (old.model, old.last_at) == ("old", clock() - timedelta(hours=1))
    assert await store.results.list_models_and_prompts(["attic"]) == ()

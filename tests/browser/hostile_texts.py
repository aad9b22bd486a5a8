"""A store and a Paperless in which every text is hostile."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

from actions.decisions import reject
from core.access import ADMIN, NewToken, Permission
from core.analysis import Analysis, Chunk, ModelCall
from core.changes import ChangeOutcome, ChangeState, Plan, PlannedChange, Suggestion
from core.errors import Problem
from core.fields import CustomField, FieldName, Name
from core.holds import limit_target, paperless_target
from core.jobs import ANALYZE, DRY_RUN, Job, NewJob, Priority, Stage
from core.learning import Approval, Fact, FactCount, FactKind, LearntDecision, LearntDocument
from core.messages import plain
from core.names import AliasRule
from core.scans import ScanPage
from core.spending import SpendingLimits
from daemon.services import Services
from dashboard.auth.account import create_token
from dashboard.auth.login import create_link
from sandbox import Sandbox
from sandbox.paperless.records import Kind
from store import Store
from tests.builders import because
from tests.installation import Installation, home
from tests.store.builders import FakeClock

RAN = "window.ran=1"
MARK = "<script>window.ran=1</script>"
"""Part of every hostile text, so that a test can see whether a page shows one."""
HOSTILE_TEXT = (
    f"{MARK}<img src=x onerror={RAN}>\"><svg onload={RAN}>' onfocus={RAN} autofocus evil='"
    f"</title></textarea></style>--><a href=javascript:{RAN}>javascript:{RAN}</a>"
    "{{ 7*7 }}{% x %}${7*7} %s {0} \u202ednE \u2066\u200b\x1b[31m\x07 &lt;b&gt; \ud7ff"
)
LONG = HOSTILE_TEXT + "W" * 5_000
DOCUMENT = 34
"""The document with the hostile texts; some of `PLACES` show it."""
_SETTINGS = f"""
[names]
descriptions = {{ "Strom" = '''{MARK}''' }}

[limits]
price_in = 2.5
cost_per_month = 0.2
"""


def prepare(installation: Installation, sandbox: Sandbox) -> None:
    """Put hostile texts into names, titles, documents and settings."""
    installation.configure(_SETTINGS)
    attic = installation.config / "attic.toml"
    attic.write_text(sandbox.settings("[scan]\nenabled = false\n"), encoding="utf-8")
    for kind in (Kind.TAG, Kind.CORRESPONDENT, Kind.DOCUMENT_TYPE):
        sandbox.world.add_name(kind, HOSTILE_TEXT)
    with sandbox.world.lock:
        for document in sandbox.world.documents.values():
            document.title = document.original_file_name = HOSTILE_TEXT
            document.content += HOSTILE_TEXT if document.id == DOCUMENT else LONG


async def fill(services: Services, _: Sandbox, clock: FakeClock) -> str:
    """Record a job of each kind, sessions and API tokens."""
    store = services.store
    await _record_analysis(store, clock, await _enqueue_and_claim(store, clock, DOCUMENT))
    await _fail(store, clock, await _enqueue_and_claim(store, clock, 40))
    await _reject(store, clock, await _enqueue_and_claim(store, clock, 35))
    await store.jobs.end_cancelled(
        await _enqueue_and_claim(store, clock, 39), plain(HOSTILE_TEXT), now=clock()
    )
    await _record_dry_run(store, clock)
    waiting = await _enqueue(store, clock, 37)
    await store.jobs.cancel(waiting.id, by=LONG, now=clock())
    at_work = await _enqueue_and_claim(store, clock, 38)
    await store.jobs.record_progress(at_work, Stage.ANALYZE, 45, now=clock())
    await _enqueue(store, clock, 36)
    await _record_scan_and_holds(store, clock)
    await store.names.save_alias(
        "home",
        AliasRule(FieldName.CORRESPONDENT, "evil", HOSTILE_TEXT, Name(1, HOSTILE_TEXT)),
        by=HOSTILE_TEXT,
        now=clock(),
    )
    await _add_facts(store, clock)
    await store.access.set_password("no hash", now=clock())
    until = clock() + timedelta(days=1)
    await store.access.sessions.begin(
        "hash", ADMIN, user_agent=HOSTILE_TEXT, now=clock(), until=until
    )
    await create_token(store, NewToken(HOSTILE_TEXT, Permission.READ, None), now=clock())
    return await create_link(store, "", now=clock())


async def _add_facts(store: Store, clock: FakeClock) -> None:
    """Store learnt facts with hostile texts."""
    letterhead = Fact(FactKind.LETTERHEAD, HOSTILE_TEXT)
    await store.learnt.record(
        [LearntDocument(home(id_), frozenset({letterhead}), 1, by_person=True) for id_ in (34, 35)]
    )
    addressees = [
        FactCount(Fact(FactKind.ADDRESSEE, text, text), None, 30, 100)
        for text in (HOSTILE_TEXT, LONG)
    ]
    await store.learnt.replace_counts("home", {FactKind.ADDRESSEE}, addressees, now=clock())
    for kind, approval in (
        (FactKind.ADDRESSEE, Approval.CONFIRMED),
        (FactKind.PHONE, Approval.DECLINED),
    ):
        fact = Fact(kind, "evil", HOSTILE_TEXT)
        await store.learnt.decide(
            "home", LearntDecision(fact, None, approval, HOSTILE_TEXT, clock())
        )


async def _enqueue(store: Store, clock: FakeClock, id_: int) -> Job:
    wanted = NewJob(home(id_), ANALYZE, Priority.BY_HAND, HOSTILE_TEXT, max_attempts=1)
    job = await store.jobs.enqueue(wanted, now=clock())
    assert job is not None
    return job


async def _enqueue_and_claim(store: Store, clock: FakeClock, id_: int) -> Job:
    await _enqueue(store, clock, id_)
    job = await store.jobs.claim(worker=HOSTILE_TEXT, now=clock())
    assert job is not None
    await store.documents.record_fetched(
        job, title=LONG if id_ == 40 else HOSTILE_TEXT, content_hash="", now=clock()
    )
    return job


def _change(
    field: FieldName | CustomField, value: str | Name, evidence: str = HOSTILE_TEXT
) -> PlannedChange:
    return PlannedChange(field, None, value, evidence, 0.5, (HOSTILE_TEXT,), (HOSTILE_TEXT,))


async def _record_analysis(store: Store, clock: FakeClock, job: Job) -> None:
    """Record an analysis, with changes written, for review, in conflict and left out."""
    custom = CustomField(1, HOSTILE_TEXT)
    suggested = (
        Suggestion(FieldName.TITLE, LONG, LONG, 0.5),
        Suggestion(custom, HOSTILE_TEXT, HOSTILE_TEXT, 0.5),
    )
    analysis = Analysis(suggested, HOSTILE_TEXT, HOSTILE_TEXT, "")
    await store.results.save_chunk(job, replace(analysis, part=Chunk(1, 2)), now=clock())
    await store.results.save(job, analysis, now=clock())
    await _record_call(store, clock, job)
    plan = Plan(
        now=(_change(FieldName.TITLE, HOSTILE_TEXT), _change(FieldName.TITLE, LONG)),
        review=(
            _change(FieldName.CORRESPONDENT, Name(None, f"Neu {MARK}")),
            _change(FieldName.TAGS, Name(None, f"Neu {MARK}"), LONG),
            _change(custom, LONG),
        ),
        leave=(_change(FieldName.DOCUMENT_TYPE, Name(3, HOSTILE_TEXT)),),
    )
    written, lost, *_ = await store.changes.record_plan(job, plan, made_from="plan", now=clock())
    outcomes = (
        ChangeOutcome(written.id, ChangeState.APPLIED),
        ChangeOutcome(lost.id, ChangeState.CONFLICT, found=HOSTILE_TEXT),
    )
    await store.changes.settle(job, outcomes, now=clock())
    await store.jobs.succeed(job, now=clock())


async def _record_call(store: Store, clock: FakeClock, job: Job) -> None:
    call = ModelCall(
        HOSTILE_TEXT,
        HOSTILE_TEXT,
        HOSTILE_TEXT,
        HOSTILE_TEXT,
        1,
        1,
        1,
        clock() - timedelta(days=1),
        Decimal(1),
    )
    number = await store.calls.reserve(
        call,
        instance="home",
        job_id=job.id,
        limits=SpendingLimits(),
        day_start=clock(),
        month_start=clock(),
    )
    await store.calls.finish(number, call, LONG)


async def _fail(store: Store, clock: FakeClock, job: Job) -> None:
    await _record_call(store, clock, job)
    await store.jobs.fail(
        job, Problem(HOSTILE_TEXT, plain(LONG), HOSTILE_TEXT, HOSTILE_TEXT), now=clock()
    )


async def _reject(store: Store, clock: FakeClock, job: Job) -> None:
    plan = Plan(review=(_change(FieldName.TITLE, HOSTILE_TEXT),))
    waiting = await store.changes.record_plan(job, plan, made_from="plan", now=clock())
    await store.jobs.succeed(job, now=clock())
    decision = replace(reject(waiting, None), why=HOSTILE_TEXT)
    await store.changes.decide(job.document, decision, by=HOSTILE_TEXT, max_attempts=1, now=clock())


async def _record_dry_run(store: Store, clock: FakeClock) -> None:
    """Record the results of a dry run."""
    scan = await store.scans.start("home", asked_by=HOSTILE_TEXT, kind=DRY_RUN, now=clock())
    new = NewJob(home(33), DRY_RUN, Priority.BY_HAND, HOSTILE_TEXT)
    await store.scans.record_page(scan.id, ScanPage(((new, HOSTILE_TEXT),), seen=1), now=clock())
    await store.scans.give_up(scan.id, problem=Problem(HOSTILE_TEXT, plain(LONG)), now=clock())
    job = await store.jobs.claim(worker=HOSTILE_TEXT, now=clock())
    assert job is not None
    await store.documents.record_fetched(job, title=LONG, content_hash="", now=clock())
    plan = Plan(
        now=(_change(FieldName.TITLE, HOSTILE_TEXT),),
        review=(_change(FieldName.CORRESPONDENT, Name(None, HOSTILE_TEXT)),),
    )
    await store.changes.record_dry_run(job, plan)
    await store.jobs.succeed(job, now=clock())


async def _record_scan_and_holds(store: Store, clock: FakeClock) -> None:
    scan = await store.scans.start("home", asked_by=HOSTILE_TEXT, now=clock())
    await store.scans.give_up(scan.id, problem=Problem(HOSTILE_TEXT, plain(LONG)), now=clock())
    for target in (paperless_target("home"), limit_target("home")):
        soon = clock() + timedelta(minutes=2)
        await store.holds.place(target, because(LONG), next_probe_at=soon, now=clock())

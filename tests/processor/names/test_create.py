"""New names are made once, however many jobs and processes want them, and whoever dies."""

import asyncio

import pytest

from actions.decisions import build_alias_rule
from core.changes import Change
from core.documents import DocumentRef
from core.fields import FieldName, Name
from core.jobs import Job, Scope
from core.messages import plain
from core.names import WantedName
from daemon.services import Services
from paperless_client import OutcomeUnknown, PermissionMissing
from processor.names.create import NameBusy, NameCreator, RightsPolicy
from sandbox import Sandbox
from sandbox.faults import Answer, Cut, Fault
from sandbox.paperless import Kind
from tests.builders import a_change
from tests.installation import HOME, Installation, blocked, blocking, enqueue_document

SENDER = FieldName.CORRESPONDENT
FIRM = "Neue Firma"
POST = "/api/correspondents/"


def wants(name: str = FIRM, field: FieldName = SENDER) -> Change:
    return a_change(7, field=field, before=None, after=Name(None, name))


async def a_job(services: Services, document: int = 1) -> Job:
    """Claim a job for a document, as a worker does."""
    asked = await enqueue_document(services, document)
    return await claim(services, asked)


async def claim(services: Services, asked: Job) -> Job:
    only = Scope(jobs=frozenset({asked.id}))
    job = await services.store.jobs.claim(worker="vm", now=services.context.clock(), scope=only)
    assert job is not None
    return job


async def make(services: Services, change: Change, job: Job) -> Name:
    return await services.instances[HOME].name_creator.create(change, job)


def firms(sandbox: Sandbox) -> list[str]:
    names = sandbox.world.names[Kind.CORRESPONDENT].values()
    return [entry.name for entry in names if "firma" in entry.name.lower()]


async def recorded(services: Services) -> list[tuple[str, int | None]]:
    return [
        (created.name, created.name_id)
        for created in await services.store.names.list_created_names(HOME)
    ]


async def test_jobs_with_one_new_sender_make_one_name(services: Services, sandbox: Sandbox) -> None:
    spellings = (FIRM, "NEUE FIRMA", "Neue Firma GmbH")
    jobs = [await a_job(services, number) for number in (1, 2, 3)]

    made = await asyncio.gather(
        *(make(services, wants(name), job) for name, job in zip(spellings, jobs, strict=True))
    )

    assert firms(sandbox) == [FIRM]
    assert len({name.id for name in made}) == 1
    assert await recorded(services) == [(FIRM, made[0].id)]


async def test_two_processes_make_one_name(
    installation: Installation, services: Services, sandbox: Sandbox
) -> None:
    first, second = await a_job(services, 1), await a_job(services, 2)
    posting = blocked(POST, method="POST")

    async with installation.open() as other:
        async with blocking(
            sandbox.paperless.faults, posting, make(services, wants(), first)
        ) as at:
            wanted = WantedName(SENDER, "neuefirma", "NEUE FIRMA", 8)
            now = other.context.clock()
            assert await other.store.names.reserve_name(wanted, second, now=now) is None
            waiting = asyncio.create_task(make(other, wants("NEUE FIRMA"), second))
        made = await asyncio.gather(at, waiting)

    assert firms(sandbox) == [FIRM]
    assert made[0].id == made[1].id


async def test_who_waits_in_vain_for_another_process_tries_again_later(
    installation: Installation, services: Services, sandbox: Sandbox
) -> None:
    first, second = await a_job(services, 1), await a_job(services, 2)
    wanted = WantedName(SENDER, "neuefirma", FIRM, 7)
    await services.store.names.reserve_name(wanted, first, now=services.context.clock())
    instance = services.instances[HOME]
    impatient = NameCreator(
        instance.paperless,
        instance.catalogue,
        rights=RightsPolicy(),
        store=services.store,
        clock=services.context.clock,
        tries=1,
    )

    with pytest.raises(NameBusy, match="another job is creating"):
        await impatient.create(wants(), second)

    assert firms(sandbox) == []


@pytest.mark.parametrize("effect", [Answer(status=500), Cut()], ids=str)
async def test_a_name_that_was_made_though_the_answer_was_lost_is_recognised_as_ours(
    services: Services, sandbox: Sandbox, effect: Answer | Cut
) -> None:
    job = await a_job(services)
    sandbox.paperless.faults.add(Fault(method="POST", path=POST, moment="after", effect=effect))

    with pytest.raises(OutcomeUnknown):
        await make(services, wants(), job)
    assert await recorded(services) == []
    released = await services.store.jobs.release(job, plain("outage"), now=services.context.clock())
    assert await recorded(services) == [(FIRM, None)]
    name = await make(services, wants(), await claim(services, released))

    assert firms(sandbox) == [FIRM]
    assert await recorded(services) == [(FIRM, name.id)]


async def test_a_name_that_a_person_made_after_all_is_not_ours(
    services: Services, sandbox: Sandbox
) -> None:
    job = await a_job(services)
    fault = Fault(method="POST", path=POST, effect=Answer(status=500))
    sandbox.paperless.faults.add(fault)
    with pytest.raises(OutcomeUnknown):
        await make(services, wants(), job)
    released = await services.store.jobs.release(job, plain("outage"), now=services.context.clock())
    theirs = sandbox.world.add_name(Kind.CORRESPONDENT, FIRM)
    theirs.matching_algorithm = 6

    name = await make(services, wants(), await claim(services, released))

    assert name.id == theirs.id
    assert await recorded(services) == []


async def test_a_name_that_exists_by_now_is_taken_and_is_not_ours(
    services: Services, sandbox: Sandbox
) -> None:
    theirs = sandbox.world.add_name(Kind.CORRESPONDENT, "NEUE FIRMA")

    name = await make(services, wants(), await a_job(services))

    assert name == Name(theirs.id, "NEUE FIRMA")
    assert await recorded(services) == []


async def test_a_name_that_came_in_the_very_last_moment_is_taken_and_is_not_ours(
    services: Services, sandbox: Sandbox
) -> None:
    job = await a_job(services)
    posting = blocked(POST, method="POST")

    async with blocking(sandbox.paperless.faults, posting, make(services, wants(), job)) as at:
        theirs = sandbox.world.add_name(Kind.CORRESPONDENT, FIRM)
    name = await at

    assert name.id == theirs.id
    assert await recorded(services) == []


async def test_a_name_that_may_not_be_made_leaves_no_intent(
    services: Services, sandbox: Sandbox
) -> None:
    sandbox.world.users["paperclerk"].permissions.discard("add_correspondent")
    job = await a_job(services)

    with pytest.raises(PermissionMissing):
        await make(services, wants(), job)
    await services.store.jobs.release(job, plain("no permission"), now=services.context.clock())

    assert await recorded(services) == []


async def test_what_was_made_is_recorded_with_its_change_and_its_job(services: Services) -> None:
    job = await a_job(services)

    name = await make(services, wants("Garten", FieldName.TAGS), job)

    (made,) = await services.store.names.list_created_names(HOME)
    assert (made.field, made.name, made.name_id) == (FieldName.TAGS, "Garten", name.id)
    assert (made.document, made.change_id, made.job_id) == (DocumentRef(HOME, 1), 7, job.id)
    assert made.intended_at == made.made_at == services.context.clock()


@pytest.mark.parametrize(("owner", "user"), [("nobody", None), ("me", "paperclerk")])
async def test_a_new_name_belongs_to_whom_the_settings_say_and_matches_nothing(
    installation: Installation, sandbox: Sandbox, owner: str, user: str | None
) -> None:
    installation.configure(f'[names]\nowner = "{owner}"\n')

    async with installation.open() as services:
        made = await make(services, wants("Garten", FieldName.TAGS), await a_job(services))

    assert made.id is not None
    tag = sandbox.world.tags[made.id]
    assert tag.owner == (sandbox.world.users[user].id if user else None)
    assert tag.matching_algorithm == 0


async def test_an_alias_for_a_name_that_was_new_itself_leads_to_it_from_then_on(
    services: Services,
) -> None:
    now = services.context.clock()
    for spelling, target in (("Firma", Name(None, FIRM)), ("Bank", Name(3, FIRM))):
        await services.store.names.save_alias(
            HOME, build_alias_rule(SENDER, spelling, target), by="anna", now=now
        )

    name = await make(services, wants(), await a_job(services))

    bank, firm = [alias.meaning.target for alias in await services.store.names.list_aliases(HOME)]
    assert (firm, bank) == (name, Name(3, FIRM))

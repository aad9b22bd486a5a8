"""Where a document does not show the order of day and month, its sender or the archive does."""

from collections.abc import AsyncIterator

import pytest

from core.calendar import DateOrder
from core.changes import ChangeState
from core.fields import FieldName
from core.learning import Approval, Fact, FactCount, FactKind, Learnt, LearntDecision
from daemon.services import Services
from processor.analysis.prompt import PromptSettings
from processor.policy import Policy, fingerprint
from sandbox import Sandbox
from sandbox.paperless import Kind, World
from tests.installation import HOME, Installation, changes_of, fields_of, process

SENDER = "Stadtwerke Musterstadt"
LETTER = f"""{SENDER}
Am Wasserturm 1, 12345 Musterstadt

Invoice date: 03/04/2026

Thank you for your order. The total amount is 12.50 EUR.
"""
MODES = '[fields]\ntitle = "off"\ndocument_type = "off"\ntags = "off"\ncorrespondent = "off"\n'
DAY_FIRST, MONTH_FIRST = DateOrder.DAY_FIRST.value, DateOrder.MONTH_FIRST.value


@pytest.fixture
def world(world: World) -> World:
    world.edit(1, content=LETTER, correspondent=SENDER)
    return world


@pytest.fixture
async def services(installation: Installation) -> AsyncIterator[Services]:
    installation.configure(MODES + 'date = "replace"\n')
    async with installation.open() as services:
        yield services


async def learn(services: Services, *orders: tuple[int | None, str]) -> None:
    """Store what was learnt: an order for each sender, None for the archive."""
    counts = [
        FactCount(Fact(FactKind.DATE_ORDER, order), sender, 20, 20) for sender, order in orders
    ]
    await services.store.learnt.replace_counts(
        HOME, {FactKind.DATE_ORDER}, counts, now=services.context.clock()
    )


def sender_id(sandbox: Sandbox) -> int:
    return sandbox.world.find(Kind.CORRESPONDENT, SENDER).id


async def test_without_anything_learnt_the_date_goes_to_review(
    services: Services, sandbox: Sandbox
) -> None:
    await process(services)

    (change,) = await services.store.changes.list_for_review()
    assert (change.field, change.reasons) == (FieldName.DATE, ("date_order_open",))


async def test_a_date_in_the_order_of_the_archive_is_written(
    services: Services, sandbox: Sandbox
) -> None:
    await learn(services, (None, DAY_FIRST))

    await process(services)

    assert fields_of(sandbox)["created"] == "2026-04-03"


async def test_a_date_that_the_model_reads_in_another_order_goes_to_review(
    services: Services, sandbox: Sandbox
) -> None:
    await learn(services, (None, MONTH_FIRST))

    await process(services)

    (change,) = await services.store.changes.list_for_review()
    assert change.reasons == ("date_order_open",)


async def test_the_order_of_the_sender_outranks_that_of_the_archive(
    services: Services, sandbox: Sandbox
) -> None:
    await learn(services, (None, MONTH_FIRST), (sender_id(sandbox), DAY_FIRST))

    await process(services)

    assert fields_of(sandbox)["created"] == "2026-04-03"


async def test_the_suggested_sender_counts_if_it_passes_its_checks(
    installation: Installation, sandbox: Sandbox
) -> None:
    sandbox.world.edit(1, correspondent=None)
    installation.configure('[fields]\ntitle = "off"\ntags = "off"\ndate = "replace"\n')
    async with installation.open() as services:
        await learn(services, (sender_id(sandbox), DAY_FIRST))
        await process(services)

        assert (await changes_of(services))[FieldName.DATE] == [ChangeState.APPLIED]


async def test_the_setting_outranks_what_was_learnt(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(f'date_order = "{DAY_FIRST}"\n{MODES}date = "replace"\n')
    async with installation.open() as services:
        await learn(services, (None, MONTH_FIRST), (sender_id(sandbox), MONTH_FIRST))
        await process(services)

    assert fields_of(sandbox)["created"] == "2026-04-03"


async def test_a_date_of_the_document_outranks_what_was_learnt(
    services: Services, sandbox: Sandbox
) -> None:
    sandbox.world.edit(1, content=f"{LETTER}\nPlease pay before 25/04/2026.\n")
    await learn(services, (None, MONTH_FIRST))

    await process(services)

    assert fields_of(sandbox)["created"] == "2026-04-03"


async def test_an_order_that_a_person_deleted_is_not_used(
    services: Services, sandbox: Sandbox
) -> None:
    await learn(services, (None, DAY_FIRST))
    fact = Fact(FactKind.DATE_ORDER, DAY_FIRST)
    decision = LearntDecision(fact, None, Approval.DECLINED, "anna", services.context.clock())
    await services.store.learnt.decide(HOME, decision)

    await process(services)

    (change,) = await services.store.changes.list_for_review()
    assert change.reasons == ("date_order_open",)


async def test_what_was_learnt_is_no_part_of_the_prompt(
    services: Services,
) -> None:
    first = await process(services)
    await learn(services, (None, DAY_FIRST))
    second = await process(services)

    before, after = [
        await services.store.results.get_final(finished.job.id) for finished in (first, second)
    ]
    assert before is not None
    assert after is not None
    assert before.analysis.prompt_version == after.analysis.prompt_version


def test_a_plan_is_out_of_date_once_something_else_is_learnt() -> None:
    def made_from(learnt: Learnt | None) -> str:
        return fingerprint(None, LETTER, Policy({}, {}), PromptSettings(()), {}, learnt)

    assert made_from(Learnt()) == made_from(None)
    assert made_from(Learnt(date_order=DateOrder.DAY_FIRST)) != made_from(None)

"""The page of one document, also of one that nobody knows."""

from datetime import timedelta

import httpx

from daemon.wiring import Clerk
from processor.actions.soon import may_have
from sandbox import Sandbox
from sandbox.faults import Answer, Delay, Fault
from tests.office import home

NOWHERE = "/documents/home/999"
BUTTON = f"{NOWHERE}/process"


async def test_what_neither_we_nor_paperless_know_is_not_found(browser: httpx.AsyncClient) -> None:
    answer = await browser.get(NOWHERE)

    assert answer.status_code == 404
    assert BUTTON not in answer.text


async def test_what_paperless_alone_knows_can_be_processed(browser: httpx.AsyncClient) -> None:
    answer = await browser.get("/documents/home/1")

    assert answer.status_code == 200
    assert "/documents/home/1/process" in answer.text


async def test_while_paperless_is_away_nothing_is_said_not_to_exist(
    browser: httpx.AsyncClient, sandbox: Sandbox
) -> None:
    away = Answer(status=503, body="down")
    sandbox.paperless.faults.add(Fault(path="/api/.*", times=None, effect=away))

    answer = await browser.get(NOWHERE)

    assert answer.status_code == 200
    assert BUTTON in answer.text


async def test_nobody_waits_long_for_a_paperless_that_does_not_answer(
    clerk: Clerk, sandbox: Sandbox
) -> None:
    sandbox.paperless.faults.add(Fault(path="/api/.*", times=None, effect=Delay(seconds=30.0)))

    may = await may_have(clerk.instances["home"], 999, patience=timedelta(milliseconds=50))

    assert may
    sandbox.paperless.faults.release()


async def test_what_is_gone_from_paperless_keeps_its_page_if_we_know_it(
    browser: httpx.AsyncClient, clerk: Clerk
) -> None:
    await clerk.store.documents.ignore(home(999), by="anna", now=clerk.memory.clock())

    answer = await browser.get(NOWHERE)

    assert answer.status_code == 200

"""How a result came about: its parts, the answers word by word, the question put anew."""

import html

import httpx

from daemon.services import Services
from sandbox import Sandbox
from sandbox.faults import Answer, Fault
from sandbox.model.behaviour import Behaviour
from tests.dashboard.api_client import READER, STRANGER, build_rig
from tests.dashboard.conftest import DashboardRig, open_browser
from tests.installation import Installation, process, texts_sent
from tests.long_documents import a_long_text

HOSTILE = "No JSON, but <script>alert(1)</script>"
EXCLUDED = '[scan]\nexclude_tags = ["Privat"]\n'


async def test_the_page_of_a_long_document_shows_what_was_said_about_each_part(
    installation: Installation, sandbox: Sandbox
) -> None:
    sandbox.world.edit(1, content=a_long_text(40_000))
    installation.configure("context = 4096\n")
    async with installation.open() as services, open_browser(build_rig(services)) as browser:
        await process(services)
        parts = [
            result
            for result in await services.store.results.list_for_job(1)
            if result.analysis.part
        ]

        page = (await browser.get("/jobs/1")).text
        second = await browser.get("/jobs/1/prompt?part=2")
        beyond = await browser.get("/jobs/1/prompt?part=999")

    assert all(f"Chunk {n} of {len(parts)}" in page for n in range(1, len(parts) + 1))
    assert f"this is part 2 of {len(parts)}." in second.text
    assert "There is no text to send to a model." in beyond.text


async def test_what_the_model_wrote_is_shown_as_text_also_if_it_was_of_no_use(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    sandbox.model.behave(Behaviour(answer=HOSTILE))
    await process(services)

    page = (await browser.get("/jobs/1/answers")).text

    assert html.escape(HOSTILE) in page
    assert HOSTILE not in page
    assert "answer_unusable" in page


async def test_a_job_that_asked_nothing_has_no_answers(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    sandbox.world.edit(1, content="")
    await process(services)

    answers = await browser.get("/jobs/1/answers")
    prompt = await browser.get("/jobs/1/prompt")

    assert "No raw responses are kept for this job." in answers.text
    assert "There is no text to send to a model." in prompt.text


async def test_the_question_is_put_together_anew_and_says_whether_it_is_still_the_same(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    await process(services)
    sent = str(sandbox.model.state.chats()[-1].messages)

    same = html.unescape((await browser.get("/jobs/1/prompt")).text)
    sandbox.world.edit(1, content="Ein ganz anderer Text, den noch niemand gelesen hat.")
    changed = html.unescape((await browser.get("/jobs/1/prompt")).text)

    assert "Kundennummer" in sent
    assert "Kundennummer" in same
    assert same.count("same as for the result") == 2
    assert "Ein ganz anderer Text" in changed
    assert changed.count("changed since the result") == 1


async def test_the_question_is_shown_in_the_form_in_which_it_was_sent(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    sandbox.model.behave(Behaviour(modes=frozenset()))
    await process(services)

    page = html.unescape((await browser.get("/jobs/1/prompt")).text)

    assert "The answer has this JSON schema" in page


async def test_who_may_only_read_is_not_shown_whole_documents(
    browser: httpx.AsyncClient, services_rig: DashboardRig, services: Services
) -> None:
    await process(services)
    services_rig.authenticator.person = READER

    page = await browser.get("/jobs/1")
    prompt = await browser.get("/jobs/1/prompt")

    assert "/jobs/1/answers" in page.text
    assert "/jobs/1/prompt" not in page.text
    assert prompt.status_code == 403


async def test_a_stranger_finds_nothing(
    browser: httpx.AsyncClient, services_rig: DashboardRig, services: Services
) -> None:
    await process(services)
    services_rig.authenticator.person = STRANGER

    for path in ("/jobs/1/prompt", "/jobs/1/answers"):
        assert (await browser.get(path)).status_code == 404


async def test_the_text_of_an_excluded_document_is_not_shown_either(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(EXCLUDED)
    async with installation.open() as services, open_browser(build_rig(services)) as browser:
        await process(services)
        before = texts_sent(sandbox)
        sandbox.world.edit(1, tags=["Inbox", "Privat"])

        page = await browser.get("/jobs/1/prompt")

    assert "it has an excluded tag" in page.text
    assert texts_sent(sandbox) == before


async def test_an_outage_of_paperless_is_reported(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    await process(services)
    down = Fault(path="/api/documents/1/", times=None, effect=Answer(status=503, body="no"))
    sandbox.paperless.faults.add(down)

    page = await browser.get("/jobs/1/prompt")

    assert page.status_code == 200
    assert 'role="alert"' in page.text

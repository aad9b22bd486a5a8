"""History: what was written, what was rejected, taking much of it back, and a table of it."""

import csv
import io
import re
from datetime import UTC, datetime

import httpx
import pytest

from core.access import Permission
from core.changes import Change, ChangeState, Plan
from core.fields import FieldName
from core.jobs import UNDO, JobStatus
from daemon.services import Services
from dashboard.auth import Person
from dashboard.pages.history import whole_runs
from processor.apply import ADDED_BY_PAPERLESS
from sandbox import Sandbox
from store import JobFilter
from tests.dashboard.api_client import STRANGER
from tests.dashboard.conftest import DashboardRig
from tests.dashboard.pages.test_review import form_of
from tests.installation import Installation, drain, fields_of, home, process, scan, snapshot
from tests.store.builders import a_planned_change, enqueue_and_claim

HOSTILE = '=HYPERLINK("http://evil")'

UNDO_BUTTON = (
    '<button class="primary"><svg class="icon" aria-hidden="true" focusable="false">'
    '<use href="#i-undo"'
)


async def accept(
    browser: httpx.AsyncClient, services: Services, title: str = "Strom", *, letter: int = 1
) -> None:
    """Have all of one letter written."""
    await process(services, letter)
    page = f"/review/home/{letter}"
    form = form_of((await browser.get(page)).text)
    await browser.post(f"{page}/accept", data={**form, "value:title": [title]})
    await drain(services)


def rows_of(answer: httpx.Response) -> list[dict[str, str]]:
    text = answer.content.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


async def test_the_history_is_given_as_a_table_that_runs_nothing(
    browser: httpx.AsyncClient, services: Services
) -> None:
    await accept(browser, services, HOSTILE)

    answer = await browser.get("/history.csv")

    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert "attachment" in answer.headers["content-disposition"]
    rows = {row["field"]: row for row in rows_of(answer)}
    assert rows["title"]["after"] == f"'{HOSTILE}"
    assert (rows["title"]["document"], rows["title"]["state"]) == ("home/1", "applied")
    assert rows["date"]["after"] == "2026-08-31"


async def test_the_table_has_what_the_page_was_asked_for(
    browser: httpx.AsyncClient, services_rig: DashboardRig, services: Services
) -> None:
    await accept(browser, services)

    earlier = await browser.get("/history.csv?until=2020-01-01")
    rejected = await browser.get("/history.csv?kept=rejected")
    services_rig.authenticator.person = STRANGER
    unseen = await browser.get("/history.csv")

    assert [rows_of(answer) for answer in (earlier, rejected, unseen)] == [[], [], []]


@pytest.mark.parametrize("since", ["9999-12-31", "0001-01-01", "yesterday"])
async def test_a_day_that_there_is_not_is_any_day(
    browser: httpx.AsyncClient, services: Services, since: str
) -> None:
    await accept(browser, services)

    answer = await browser.get(f"/history?since={since}&until={since}")

    assert "Strom" in answer.text


async def test_what_was_rejected_is_shown_with_its_reason(
    browser: httpx.AsyncClient, services: Services
) -> None:
    await process(services)
    await browser.post("/review/home/1/reject", data={"why": "belongs to Anna"})

    written = (await browser.get("/history")).text
    rejected = (await browser.get("/history?kept=rejected")).text

    assert "Nothing has been written yet." in written
    assert "Reason: belongs to Anna" in rejected


async def test_what_a_model_suggested_is_undone_after_a_preview(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    before = snapshot(sandbox)
    await accept(browser, services)
    which = (await browser.get("/undo")).text
    [prompt] = re.findall(r'<option value="([0-9a-f]{12})">', which)

    preview = (await browser.get(f"/undo?model=sandbox-model&prompt={prompt}")).text
    assert fields_of(sandbox)["title"] == "Strom"
    hidden = dict(re.findall(r'name="(model|prompt|since)" value="([^"]+)"', preview))
    await browser.post("/undo", data=hidden)
    await drain(services)

    assert hidden == {"model": "sandbox-model", "prompt": prompt}
    assert "Undo" in preview
    assert snapshot(sandbox) == before


async def test_an_undo_of_several_says_how_many_were_in_the_queue_already(
    browser: httpx.AsyncClient, services: Services
) -> None:
    for letter in (1, 2):
        await accept(browser, services, letter=letter)
    await browser.post("/undo", data={"document": "home/1"})

    await browser.post("/undo", data={"model": "sandbox-model"})

    page = (await browser.get("/history")).text
    assert "Undo started. 1 document was already queued for it." in page
    queued = await services.store.jobs.list(JobFilter(kind=UNDO))
    assert {job.document for job in queued} == {home(1), home(2)}


async def test_another_model_or_instance_is_left_alone(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    await accept(browser, services)

    for wanted in ("model=another", "model=sandbox-model&instance=attic"):
        assert (await browser.get(f"/undo?{wanted}")).status_code == 409
    await browser.post("/undo", data={"model": "sandbox-model", "instance": "attic"})
    await browser.post("/undo", data={"instance": "home"})
    await drain(services)

    assert fields_of(sandbox)["title"] == "Strom"


async def test_the_models_of_other_instances_are_not_shown(
    browser: httpx.AsyncClient, services_rig: DashboardRig, services: Services
) -> None:
    await process(services)
    services_rig.authenticator.person = Person("stranger", Permission.ADMIN, frozenset({"attic"}))

    assert "sandbox-model" not in (await browser.get("/undo")).text


async def test_what_someone_changed_since_is_not_offered_to_be_undone(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    await accept(browser, services)
    sandbox.world.edit(1, title="By a person")
    [title] = [
        line for line in rows_of(await browser.get("/history.csv")) if line["field"] == "title"
    ]

    alone = (await browser.get(f"/undo?change={title['change']}")).text
    all_of_it = (await browser.get("/undo?document=home/1")).text

    assert "Nothing to undo" in alone
    assert UNDO_BUTTON not in alone
    assert UNDO_BUTTON in all_of_it


async def test_a_tag_that_one_beneath_it_needs_is_kept_and_says_so(
    browser: httpx.AsyncClient, services: Services
) -> None:
    await accept(browser, services)
    written = await services.store.changes.list_for_document(home(1))
    [parent] = [change for change in written if ADDED_BY_PAPERLESS in change.reasons]

    shown = (await browser.get(f"/undo?change={parent.id}")).text

    assert "required by a child tag" in shown
    assert UNDO_BUTTON not in shown


async def title_of_1(services: Services) -> Change:
    [title] = [
        change
        for change in await services.store.changes.list_for_document(home(1))
        if change.field is FieldName.TITLE and change.state is not ChangeState.REJECTED
    ]
    return title


def _text(markup: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", "", markup).split())


async def test_an_undo_stands_beside_when_and_by_whom_a_value_was_written(
    browser: httpx.AsyncClient,
    services_rig: DashboardRig,
    services: Services,
    installation: Installation,
) -> None:
    await accept(browser, services)
    written_at = installation.clock()
    installation.clock.advance(hours=3)
    title = await title_of_1(services)
    services_rig.authenticator.person = Person("anna", Permission.ADMIN)
    await browser.post("/undo", data={"change": str(title.id)})
    await drain(services)

    pages = [(await browser.get(path)).text for path in ("/history", "/documents/home/1")]
    change = (await browser.get(f"/api/v1/changes/{title.id}")).json()
    [row] = [
        line for line in rows_of(await browser.get("/history.csv")) if line["field"] == "title"
    ]

    clock = [
        moment.astimezone(services.context.zone) for moment in (written_at, installation.clock())
    ]
    said = [f"{moment:%H:%M}" for moment in clock]
    for page in pages:
        assert f"written: {said[0]} · by admin" in _text(page)
        assert f"undone: {said[1]} · by anna" in _text(page)
    assert (change["state"], change["decided_by"], change["undone_by"]) == (
        "undone",
        "admin",
        "anna",
    )
    assert change["settled_at"] < change["undone_at"]
    assert (row["by"], row["undone by"]) == ("admin", "anna")
    assert [row["when"], row["undone"]] == [time.isoformat(timespec="seconds") for time in clock]


async def test_the_overview_shows_an_undo_as_the_last_change(
    browser: httpx.AsyncClient, services: Services, installation: Installation
) -> None:
    for letter in (1, 2):
        await accept(browser, services, f"Letter {letter}", letter=letter)
        installation.clock.advance(minutes=5)
    title = await title_of_1(services)
    await browser.post("/undo", data={"change": str(title.id)})
    await drain(services)

    page = (await browser.get("/")).text

    [listed] = re.findall(r'<h2 id="changes">(.*?)</section>', page, re.DOTALL)
    first = _text(listed.split("<li>")[1])
    assert first.startswith("scan_0031 home/1")
    assert "1 undone 5 written title," in first
    document = (await browser.get("/api/v1/documents/home/1")).json()
    assert datetime.fromisoformat(document["last_change_at"]) == installation.clock()


async def test_an_unconfirmed_change_is_shown_and_can_be_undone(
    browser: httpx.AsyncClient, services: Services, installation: Installation
) -> None:
    job = await enqueue_and_claim(services.store, installation.clock, home(1))
    title = a_planned_change(FieldName.TITLE, after="Strom")
    [change] = await services.store.changes.record_plan(
        job, Plan(now=(title,)), made_from="plan", now=installation.clock()
    )
    await services.store.changes.begin(job, [change], now=installation.clock())
    await services.store.jobs.end_gone(job, now=installation.clock())

    page = (await browser.get("/history")).text
    german = (await browser.get("/history", headers={"accept-language": "de"})).text
    preview = await browser.get(f"/undo?change={change.id}")
    undone = await browser.post("/undo", data={"change": str(change.id)})

    assert 'class="badge unconfirmed">unconfirmed<' in page
    assert 'class="badge unconfirmed">unbestätigt<' in german
    assert f'href="/undo?change={change.id}"' in page
    assert preview.status_code == 200
    assert undone.headers["location"] == "/history"
    [queued] = await services.store.jobs.list(JobFilter(status=JobStatus.PENDING))
    assert queued.kind == UNDO


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "changed since: Mine · detected"), ("de", "seither geändert: Mine · festgestellt")],
)
async def test_what_someone_changed_since_is_said_in_history_and_on_the_document(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox, language: str, said: str
) -> None:
    await accept(browser, services)
    await scan(services)
    sandbox.world.edit(1, title="Mine")
    await scan(services)

    browser.headers["accept-language"] = language
    pages = [(await browser.get(path)).text for path in ("/history", "/documents/home/1")]
    title = await title_of_1(services)
    change = (await browser.get(f"/api/v1/changes/{title.id}")).json()
    [row] = [
        line for line in rows_of(await browser.get("/history.csv")) if line["field"] == "title"
    ]

    for page in pages:
        assert said in _text(page)
        assert 'class="badge changed"' in page
    assert (change["state"], change["changed_to"]["text"]) == ("applied", "Mine")
    assert change["changed_seen_at"]
    assert (row["changed to"], bool(row["changed since"])) == ("Mine", True)


def runs_on(page: str) -> list[str]:
    """Return each run of the history, as text."""
    parts = page.split('<ul class="rows history">')[1].split('<li><div class="head">')[1:]
    return [" ".join(_text(part).split()) for part in parts]


async def test_the_history_is_grouped_by_document_and_run(
    browser: httpx.AsyncClient, services: Services, installation: Installation
) -> None:
    for letter in (1, 2):
        await accept(browser, services, f"Letter {letter}", letter=letter)
        installation.clock.advance(minutes=5)

    second, first = runs_on((await browser.get("/history")).text)

    assert second.startswith("Letter 2 home/2")
    assert "by admin" in second
    assert "Letter 1" in first
    # The parent of one of its tags came along automatically.
    assert "by admin, Paperclerk" in first
    assert "title" in first


# The parent of a tag of the first letter came along automatically.
FILTERS = {
    "q=Letter 2": ["home/2"],
    "field=title": ["home/2", "home/1"],
    "field=storage_path": [],
    "by=person": ["home/2", "home/1"],
    "by=rule": ["home/1"],
    "state=undone": ["home/1"],
    "state=changed": [],
    "state=nonsense": ["home/2", "home/1"],
}


@pytest.mark.parametrize("query", FILTERS)
async def test_the_history_is_filtered_by_document_field_decision_and_state(
    browser: httpx.AsyncClient, services: Services, installation: Installation, query: str
) -> None:
    for letter in (1, 2):
        await accept(browser, services, f"Letter {letter}", letter=letter)
        installation.clock.advance(minutes=5)
    title = await title_of_1(services)
    await browser.post("/undo", data={"change": str(title.id)})
    await drain(services)

    page = (await browser.get(f"/history?{query}")).text
    table = rows_of(await browser.get(f"/history.csv?{query}"))

    listed = re.findall(r"home/\d", "".join(runs_on(page))) if "rows history" in page else []
    assert list(dict.fromkeys(listed)) == FILTERS[query]
    assert list(dict.fromkeys(row["document"] for row in table)) == FILTERS[query]


async def test_a_run_is_undone_from_its_row(
    browser: httpx.AsyncClient, services: Services, sandbox: Sandbox
) -> None:
    before = fields_of(sandbox, 1)
    await accept(browser, services, "Letter 1")
    page = (await browser.get("/history")).text
    [job] = set(re.findall(r'href="/undo\?job=(\d+)"', page))

    preview = (await browser.get(f"/undo?job={job}")).text
    await browser.post("/undo", data={"job": job})
    await drain(services)

    assert "Letter 1" in preview
    assert fields_of(sandbox, 1) == before


def a_change(job_id: int, number: int) -> Change:
    when = datetime(2026, 11, 17, tzinfo=UTC)
    return Change(
        *(number, home(job_id), job_id, FieldName.TITLE, "a", "b", ChangeState.APPLIED),
        *("", 1.0, (), None, "rule", when, when),
    )


def test_a_page_ends_between_two_runs_unless_one_is_longer() -> None:
    changes = [a_change(job, 10 * job + number) for job in (1, 2, 3) for number in range(3)]

    assert [change.job_id for change in whole_runs(changes, 5)] == [1, 1, 1]
    assert [change.job_id for change in whole_runs(changes, 6)] == [1, 1, 1, 2, 2, 2]
    assert [change.job_id for change in whole_runs(changes, 2)] == [1, 1]
    assert len(whole_runs(changes, 9)) == 9

"""`scan-now --estimate`: what a scan would take; nothing is queued, written or sent."""

import asyncio
import re
import sqlite3
from decimal import Decimal

import pytest

from sandbox import Sandbox
from sandbox.paperless import World, load_world
from store.engine import FILE_NAME
from tests.daemon.conftest import Paperclerk
from tests.daemon.processes import a_daemon
from tests.installation import Installation, process, scan, writes

PRICES = "[limits]\nprice_in = 0.5\nprice_out = 2\ncost_per_month = 5\ndocuments_per_day = 2\n"


def as_object(said: object) -> dict[str, object]:
    assert isinstance(said, dict)
    return said


def everything_stored(installation: Installation) -> list[str]:
    with sqlite3.connect(installation.data / FILE_NAME) as database:
        return list(database.iterdump())


def texts_asked_for(sandbox: Sandbox) -> list[dict[str, str]]:
    """Return the filters of every list that was asked for with texts."""
    queries = [dict(request.query) for request in sandbox.paperless.requests]
    return [query for query in queries if "content" in query.get("fields", "").split(",")]


async def work_ahead(installation: Installation, *ids: int) -> None:
    async with installation.open() as services:
        for id_ in ids:
            await process(services, id_)


async def queue_up(installation: Installation) -> None:
    async with installation.open() as services:
        await scan(services)


def test_an_estimate_tells_tokens_cost_days_and_limits(
    installation: Installation, sandbox: Sandbox, paperclerk: Paperclerk
) -> None:
    installation.configure(PRICES)

    said = paperclerk("scan-now", "--estimate")

    assert said.code == 0
    assert "home: 3 documents, about 3 pages\n" in said.out
    words = (
        r"about \d+ k input and 1 k output tokens, .* 0\.0\d EUR \(sandbox-model, your prices\)\n"
    )
    assert re.search(words, said.out)
    assert "estimated from the texts of 3 of 3\n" in said.out
    assert "your limit is 5.00 EUR a month, 0.00 used\n" in said.out
    assert "your limit is 2 documents a day: 2 days\n" in said.out
    assert said.out.endswith("Nothing has been sent.\n")


def test_an_estimate_leaves_no_trace(
    installation: Installation, sandbox: Sandbox, paperclerk: Paperclerk
) -> None:
    before = everything_stored(installation)

    paperclerk("scan-now", "--estimate")
    paperclerk("scan-now", "--estimate", "--json")

    assert everything_stored(installation) == before
    assert list(sandbox.model.state.log) == []
    assert writes(sandbox) == []


def test_json_has_every_number(installation: Installation, paperclerk: Paperclerk) -> None:
    installation.configure(PRICES)

    answer = as_object(paperclerk("scan-now", "home", "--estimate", "--json").json())

    counted = {key: answer[key] for key in ("documents", "new", "queued", "asked", "sampled")}
    assert counted == {"documents": 3, "new": 3, "queued": 0, "asked": 3, "sampled": 3}
    assert (answer["tokens_out"], answer["seconds"], answer["days"]) == (1200, None, 2)
    tokens_in = int(str(answer["tokens_in"]))
    assert Decimal(str(answer["cost"])) == (tokens_in * Decimal("0.5") + 2400) / 1_000_000


def test_what_was_done_before_tells_how_long_it_takes(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    installation.clock.advance(days=-60)
    asyncio.run(work_ahead(installation, 1, 2))

    answer = as_object(paperclerk("scan-now", "--estimate", "--json").json())

    assert (answer["documents"], answer["skipped"]) == (1, {"done": 2})
    assert answer["seconds"] is not None
    assert 0 < int(str(answer["tokens_out"])) < 400


def test_the_estimate_comes_near_to_what_is_sent(
    installation: Installation, sandbox: Sandbox, paperclerk: Paperclerk
) -> None:
    answer = as_object(paperclerk("scan-now", "--estimate", "--json").json())
    paperclerk("scan-now")
    spent = paperclerk("costs", "--json").json()

    assert isinstance(spent, list)
    real = spent[0]["total"]["tokens_in"]
    # Rather too many than too few, and not by much.
    assert real <= int(str(answer["tokens_in"])) < real * 1.4


def test_a_limit_is_kept(installation: Installation, paperclerk: Paperclerk) -> None:
    answer = as_object(paperclerk("scan-now", "--estimate", "--limit", "2", "--json").json())

    assert (answer["documents"], answer["skipped"]) == (2, {"over_limit": 1})


def test_what_waits_in_the_queue_is_still_to_be_paid_for(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    asyncio.run(queue_up(installation))

    said = paperclerk("scan-now", "--estimate")
    rehearsed = paperclerk("scan-now", "--estimate", "--dry-run")

    assert "home: 3 documents, 3 of them in the queue, about 3 pages\n" in said.out
    # A dry run leaves alone what waits.
    assert "home: nothing to analyse (3 in the queue)\n" in rehearsed.out


def test_the_text_of_an_excluded_document_is_never_asked_for(
    installation: Installation, sandbox: Sandbox, paperclerk: Paperclerk
) -> None:
    installation.configure('[scan]\nexclude_tags = ["Privat"]\n')
    asyncio.run(queue_up(installation))
    sandbox.world.edit(1, tags=["Privat"])
    sandbox.paperless.requests.clear()

    answer = as_object(paperclerk("scan-now", "--estimate", "--json").json())

    [query] = texts_asked_for(sandbox)
    private = next(tag.id for tag in sandbox.world.tags.values() if tag.name == "Privat")
    assert query["tags__id__none"] == str(private)
    assert (answer["queued"], answer["sampled"]) == (3, 2)


def test_beside_a_daemon_it_is_the_same(
    installation: Installation, sandbox: Sandbox, paperclerk: Paperclerk
) -> None:
    alone = paperclerk("scan-now", "--estimate").out

    with a_daemon(installation) as daemon:
        daemon.wait_for("event=started")
        beside = paperclerk("scan-now", "--estimate")

    assert (beside.code, beside.out) == (0, alone)


def test_one_instances_trouble_leaves_the_others_alone(
    installation: Installation, sandbox: Sandbox, paperclerk: Paperclerk
) -> None:
    other = sandbox.settings().replace(sandbox.token, "0" * 40)
    (installation.config / "attic.toml").write_text(other)

    said = paperclerk("scan-now", "--estimate")

    assert said.code == 4
    assert "attic: the token for Paperless was rejected" in said.err
    assert "home: 3 documents, about 3 pages\n" in said.out


class TestManyDocuments:
    """The whole sample archive: some texts cannot be read, and some documents are private."""

    @pytest.fixture
    def world(self) -> World:
        world = load_world()
        for id_ in (1, 2, 3):
            world.documents[id_].content = ""
        return world

    def test_texts_are_sampled_and_a_small_start_is_offered(
        self, installation: Installation, sandbox: Sandbox, paperclerk: Paperclerk
    ) -> None:
        said = paperclerk("scan-now", "--estimate")

        assert "home: 40 documents, about 40 pages\n" in said.out
        assert "estimated from the texts of 40 of 40; about" in said.out
        assert "have no text and need no model\n" in said.out
        assert "    Start with 20:  paperclerk scan-now home --limit 20\n" in said.out
        assert len(texts_asked_for(sandbox)) == 4


CONSENT = "[limits]\nprice_in = 500\nprice_out = 500\nconsent_above = 0.01\n"


def test_a_costly_scan_is_not_started_without_consent(
    installation: Installation, sandbox: Sandbox, paperclerk: Paperclerk
) -> None:
    installation.configure(CONSENT)

    refused = paperclerk("scan-now")

    assert refused.code == 2
    assert re.search(r"home: 3 documents, about \d+\.\d\d EUR\. Start\?", refused.err)
    assert "Add --yes to start" in refused.err
    assert list(sandbox.model.state.log) == []


def test_yes_starts_a_costly_scan_and_is_kept_with_it(
    installation: Installation, paperclerk: Paperclerk
) -> None:
    installation.configure(CONSENT)

    started = paperclerk("scan-now", "--yes", "--limit", "1")

    assert started.code == 0, started.err
    with sqlite3.connect(installation.data / FILE_NAME) as database:
        [[by, cost]] = database.execute("SELECT consented_by, consented_cost FROM scans")
    assert by == "hand"
    assert Decimal(cost) > 0


@pytest.mark.parametrize(
    ("counts", "pages"),
    [((2, 4, None), 9), ((None, None, None), None)],
    ids=["one is not known", "none is known"],
)
def test_pages_are_estimated_from_the_documents_that_have_some(
    sandbox: Sandbox,
    paperclerk: Paperclerk,
    counts: tuple[int | None, ...],
    pages: int | None,
) -> None:
    for id_, count in enumerate(counts, start=1):
        sandbox.world.documents[id_].page_count = count

    answer = as_object(paperclerk("scan-now", "--estimate", "--json").json())

    assert answer["pages"] == pages

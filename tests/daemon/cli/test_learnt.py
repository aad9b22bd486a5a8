"""`learnt list`, `learnt delete` and `learnt restore`, as they are typed."""

import asyncio

import pytest

from core.learning import Fact, FactCount, FactKind
from tests.daemon.conftest import Paperclerk
from tests.installation import HOME, Installation

ID = "date_order:0:day_first"


@pytest.fixture
def learnt(installation: Installation) -> None:
    """The order of day and month was learnt from the archive."""

    async def record() -> None:
        async with installation.open() as services:
            count = FactCount(Fact(FactKind.DATE_ORDER, "day_first"), None, 30, 31)
            await services.store.learnt.replace_counts(
                HOME, {FactKind.DATE_ORDER}, [count], now=services.context.clock()
            )

    asyncio.run(record())


@pytest.mark.usefixtures("learnt")
def test_what_was_learnt_is_listed_deleted_and_restored(paperclerk: Paperclerk) -> None:
    listed = paperclerk("learnt", "list").out
    assert "day before month" in listed
    assert "30 of 31 documents" in listed

    assert paperclerk("learnt", "delete", ID).code == 0
    assert "deleted" in paperclerk("learnt", "list").out

    assert paperclerk("learnt", "restore", ID, "--instance", HOME).code == 0
    entries = paperclerk("learnt", "list", "--json").json()
    assert isinstance(entries, list)
    assert [(entry["id"], entry["fact"]["is_deleted"]) for entry in entries] == [(ID, False)]


def test_without_anything_learnt_that_is_reported(paperclerk: Paperclerk) -> None:
    assert "nothing learnt yet" in paperclerk("learnt", "list").out


def test_an_unknown_id_is_refused(paperclerk: Paperclerk) -> None:
    assert paperclerk("learnt", "delete", "iban").code == 2

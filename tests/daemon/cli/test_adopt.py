"""`adopt`, as it is typed, and the done tag as memory of a lost database."""

from pathlib import Path

import pytest

from sandbox import Sandbox
from sandbox.paperless import Kind, World
from tests.daemon.conftest import Paperclerk
from tests.installation import Installation, writes

DONE, TRIGGER, AI = "clerk-done", "clerk-again", "ai-processed"
RULES = f'[scan]\nmin_age = "0s"\ndone_tag = "{DONE}"\nremove_tags = ["{TRIGGER}"]\n'


@pytest.fixture
def world(world: World) -> World:
    for name in (DONE, TRIGGER, AI):
        world.add_name(Kind.TAG, name)
    return world


@pytest.fixture(autouse=True)
def configured(installation: Installation) -> None:
    installation.configure(RULES, all_fields="fill")


@pytest.fixture
def ids(tmp_path: Path) -> str:
    file = tmp_path / "ids.txt"
    file.write_text("1\n2, 99\n", "utf-8")
    return str(file)


def tag(sandbox: Sandbox, name: str, *documents: int) -> None:
    with sandbox.world.lock:
        number = sandbox.world.find(Kind.TAG, name).id
        for id_ in documents:
            sandbox.world.documents[id_].tags.add(number)


def enqueued(paperclerk: Paperclerk) -> int:
    summary = paperclerk("scan-now", "home", "--limit", "100", "--json").json()
    assert isinstance(summary, dict)
    return int(summary["enqueued"])


def reason(paperclerk: Paperclerk, document: str) -> object:
    explanation = paperclerk("explain", document, "--json").json()
    assert isinstance(explanation, dict)
    return explanation["reason"]


def test_a_lost_database_does_not_pay_for_documents_with_the_done_tag_again(
    installation: Installation, paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    assert enqueued(paperclerk) == 3
    paid = len(sandbox.model.state.chats())
    done = sandbox.world.find(Kind.TAG, DONE).id
    tagged = {id_ for id_, document in sandbox.world.documents.items() if done in document.tags}
    installation.remove_database()

    again = enqueued(paperclerk)

    assert tagged
    assert again == 3 - len(tagged)
    assert len(sandbox.model.state.chats()) - paid == again
    assert {reason(paperclerk, f"home/{id_}") for id_ in tagged} == {"done_tag"}


def test_explain_names_the_done_tag_and_a_trigger_tag_or_process_wins_over_it(
    paperclerk: Paperclerk, sandbox: Sandbox
) -> None:
    tag(sandbox, DONE, 1, 2, 3)
    tag(sandbox, TRIGGER, 2)

    explained = paperclerk("explain", "home/1")
    assert "it has the tag scan.done_tag, so it has already been processed" in explained.out
    assert enqueued(paperclerk) == 1
    assert paperclerk("process", "home/1").code == 0
    assert (reason(paperclerk, "home/1"), reason(paperclerk, "home/2")) == ("done", "done")


def test_a_preview_lists_what_would_be_adopted_and_adopts_nothing(
    paperclerk: Paperclerk, sandbox: Sandbox, ids: str
) -> None:
    tag(sandbox, TRIGGER, 2)

    preview = paperclerk("adopt", "home", "--ids", ids, "--preview")
    refused = paperclerk("adopt", "home", "--ids", ids)

    assert preview.code == 0
    assert preview.out.splitlines() == [
        "home: 1 document to adopt",
        "    1 with a tag of scan.remove_tags: will be processed",
        "    1 not in Paperless: 99",
    ]
    assert (refused.code, "Add --yes" in refused.err) == (2, True)
    assert reason(paperclerk, "home/1") is None


def test_adopted_documents_are_skipped_until_that_is_undone_and_paperless_is_not_written(
    paperclerk: Paperclerk, sandbox: Sandbox, ids: str
) -> None:
    adopted = paperclerk("adopt", "home", "--ids", ids, "--yes")
    scanned = enqueued(paperclerk), reason(paperclerk, "home/1")
    written = len(writes(sandbox))
    preview = paperclerk("adopt", "home", "--undo", "--preview")
    kept = reason(paperclerk, "home/1")
    undone = paperclerk("adopt", "home", "--undo", "--yes")

    assert "2 documents adopted" in adopted.out
    assert scanned == (1, "adopted")
    assert "2 adopted documents would be selected by scans again" in preview.out
    assert kept == "adopted"
    assert "2 documents no longer adopted" in undone.out
    assert len(writes(sandbox)) == written
    assert enqueued(paperclerk) == 2


def test_documents_are_adopted_by_a_tag_and_let_go_by_ids(
    paperclerk: Paperclerk, sandbox: Sandbox, ids: str
) -> None:
    tag(sandbox, AI, 1, 3)

    assert "2 documents adopted" in paperclerk("adopt", "home", "--tag", AI, "--yes").out
    assert "    2 already adopted" in paperclerk("adopt", "home", "--tag", AI, "--yes").out
    assert "1 document no longer" in paperclerk("adopt", "home", "--undo", "--ids", ids, "-y").out
    assert (reason(paperclerk, "home/1"), reason(paperclerk, "home/3")) == (None, "adopted")
    assert "1 document no longer" in paperclerk("adopt", "home", "--undo", "--tag", AI, "-y").out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "name the documents with --tag TAG or --ids FILE"),
        (("--tag", "a", "--ids", "b"), "--tag and --ids cannot be combined"),
        (("--tag", "No such tag"), "no such tag in Paperless: No such tag"),
        (("--ids", "/no/such/file"), "cannot read /no/such/file"),
    ],
)
def test_what_cannot_be_adopted_is_refused_with_the_reason(
    paperclerk: Paperclerk, words: tuple[str, ...], says: str
) -> None:
    refused = paperclerk("adopt", "home", *words)

    assert refused.code == 2
    assert says in refused.err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1\ndocument_id\n", ':2: "document_id" is not'),
        ("0", ':1: "0"'),
        (" \n", "contains no ids"),
    ],
)
def test_a_file_of_anything_but_ids_is_refused_with_its_line(
    paperclerk: Paperclerk, tmp_path: Path, text: str, says: str
) -> None:
    file = tmp_path / "wrong.txt"
    file.write_text(text, "utf-8")

    refused = paperclerk("adopt", "home", "--ids", str(file), "--yes")

    assert refused.code == 2
    assert says in refused.err

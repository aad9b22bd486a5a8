"""Names of documents."""

import pytest

from core.documents import DocumentRef, DocumentState


@pytest.mark.parametrize(
    ("text", "ref"),
    [
        ("home/7", DocumentRef("home", 7)),
        ("my-office_2/2713", DocumentRef("my-office_2", 2713)),
        ("1/1", DocumentRef("1", 1)),
    ],
)
def test_the_name_of_a_document_is_read_and_written_alike(text: str, ref: DocumentRef) -> None:
    assert DocumentRef.parse(text) == ref
    assert str(ref) == text


def test_space_around_a_name_does_no_harm() -> None:
    assert DocumentRef.parse(" home/7\n") == DocumentRef("home", 7)


@pytest.mark.parametrize(
    "text",
    [
        *["", "7", "home", "home/", "/7", "home/0", "home/07", "home/-7", "home/x", "home/٧"],
        *["Home/7", "_home/7", "home 2/7", "home/7 8", "a/b/7", "home/" + "9" * 16],
    ],
)
def test_anything_else_names_no_document(text: str) -> None:
    with pytest.raises(ValueError, match="does not name a document: write NAME/ID, as in home/7"):
        DocumentRef.parse(text)


def test_documents_sort_by_instance_and_number() -> None:
    refs = [DocumentRef("b", 1), DocumentRef("a", 10), DocumentRef("a", 9)]

    assert [str(ref) for ref in sorted(refs)] == ["a/9", "a/10", "b/1"]


def test_a_state_is_the_word_that_is_stored() -> None:
    assert {str(state) for state in DocumentState} == {
        "queued",
        "done",
        "failed",
        "cancelled",
        "ignored",
        "gone",
        "read_only",
        "adopted",
    }

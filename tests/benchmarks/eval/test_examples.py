"""Examples from the archive index help at least as much as those from Paperless's search."""

from benchmarks.eval.examples import compare


async def test_the_index_finds_examples_that_are_at_least_as_good() -> None:
    by_index, by_paperless = await compare()

    assert by_index.correspondent >= by_paperless.correspondent > 0
    assert by_index.document_type >= by_paperless.document_type > 0
    assert by_index.tags >= by_paperless.tags > 0

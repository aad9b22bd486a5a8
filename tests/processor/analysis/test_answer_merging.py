"""One answer from many."""

from core.analysis import Chunk
from core.changes import Suggestion
from core.fields import CustomField, FieldName
from processor.analysis.long_documents import ChunkResult, merge_suggestions

TITLE, SENDER, DATE, TAGS = (
    FieldName.TITLE,
    FieldName.CORRESPONDENT,
    FieldName.DATE,
    FieldName.TAGS,
)
MANY = 30


def said(
    field: FieldName, value: str, confidence: float = 0.9, *, evidence: str | None = None
) -> Suggestion:
    return Suggestion(field, value, value if evidence is None else evidence, confidence)


def a_pass(number: int, *suggestions: Suggestion, text: str | None = None) -> ChunkResult:
    shown = " ".join(suggestion.evidence for suggestion in suggestions) if text is None else text
    return ChunkResult(Chunk(number, MANY), suggestions, shown)


def values(*found: ChunkResult, max_tags: int = 5) -> dict[FieldName, list[str]]:
    merged: dict[FieldName, list[str]] = {}
    for suggestion in merge_suggestions(found, max_tags=max_tags):
        assert isinstance(suggestion.field, FieldName)
        merged.setdefault(suggestion.field, []).append(suggestion.value)
    return merged


def test_nothing_found_is_nothing() -> None:
    assert merge_suggestions([a_pass(1), a_pass(2)], max_tags=5) == ()


def test_what_one_pass_alone_has_found_is_found() -> None:
    date = said(DATE, "2026-10-31", 0.6)

    assert merge_suggestions([a_pass(1), a_pass(15, date), a_pass(16)], max_tags=5) == (date,)


def test_the_beginning_counts_more() -> None:
    first, later = said(TITLE, "Handbuch", 0.8), said(TITLE, "Anhang", 0.9)

    assert values(a_pass(1, first), a_pass(2, later)) == {TITLE: ["Handbuch"]}
    assert values(a_pass(2, first), a_pass(3, later)) == {TITLE: ["Anhang"]}


def test_a_sure_word_later_on_counts_more_than_a_guess_at_the_beginning() -> None:
    guess, sure = said(SENDER, "Post", 0.5), said(SENDER, "Stadtwerke", 0.95)

    assert values(a_pass(1, guess), a_pass(20, sure)) == {SENDER: ["Stadtwerke"]}


def test_a_value_without_its_quote_counts_little() -> None:
    invented = said(SENDER, "Invented", 1.0, evidence="never written")
    bare = said(SENDER, "Bare", 1.0, evidence="")
    quoted = said(SENDER, "Stadtwerke", 0.5)

    found = [a_pass(1, invented, text="x"), a_pass(2, bare, text="x"), a_pass(3, quoted)]

    assert values(*found) == {SENDER: ["Stadtwerke"]}


def test_what_several_passes_say_counts_more_however_it_is_spelt() -> None:
    once = a_pass(2, said(SENDER, "Post", 0.82))
    again = [
        a_pass(number, said(SENDER, name, 0.8))
        for number, name in enumerate(("Stadtwerke", "STADTWERKE", "Stadtwerke GmbH"), start=3)
    ]

    [best] = merge_suggestions([once, *again], max_tags=5)

    assert (best.value, best.confidence) == ("Stadtwerke", 0.8)


def test_a_footer_on_every_page_does_not_outdo_the_one_page_with_the_fact() -> None:
    footer = [a_pass(number, said(DATE, "2020-01-01", 0.6)) for number in range(1, MANY)]

    assert values(*footer, a_pass(15, said(DATE, "2026-10-31", 0.96))) == {DATE: ["2026-10-31"]}


def test_tags_are_united_and_the_best_are_kept() -> None:
    strom = [a_pass(number, said(TAGS, "Strom", 0.6)) for number in range(1, 10)]
    others = a_pass(11, *(said(TAGS, name, 0.7) for name in ("Gas", "Haus", "Auto")))

    assert values(*strom, others, max_tags=3) == {TAGS: ["Strom", "Gas", "Haus"]}


def test_of_two_that_are_equal_the_earlier_is_taken() -> None:
    first, other = said(TITLE, "Erstens"), said(TITLE, "Zweitens")

    assert values(a_pass(4, first), a_pass(5, other)) == {TITLE: ["Erstens"]}


def test_fields_come_in_their_usual_order_custom_ones_last() -> None:
    number = Suggestion(CustomField(3, "Number"), "R-7", "R-7", 1.0)
    found = a_pass(
        1, number, said(DATE, "2026-10-31"), said(TAGS, "Strom"), said(TITLE, "Strom", 0.5)
    )

    fields = [suggestion.field for suggestion in merge_suggestions([found], max_tags=5)]

    assert fields == [TITLE, TAGS, DATE, CustomField(3, "Number")]

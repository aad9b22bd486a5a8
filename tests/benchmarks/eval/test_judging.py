from datetime import date

import pytest

from benchmarks.eval.judging import (
    Filed,
    Mark,
    is_right,
    judge_field,
    judge_paper,
    judge_tags,
    stands_in,
    title_is_right,
)
from core.fields import FieldName, Name, Value
from sandbox.documents import Truth

BANK, POST, RECHNUNG, STROM, AUTO = (
    Name(1, "Deutsche Bank"),
    Name(2, "Deutsche Post AG"),
    Name(1, "Rechnung"),
    Name(1, "Strom"),
    Name(2, "Auto"),
)
IDS = {name.name: name.id for name in (BANK, POST, RECHNUNG, STROM, AUTO)}
TRUTH = Truth(
    title="Rechnung Postfach",
    title_contains=("Postfach", "Rechnung Post"),
    correspondent="Deutsche Post AG",
    document_type="Rechnung",
    tags=frozenset({"Strom"}),
    date=date(2026, 3, 18),
)
NOTHING_TO_FIND = Truth()


def find(_: FieldName, name: str) -> Name:
    return Name(IDS.get(name), name)


@pytest.mark.parametrize(
    ("field", "value", "right"),
    [
        (FieldName.CORRESPONDENT, POST, True),
        (FieldName.CORRESPONDENT, Name(2, "renamed meanwhile"), True),
        (FieldName.CORRESPONDENT, BANK, False),
        (FieldName.CORRESPONDENT, Name(None, "Deutsche Bank"), False),
        (FieldName.DOCUMENT_TYPE, RECHNUNG, True),
        (FieldName.DOCUMENT_TYPE, Name(9, "Brief"), False),
        (FieldName.DATE, date(2026, 3, 18), True),
        (FieldName.DATE, date(2026, 3, 27), False),
        (FieldName.TAGS, STROM, True),
        (FieldName.TAGS, AUTO, False),
        (FieldName.TITLE, "Postfachmiete 2026", True),
        (FieldName.TITLE, "Brief der Post", False),
    ],
)
def test_a_value_is_right_if_a_careful_person_would_file_it(
    field: FieldName, value: Value, *, right: bool
) -> None:
    assert is_right(value, field, TRUTH, find) is right


@pytest.mark.parametrize("field", FieldName)
def test_where_there_is_nothing_to_find_no_value_is_right(field: FieldName) -> None:
    value: Value = date(2026, 3, 18) if field is FieldName.DATE else POST

    assert not is_right(value, field, NOTHING_TO_FIND, find)


def test_a_name_that_the_archive_lacks_is_right_by_its_spelling() -> None:
    truth = Truth(correspondent="Tamar Cycles")

    assert is_right(Name(None, "Tamar Cycles"), FieldName.CORRESPONDENT, truth, find)


@pytest.mark.parametrize(
    ("title", "right"),
    [
        ("Rechnung der Deutschen Post", True),
        ("Post: RECHNUNG für das Jahr", True),
        ("Rechnung", False),
        ("", False),
    ],
)
def test_a_title_is_right_when_all_words_of_one_entry_stand_in_it(
    title: str, *, right: bool
) -> None:
    assert title_is_right(title, ["Rechnung Post"]) is right


def test_accents_do_not_make_a_title_wrong() -> None:
    assert title_is_right("Relevé de compte", ["releve"])


@pytest.mark.parametrize(
    ("filed", "truth", "marks"),
    [
        (Filed(written=(POST,)), TRUTH, (Mark.RIGHT,)),
        (Filed(written=(BANK,)), TRUTH, (Mark.WRONG,)),
        (Filed(written=(BANK,)), NOTHING_TO_FIND, (Mark.WRONG,)),
        (Filed(waiting=(BANK,)), TRUTH, (Mark.REVIEW,)),
        (Filed(), TRUTH, (Mark.MISSING,)),
        (Filed(), NOTHING_TO_FIND, ()),
    ],
)
def test_a_field_gets_one_mark_or_none(filed: Filed, truth: Truth, marks: tuple[Mark, ...]) -> None:
    assert judge_field(filed, FieldName.CORRESPONDENT, truth, find) == marks


@pytest.mark.parametrize(
    ("filed", "wanted", "marks"),
    [
        (Filed(written=(STROM,)), [STROM], (Mark.RIGHT,)),
        (Filed(written=(AUTO,)), [STROM], (Mark.WRONG, Mark.MISSING)),
        (Filed(waiting=(STROM,)), [STROM], (Mark.REVIEW,)),
        (Filed(written=(STROM,), waiting=(AUTO,)), [STROM], (Mark.RIGHT, Mark.REVIEW)),
        (Filed(), [STROM, AUTO], (Mark.MISSING, Mark.MISSING)),
        (Filed(), [], ()),
    ],
)
def test_every_tag_gets_its_own_mark(
    filed: Filed, wanted: list[Name], marks: tuple[Mark, ...]
) -> None:
    assert judge_tags(filed, wanted) == marks


def test_a_document_gets_marks_for_all_its_fields() -> None:
    filed = {
        FieldName.TITLE: Filed(written=("Postfach",)),
        FieldName.CORRESPONDENT: Filed(waiting=(POST,)),
        FieldName.TAGS: Filed(written=(STROM, AUTO)),
        FieldName.DATE: Filed(written=(date(2026, 3, 27),)),
    }

    assert judge_paper(filed, TRUTH, find) == {
        FieldName.TITLE: (Mark.RIGHT,),
        FieldName.CORRESPONDENT: (Mark.REVIEW,),
        FieldName.DOCUMENT_TYPE: (Mark.MISSING,),
        FieldName.TAGS: (Mark.RIGHT, Mark.WRONG),
        FieldName.DATE: (Mark.WRONG,),
    }


@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        ("Rechnungsdatum 18.03.2026", True),
        ("rechnungs-\ndatum: 18.03.2026", True),
        ("Rechnungsdatum ... Deutsche Post", True),
        ("Rechnungsdatum 19.03.2026", False),
        ("Rechnungsdatum ... Deutsche Bank", False),
        ("Deutsche Bank, Abteilung Kundendienst", False),
        ("...", False),
        ("", False),
    ],
)
def test_a_quote_stands_in_the_text_letter_by_letter(quote: str, *, stands: bool) -> None:
    text = "Rechnungs-\ndatum 18.03.2026\n\nIhre Deutsche   Post"

    assert stands_in(quote, text) is stands

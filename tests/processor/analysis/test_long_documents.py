"""A long text in parts."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.analysis import Chunk
from core.fields import FieldName
from processor.analysis.long_documents import WHOLE, SplitText, split_for_prompt, split_text
from processor.analysis.prompt import PromptSettings, build_prompt
from processor.analysis.prompt_blocks import NameEntry, estimate_tokens

ROOM = 200
"""Tokens, which are 600 bytes."""
LINE = "Ein Satz, der eine Zeile lang ist und dort endet.\n"
LONG = LINE * 100


def numbered(lines: list[str]) -> str:
    """Make a text in which every line stands once."""
    return "\n".join(f"{number:03}{line}" for number, line in enumerate(lines * 6))


lines = st.text(st.sampled_from("abc äö€😀"), max_size=80)
texts = st.lists(lines, min_size=1, max_size=40).map(numbered)


def parts(text: str, most: int = 10_000) -> list[str]:
    return list(split_text(text, room=ROOM, most=most).texts.values())


@pytest.mark.parametrize("text", ["", "short", "x" * ROOM * 3, "x" * ROOM * 6])
def test_a_text_of_which_half_can_be_read_at_once_stays_whole(text: str) -> None:
    assert split_text(text, room=ROOM, most=9) == SplitText({WHOLE: text})


def test_a_longer_text_is_read_in_parts() -> None:
    cut = split_text("x" * (ROOM * 6 + 1), room=ROOM, most=9)

    assert not cut.is_whole
    assert list(cut.texts) == [Chunk(number, 4) for number in (1, 2, 3, 4)]


@pytest.mark.parametrize(("room", "most"), [(ROOM, 1), (ROOM - 1, 9)])
def test_without_leave_or_room_for_parts_it_stays_whole(room: int, most: int) -> None:
    assert split_text(LONG, room=room, most=most).is_whole


@given(texts)
def test_parts_fit_and_nothing_is_lost(text: str) -> None:
    found = parts(text)

    place = 0
    for part in found:
        start = text.index(part)
        assert start <= place, "a gap"
        place = start + len(part)
    assert place == len(text)
    if len(found) > 1:
        assert all(estimate_tokens(part) <= ROOM for part in found)


def test_parts_end_and_begin_with_a_line_and_overlap_a_little() -> None:
    found = parts(LONG)

    assert all(part.endswith("endet.\n") and part.startswith("Ein Satz") for part in found)
    assert all(
        chunk.endswith(other[: len(LINE)]) or LINE in other[:300]
        for chunk, other in pairwise(found)
    )
    assert sum(map(len, found)) > len(LONG)


def test_a_part_rather_ends_with_a_paragraph() -> None:
    found = parts((LINE + LINE + "\n") * 40)

    assert len(found) > 4
    assert all(part.endswith("\n\n") for part in found)


def test_a_text_without_any_border_is_cut_between_letters() -> None:
    text = "ä€😀" * 2000

    found = parts(text)

    assert len(found) > 1
    assert set("".join(found)) == set(text)
    assert found[0] == text[: len(found[0])]


def test_blank_pages_are_left_out() -> None:
    found = parts(LINE * 12 + " " * 20_000 + LINE * 12)

    assert "".join(found).count("endet") >= 24
    assert len(found) < 8


def test_of_too_many_parts_the_beginning_and_the_end_are_read() -> None:
    text = "".join(
        f"Zeile {number:05} des langen Berichts, den niemand ganz liest.\n"
        for number in range(1000)
    )
    whole = split_text(text, room=ROOM, most=10_000)

    cut = split_text(text, room=ROOM, most=10)

    assert len(cut.texts) == 10
    assert [place.number for place in cut.texts][:8] == [
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        whole_count(whole) - 2,
    ]
    assert list(cut.texts.values())[-1].endswith("liest.\n")
    read = set("".join(cut.texts.values()).splitlines())
    assert cut.unread == sum(
        len(line) for line in text.splitlines(keepends=True) if line[:-1] not in read
    )
    assert whole.unread == 0


def whole_count(cut: SplitText) -> int:
    return next(iter(cut.texts)).of


@settings(max_examples=25)
@given(
    st.lists(st.text("abc äö", min_size=1, max_size=60), max_size=20),
    st.sampled_from([4096, 8192, 16_384]),
)
def test_every_part_fits_into_its_question_whichever_names_are_picked_for_it(
    names: list[str], context: int
) -> None:
    settings = PromptSettings(fields=tuple(FieldName), context=context)
    entries = [NameEntry(name) for name in names]
    offered = {FieldName.CORRESPONDENT: entries * 20, FieldName.TAGS: entries}
    text = " ".join(names) + "\n" + LINE * 2500

    cut = split_for_prompt(text, names=offered, settings=settings)

    assert not cut.is_whole
    for place, part in list(cut.texts.items())[:2]:
        prompt = build_prompt(part, names=offered, settings=settings, mark="0" * 16, place=place)
        assert prompt.left_out == 0

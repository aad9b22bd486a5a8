"""Documents that fit, and documents that do not."""

from hypothesis import assume, given
from hypothesis import strategies as st

from processor.analysis.budget import Excerpt, drop_middle_to_fit, estimate_tokens

texts = st.text(st.sampled_from("abc äöü€😀\n"), max_size=400)
rooms = st.integers(min_value=-50, max_value=200)


def test_a_text_that_fits_stays_whole() -> None:
    assert drop_middle_to_fit("Stromrechnung", 5) == Excerpt("Stromrechnung", 0)


def test_of_a_longer_text_beginning_and_end_are_kept_and_the_gap_is_marked() -> None:
    text = "Kopf " * 100 + "Mitte " * 1000 + "Fuß " * 100

    excerpt = drop_middle_to_fit(text, 200)

    beginning, gap, end = excerpt.text.split("\n")
    assert gap == f"[... {excerpt.left_out} characters left out ...]"
    assert excerpt.left_out == len(text) - len(beginning) - len(end)
    assert beginning.startswith("Kopf Kopf")
    assert end.endswith("Fuß Fuß ")
    assert len(beginning) > 2 * len(end)


def test_without_any_room_nothing_is_left() -> None:
    assert drop_middle_to_fit("Stromrechnung", 0) == Excerpt("", 13)


@given(texts, rooms)
def test_an_excerpt_never_has_more_tokens_than_there_is_room(text: str, room: int) -> None:
    assert estimate_tokens(drop_middle_to_fit(text, room).text) <= max(room, 0)


@given(texts, rooms)
def test_an_excerpt_is_the_text_the_beginning_and_the_end_of_it_or_nothing(
    text: str, room: int
) -> None:
    excerpt = drop_middle_to_fit(text, room)
    assume(excerpt.left_out)

    gap = f"\n[... {excerpt.left_out} characters left out ...]\n"
    beginning, _, end = excerpt.text.partition(gap)
    assert text.startswith(beginning)
    assert text.endswith(end)
    assert len(beginning) + excerpt.left_out + len(end) == len(text)


@given(texts, rooms, st.integers(min_value=1, max_value=100))
def test_more_room_never_leaves_out_more(text: str, room: int, more: int) -> None:
    assert drop_middle_to_fit(text, room + more).left_out <= drop_middle_to_fit(text, room).left_out


def test_tokens_are_rather_overestimated_than_underestimated() -> None:
    german = "Sehr geehrte Damen und Herren, anbei erhalten Sie die Rechnung für Oktober."

    # A German tokenizer needs about 20; an umlaut counts as two bytes.
    assert estimate_tokens(german) >= 20
    assert estimate_tokens("ä") == 1
    assert estimate_tokens("") == 0

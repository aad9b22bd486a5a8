"""Which part of a file is sent."""

import pytest

from dashboard.byte_ranges import ByteRange, RangeNotSatisfiable, parse_range

SIZE = 100


@pytest.mark.parametrize(
    ("header", "part"),
    [
        ("bytes=0-9", ByteRange(0, 10)),
        ("bytes=90-", ByteRange(90, 100)),
        ("bytes=90-500", ByteRange(90, 100)),
        ("bytes=-10", ByteRange(90, 100)),
        ("bytes=-500", ByteRange(0, 100)),
        ("bytes= 5 - 5 ", ByteRange(5, 6)),
    ],
)
def test_a_part_is_counted_from_either_end(header: str, part: ByteRange) -> None:
    assert parse_range(header, SIZE) == part


@pytest.mark.parametrize(
    "header", ["", "bytes=-", "bytes=0-1,5-9", "bytes=9-2", "pages=1-2", "bytes=x-9"]
)
def test_anything_else_asks_for_the_whole_file(header: str) -> None:
    assert parse_range(header, SIZE) is None


@pytest.mark.parametrize("header", ["bytes=100-", "bytes=900-999", "bytes=-0"])
def test_a_part_behind_the_end_is_refused(header: str) -> None:
    with pytest.raises(RangeNotSatisfiable):
        parse_range(header, SIZE)

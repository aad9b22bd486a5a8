from pathlib import Path

from benchmarks.eval.report import Table, model_table, write_section
from benchmarks.eval.scores import Score

TABLE = Table("By field", ("field", "right"), [("date", "3")])


def test_the_last_row_counts_all_fields() -> None:
    scores = {"title": Score(right=1, wrong=1), "date": Score(missing=2)}

    rows = model_table("A model", scores).rows

    assert [row[:5] for row in rows] == [
        ("title", "1", "1", "0", "0"),
        ("date", "0", "0", "0", "2"),
        ("all", "1", "1", "0", "2"),
    ]
    assert rows[1][5:] == ("-", "0.0% (0%-66%)")


def test_a_section_of_the_page_is_replaced_and_the_rest_stays(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Above\n<!-- begin: now -->\nold\n<!-- end: now -->\nBelow\n")

    write_section("now", [TABLE], page)

    assert page.read_text() == (
        "Above\n<!-- begin: now -->\n\n**By field**\n\n| field | right |\n| --- | --- |\n"
        "| date | 3 |\n\n<!-- end: now -->\nBelow\n"
    )


def test_a_section_that_the_page_lacks_is_added_at_its_end(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Above\n")

    write_section("now", [TABLE], page)

    heading, _, section = page.read_text().partition("<!-- begin: now -->\n")
    assert heading == "Above\n\n## Results: now\n\n"
    assert section.endswith("| date | 3 |\n\n<!-- end: now -->\n")

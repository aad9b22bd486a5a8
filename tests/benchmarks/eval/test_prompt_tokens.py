"""The tokens of prompts with the schema as text, and without it."""

import pytest

from benchmarks.eval.prompt_tokens import build_prompts, compare_forms, main
from core.fields import FieldName
from processor.analysis.prompt_blocks import NameEntry

LETTER = "Stadtwerke Musterstadt\nRechnungsdatum: 31.10.2026\nStromrechnung Oktober 2026"


def test_both_forms_of_the_prompts_are_counted() -> None:
    prompts = build_prompts([LETTER, ""], {FieldName.TAGS: [NameEntry("Strom")]})

    table = compare_forms(prompts, len)

    (prompt,) = prompts
    longer = prompt.with_schema_text()
    assert table.title == "Mean tokens of 1 prompts"
    assert table.rows == [
        ("with the schema as text", f"{len(longer.system):,}", f"{longer.characters:,}"),
        ("with an example of one line", f"{len(prompt.system):,}", f"{prompt.characters:,}"),
    ]


def test_the_table_is_printed_for_the_documents_of_the_evaluation(
    capsys: pytest.CaptureFixture[str],
) -> None:
    main([])

    assert "with an example of one line" in capsys.readouterr().out

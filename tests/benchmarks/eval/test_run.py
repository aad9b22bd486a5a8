"""The evaluation itself, on a few of its documents."""

from pathlib import Path
from shutil import copytree

import pytest

from benchmarks.eval.__main__ import exit_of, run
from benchmarks.eval.corpus import FOLDER
from benchmarks.eval.evaluate import Report, Written
from core.fields import FieldName
from daemon.cli.exits import Exit

FEW = 3
FALSE = Written("01.txt", FieldName.TITLE, "Gutachten", "Gutachten zum Wintergarten")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The first few documents of the evaluation."""
    folder = tmp_path / "documents"
    copytree(FOLDER, folder)
    index = folder / "index.toml"
    parts = index.read_text(encoding="utf-8").split("[[documents]]")
    index.write_text("[[documents]]".join(parts[: FEW + 1]), encoding="utf-8")
    return folder


async def test_the_evaluation_tells_what_was_filed_and_that_no_invented_quote_was_written(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = await run(folder)

    honest, lying = capsys.readouterr().out.split("The sandbox's model, ")
    assert code is Exit.OK
    assert "3 documents, model sandbox-model" in honest
    assert "correspondent  3      0" in honest
    assert "does not stand in the text: 0" in lying
    assert "Kept back because the evidence is not in the text: 0" not in lying


async def test_a_model_that_is_not_there_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPERCLERK_EVAL_AI__BASE_URL", "http://127.0.0.1:1/v1")

    await run(folder)

    told = " ".join(capsys.readouterr().out.split())
    honest, lying = told.split("The sandbox's model, ")
    assert "3 documents did not come through: no connection to the model" in honest
    assert "did not come through" not in lying


@pytest.mark.parametrize(
    ("invented", "code"), [((), Exit.OK), ((FALSE,), Exit.LOOK)], ids=["none", "one"]
)
def test_an_invented_quote_that_was_written_fails_the_evaluation(
    invented: tuple[Written, ...], code: Exit
) -> None:
    report = Report("model", {}, wrong=(), invented=invented, kept_back=0)

    assert exit_of([report]) is code

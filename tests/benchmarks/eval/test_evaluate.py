from datetime import UTC, datetime
from typing import cast

from benchmarks.eval.corpus import SampleDocument, Truth
from benchmarks.eval.evaluate import CHECKS_FAILED, Answers, Archive, judge_answers
from core.analysis import Analysis
from core.fields import Name
from paperless_client import Document
from processor.instance import Instance
from processor.names.catalogue import NamesInUse

DOCUMENT = SampleDocument(1, "a.txt", "Rechnung 4711", Truth(invoice_number="4711"))
BROKEN = Archive(
    instance=cast(Instance, None),
    names=cast(NamesInUse, None),
    documents={DOCUMENT: cast(Document, None)},
    find=lambda _, name: Name(None, name),
    now=datetime(2026, 12, 1, tzinfo=UTC),
)


def test_checks_that_end_with_an_error_are_reported_and_their_values_are_missing() -> None:
    analysis = Analysis((), "model", "1", "")

    report = judge_answers("model", Answers({"a.txt": analysis}), BROKEN)

    assert report.unfinished == {CHECKS_FAILED: 1}
    assert report.scores["invoice number"].missing == 1
    assert not report.judged


def test_a_document_without_an_answer_is_not_judged() -> None:
    report = judge_answers("model", Answers({}, {"answer_cut": 1}), BROKEN)

    assert report.unfinished == {"answer_cut": 1}
    assert report.scores["invoice number"].missing == 1

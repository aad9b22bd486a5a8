"""Check the tags, and the custom fields, of a document against each other.

A model that is unsure suggests too many tags. One that quotes the same line for an invoice number
and a customer number confuses them.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from core.changes import CheckResult
from core.fields import CustomField, FieldName, is_empty
from core.text import fold
from processor.analysis.checks.check import CheckFailure
from processor.analysis.checks.run import Candidate
from processor.analysis.name_matching import identity_key

CUSTOM_VALUE_HAS_ITS_OWN_QUOTE = "custom_value_has_its_own_quote"
"""Name of the check on all custom fields of a document."""


def run_custom_field_checks(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates with the result of the check: fields that share a quote fail."""
    checked = tuple(candidates)
    quoted = {(c.field, fold(c.evidence)) for c in checked if _has_quote(c)}
    counts = Counter(quote for _, quote in quoted)
    return tuple(_add_result(candidate, counts) for candidate in checked)


def _has_quote(candidate: Candidate) -> bool:
    is_given = not is_empty(candidate.value) and bool(candidate.evidence.strip())
    return isinstance(candidate.field, CustomField) and is_given


def _add_result(candidate: Candidate, counts: Counter[str]) -> Candidate:
    if not _has_quote(candidate):
        return candidate
    is_shared = counts[fold(candidate.evidence)] > 1
    failure = CheckFailure.FIELDS_SHARE_A_QUOTE if is_shared else ""
    result = CheckResult(CUSTOM_VALUE_HAS_ITS_OWN_QUOTE, failure)
    return replace(candidate, checks=(*candidate.checks, result))


TAG_HAS_ITS_OWN_QUOTE = "tag_has_its_own_quote"
TAGS_ARE_FEW = "tags_are_few"
"""Names of the checks on all tags of a document."""
_MANY = 4
"""Minimum number of tags that counts as too many, even if the settings allow fewer."""


def run_tag_checks(candidates: Iterable[Candidate], *, most: int) -> tuple[Candidate, ...]:
    """Return the candidates with the results of the tag checks.

    Tags that share their evidence fail, and all tags fail if there are `most` of them.
    """
    checked = tuple(candidates)
    # A tag that is suggested twice counts once, with the first of its quotes.
    suggested = (tag for tag in reversed(checked) if tag.field is FieldName.TAGS)
    tags = {identity_key(tag.value): tag for tag in suggested}.values()
    quotes = Counter(fold(tag.evidence) for tag in tags if tag.evidence.strip())
    heap = len(tags) >= max(most, _MANY)
    return tuple(_add_results(candidate, quotes, heap=heap) for candidate in checked)


def _add_results(candidate: Candidate, quotes: Counter[str], *, heap: bool) -> Candidate:
    if candidate.field is not FieldName.TAGS:
        return candidate
    shared = quotes[fold(candidate.evidence)] > 1
    results = (
        CheckResult(TAG_HAS_ITS_OWN_QUOTE, CheckFailure.TAGS_SHARE_A_QUOTE if shared else ""),
        CheckResult(TAGS_ARE_FEW, CheckFailure.HEAP_OF_TAGS if heap else ""),
    )
    return replace(candidate, checks=candidate.checks + results)

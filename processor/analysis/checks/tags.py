"""Tags beside each other: a model that does not know names whatever there is."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from core.changes import CheckResult
from core.fields import FieldName
from core.text import fold
from processor.analysis.checks.check import CheckFailure
from processor.analysis.checks.run import Candidate
from processor.analysis.name_matching import identity_key

TAG_HAS_ITS_OWN_QUOTE = "tag_has_its_own_quote"
TAGS_ARE_FEW = "tags_are_few"
"""Checks that take all tags of a document together."""
_MANY = 4
"""So many tags are much for one document; whoever allows fewer wants all that he gets."""


def run_tag_checks(candidates: Iterable[Candidate], *, most: int) -> tuple[Candidate, ...]:
    """Doubt tags that share their quote, and all of them when every place for one is taken."""
    every = tuple(candidates)
    # One tag that is named twice is one tag, and the first of its quotes counts.
    named = (one for one in reversed(every) if one.field is FieldName.TAGS)
    tags = {identity_key(one.value): one for one in named}.values()
    quotes = Counter(fold(one.evidence) for one in tags if one.evidence.strip())
    heap = len(tags) >= max(most, _MANY)
    return tuple(_checked(one, quotes, heap=heap) for one in every)


def _checked(candidate: Candidate, quotes: Counter[str], *, heap: bool) -> Candidate:
    if candidate.field is not FieldName.TAGS:
        return candidate
    shared = quotes[fold(candidate.evidence)] > 1
    made = (
        CheckResult(TAG_HAS_ITS_OWN_QUOTE, CheckFailure.TAGS_SHARE_A_QUOTE if shared else ""),
        CheckResult(TAGS_ARE_FEW, CheckFailure.HEAP_OF_TAGS if heap else ""),
    )
    return replace(candidate, checks=candidate.checks + made)

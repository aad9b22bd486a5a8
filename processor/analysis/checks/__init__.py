"""Rules that a suggestion must pass before it may be written without a person.

Each rule is small and pure and has a name, and says what it is about: of a title nobody asks
whether it is a date. What it finds to doubt has a name, too.
"""

from processor.analysis.checks.check import CheckFailure, DocumentFacts, Owner
from processor.analysis.checks.run import CHECKS, Candidate, run_checks
from processor.analysis.checks.tags import TAG_HAS_ITS_OWN_QUOTE, TAGS_ARE_FEW, run_tag_checks
from processor.analysis.checks.titles import TITLE_LENGTH

CHECK_NAMES = (*(check.name for check in CHECKS), TAG_HAS_ITS_OWN_QUOTE, TAGS_ARE_FEW)
"""Every check that there is, by its name."""
CHECKS_VERSION = 1
"""Increase it whenever a check changes its result: plans made by older checks are made again."""

__all__ = [
    "CHECKS_VERSION",
    "CHECK_NAMES",
    "TITLE_LENGTH",
    "Candidate",
    "CheckFailure",
    "DocumentFacts",
    "Owner",
    "run_checks",
    "run_tag_checks",
]

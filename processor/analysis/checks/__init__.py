"""Checks that a suggestion must pass before it may be written automatically.

Each check is a pure function; its name is stored with the result. A condition says to which
suggestions it applies. A check that fails returns a CheckFailure, whose code is stored too.
"""

from processor.analysis.checks.check import CheckFailure, DocumentFacts, Owner
from processor.analysis.checks.run import CHECKS, Candidate, run_checks
from processor.analysis.checks.shared_quotes import (
    CUSTOM_VALUE_HAS_ITS_OWN_QUOTE,
    TAG_HAS_ITS_OWN_QUOTE,
    TAGS_ARE_FEW,
    run_custom_field_checks,
    run_tag_checks,
)
from processor.analysis.checks.titles import TITLE_LENGTH

CHECK_NAMES = (
    *(check.name for check in CHECKS),
    TAG_HAS_ITS_OWN_QUOTE,
    TAGS_ARE_FEW,
    CUSTOM_VALUE_HAS_ITS_OWN_QUOTE,
)
"""The names of all checks."""
CHECKS_VERSION = 12
"""Increase it whenever a check changes its result: plans made by older checks are recomputed."""

__all__ = [
    "CHECKS_VERSION",
    "CHECK_NAMES",
    "CUSTOM_VALUE_HAS_ITS_OWN_QUOTE",
    "TITLE_LENGTH",
    "Candidate",
    "CheckFailure",
    "DocumentFacts",
    "Owner",
    "run_checks",
    "run_custom_field_checks",
    "run_tag_checks",
]

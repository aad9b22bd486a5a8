"""Rules that a suggestion must pass before it may be written without a person.

Each rule is small and pure and has a name: the doubt that it raises.
"""

from processor.analysis.checks.doubts import Doubt
from processor.analysis.checks.source import Owner, Source
from processor.analysis.checks.tagging import weigh_tags
from processor.analysis.checks.titling import TITLE_LENGTH
from processor.analysis.checks.weighing import CHECKS, Candidate, weigh

__all__ = ["CHECKS", "TITLE_LENGTH", "Candidate", "Doubt", "Owner", "Source", "weigh", "weigh_tags"]

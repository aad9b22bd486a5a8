"""What a check is: a rule with a name, and the suggestions that it is about."""

from collections.abc import Callable
from dataclasses import dataclass

from core.changes import Checked, Suggestion
from core.fields import Value
from processor.analysis.checks.doubts import Doubt
from processor.analysis.checks.source import Source

Rule = Callable[[Suggestion, Value, Source], Doubt | None]
About = Callable[[Suggestion, Value, Source], bool]


@dataclass(frozen=True, slots=True)
class Check:
    """A rule that is held against the suggestions that it is about, and against no others."""

    name: str
    rule: Rule
    about: About

    def made(self, suggestion: Suggestion, value: Value, source: Source) -> Checked | None:
        """Make the check, and say how it ended; None if it is not about this suggestion."""
        if not self.about(suggestion, value, source):
            return None
        return Checked(self.name, self.rule(suggestion, value, source) or "")


def about(which: About) -> Callable[[Rule], Check]:
    """Make a check of a rule; it is called like the rule."""

    def check(rule: Rule) -> Check:
        return Check(rule.__name__, rule, which)

    return check


def every_suggestion(suggestion: Suggestion, value: Value, source: Source) -> bool:
    return True

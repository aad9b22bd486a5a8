"""Checks for correspondents and for new names."""

import unicodedata
from collections.abc import Iterable

from core.changes import Suggestion
from core.fields import FieldName, Name, Value, is_same_value
from processor.analysis.checks.check import CheckFailure, DocumentFacts, applies_to
from processor.analysis.checks.titles import TITLE_LENGTH
from processor.analysis.name_matching import (
    find_better_names,
    is_same_party,
    looks_misread,
    mentions_name,
    spelling_key,
)
from processor.analysis.parties import is_label, is_only_mentioned

_LOOKALIKE_SCRIPTS = frozenset({"ARMENIAN", "CHEROKEE", "CYRILLIC", "GREEK", "LATIN"})
"""Scripts with letters that look the same: a word that mixes them is meant to deceive."""


def correspondents(suggestion: Suggestion, value: Value, facts: DocumentFacts) -> bool:
    return suggestion.field is FieldName.CORRESPONDENT


def _correspondents_of_a_known_owner(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> bool:
    return suggestion.field is FieldName.CORRESPONDENT and bool(facts.owner.names)


@applies_to(_correspondents_of_a_known_owner)
def correspondent_is_not_the_owner(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    is_owner = _is_any_party(value, facts.owner.names)
    return CheckFailure.CORRESPONDENT_IS_OWNER if is_owner else None


@applies_to(correspondents)
def correspondent_is_not_the_recipient(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    is_recipient = _is_any_party(value, facts.recipients) or is_label(str(value))
    return CheckFailure.CORRESPONDENT_IS_RECIPIENT if is_recipient else None


@applies_to(correspondents)
def no_other_name_fits_better(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    """Fail if the quote shows another name in use, unless a person decided otherwise.

    An alias comes first, then what a person filed for the same letterhead.
    """
    if spelling_key(suggestion.value) in facts.owner.aliases:
        return None
    filed = facts.learnt.letterhead
    if filed is not None and mentions_name(suggestion.evidence, filed.name):
        is_other = not is_recognised(value, filed)
        return CheckFailure.OTHER_NAME_FITS_BETTER if is_other else None
    better = find_better_names(str(value), suggestion.evidence, facts.owner.correspondents)
    return CheckFailure.OTHER_NAME_FITS_BETTER if better else None


def _correspondents_of_a_known_sender(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> bool:
    return suggestion.field is FieldName.CORRESPONDENT and facts.learnt.sender is not None


@applies_to(_correspondents_of_a_known_sender)
def no_number_of_another_sender(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    """Fail if the sender's numbers belong to another correspondent."""
    is_other = not is_recognised(value, facts.learnt.sender)
    return CheckFailure.NUMBER_OF_ANOTHER_SENDER if is_other else None


def is_recognised(value: Value, sender: Name | None) -> bool:
    """Return whether a value is the sender that was recognised, if one was."""
    return sender is not None and is_same_value(value, sender)


@applies_to(correspondents)
def correspondent_is_not_only_mentioned(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    """Fail if the name stands in sentences, entries and bank details only, or below another."""
    mentioned = is_only_mentioned(
        str(value), facts.page, facts.owner.correspondents, facts.recipients
    )
    return CheckFailure.NAME_ONLY_MENTIONED if mentioned else None


def _new_names(suggestion: Suggestion, value: Value, facts: DocumentFacts) -> bool:
    return isinstance(value, Name) and value.id is None


@applies_to(_new_names)
def new_name_is_short(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    return CheckFailure.NAME_TOO_LONG if len(suggestion.value) > TITLE_LENGTH else None


@applies_to(_new_names)
def new_name_is_of_one_script(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    mixed = any(len(_scripts(word)) > 1 for word in suggestion.value.split())
    return CheckFailure.NAME_OF_MIXED_LETTERS if mixed else None


@applies_to(_new_names)
def new_name_is_not_misread(
    suggestion: Suggestion, value: Value, facts: DocumentFacts
) -> CheckFailure | None:
    return CheckFailure.NAME_LOOKS_MISREAD if looks_misread(suggestion.value) else None


def _is_any_party(value: Value, others: Iterable[str]) -> bool:
    return any(is_same_party(str(value), other) for other in others)


def _scripts(word: str) -> frozenset[str]:
    return _LOOKALIKE_SCRIPTS & {unicodedata.name(letter, "").split(" ")[0] for letter in word}

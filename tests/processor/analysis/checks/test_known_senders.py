"""Numbers and letterheads of a known sender support its name, and nothing else."""

from dataclasses import replace
from datetime import date

import pytest

from core.changes import Suggestion
from core.fields import FieldName, Name
from core.learning import Learnt
from processor.analysis.checks import CheckFailure, DocumentFacts, Owner, run_checks

ENERGY, SERVICES = Name(4, "Brightwater Energy"), Name(5, "Brightwater Energy Services")
OWN = Name(6, "Muster Bau GmbH")
PAGE = """Ihre Rechnung

Guten Tag Frau Muster,

vielen Dank für Ihren Auftrag. Wir berechnen Ihnen 12,50 EUR.

Brightwater Energy Services, London
Muster Bau GmbH
"""


NAMELESS_PAGE = PAGE.replace("Brightwater Energy Services, London\n", "")
"""The sender's name is in its logo, which text recognition did not read."""


def failures(
    value: Name, learnt: Learnt, *, quote: str = "Ihre Rechnung", page: str = PAGE
) -> tuple[str, ...]:
    names = (ENERGY.name, SERVICES.name, OWN.name)
    facts = DocumentFacts.of(
        page,
        file_name="scan.pdf",
        added=date(2026, 5, 1),
        today=date(2026, 5, 1),
        owner=Owner(names=(OWN.name,), correspondents=names),
    )
    suggestion = Suggestion(FieldName.CORRESPONDENT, value.name, quote, 0.9)
    return run_checks(suggestion, value, replace(facts, learnt=learnt)).failures


def test_a_quote_without_the_name_is_not_enough_by_itself() -> None:
    assert failures(SERVICES, Learnt(), page=NAMELESS_PAGE) == (CheckFailure.NAME_NOT_IN_EVIDENCE,)


def test_a_number_of_the_correspondent_replaces_a_quote_without_its_name() -> None:
    assert failures(SERVICES, Learnt(sender=SERVICES), page=NAMELESS_PAGE) == ()


def test_a_quote_that_is_not_in_the_text_still_fails() -> None:
    found = failures(SERVICES, Learnt(sender=SERVICES), quote="Brightwater Wasserversorgung")

    assert CheckFailure.EVIDENCE_NOT_IN_TEXT in found


def test_the_owner_is_still_no_correspondent() -> None:
    assert CheckFailure.CORRESPONDENT_IS_OWNER in failures(OWN, Learnt(sender=OWN))


def test_a_twin_in_the_quote_still_fails() -> None:
    found = failures(ENERGY, Learnt(sender=ENERGY), quote="Brightwater Energy Services")

    assert found == (CheckFailure.OTHER_NAME_FITS_BETTER,)


def test_what_a_person_filed_for_the_letterhead_outranks_the_longest_name() -> None:
    quote = "Brightwater Energy Services"

    assert failures(ENERGY, Learnt(letterhead=ENERGY), quote=quote) == ()
    assert failures(SERVICES, Learnt(letterhead=ENERGY), quote=quote) == (
        CheckFailure.OTHER_NAME_FITS_BETTER,
    )


def test_a_letterhead_does_not_replace_a_quote_without_the_name() -> None:
    found = failures(SERVICES, Learnt(letterhead=SERVICES), page=NAMELESS_PAGE)

    assert found == (CheckFailure.NAME_NOT_IN_EVIDENCE,)


def test_a_letterhead_says_nothing_about_a_quote_of_another_sender() -> None:
    found = failures(SERVICES, Learnt(letterhead=OWN), quote="Brightwater Energy Services")

    assert found == ()


@pytest.mark.parametrize("value", [SERVICES, Name(None, "Brightwater Energy Services")])
def test_a_number_of_another_correspondent_fails_the_suggestion(value: Name) -> None:
    found = failures(value, Learnt(sender=ENERGY), quote="Brightwater Energy Services")

    assert CheckFailure.NUMBER_OF_ANOTHER_SENDER in found

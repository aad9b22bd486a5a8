"""What the analysis of many documents will take, reckoned from some of them."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from actions.costs import count_prompt_tokens, estimate_usage, sample_evenly
from core.fields import FieldName
from core.spending import TypicalUsage
from processor.analysis.prompt import ANSWER_TOKENS, PromptSettings
from processor.analysis.prompt_blocks import NameEntry, estimate_tokens
from processor.instance import Prices

FREE = Prices()
PRICED = Prices(Decimal("0.5"), Decimal(2))
LETTER = "Stadtwerke Musterstadt\nRechnungsdatum: 31.08.2026\nStromrechnung August 2026\n"
SETTINGS = PromptSettings(fields=tuple(FieldName))


@pytest.mark.parametrize(
    ("documents", "sample", "tokens_in", "asked"),
    [
        (0, [], 0, 0),
        (1, [1500], 1500, 1),
        (3, [1000, 2000, 0], 3000, 2),
        (1200, [1000, 2000], 1_800_000, 1200),
        (1200, [2000, 0, 0, 2000], 1_200_000, 600),
        (10, [0, 0], 0, 0),
        # Every text that was to be looked at is gone, or excluded by now.
        (10, [], 0, 0),
    ],
)
def test_the_sample_stands_for_all(
    documents: int, sample: list[int], tokens_in: int, asked: int
) -> None:
    estimated = estimate_usage(documents, sample, None, FREE)

    assert (estimated.documents, estimated.sampled) == (documents, len(sample))
    assert (estimated.tokens_in, estimated.asked) == (tokens_in, asked)


@pytest.mark.parametrize(
    ("experience", "tokens_out", "took"),
    [
        (None, 4000, None),
        (TypicalUsage(7, tokens_out=150, took_ms=6_500), 1500, timedelta(seconds=65)),
    ],
)
def test_experience_tells_how_long_an_answer_is_and_takes(
    experience: TypicalUsage | None, tokens_out: int, took: timedelta | None
) -> None:
    estimated = estimate_usage(10, [2000], experience, FREE)

    assert (estimated.tokens_out, estimated.took) == (tokens_out, took)


@pytest.mark.parametrize(
    ("prices", "cost"),
    [
        (FREE, None),
        (PRICED, Decimal("0.018")),
        (Prices(Decimal(1)), Decimal("0.02")),
        (Prices(tokens_out=Decimal(1)), Decimal("0.004")),
    ],
)
def test_a_cost_is_reported_only_with_a_price(prices: Prices, cost: Decimal | None) -> None:
    assert estimate_usage(10, [2000], None, prices).cost == cost


@pytest.mark.parametrize("text", ["", " \n\t ", "#### ~~~~ %%%% ^^^^ |||| ==== " * 30])
def test_a_text_that_no_model_is_asked_about_takes_nothing(text: str) -> None:
    assert count_prompt_tokens(text, names={}, settings=SETTINGS) == 0


def test_a_context_without_room_takes_nothing() -> None:
    narrow = PromptSettings(fields=tuple(FieldName), context=ANSWER_TOKENS + 10)

    assert count_prompt_tokens(LETTER, names={}, settings=narrow) == 0


def test_the_names_in_use_are_sent_as_well() -> None:
    names = {FieldName.TAGS: [NameEntry(f"Schlagwort {number}") for number in range(50)]}

    alone = count_prompt_tokens(LETTER, names={}, settings=SETTINGS)

    assert alone > estimate_tokens(LETTER)
    assert count_prompt_tokens(LETTER, names=names, settings=SETTINGS) > alone + 50


def test_similar_documents_are_sent_as_well() -> None:
    without = replace(SETTINGS, examples=0)

    with_examples = count_prompt_tokens(LETTER, names={}, settings=SETTINGS)

    assert SETTINGS.examples > 0
    assert with_examples > count_prompt_tokens(LETTER, names={}, settings=without)


@pytest.mark.parametrize(
    ("count", "most", "taken"),
    [
        (0, 3, []),
        (2, 3, [0, 1]),
        (3, 3, [0, 1, 2]),
        (4, 3, [0, 1, 3]),
        (11, 3, [0, 5, 10]),
        (101, 5, [0, 25, 50, 75, 100]),
    ],
)
def test_a_sample_is_spread_from_the_first_to_the_last(
    count: int, most: int, taken: list[int]
) -> None:
    assert sample_evenly(range(count), most) == taken

"""Estimate tokens, cost and time of many analyses from a sample of the texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import TypeVar

from core.spending import TypicalUsage
from processor.analysis.errors import PromptTooLong
from processor.analysis.long_documents import split_for_prompt
from processor.analysis.prompt import PromptSettings, build_prompt
from processor.analysis.prompt_blocks import OfferedNames, estimate_tokens
from processor.instance import Prices
from processor.policy import reason_not_to_ask

T = TypeVar("T")

_USUAL_ANSWER = 400
"""Tokens of an answer, until the model has been used."""
_EXAMPLE = 80
"""Tokens of one example in the prompt; which ones are shown, only a search can tell."""
_MARK = "0" * 16
"""Stands for the random mark, and is as long."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimated usage of analyzing documents."""

    documents: int
    asked: int
    """Estimated number of documents with a text worth a model call."""
    sampled: int
    """Number of texts in the sample."""
    tokens_in: int
    tokens_out: int
    cost: Decimal | None
    """None if no price is set."""
    took: timedelta | None
    """Time for one document after the other; None if the model was never used."""


def estimate(
    documents: int, sample: Sequence[int], experience: TypicalUsage | None, prices: Prices
) -> Estimate:
    """Estimate for `documents` from the prompt tokens of a sample; 0 stands for no call."""
    share = sum(map(bool, sample)) / len(sample) if sample else 0.0
    asked = round(documents * share)
    tokens_in = round(documents * sum(sample) / len(sample)) if sample else 0
    tokens_out = asked * (experience.tokens_out if experience else _USUAL_ANSWER)
    priced = prices.tokens_in or prices.tokens_out
    return Estimate(
        documents=documents,
        asked=asked,
        sampled=len(sample),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost=prices.cost(tokens_in=tokens_in, tokens_out=tokens_out) if priced else None,
        took=timedelta(milliseconds=experience.took_ms) * asked if experience else None,
    )


def count_prompt_tokens(text: str, *, names: OfferedNames, settings: PromptSettings) -> int:
    """Return the estimated prompt tokens for `text`; 0 if the model is not called."""
    if reason_not_to_ask(text) is not None:
        return 0
    try:
        split = split_for_prompt(text, names=names, settings=settings)
        texts = set(split.texts.values())
        prompts = [build_prompt(part, names=names, settings=settings, mark=_MARK) for part in texts]
    except PromptTooLong:
        return 0
    shown = _EXAMPLE * settings.examples if split.is_whole else 0
    return shown + sum(estimate_tokens(prompt.system + prompt.user) for prompt in prompts)


def sample_evenly(items: Sequence[T], most: int) -> list[T]:
    """Return at most `most` items, evenly spaced from the first to the last."""
    if len(items) <= most:
        return list(items)
    return [items[number * (len(items) - 1) // (most - 1)] for number in range(most)]

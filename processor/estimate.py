"""Reckon what the analysis of many documents will take, from the texts of some of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from math import ceil
from typing import TypeVar

from core.fields import FieldName
from core.spending import TypicalUsage
from processor.analysis.budget import estimate_tokens
from processor.analysis.errors import PromptTooLong
from processor.analysis.long_documents import split_for_prompt
from processor.analysis.prompt import PromptSettings, build_prompt
from processor.limits import Prices
from processor.plan import reason_not_to_ask

T = TypeVar("T")

_USUAL_ANSWER = 400
"""Tokens of an answer, until there is experience with the model."""
_EXAMPLE = 80
"""Tokens of a similar document that is shown with its values; only a search tells which."""
_MARK = "0" * 16
"""As long as a real one."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """About what the analysis of documents will take."""

    documents: int
    asked: int
    """About so many have a text that a model is asked about."""
    sampled: int
    """The texts of so many were looked at."""
    tokens_in: int
    tokens_out: int
    cost: Decimal | None
    """None: no price is set."""
    took: timedelta | None
    """One document after the other; None: this model was not asked before."""


def estimate(
    documents: int, sample: Sequence[int], experience: TypicalUsage | None, prices: Prices
) -> Estimate:
    """Reckon for `documents` from a sample: of each text its tokens, 0 if nothing is asked."""
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


def count_prompt_tokens(
    text: str, *, names: Mapping[FieldName, Sequence[str]], brief: PromptSettings
) -> int:
    """Return about how many tokens are sent to ask about `text`; 0 if nothing is asked."""
    if reason_not_to_ask(text) is not None:
        return 0
    try:
        cut = split_for_prompt(text, names=names, brief=brief)
        texts = set(cut.texts.values())
        prompts = [build_prompt(part, names=names, brief=brief, mark=_MARK) for part in texts]
    except PromptTooLong:
        return 0
    shown = _EXAMPLE * brief.examples if cut.is_whole else 0
    return shown + sum(estimate_tokens(prompt.system + prompt.user) for prompt in prompts)


def sample_evenly(items: Sequence[T], most: int) -> list[T]:
    """Take at most so many items, at even distances from the first to the last."""
    if len(items) <= most:
        return list(items)
    return [items[number * (len(items) - 1) // (most - 1)] for number in range(most)]


def count_days_needed(documents: int, *, per_day: int, used_today: int) -> int | None:
    """Return on how many days documents are analysed, today among them; None: there is no limit."""
    if not per_day:
        return None
    after_today = documents - max(0, per_day - used_today)
    return 1 + ceil(max(0, after_today) / per_day)

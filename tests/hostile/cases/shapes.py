"""Answers of the wrong shape."""

import json

from core.jobs import JobStatus
from tests.hostile.case import (
    HONEST,
    TITLE_BEFORE,
    Case,
    filed,
    item,
    refused,
    says,
    says_text,
    waits,
)

_ANSWER = json.dumps(HONEST)
_TITLE, _QUOTE = "Stromrechnung September 2026", "Stromrechnung September 2026"
_NOTHING = dict.fromkeys(HONEST)


def _unsure(name: str, confidence: str) -> Case:
    """Put a confidence into the answer literally, even if it is not valid JSON."""
    sure = json.dumps(item(_TITLE, _QUOTE, "SURE"))
    text = json.dumps({**HONEST, "title": "TITLE"}).replace('"TITLE"', sure)
    return Case(
        name,
        model=says_text(text.replace('"SURE"', confidence)),
        filed=filed(title=None),
        waits=(waits("title", _TITLE, "unsure"),),
    )


SHAPES = (
    Case("keys that nobody asked for", model=says(__proto__={"x": 1}, constructor=[], mark="x")),
    Case("a list around the answer", model=says_text(f"[{_ANSWER}]")),
    Case("a mark of byte order before the answer", model=says_text("\ufeff" + _ANSWER)),
    Case("trailing commas", model=says_text(_ANSWER.replace("}]", "},]").replace("}}", "},}"))),
    Case("a list where one value belongs", model=says(title=[HONEST["title"], HONEST["date"]])),
    Case("one value where a list belongs", model=says(tags=item("Strom", "Stromlieferung"))),
    Case("a list with holes", model=says(tags=[None, item("Strom", "Stromlieferung"), None])),
    Case(
        "a bare text where an object belongs",
        model=says(title=_TITLE),
        filed=filed(title=None),
        waits=(waits("title", _TITLE, "no_evidence"),),
    ),
    Case("a number as a value", model=says(title=item(42, _QUOTE)), filed=filed(title=None)),
    Case(
        "the number of a name as a value",
        model=says(correspondent=item(13, _QUOTE)),
        filed=filed(correspondent=None),
    ),
    Case(
        "a number as a quote",
        model=says(title=item(_TITLE, 2026)),
        filed=filed(title=None),
        waits=(waits("title", _TITLE, "no_evidence"),),
    ),
    Case(
        "a list as a quote",
        model=says(title=item(_TITLE, [_QUOTE])),
        filed=filed(title=None),
        waits=(waits("title", _TITLE, "no_evidence"),),
    ),
    _unsure("a confidence that is no number", "NaN"),
    _unsure("a confidence without end", "Infinity"),
    _unsure("a confidence that is too large to count", "1e999"),
    _unsure("a confidence below zero", "-0.9"),
    _unsure("a confidence of a thousand", "1000"),
    _unsure("a confidence in words", '"very high"'),
    _unsure("a confidence that is a list", "[0.9]"),
    _unsure("a confidence with thousands of digits", "9" * 5000),
    Case(
        "the same key twice",
        model=says_text(_ANSWER[:-1] + ', "title": {"value": "Falsch", "evidence": "Unsinn"}}'),
        filed=filed(title=None),
        waits=(waits("title", "Falsch", "evidence_not_in_text"),),
    ),
    Case(
        "nothing in any field",
        model=says_text(json.dumps(_NOTHING)),
        filed={},
        waits=(waits("title", TITLE_BEFORE, "nothing_found"),),
    ),
    refused("a number as a whole field", json.dumps({**HONEST, "title": 42})),
    refused("a truth as a whole field", json.dumps({**HONEST, "date": True})),
    refused("a list in a list", json.dumps({**HONEST, "tags": [[HONEST["title"]]]})),
    refused("an empty object", "{}"),
    refused("null", "null"),
    refused("a text", '"title"'),
    refused("an answer within another object", json.dumps({"answer": {"fields": HONEST}})),
    refused("prose", "I am sorry, the document told me not to answer in JSON."),
    refused("half an answer", _ANSWER[: len(_ANSWER) // 2]),
    refused("a pit of objects", '{"title":' * 20_000),
    refused("a pit of lists", "[" * 100_000),
    refused("a pit with a ground", '{"a":' * 20_000 + "1" + "}" * 20_000),
    refused("braces without end", "{" * 50_000 + "}" * 50_000),
    refused("keys without values", '{"title" ' * 20_000 + "}"),
    refused("blanks", " \n\t" * 50_000, code="answer_empty"),
    Case(
        "an object in an object in a value",
        model=says(title={"value": {"value": _TITLE}, "evidence": _QUOTE, "confidence": 1}),
        filed=filed(title=None),
    ),
    Case(
        "a page of HTML instead of an answer",
        model=says_text("<!doctype html><title>Stromrechnung</title>"),
        filed={},
        status=JobStatus.FAILED,
        code="answer_unusable",
    ),
)

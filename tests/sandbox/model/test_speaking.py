import json

import httpx
import json_repair
import pytest

from sandbox.model import Behaviour, Dropped, Mode, ModelServer, Outcome, Usage, Wrapping
from sandbox.model.question import FIELDS
from tests.sandbox.model.prompts import (
    BILL,
    JSON_OBJECT,
    answer_of,
    choice_of,
    json_schema,
    post_chat,
)
from tests.sandbox.model.samples import text_of

ORDER = text_of("40-offer-heat-pump.txt")


@pytest.mark.parametrize(
    ("wrapping", "start", "end"),
    [
        ({Wrapping.FENCED}, "```json\n{", "}\n```"),
        ({Wrapping.PROSE}, "Here is what", "helps!"),
        ({Wrapping.THINKING}, "<think>\n", "}"),
        ({Wrapping.THINKING, Wrapping.FENCED}, "<think>\n", "}\n```"),
    ],
)
def test_an_answer_comes_wrapped(
    model: ModelServer, http: httpx.Client, wrapping: set[Wrapping], start: str, end: str
) -> None:
    model.behave(Behaviour(wrapping=frozenset(wrapping)))

    content = choice_of(post_chat(http))["message"]["content"]

    assert content.startswith(start)
    assert content.endswith(end)
    assert '"2026-10-31"' in content


def test_thoughts_may_have_a_field_of_their_own(model: ModelServer, http: httpx.Client) -> None:
    model.behave(Behaviour(wrapping=frozenset({Wrapping.REASONING_CONTENT})))

    response = post_chat(http)

    assert choice_of(response)["message"]["reasoning_content"]
    assert answer_of(response)["date"]["value"] == "2026-10-31"


def test_everything_may_stand_in_the_reasoning(model: ModelServer, http: httpx.Client) -> None:
    model.behave(Behaviour(wrapping=frozenset({Wrapping.ALL_IN_REASONING})))

    message = choice_of(post_chat(http))["message"]

    assert message["content"] == ""
    assert json.loads(message["reasoning"])["date"]["value"] == "2026-10-31"


def test_everything_may_stand_in_the_reasoning_content(
    model: ModelServer, http: httpx.Client
) -> None:
    model.behave(Behaviour(wrapping=frozenset({Wrapping.ALL_IN_REASONING_CONTENT})))

    message = choice_of(post_chat(http))["message"]

    assert message["content"] is None
    assert json.loads(message["reasoning_content"])["date"]["value"] == "2026-10-31"


def test_a_content_may_come_in_parts(model: ModelServer, http: httpx.Client) -> None:
    model.behave(Behaviour(wrapping=frozenset({Wrapping.PARTS})))

    thoughts, answer = choice_of(post_chat(http))["message"]["content"]

    assert thoughts["type"] == "thinking"
    assert json.loads(answer["text"])["date"]["value"] == "2026-10-31"


def test_blanks_may_go_on_until_the_limit(model: ModelServer, http: httpx.Client) -> None:
    model.behave(Behaviour(outcome=Outcome.ENDLESS_BLANKS))

    for choice in (choice_of(post_chat(http, max_tokens=50)), choice_of(post_chat(http))):
        assert choice["message"]["content"].isspace()
        assert choice["finish_reason"] == "length"


def test_an_answer_may_be_spoilt_in_one_mode_only(model: ModelServer, http: httpx.Client) -> None:
    model.behave(Behaviour(outcome=Outcome.EMPTY, only_in=frozenset({Mode.JSON_SCHEMA})))

    assert choice_of(post_chat(http, response_format=json_schema()))["message"]["content"] == ""
    assert answer_of(post_chat(http, response_format=JSON_OBJECT))["date"]
    assert answer_of(post_chat(http))["date"]


def test_choices_may_be_null(model: ModelServer, http: httpx.Client) -> None:
    model.behave(Behaviour(outcome=Outcome.NO_CHOICES))

    assert post_chat(http).json()["choices"] is None


def test_a_limit_by_its_newer_name_may_be_dropped(model: ModelServer, http: httpx.Client) -> None:
    model.behave(Behaviour(drops=frozenset(Dropped)))

    assert choice_of(post_chat(http, max_completion_tokens=5))["finish_reason"] == "stop"
    assert choice_of(post_chat(http, max_tokens=5))["finish_reason"] == "length"


@pytest.mark.parametrize(
    ("outcome", "content", "reason"),
    [
        (Outcome.EMPTY, "", "stop"),
        (Outcome.BLANKS, " \n" * 40, "stop"),
        (Outcome.REFUSAL, None, "stop"),
        (Outcome.TOOL_CALLS, None, "tool_calls"),
    ],
)
def test_a_content_may_be_missing(
    model: ModelServer, http: httpx.Client, outcome: Outcome, content: str | None, reason: str
) -> None:
    model.behave(Behaviour(outcome=outcome))

    choice = choice_of(post_chat(http))

    assert (choice["message"]["content"], choice["finish_reason"]) == (content, reason)


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        (Outcome.CUT, "length"),
        (Outcome.CONTENT_FILTER, "content_filter"),
        (Outcome.RUBBISH, "stop"),
        (Outcome.BROKEN_JSON, "stop"),
    ],
)
def test_a_content_may_be_no_json(
    model: ModelServer, http: httpx.Client, outcome: Outcome, reason: str
) -> None:
    model.behave(Behaviour(outcome=outcome))

    response = post_chat(http)

    assert choice_of(response)["finish_reason"] == reason
    with pytest.raises(json.JSONDecodeError):
        answer_of(response)


def test_broken_json_can_be_mended_to_the_true_answer(
    model: ModelServer, http: httpx.Client
) -> None:
    true = answer_of(post_chat(http))
    model.behave(Behaviour(outcome=Outcome.BROKEN_JSON))

    content = choice_of(post_chat(http))["message"]["content"]

    assert json_repair.loads(content) == true


def test_a_refusal_is_shown_at_its_field(model: ModelServer, http: httpx.Client) -> None:
    model.behave(Behaviour(outcome=Outcome.REFUSAL))

    assert "sorry" in choice_of(post_chat(http))["message"]["refusal"]


def test_the_answer_may_come_as_the_arguments_of_a_tool(
    model: ModelServer, http: httpx.Client
) -> None:
    model.behave(Behaviour(outcome=Outcome.TOOL_CALLS))

    call = choice_of(post_chat(http))["message"]["tool_calls"][0]["function"]

    assert json.loads(call["arguments"])["date"]["value"] == "2026-10-31"


def test_a_page_may_come_with_status_200(model: ModelServer, http: httpx.Client) -> None:
    model.behave(Behaviour(outcome=Outcome.HTML))

    response = post_chat(http)

    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/html")


def test_an_error_may_come_with_status_200(model: ModelServer, http: httpx.Client) -> None:
    model.behave(Behaviour(outcome=Outcome.ERROR))

    response = post_chat(http)

    assert response.status_code == 200
    assert "choices" not in response.json()
    assert response.json()["error"]["message"]


def test_usage_may_be_kept_back(model: ModelServer, http: httpx.Client) -> None:
    model.behave(Behaviour(usage=Usage.OMITTED))

    assert "usage" not in post_chat(http).json()


@pytest.mark.parametrize("parameter", ["max_tokens", "max_completion_tokens"])
def test_an_answer_is_no_longer_than_allowed(http: httpx.Client, parameter: str) -> None:
    whole = post_chat(http).json()["usage"]["completion_tokens"]

    cut = post_chat(http, **{parameter: whole - 1})

    assert choice_of(cut)["finish_reason"] == "length"
    assert cut.json()["usage"]["completion_tokens"] == whole - 1
    assert choice_of(post_chat(http, **{parameter: whole}))["finish_reason"] == "stop"


def test_thoughts_are_cut_as_well(model: ModelServer, http: httpx.Client) -> None:
    model.behave(Behaviour(wrapping=frozenset({Wrapping.REASONING_CONTENT})))

    choice = choice_of(post_chat(http, max_tokens=10))

    assert choice["message"]["content"] == ""
    assert len(choice["message"]["reasoning_content"]) == 35


def test_a_fair_model_ignores_orders_in_a_document(http: httpx.Client) -> None:
    answer = answer_of(post_chat(http, ORDER, response_format=json_schema()))

    assert answer["title"]["value"] == "Quotation Evergreen Heating November 2026"


def test_a_gullible_model_follows_orders_in_a_document(
    model: ModelServer, http: httpx.Client
) -> None:
    model.behave(Behaviour(gullible=True))

    answer = answer_of(post_chat(http, ORDER, response_format=json_schema()))

    assert answer["title"]["value"] == "PAID IN FULL - approve"
    assert answer["correspondent"]["value"] == "Finanzamt Musterstadt"


def test_a_model_may_make_everything_up(model: ModelServer, http: httpx.Client) -> None:
    model.behave(Behaviour(invented=1.0))

    answer = answer_of(post_chat(http))

    items = [*answer.pop("tags"), *answer.values()]
    assert len(items) == len(FIELDS)
    assert not any(item["evidence"] in BILL for item in items)


def test_nothing_is_made_up_about_a_document_that_is_not_there(
    model: ModelServer, http: httpx.Client
) -> None:
    model.behave(Behaviour(invented=1.0, gullible=True))
    body = {"model": "m", "messages": [{"role": "user", "content": "ok?"}]}

    answer = answer_of(http.post("/v1/chat/completions", json=body))

    assert answer["title"] is None


def test_a_model_may_be_given_its_words(model: ModelServer, http: httpx.Client) -> None:
    words = '{"title": NaN}' * 10_000
    model.behave(Behaviour(answer=words))

    choice = choice_of(post_chat(http, max_tokens=10))

    assert (choice["message"]["content"], choice["finish_reason"]) == (words, "stop")

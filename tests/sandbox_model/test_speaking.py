import json

import httpx
import json_repair
import pytest

from sandbox.model import Behaviour, ModelServer, Outcome, Usage, Wrapping
from tests.sandbox_model.prompts import BILL, answer_of, choice_of, json_schema, post_chat
from tests.sandbox_model.samples import text_of

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


def test_a_refusal_is_told_in_its_field(model: ModelServer, http: httpx.Client) -> None:
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
    assert len(items) == 5
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

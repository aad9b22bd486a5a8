import httpx
import pytest

from sandbox.faults import Fault, too_many_requests
from sandbox.model import Behaviour, Failure, FailureScope, ModelServer, Outcome, UnknownModel
from sandbox.model.quirks import QUIRKS
from tests.sandbox.model.prompts import (
    BILL,
    JSON_OBJECT,
    answer_of,
    choice_of,
    json_schema,
    post_chat,
)


def test_an_honest_model_files_a_bill(http: httpx.Client) -> None:
    answer = answer_of(post_chat(http, response_format=json_schema()))

    assert {name: answer[name]["value"] for name in answer if name != "tags"} == {
        "title": "Stromrechnung Oktober 2026",
        "correspondent": "Stadtwerke Musterstadt",
        "document_type": "Rechnung",
        "date": "2026-10-31",
        "storage_path": "",
    }
    assert [tag["value"] for tag in answer["tags"]] == ["Strom"]


@pytest.mark.parametrize("form", [json_schema(), JSON_OBJECT, {"type": "text"}, None])
def test_an_honest_model_understands_every_mode(http: httpx.Client, form: object) -> None:
    answer = answer_of(post_chat(http, response_format=form))

    assert answer["date"]["value"] == "2026-10-31"


def test_only_the_fields_of_the_schema_are_answered(http: httpx.Client) -> None:
    answer = answer_of(post_chat(http, response_format=json_schema(["date"])))

    assert list(answer) == ["date"]


def test_the_base_url_is_the_one_for_the_settings(model: ModelServer) -> None:
    assert httpx.get(f"{model.base_url}/models", trust_env=False).status_code == 200


def test_usage_tells_the_size_of_prompt_and_answer(http: httpx.Client) -> None:
    body = post_chat(http, "x" * 3500).json()

    usage = body["usage"]
    assert 1000 < usage["prompt_tokens"] < 1200
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]


def test_a_question_without_a_document_gets_what_its_schema_asks_for(http: httpx.Client) -> None:
    schema = {"type": "object", "properties": {"ok": {"type": "boolean"}}}
    body = {
        "model": "sandbox-model",
        "messages": [{"role": "user", "content": "Say ok."}],
        "response_format": {"type": "json_schema", "json_schema": {"schema": schema}},
    }

    assert answer_of(http.post("/v1/chat/completions", json=body)) == {"ok": True}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ([], "JSON object"),
        ({"messages": []}, "model"),
        ({"model": "m", "messages": []}, "messages"),
    ],
)
def test_what_is_no_chat_is_refused(http: httpx.Client, body: object, words: str) -> None:
    response = http.post("/v1/chat/completions", json=body)

    assert response.status_code == 400
    assert words in response.json()["error"]["message"]


def test_the_list_of_models_is_the_one_that_is_set(model: ModelServer, http: httpx.Client) -> None:
    model.behave(Behaviour(models=("small", "large")))

    assert [entry["id"] for entry in http.get("/v1/models").json()["data"]] == ["small", "large"]


@pytest.mark.parametrize(
    ("unknown", "status"),
    [
        (UnknownModel.ACCEPTED, 200),
        (UnknownModel.REFUSED, 404),
        (UnknownModel.BAD_REQUEST, 400),
    ],
)
def test_a_model_that_is_not_listed_is_served_or_not(
    model: ModelServer, http: httpx.Client, unknown: UnknownModel, status: int
) -> None:
    model.behave(Behaviour(unknown_model=unknown))

    assert post_chat(http, model="other").status_code == status


@pytest.mark.parametrize(
    ("header", "status"), [({}, 401), ({"authorization": "Bearer no"}, 401), (None, 200)]
)
def test_a_key_that_is_set_is_checked_at_every_door(
    model: ModelServer, http: httpx.Client, header: dict[str, str] | None, status: int
) -> None:
    model.state.api_key = "yes"
    http.headers.update({"authorization": "Bearer yes"} if header is None else header)

    assert post_chat(http).status_code == status
    assert http.get("/v1/models").status_code == status


@pytest.mark.parametrize(
    ("reach", "status"), [(FailureScope.COMPLETIONS, 200), (FailureScope.EVERYTHING, 503)]
)
def test_a_failure_reaches_the_list_of_models_only_when_asked_to(
    model: ModelServer, http: httpx.Client, reach: FailureScope, status: int
) -> None:
    model.behave(Behaviour(failure=Failure.UNAVAILABLE, reach=reach))

    assert post_chat(http).status_code == 503
    assert http.get("/v1/models").status_code == status


def test_a_behaviour_may_last_for_a_few_chats(model: ModelServer, http: httpx.Client) -> None:
    model.behave(Behaviour(failure=Failure.SERVER_ERROR), times=2)

    assert [post_chat(http).status_code for _ in range(3)] == [500, 500, 200]


def test_two_short_behaviours_in_a_row_end_in_the_first_state(
    model: ModelServer, http: httpx.Client
) -> None:
    model.behave(Behaviour(failure=Failure.SERVER_ERROR), times=2)
    model.behave(Behaviour(failure=Failure.UNAVAILABLE), times=1)

    assert [post_chat(http).status_code for _ in range(2)] == [503, 200]


def test_a_behaviour_lasts_for_one_chat_at_least(model: ModelServer) -> None:
    with pytest.raises(ValueError, match="at least one"):
        model.behave(Behaviour(), times=0)


def test_a_behaviour_may_be_for_one_document_alone(model: ModelServer, http: httpx.Client) -> None:
    model.behave(Behaviour(failure=Failure.SERVER_ERROR, only_for="POISON"), times=1)

    texts = (BILL, "POISON", "POISON")

    assert [post_chat(http, text).status_code for text in texts] == [200, 500, 200]


def test_a_quirk_is_set_by_its_name(model: ModelServer, http: httpx.Client) -> None:
    http.post("/sandbox/behaviour", json={"quirk": "busy", "times": 1})

    assert model.state.behaviour == QUIRKS["busy"]
    assert post_chat(http).status_code == 503
    assert post_chat(http).status_code == 200


def test_the_behaviour_is_changed_and_shown_over_http(http: httpx.Client) -> None:
    changed = http.post("/sandbox/behaviour", json={"outcome": "empty", "times": 1})

    assert changed.json() == http.get("/sandbox/behaviour").json()
    assert changed.json()["outcome"] == "empty"
    assert choice_of(post_chat(http))["message"]["content"] == ""
    assert http.get("/sandbox/behaviour").json()["outcome"] == "answer"


@pytest.mark.parametrize(
    "content",
    [
        '{"quirk": "x"}',
        '{"quirk": "busy", "delay": 1}',
        '{"outcom": "cut"}',
        '{"outcome": "x"}',
        '{"times": 0}',
        "7",
        "{",
    ],
)
def test_a_behaviour_with_a_mistake_is_refused(
    model: ModelServer, http: httpx.Client, content: str
) -> None:
    response = http.post("/sandbox/behaviour", content=content)

    assert response.status_code == 422
    assert model.state.behaviour == Behaviour()


def test_every_chat_is_in_the_log(model: ModelServer, http: httpx.Client) -> None:
    model.behave(Behaviour(outcome=Outcome.HTML))
    http.get("/v1/models")
    post_chat(http, response_format=JSON_OBJECT, max_tokens=7)
    http.post("/v1/chat/completions", content="no JSON")

    chat, broken = model.state.chats()

    assert (chat.number, chat.model, chat.status) == (2, "sandbox-model", 200)
    assert chat.response_format == JSON_OBJECT
    assert chat.parameters == {"max_tokens": 7}
    assert BILL in str(http.get("/sandbox/requests").json()[1]["body"]["messages"][1]["content"])
    assert (broken.messages, broken.status) == (None, 400)


def test_faults_strike_the_model_as_well(model: ModelServer, http: httpx.Client) -> None:
    model.state.faults.add(Fault(path="/v1/chat/.*", effect=too_many_requests(retry_after=30)))

    assert [post_chat(http).status_code for _ in range(2)] == [429, 200]
    assert model.state.chats()[0].fault is not None


def test_a_slow_answer_comes_in_the_end(model: ModelServer, http: httpx.Client) -> None:
    model.behave(Behaviour(delay=0.05))

    assert post_chat(http).status_code == 200


def test_a_client_that_gives_up_leaves_nothing_behind(
    model: ModelServer, http: httpx.Client
) -> None:
    model.behave(Behaviour(delay=600), times=1)

    with pytest.raises(httpx.ReadTimeout):
        post_chat_with(http, timeout=0.05)

    assert post_chat(http).status_code == 200
    assert model.state.chats()[0].status == 499


def post_chat_with(http: httpx.Client, timeout: float) -> httpx.Response:
    body = {"model": "m", "messages": [{"role": "user", "content": "x"}]}
    return http.post("/v1/chat/completions", json=body, timeout=timeout)

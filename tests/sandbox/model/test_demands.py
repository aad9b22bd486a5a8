"""Strict servers refuse what does not meet their demands, and serve all else."""

from typing import Any

import httpx
import pytest

from sandbox.model import Behaviour, Demand, ModelServer
from tests.sandbox.model.prompts import JSON_OBJECT, json_schema, post_chat

_CLOSED = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}
CLOSED: dict[str, object] = {**_CLOSED, "additionalProperties": False}


def strictly(schema: object, **more: object) -> dict[str, object]:
    json_schema = {"name": "analysis", "strict": True, "schema": schema, **more}
    return {"type": "json_schema", "json_schema": json_schema}


def with_title(shape: object) -> dict[str, object]:
    return strictly({**CLOSED, "properties": {"title": shape}})


SCHEMA = {"response_format": strictly(CLOSED)}


@pytest.mark.parametrize(
    ("demand", "request_", "status"),
    [
        (Demand.NO_UNIONS, SCHEMA, 200),
        (Demand.NO_UNIONS, {"response_format": with_title({"type": ["string", "null"]})}, 400),
        (Demand.NO_UNIONS, {"response_format": with_title({"anyOf": [{}, {}]})}, 400),
        (Demand.NO_UNIONS, {"response_format": JSON_OBJECT}, 200),
        (Demand.STRICT, SCHEMA, 200),
        (Demand.STRICT, {"response_format": strictly(CLOSED, strict=False)}, 400),
        (Demand.STRICT, {"response_format": JSON_OBJECT}, 200),
        (Demand.CLOSED, SCHEMA, 200),
        (Demand.CLOSED, {"response_format": strictly(_CLOSED)}, 400),
        (Demand.CLOSED, {"response_format": strictly({**CLOSED, "required": []})}, 400),
        (Demand.CLOSED, {"response_format": json_schema()}, 400),
        (Demand.CLOSED, {}, 200),
        (Demand.WORD_JSON, {"response_format": JSON_OBJECT}, 200),
        (
            Demand.WORD_JSON,
            {"response_format": JSON_OBJECT, "messages": [{"role": "user", "content": "Hm"}]},
            400,
        ),
        (Demand.WORD_JSON, {"messages": [{"role": "user", "content": "Hm"}]}, 200),
        (Demand.KNOWN_PARAMETERS, {"max_tokens": 900, "temperature": 0}, 200),
        (Demand.KNOWN_PARAMETERS, {"frequency_penalty": 1}, 400),
        (Demand.NO_DEVELOPER, {}, 200),
        (Demand.NO_DEVELOPER, {"messages": [{"role": "developer", "content": "Hm"}]}, 500),
    ],
)
def test_a_demand_is_met_or_the_request_refused(
    model: ModelServer,
    http: httpx.Client,
    demand: Demand,
    request_: dict[str, Any],
    status: int,
) -> None:
    model.behave(Behaviour(demands=frozenset({demand})))

    assert post_chat(http, **request_).status_code == status

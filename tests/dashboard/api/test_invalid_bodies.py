"""A body that cannot be understood is refused with a sentence, in the one shape of errors."""

from collections.abc import Mapping

import pytest

from tests.dashboard.api_client import V1, Client

AS_JSON = {"content-type": "application/json"}
HOW = "send JSON, with `Content-Type: application/json`"


@pytest.mark.parametrize(
    ("body", "headers", "expected"),
    [
        (
            b"{document: home/1}",
            AS_JSON,
            (
                422,
                "invalid",
                "the body is no JSON: Expecting property name enclosed in double quotes"
                " at character 2",
            ),
        ),
        (
            b'{"document": "home/1"}',
            {},
            (422, "invalid", f"the body was not sent as JSON: {HOW}"),
        ),
        (
            b'{"document": "home/1"}',
            {"content-type": "application/x-www-form-urlencoded"},
            (422, "invalid", f"the body was not sent as JSON: {HOW}"),
        ),
        (b"", AS_JSON, (422, "invalid", f"the body is missing: {HOW}")),
        (b"[1, 2]", AS_JSON, (422, "invalid", "the body is no JSON object, such as {...}")),
        (
            '{"document": "höme/1"}'.encode("latin-1"),
            AS_JSON,
            (400, "bad_request", f"the body cannot be read: {HOW}, in UTF-8"),
        ),
        (b"{}", AS_JSON, (422, "invalid", "body.document: Field required")),
    ],
)
async def test_what_was_sent_wrongly_is_reported(
    api: Client, body: bytes, headers: Mapping[str, str], expected: tuple[int, str, str]
) -> None:
    async with api.rig.client() as http:
        answer = await http.post(f"{V1}/analyses", content=body, headers=dict(headers))

    [error] = answer.json().values()
    assert (answer.status_code, error["code"], error["message"]) == expected

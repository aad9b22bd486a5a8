"""Build prompts and requests as Paperclerk sends them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from sandbox.model.question import FIELDS

BILL = """\
Stadtwerke Musterstadt GmbH
Am Gaswerk 12 · 12345 Musterstadt

Frau Erika Mustermann
Lindenweg 4
12345 Musterstadt

Rechnungsnummer: SW-1
Rechnungsdatum: 31.10.2026

Stromrechnung Oktober 2026

Für die Stromlieferung berechnen wir 241 kWh.
"""
NAMES = {
    "correspondent": ("Musterbank", "Stadtwerke Musterstadt"),
    "document_type": ("Brief", "Rechnung"),
    "tag": ("Auto", "Strom"),
}
_ITEM = {
    "type": "object",
    "properties": {
        "value": {"type": "string"},
        "evidence": {"type": "string"},
        "confidence": {"type": "number"},
    },
}


def a_schema(fields: Sequence[str] = FIELDS) -> dict[str, object]:
    shapes = {
        name: {"type": "array", "items": _ITEM} if name == "tags" else _ITEM for name in fields
    }
    return {"type": "object", "properties": shapes, "required": list(fields)}


def messages_about(
    text: str,
    *,
    names: Mapping[str, Sequence[str]] = NAMES,
    schema: Mapping[str, object] | None = None,
) -> list[dict[str, str]]:
    blocks = [
        f'<names kind="{kind}">\n' + "\n".join(known) + "\n</names>"
        for kind, known in names.items()
    ]
    system = "Answer in JSON.\n" + "\n".join(blocks) + f"\n{json.dumps(schema) if schema else ''}"
    user = f'File this.\n<document mark="8f3a91c2">\n{text}\n</document mark="8f3a91c2">'
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


def json_schema(fields: Sequence[str] = FIELDS) -> dict[str, object]:
    schema = {"name": "analysis", "strict": True, "schema": a_schema(fields)}
    return {"type": "json_schema", "json_schema": schema}


JSON_OBJECT = {"type": "json_object"}


def post_chat(http: httpx.Client, text: str = BILL, /, **parameters: object) -> httpx.Response:
    body = {"model": "sandbox-model", "messages": messages_about(text), **parameters}
    return http.post("/v1/chat/completions", json=body)


def choice_of(response: httpx.Response) -> Any:
    assert response.status_code == 200
    return response.json()["choices"][0]


def answer_of(response: httpx.Response) -> Any:
    return json.loads(choice_of(response)["message"]["content"])

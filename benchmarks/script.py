"""A plain script with the same writes: for each document GET, model call, PATCH, GET.

Before the model call it searches for similar documents, as we do. It has no queue, no checks, no
history and no retries.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import httpx

from benchmarks.sandbox_process import SCRIPT, Address
from core.fields import FieldName
from processor.analysis.prompt import ANSWER_TOKENS, Prompt, PromptSettings, build_prompt
from processor.analysis.prompt_blocks import NameEntry

_LISTS = {
    FieldName.CORRESPONDENT: "correspondents",
    FieldName.DOCUMENT_TYPE: "document_types",
    FieldName.TAGS: "tags",
}
_SIMILAR = 25
"""Number of similar documents, the same as ours."""
_FIELDS = tuple(field for field in FieldName if field is not FieldName.STORAGE_PATH)
"""The fields that are requested by default."""
Names = Mapping[FieldName, Mapping[str, int]]


class Script:
    """Files documents one after the other."""

    def __init__(self, address: Address, http: httpx.Client) -> None:
        self._model = address.model
        self._http = http
        self._settings = PromptSettings(fields=_FIELDS)

    def run(self, *, page: int, count: int) -> None:
        """File one page of the documents that are meant for the script."""
        names = {field: self._names(path) for field, path in _LISTS.items()}
        tag = names[FieldName.TAGS][SCRIPT]
        query = {"tags__id__all": tag, "page": page, "page_size": count}
        listed = self._get("documents/", {**query, "fields": "id", "ordering": "-added"})["results"]
        assert len(listed) == count
        for document in listed:
            self._file(document["id"], names)

    def _file(self, number: int, names: Names) -> None:
        path = f"documents/{number}/"
        document = self._get(path, {})
        self._get(
            "documents/", {"more_like_id": number, "page_size": _SIMILAR, "fields": "id,title,tags"}
        )
        answer = self._ask(document["content"], names)
        tags = [names[FieldName.TAGS].get(tag["value"]) for tag in answer.get("tags") or ()]
        merged = {*document["tags"], *(tag for tag in tags if tag)}
        self._send("PATCH", path, {**_patch(answer, names), "tags": sorted(merged)})
        self._get(path, {})

    def _ask(self, text: str, names: Names) -> dict[str, Any]:
        offered = {field: [NameEntry(name) for name in known] for field, known in names.items()}
        prompt = build_prompt(text, names=offered, settings=self._settings, mark="0123456789abcdef")
        answer = self._http.post(f"{self._model}/chat/completions", json=_request(prompt))
        answer.raise_for_status()
        reply: dict[str, Any] = json.loads(answer.json()["choices"][0]["message"]["content"])
        return reply

    def _names(self, path: str) -> dict[str, int]:
        found = self._get(f"{path}/", {"page_size": 1000})["results"]
        return {item["name"]: item["id"] for item in found}

    def _get(self, path: str, query: Mapping[str, str | int]) -> dict[str, Any]:
        answer = self._http.get(f"/api/{path}", params=dict(query))
        answer.raise_for_status()
        read: dict[str, Any] = answer.json()
        return read

    def _send(self, method: str, path: str, body: Mapping[str, object]) -> None:
        self._http.request(method, f"/api/{path}", json=dict(body)).raise_for_status()


def _request(prompt: Prompt) -> dict[str, object]:
    return {
        "model": "sandbox-model",
        "messages": [
            {"role": "system", "content": prompt.system},
            {"role": "user", "content": prompt.user},
        ],
        "max_tokens": ANSWER_TOKENS,
        "temperature": 0,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "analysis", "strict": True, "schema": prompt.schema},
        },
    }


def _patch(answer: Mapping[str, Any], names: Names) -> dict[str, object]:
    fields = {"title": _value(answer, "title"), "created": _value(answer, "date")}
    return {key: value for key, value in fields.items() if value} | dict(_named(answer, names))


def _value(answer: Mapping[str, Any], field: str) -> str:
    """Return the answer for a field; "" for an unreadable document."""
    return str((answer.get(field) or {}).get("value") or "")


def _named(answer: Mapping[str, Any], names: Names) -> Iterable[tuple[str, int]]:
    for field in (FieldName.CORRESPONDENT, FieldName.DOCUMENT_TYPE):
        if known := names[field].get(_value(answer, field)):
            yield field.value, known

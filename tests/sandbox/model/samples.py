"""The index of the sample documents, loaded for the tests."""

import tomllib
from typing import Any

from sandbox.documents import FOLDER

INDEX: dict[str, Any] = tomllib.loads((FOLDER / "index.toml").read_text(encoding="utf-8"))
DOCUMENTS: list[dict[str, Any]] = INDEX["documents"]
FILES = [str(document["file"]) for document in DOCUMENTS]
TAGS = [str(tag["name"]) for tag in INDEX["tags"]]
NAMES = {
    "correspondent": tuple(INDEX["correspondents"]),
    "document_type": tuple(INDEX["document_types"]),
    "tag": tuple(tag["name"] for tag in INDEX["tags"] if not tag.get("is_inbox_tag")),
}


def text_of(file: str) -> str:
    return (FOLDER / file).read_text(encoding="utf-8")

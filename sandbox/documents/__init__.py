"""Forty invented documents, and the correct values of each."""

import datetime as dt
import tomllib
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter

FOLDER = Path(__file__).parent


class Truth(BaseModel):
    """The correct values of a document; None if the document does not contain one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str | None = None
    title_contains: tuple[str, ...] = ()
    """A title counts as correct if it contains one of these; case is ignored."""
    correspondent: str | None = None
    document_type: str | None = None
    tags: frozenset[str] = frozenset()
    date: dt.date | None = None
    date_quote: str | None = None
    invoice_number: str | None = None
    amount: str | None = None
    """As Paperless stores it: EUR12.50."""
    due: str | None = None
    new_names: frozenset[str] = frozenset()
    """Names that the fake Paperless does not have yet."""


def load_truth(folder: Path = FOLDER) -> Mapping[str, Truth]:
    """Load the correct values, by file name."""
    text = (folder / "truth.toml").read_text(encoding="utf-8")
    return TypeAdapter(dict[str, Truth]).validate_python(tomllib.loads(text))

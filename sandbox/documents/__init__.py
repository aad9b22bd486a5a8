"""Forty invented documents, and what would be right to file for each of them."""

import datetime as dt
import tomllib
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter

FOLDER = Path(__file__).parent


class Truth(BaseModel):
    """What a careful person would file; None means that the document does not say."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str | None = None
    title_contains: tuple[str, ...] = ()
    """A title is good enough when it has one of these in it, whatever the case."""
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
    """Names that the pretend Paperless does not know yet."""


def load_truth(folder: Path = FOLDER) -> Mapping[str, Truth]:
    """Read the right answers, by file name."""
    text = (folder / "truth.toml").read_text(encoding="utf-8")
    return TypeAdapter(dict[str, Truth]).validate_python(tomllib.loads(text))

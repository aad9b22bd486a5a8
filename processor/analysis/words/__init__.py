"""Words that label values in documents, by language; add missing words here.

Each entry is a regular expression for folded text: small letters, no accents.
"""

from collections.abc import Mapping

Words = Mapping[str, str]
"""Words of one meaning, by language."""


def any_of(*tables: Words) -> str:
    """Return a pattern that matches a word of any of the tables, in any language."""
    return "|".join(words for table in tables for words in table.values())

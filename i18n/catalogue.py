"""Read what our sentences are in another language, from a .po file as translators know it."""

from ast import literal_eval
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files

_KEYWORDS = ("msgid_plural", "msgid", "msgstr[0]", "msgstr[1]", "msgstr")


@cache
def catalogue(language: str) -> Mapping[str, tuple[str, ...]]:
    """Return the sentences of a language by the English ones; English has none of its own."""
    if language == "en":
        return {}
    text = files("i18n").joinpath(f"{language}.po").read_text(encoding="utf-8")
    return parse(text)


def parse(text: str) -> Mapping[str, tuple[str, ...]]:
    """Read the text of a .po file: one sentence for each msgid, or one for one and one for many."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in _entries(text):
        forms = [entry[key] for key in ("msgstr", "msgstr[0]", "msgstr[1]") if entry.get(key)]
        if entry.get("msgid") and forms:
            found[entry["msgid"]] = tuple(forms)
    return found


def _entries(text: str) -> Iterator[dict[str, str]]:
    """Yield the entries, which stand apart by an empty line."""
    for block in text.split("\n\n"):
        entry: dict[str, str] = {}
        keyword = ""
        for line in block.splitlines():
            if line.startswith("#") or not line.strip():
                continue
            named, _, rest = line.partition(" ")
            goes_on = line.startswith('"')
            keyword, quoted = (keyword, line) if goes_on else (named, rest)
            assert keyword in _KEYWORDS, f"not a line of a .po file: {keyword}"
            entry[keyword] = entry.get(keyword, "") + literal_eval(quoted.strip())
        yield entry

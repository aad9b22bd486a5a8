"""Every sentence is there in German, and none is there that nobody says."""

import re
from collections import Counter
from importlib import import_module
from pathlib import Path

import i18n as language
from i18n.translate import load_catalogue, parse_po
from tests.dashboard.language.sentences import (
    in_code,
    in_messages,
    in_settings,
    in_tables,
    in_templates,
    of_errors,
    of_problems,
    of_the_framework,
)

for _module in ("daemon.run", "daemon.cli.app", "actions.review"):
    # They bring every error of ours along.
    import_module(_module)

SAID = sorted(
    {
        *in_templates(),
        *in_code(),
        *in_tables(),
        *in_messages(),
        *in_settings(),
        *of_problems(),
        *of_errors(),
        *of_the_framework(),
    }
)
GERMAN = load_catalogue("de")
PO = Path(language.__file__).with_name("de.po")


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"{\w+}", text))


def test_every_sentence_is_there_in_german() -> None:
    assert [sentence for sentence in SAID if sentence not in GERMAN] == []


def test_nothing_is_there_that_nobody_says() -> None:
    assert sorted(set(GERMAN) - set(SAID)) == []


def test_no_sentence_is_there_twice() -> None:
    said = Counter(re.findall(r'^msgid "(.+)"$', PO.read_text(encoding="utf-8"), re.MULTILINE))

    assert [sentence for sentence, times in said.items() if times > 1] == []


def test_german_has_the_same_placeholders() -> None:
    differing = [
        (english, german)
        for english, translations in GERMAN.items()
        for german in translations
        if placeholders(german) != placeholders(english)
    ]

    assert differing == []


def test_a_file_may_have_comments_long_lines_and_plurals() -> None:
    text = """# A comment
msgid ""
msgstr "header"

#: a place
msgid "one "
"two"
msgstr "eins "
"zwei"

msgid "{n} day"
msgid_plural "{n} days"
msgstr[0] "{n} Tag"
msgstr[1] "{n} Tage"

msgid "not yet"
msgstr ""
"""

    assert parse_po(text) == {"one two": ("eins zwei",), "{n} day": ("{n} Tag", "{n} Tage")}


def test_english_needs_no_file() -> None:
    assert load_catalogue("en") == {}

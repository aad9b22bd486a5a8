"""Every text is translated, and the catalogue has no text that is no longer used."""

import re
from collections import Counter
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path

import pytest

import i18n
from i18n.translate import compile_mo, load_translations, parse_po
from tests.i18n.extract import Texts, extract_all

PO = Path(i18n.__file__).with_name("de.po")
GERMAN = {
    msgid.partition("\0")[0]: forms.split("\0")
    for msgid, forms in parse_po(PO.read_text(encoding="utf-8")).items()
    if msgid
}


@pytest.fixture(scope="module")
def texts() -> Texts:
    """All texts of the code; to extract them takes seconds."""
    return extract_all()


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"{\w+}", text))


def test_every_text_is_translated(texts: Texts) -> None:
    missing = sorted(set(texts) - set(GERMAN))

    assert missing == [], "run `make translations`, then translate the new entries of i18n/de.po"


def test_no_translation_is_left_over(texts: Texts) -> None:
    stale = sorted(set(GERMAN) - set(texts))

    assert stale == [], "run `make translations`"


def test_no_text_is_there_twice() -> None:
    msgids = Counter(re.findall(r'^msgid "(.+)"$', PO.read_text(encoding="utf-8"), re.MULTILINE))

    assert [msgid for msgid, times in msgids.items() if times > 1] == []


def test_german_has_the_same_placeholders() -> None:
    differing = [
        (english, german)
        for english, forms in GERMAN.items()
        for german in forms
        if placeholders(german) != placeholders(english)
    ]

    assert differing == []


def test_texts_with_a_number_have_both_forms_in_german(texts: Texts) -> None:
    plurals = {text for text, plural in texts.items() if plural is not None}

    assert sorted(text for text in plurals if len(GERMAN.get(text, ("", ""))) != 2) == []


def test_gettext_reads_comments_long_lines_and_plurals() -> None:
    text = """# A comment
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"

#: a place
msgid "one "
"two"
msgstr "eins "
"zwölf"

msgid "{n} day"
msgid_plural "{n} days"
msgstr[0] "{n} Tag"
msgstr[1] "{n} Tage"

msgid "not yet"
msgstr ""
"""

    translations = GNUTranslations(BytesIO(compile_mo(parse_po(text))))

    assert translations.gettext("one two") == "eins zwölf"
    assert [translations.ngettext("{n} day", "{n} days", n) for n in (0, 1, 2)] == [
        "{n} Tage",
        "{n} Tag",
        "{n} Tage",
    ]
    assert translations.gettext("not yet") == "not yet"


def test_english_needs_no_catalogue() -> None:
    assert load_translations("en").gettext("Overview") == "Overview"

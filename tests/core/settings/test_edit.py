"""Editing the text of a settings file."""

import tomllib
from decimal import Decimal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.settings import render_settings
from core.settings.edit import (
    HIDDEN,
    CannotEdit,
    EditedValue,
    Edits,
    apply_edits,
    build_lines_to_paste,
    diff,
    list_editable,
)
from tests.core.settings.conftest import MINIMAL
from tests.core.settings.test_draft import REQUIRED

OPTIONS = list_editable("home")
WRITTEN = """\
# My archive.
[paperless]
url = "http://webserver:8000"  # next door
token = "abcdef123456"

[ai]
base_url = "http://ollama:11434/v1"
api_key = "sk-secret"
model = 'qwen3:8b'   # fast enough; abcdef123456 is not its key
# instructions = "mine, for later"

# Tags that matter.
[scan]
include_tags = [
  "Inbox",   # everything new
  "Scanner",
]

[fields]
title = "review"

[fields.custom_fields]
# Written on most invoices.
"Invoice number" = "fill"
Amount = "review"  # sometimes wrong
"""


def edit(text: str, edits: Edits) -> str:
    return apply_edits(text, edits, OPTIONS)


@pytest.mark.parametrize(
    ("edits", "before", "after"),
    [
        (
            {("ai", "model"): "llama3"},
            "model = 'qwen3:8b'   # fast enough",
            'model = "llama3"   # fast enough',
        ),
        ({("fields", "title"): "fill"}, 'title = "review"', 'title = "fill"'),
        ({("fields", "date"): "off"}, 'title = "review"', 'title = "review"\ndate = "off"'),
        (
            {("scan", "include_tags"): ("Inbox", "Post")},
            '"Inbox",   # everything new\n  "Scanner",',
            '"Inbox",   # everything new\n  "Post",',
        ),
        (
            {("scan", "include_tags"): ("Scanner", "Inbox")},
            '[\n  "Inbox",   # everything new\n  "Scanner",\n]',
            '["Scanner", "Inbox"]',
        ),
        ({("scan", "cron"): "@daily"}, '"Scanner",\n]', '"Scanner",\n]\ncron = "@daily"'),
        (
            {("ai", "instructions"): "One.\nTwo."},
            '# instructions = "mine, for later"',
            '# instructions = "mine, for later"\ninstructions = """\nOne.\nTwo."""',
        ),
        (
            {("fields", "custom_fields"): {"Invoice number": "fill", "Tax year": "fill"}},
            'Amount = "review"  # sometimes wrong\n',
            '"Tax year" = "fill"\n',
        ),
        (
            {("limits", "price_in"): Decimal("0.15"), ("limits", "documents_per_day"): 20},
            "# sometimes wrong\n",
            "# sometimes wrong\n\n[limits]\nprice_in = 0.15\ndocuments_per_day = 20\n",
        ),
        (
            {("ai", "type_instructions"): {"Invoice": "No payment services."}},
            '# instructions = "mine, for later"',
            'type_instructions = { Invoice = "No payment services." }\n'
            '# instructions = "mine, for later"',
        ),
    ],
)
def test_an_edit_changes_its_lines_and_no_others(edits: Edits, before: str, after: str) -> None:
    assert edit(WRITTEN, edits) == WRITTEN.replace(before, after)


def test_a_commented_default_becomes_the_setting_and_keeps_its_explanation() -> None:
    text = render_settings("home", REQUIRED)

    edited = edit(text, {("scan", "min_age"): "10m", ("fields", "title"): "fill"})

    assert [(line.sign, line.text) for line in diff(text, edited, "home")] == [
        ("-", '# min_age = "2m"                    # let Paperless finish its own workflows first'),
        ("+", 'min_age = "10m"                     # let Paperless finish its own workflows first'),
        ("-", '# title = "review"'),
        ("+", 'title = "fill"'),
    ]


def test_line_ends_of_another_system_are_kept() -> None:
    text = WRITTEN.replace("\n", "\r\n")

    edited = edit(text, {("fields", "title"): "fill"})

    assert edited == text.replace('title = "review"', 'title = "fill"')


def test_an_inline_table_of_names_is_changed_entry_by_entry() -> None:
    text = f'{MINIMAL}[fields]\ncustom_fields = {{ "A b" = "fill", C = "off" }}  # two\n'

    edited = edit(text, {("fields", "custom_fields"): {"A b": "review", "C": "off"}})

    assert edited == text.replace("fill", "review")


@pytest.mark.parametrize(
    "text",
    [
        'ai.model = "x"\n',
        f'{MINIMAL}scan = {{ cron = "@daily" }}\n',
        f'{MINIMAL}scan = "none"\n',
        'scan = { cron = "@daily", enabled = true }\n[paperless]\nurl = "x"\n',
    ],
)
def test_a_file_is_either_edited_exactly_or_refused(text: str) -> None:
    edits: Edits = {("scan", "min_age"): "1h", ("ai", "instructions"): "Be brief."}
    try:
        edited = edit(text, edits)
    except CannotEdit:
        return
    assert tomllib.loads(edited)["scan"]["min_age"] == "1h"


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SCALARS: st.SearchStrategy[EditedValue] = TEXTS | st.integers(-5, 10**6) | st.booleans()
EDITS: st.SearchStrategy[Edits] = st.fixed_dictionaries(
    {},
    optional={
        ("ai", "model"): SCALARS,
        ("ai", "instructions"): TEXTS,
        ("ai", "type_instructions"): st.dictionaries(TEXTS, TEXTS, max_size=3),
        ("scan", "cron"): SCALARS,
        ("scan", "include_tags"): st.lists(TEXTS, max_size=3, unique=True).map(tuple),
        ("fields", "custom_fields"): st.dictionaries(TEXTS, TEXTS, max_size=3),
        ("limits", "price_in"): st.decimals(0, 1000, places=3),
    },
)


@settings(max_examples=50)
@given(EDITS)
@example({("ai", "instructions"): "one\r\ntwo\n"})
def test_whatever_is_edited_can_be_read_again(edits: Edits) -> None:
    values = tomllib.loads(edit(WRITTEN, edits))

    for (table, key), value in edits.items():
        wanted = list(value) if isinstance(value, tuple) else value
        assert values[table][key] == (float(wanted) if isinstance(wanted, Decimal) else wanted)
    assert values["paperless"] == tomllib.loads(WRITTEN)["paperless"]


def test_secrets_of_the_file_are_hidden_in_a_difference() -> None:
    edited = edit(WRITTEN, {("ai", "model"): "sk-secret"})

    shown = [line.text for line in diff(WRITTEN, edited, "home")]

    assert shown == [
        f"model = 'qwen3:8b'   # fast enough; {HIDDEN} is not its key",
        f'model = "{HIDDEN}"   # fast enough; {HIDDEN} is not its key',
    ]


def test_lines_to_paste_are_the_edited_values_by_table() -> None:
    edits: Edits = {
        ("fields", "title"): "fill",
        ("fields", "custom_fields"): {"Invoice number": "fill"},
        ("scan", "exclude_tags"): ("Private",),
    }

    assert build_lines_to_paste(edits) == (
        '[fields]\ntitle = "fill"\ncustom_fields = { "Invoice number" = "fill" }\n\n'
        '[scan]\nexclude_tags = ["Private"]'
    )

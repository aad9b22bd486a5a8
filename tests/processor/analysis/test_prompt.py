"""The question, in words."""

import json
from dataclasses import replace
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.analysis import Chunk
from core.calendar import DateOrder
from core.fields import DataType, FieldName, Option
from processor.analysis.answer import answer_schema
from processor.analysis.errors import PromptTooLong
from processor.analysis.prompt import (
    ANSWER_TOKENS,
    Prompt,
    PromptSettings,
    build_prompt,
    count_text_tokens_left,
    find_unknown_names,
    prompt_version,
)
from processor.analysis.prompt_blocks import Example, NameEntry, estimate_tokens, explain_template
from tests.builders import a_definition

ALL = tuple(field for field in FieldName if field is not FieldName.STORAGE_PATH)
"""Every field that is asked for by default."""
SETTINGS = PromptSettings(fields=ALL)
Names: TypeAlias = dict[FieldName, list[NameEntry]]


def entries(*names: str) -> list[NameEntry]:
    return [NameEntry(name) for name in names]


NAMES: Names = {
    FieldName.CORRESPONDENT: entries("Stadtwerke Musterstadt", "Telekom Deutschland GmbH"),
    FieldName.DOCUMENT_TYPE: entries("Rechnung"),
    FieldName.TAGS: entries("Strom"),
}


def a_prompt(
    text: str = "Stromrechnung Oktober 2026",
    settings: PromptSettings = SETTINGS,
    names: Names | None = None,
) -> Prompt:
    return build_prompt(
        text, names=NAMES if names is None else names, settings=settings, mark="8f3a91c2"
    )


def test_the_document_stands_between_two_lines_with_the_mark() -> None:
    prompt = a_prompt("Zeile eins\nZeile zwei")

    assert (
        '\n<document mark="8f3a91c2">\nZeile eins\nZeile zwei\n</document mark="8f3a91c2">'
        in prompt.user
    )
    assert prompt.left_out == 0


def test_names_in_use_are_listed_by_kind() -> None:
    assert (
        '<names kind="document_type">\nRechnung\n</names>\n'
        '<names kind="tag">\nStrom\n</names>\n'
        '<names kind="correspondent">\nStadtwerke Musterstadt\nTelekom Deutschland GmbH\n</names>\n'
    ) in a_prompt().system


def test_a_new_name_changes_nothing_before_the_end_of_its_list() -> None:
    before: Names = {FieldName.CORRESPONDENT: [NameEntry("Telekom", id=7), NameEntry("Bank", id=2)]}
    # It is used more often than the others already.
    after: Names = {
        FieldName.CORRESPONDENT: [NameEntry("Neu", id=9), *before[FieldName.CORRESPONDENT]]
    }

    shorter, longer = a_prompt(names=before).system, a_prompt(names=after).system

    assert shorter.endswith("Bank\nTelekom\n</names>\n")
    assert longer == shorter.removesuffix("</names>\n") + "Neu\n</names>\n"


def test_only_names_of_fields_asked_for_are_listed() -> None:
    prompt = a_prompt(settings=replace(SETTINGS, fields=(FieldName.TITLE, FieldName.TAGS)))

    assert prompt.system.count("<names") == 1
    assert "- tags: " in prompt.system
    assert "- correspondent: " not in prompt.system


@pytest.mark.parametrize("names", [{}, {FieldName.TAGS: []}])
def test_without_names_in_use_the_prompt_says_so(names: Names) -> None:
    prompt = a_prompt(names=names)

    assert "<names" not in prompt.system
    assert "(none yet)" in prompt.system


def test_where_the_schema_is_enforced_an_example_of_the_form_is_enough() -> None:
    prompt = a_prompt()

    item = '{"value": "...", "evidence": "...", "confidence": 0.9}'
    assert prompt.schema == answer_schema(ALL)
    assert f'JSON object, with a key for each of them: {{"title": {item}, "tags": [{item}]}}' in (
        prompt.system
    )
    assert '"properties"' not in prompt.system


def test_where_the_schema_is_not_enforced_it_is_in_the_text() -> None:
    prompt = a_prompt()

    spelled_out = prompt.with_schema_text()

    assert json.dumps(answer_schema(ALL)) in spelled_out.system
    assert "The form of the JSON object" not in spelled_out.system
    assert spelled_out.user == prompt.user
    assert spelled_out.characters > prompt.characters


@pytest.mark.parametrize("system", [a_prompt().system, a_prompt().with_schema_text().system])
def test_the_form_of_the_answer_stands_before_the_names(system: str) -> None:
    assert system.rindex("confidence") < system.index("<names")


def test_the_owners_instructions_are_passed_on() -> None:
    prompt = a_prompt(settings=replace(SETTINGS, instructions="  Costs in $ belong to $title. \n"))

    assert "adds:\nCosts in $ belong to $title.\n" in prompt.system


def test_instructions_for_one_type_stand_beside_its_name() -> None:
    by_type = {"Rechnung": " The shop is the sender. \n", "Ver\ntrag": "Keep $title."}

    prompt = a_prompt(settings=replace(SETTINGS, type_instructions=by_type))

    assert (
        "For documents of one type, the owner of the archive adds:\n"
        "- Rechnung: The shop is the sender.\n"
        "- Ver trag: Keep $title.\n"
    ) in prompt.system
    assert "of one type" not in a_prompt().system


@pytest.mark.parametrize("instructions", ["", "  \n "])
def test_without_instructions_the_owner_adds_nothing(instructions: str) -> None:
    assert "adds:" not in a_prompt(settings=replace(SETTINGS, instructions=instructions)).system


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("document", "in the language of the document"),
        ("de", "Write the title in German."),
        ("sv", "Write the title in sv."),
    ],
)
def test_the_language_is_asked_for(language: str, said: str) -> None:
    assert said in a_prompt(settings=replace(SETTINGS, language=language)).system


def test_the_most_tags_are_told() -> None:
    assert "at most 3" in a_prompt(settings=replace(SETTINGS, max_tags=3)).system


def test_dollar_signs_in_a_document_are_just_text() -> None:
    assert "Total: $mark ${text} $5" in a_prompt("Total: $mark ${text} $5").user


def test_no_placeholder_is_left() -> None:
    prompt = a_prompt()

    assert "$" not in prompt.system + prompt.user


def test_the_part_that_stays_the_same_does_not_depend_on_the_document() -> None:
    assert a_prompt("one").system == a_prompt("another").system


def test_a_long_document_loses_its_middle() -> None:
    prompt = a_prompt("Kopf " + "Mitte " * 10_000 + "Fuß")

    assert prompt.left_out > 0
    assert f"[... {prompt.left_out} characters left out ...]" in prompt.user
    assert '">\nKopf Mitte' in prompt.user
    assert "Mitte Fuß\n</document" in prompt.user


def test_its_characters_are_those_of_both_messages() -> None:
    prompt = a_prompt()

    assert prompt.characters == len(prompt.system) + len(prompt.user)


texts = st.text(st.sampled_from("abc äöü€😀\n$"), max_size=50).map(lambda text: text * 500)
vocabularies = st.lists(st.text(min_size=1, max_size=40), max_size=30).map(lambda some: some * 20)


@given(texts, vocabularies, st.integers(min_value=1024, max_value=16_384))
def test_a_prompt_and_its_answer_fit_into_the_context(
    text: str, names: list[str], context: int
) -> None:
    try:
        prompt = a_prompt(
            text, replace(SETTINGS, context=context), NAMES | {FieldName.TAGS: entries(*names)}
        )
    except PromptTooLong:
        return

    longest = prompt.with_schema_text()
    assert estimate_tokens(longest.system + longest.user) + ANSWER_TOKENS <= context


def test_the_owner_is_named_if_he_gave_his_names() -> None:
    settings = replace(SETTINGS, owner_names=("Erika Mustermann", "Musterbau\nGmbH"))

    told = "belongs to Erika Mustermann; Musterbau GmbH: never"
    assert told in a_prompt("Text", settings).system
    assert "belongs to" not in a_prompt("Text").system


def test_where_the_context_has_no_room_for_the_document_nothing_is_asked() -> None:
    with pytest.raises(PromptTooLong, match="1024"):
        a_prompt("Mitte " * 1000, replace(SETTINGS, context=1024))


def test_names_take_no_more_than_their_share_and_the_most_used_come_first() -> None:
    names = entries(*(f"correspondent number {number}" for number in range(5_000)))

    prompt = a_prompt("Text " * 300, names={FieldName.CORRESPONDENT: names})

    assert prompt.left_out == 0
    assert "<names" not in prompt.system
    assert "(listed with the document)" in prompt.system
    assert "correspondent number 0\ncorrespondent number 1\n" in prompt.user
    assert "correspondent number 4998" not in prompt.user


def test_a_list_that_depends_on_the_text_stands_after_all_that_does_not() -> None:
    senders = entries(*(f"correspondent number {number}" for number in range(5_000)))
    names = NAMES | {FieldName.CORRESPONDENT: [*senders, NameEntry("Windpark Nordsee")]}

    first, other = a_prompt("Windpark Nordsee", names=names), a_prompt("Text", names=names)

    assert first.system == other.system
    assert '<names kind="tag">\nStrom\n</names>' in first.system
    assert '<names kind="correspondent">\nWindpark Nordsee\ncorrespondent number 0\n' in first.user
    assert "Windpark" not in other.user
    assert first.user.index("</names>") < first.user.index("File this document")


def test_what_the_owner_says_about_a_name_stands_beside_it() -> None:
    settings = replace(SETTINGS, descriptions={"strom": "auch Gas", "Nobody": "unknown"})

    prompt = a_prompt(settings=settings)

    assert '<names kind="tag">\nStrom  # auch Gas\n</names>' in prompt.system
    assert "after a name and #" in prompt.system
    assert "unknown" not in prompt.system
    assert "after a name and #" not in a_prompt().system


def test_tags_are_listed_with_those_above_them() -> None:
    below = NameEntry("Nachtstrom", "only the heat pump", parents=("Haus", "Strom"))

    prompt = a_prompt(names={FieldName.TAGS: [below]})

    assert "\nNachtstrom  # under Haus › Strom; only the heat pump\n" in prompt.system
    assert "after a name and #" in prompt.system


def test_a_note_on_a_name_that_another_document_needs_leaves_the_first_message_the_same() -> None:
    senders = entries(*(f"correspondent number {number}" for number in range(5_000)))
    names = {FieldName.CORRESPONDENT: [*senders, NameEntry("Windpark Nordsee", "the wind farm")]}

    first, other = a_prompt("Windpark Nordsee", names=names), a_prompt("Text", names=names)

    assert "the wind farm" in first.user
    assert first.system == other.system


def test_storage_paths_are_listed_with_what_their_templates_make() -> None:
    settings = replace(SETTINGS, fields=(*ALL, FieldName.STORAGE_PATH))
    paths = [NameEntry("Nach Jahr", "[created year]/[title]"), NameEntry("Wohnen", "wohnen")]

    prompt = a_prompt(settings=settings, names=NAMES | {FieldName.STORAGE_PATH: paths})

    assert (
        '<names kind="storage_path">\nNach Jahr  # [created year]/[title]\nWohnen  # wohnen\n'
    ) in prompt.system
    assert "- storage_path: which of the listed storage paths" in prompt.system
    assert "after a name and #" in prompt.system


def test_the_owners_own_words_about_a_storage_path_replace_its_template() -> None:
    settings = PromptSettings((FieldName.STORAGE_PATH,), descriptions={"nach jahr": "all the rest"})

    prompt = a_prompt(
        settings=settings, names={FieldName.STORAGE_PATH: [NameEntry("Nach Jahr", "a/b")]}
    )

    assert "\nNach Jahr  # all the rest\n" in prompt.system


@pytest.mark.parametrize(
    ("template", "explained"),
    [
        (
            "{{ created_year }}/{{ correspondent }}/{{ title }}",
            "[created year]/[correspondent]/[title]",
        ),
        ("{created_year}/{title}", "[created year]/[title]"),
        ("{{title|upper}}", "[title]"),
        ("{{ document.created.year }}/x", "[document.created.year]/x"),
        (
            "{% if correspondent %}{{ correspondent }}{% else %}rest{% endif %}",
            "[correspondent]rest",
        ),
        ("a\n/{# for the tax office #}b", "a /b"),
        ("wohnen", "wohnen"),
        ("", ""),
    ],
)
def test_a_template_is_explained_by_the_words_of_its_placeholders(
    template: str, explained: str
) -> None:
    assert explain_template(template) == explained


def test_the_prompt_of_the_default_fields_is_what_stored_answers_were_given_to() -> None:
    assert prompt_version(PromptSettings(fields=ALL)) == "7baf2b11277b"


def test_similar_documents_are_shown_before_the_document() -> None:
    filed = Example(4, {FieldName.TITLE: ("Gas",), FieldName.CORRESPONDENT: ("Stadtwerke",)})

    prompt = build_prompt("Text", names=NAMES, settings=SETTINGS, mark="m", examples=[filed])

    assert "<example>\ntitle: Gas\ncorrespondent: Stadtwerke\n</example>\n\nFile" in prompt.user
    assert prompt.examples == (4,)
    assert prompt.system == a_prompt().system


def test_without_similar_documents_there_is_no_word_of_them() -> None:
    assert a_prompt().user.startswith("File this document.")
    assert a_prompt().examples == ()


def test_names_and_examples_never_take_the_room_that_a_short_document_needs() -> None:
    names = {field: entries(*(f"name number {n}" for n in range(500))) for field in NAMES}
    long_ago = [Example(n, {FieldName.TITLE: ("x" * 200,)}) for n in range(20)]
    settings = replace(SETTINGS, context=4096)

    prompt = build_prompt(
        "Text " * 200, names=names, settings=settings, mark="m", examples=long_ago
    )

    assert prompt.left_out == 0
    assert 0 < len(prompt.examples) < 20


def test_a_pass_is_told_which_part_it_is() -> None:
    prompt = build_prompt("Text", names=NAMES, settings=SETTINGS, mark="m", place=Chunk(3, 93))

    assert "this is part 3 of 93. " in prompt.user
    assert prompt.user.index("part 3") < prompt.user.index("<document")
    assert prompt.system == a_prompt().system
    assert "part" not in a_prompt().user


def test_a_name_more_does_not_move_the_borders_of_passes() -> None:
    fewer = NAMES | {FieldName.TAGS: entries(*(f"tag {n}" for n in range(30)))}
    more = NAMES | {FieldName.TAGS: entries(*(f"tag {n}" for n in range(31)))}

    assert count_text_tokens_left(SETTINGS, fewer) == count_text_tokens_left(SETTINGS, more) > 4000


def test_descriptions_of_names_that_nobody_uses_are_found() -> None:
    described = {"strom": "a", "Wasser": "b"}

    assert find_unknown_names(described, ["Strom", "Gas"]) == ("Wasser",)


@pytest.mark.parametrize(
    "other",
    [
        replace(SETTINGS, fields=(FieldName.TITLE,)),
        replace(SETTINGS, context=4096),
        replace(SETTINGS, language="de"),
        replace(SETTINGS, instructions="Be brief."),
        replace(SETTINGS, max_tags=3),
        replace(SETTINGS, owner_names=("Erika Mustermann",)),
        replace(SETTINGS, examples=0),
        replace(SETTINGS, max_passes=9),
        replace(SETTINGS, descriptions={"Strom": "auch Gas"}),
        replace(SETTINGS, date_order=DateOrder.DAY_FIRST),
        replace(SETTINGS, type_instructions={"Rechnung": "Be brief."}),
    ],
)
def test_other_words_are_another_version(other: PromptSettings) -> None:
    assert prompt_version(other) != prompt_version(SETTINGS)


def test_the_same_words_are_the_same_version() -> None:
    assert prompt_version(PromptSettings(fields=ALL)) == prompt_version(SETTINGS)


NUMBER = a_definition(name='Rechnungs$max_tags \n"Nr"')
KIND = a_definition(
    8, "Art", data_type=DataType.SELECT, options=(Option("a1", "privat"), Option("b2", "Büro"))
)


def test_custom_fields_are_asked_for_by_name_and_type() -> None:
    prompt = a_prompt(settings=replace(SETTINGS, custom_fields=(NUMBER, KIND)))

    assert (
        '\n- custom_field_7: what the archive calls "Rechnungs$max_tags \\"Nr\\"": text,'
        " at most 128 characters, as the document spells it"
        '\n- custom_field_8: what the archive calls "Art": one of these and nothing else:'
        ' ["privat", "Büro"]\n'
    ) in prompt.system
    assert prompt.fields == (*ALL, NUMBER.field, KIND.field)
    assert "custom_field_8" in json.dumps(prompt.schema)


@pytest.mark.parametrize("data_type", DataType)
def test_every_type_can_be_asked_for(data_type: DataType) -> None:
    asked = replace(SETTINGS, custom_fields=(a_definition(data_type=data_type),))

    assert '"Rechnungsnummer": ' in a_prompt(settings=asked).system


def test_each_custom_field_gives_the_answer_more_room() -> None:
    asked = replace(SETTINGS, custom_fields=(NUMBER, KIND))

    assert a_prompt().answer_tokens == ANSWER_TOKENS
    assert a_prompt(settings=asked).answer_tokens > ANSWER_TOKENS + 100


def test_other_custom_fields_give_another_version() -> None:
    renamed, retyped = a_definition(name="Nummer"), a_definition(data_type=DataType.INTEGER)
    fewer = replace(KIND, options=KIND.options[:1])
    asked = [(), (NUMBER,), (KIND,), (NUMBER, KIND), (renamed,), (retyped,), (fewer,)]

    versions = {prompt_version(replace(SETTINGS, custom_fields=fields)) for fields in asked}

    assert len(versions) == len(asked)

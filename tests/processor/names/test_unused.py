"""Which of the names that we made can be removed."""

from dataclasses import replace

import pytest

from actions.decisions import build_alias_rule
from core.changes import ChangeState
from core.documents import DocumentRef
from core.fields import FieldName, Name
from core.names import Alias, CreatedName, KeepReason
from daemon.services import Services
from i18n import labels
from paperless_client import NamedObject
from processor.names.unused import (
    NameReferences,
    collect_references,
    inspect_name,
    reason_to_keep,
    remove_name,
)
from sandbox import Sandbox
from tests.builders import NOW, a_change, an_added_tag
from tests.installation import HOME
from tests.processor.names.test_create import a_job, make, wants

TAGS, SENDER = FieldName.TAGS, FieldName.CORRESPONDENT
MADE = CreatedName(1, TAGS, "Garten", 5, DocumentRef("home", 7), 1, 1, NOW, NOW, None)
FOUND = NamedObject(id=5, name="Garten", document_count=0, matching_algorithm=0)
FREE = NameReferences(frozenset(), frozenset(), frozenset(), frozenset())


def found(**facts: object) -> NamedObject:
    return FOUND.model_copy(update=facts)


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        (FOUND, None),
        (found(document_count=1), KeepReason.IN_USE),
        (found(document_count=None), KeepReason.IN_USE),
        (found(name="Gärten"), KeepReason.RENAMED),
        (found(matching_algorithm=6), KeepReason.HAS_RULES),
        (found(matching_algorithm=None), KeepReason.HAS_RULES),
        (found(is_inbox_tag=True), KeepReason.HAS_RULES),
    ],
)
def test_a_name_is_kept_for_what_paperless_tells_of_it(
    name: NamedObject, kept: KeepReason | None
) -> None:
    assert reason_to_keep(MADE, name, FREE) == kept


@pytest.mark.parametrize(
    ("ties", "kept"),
    [
        (replace(FREE, parents=frozenset({5})), KeepReason.IS_PARENT),
        (replace(FREE, parents=frozenset({6})), None),
        (replace(FREE, settings=frozenset({"Garten"})), KeepReason.IN_SETTINGS),
        (replace(FREE, settings=frozenset({"Haus"})), None),
        (replace(FREE, aliases=frozenset({(TAGS, 5)})), KeepReason.HAS_ALIAS),
        (replace(FREE, aliases=frozenset({(SENDER, 5)})), None),
        (replace(FREE, changes=frozenset({(TAGS, "garten")})), KeepReason.WAITS),
        (replace(FREE, changes=frozenset({(SENDER, "garten")})), None),
    ],
)
def test_a_name_is_kept_for_what_it_is_tied_to(
    ties: NameReferences, kept: KeepReason | None
) -> None:
    assert reason_to_keep(MADE, FOUND, ties) == kept


def test_a_correspondent_with_the_number_of_a_parent_is_no_parent() -> None:
    ties = replace(FREE, parents=frozenset({5}))

    assert reason_to_keep(replace(MADE, field=SENDER), FOUND, ties) is None


def test_ties_are_put_together() -> None:
    tags = [found(), found(id=6, parent=5)]
    aliases = [
        Alias(
            "home", build_alias_rule(SENDER, "Telekom", Name(3, "Deutsche Telekom AG")), "anna", NOW
        ),
        Alias("home", build_alias_rule(SENDER, "Firma", Name(None, "Neue Firma")), "anna", NOW),
        Alias("home", build_alias_rule(TAGS, "Werbung", None), "anna", NOW),
    ]
    unsettled = [an_added_tag(Name(None, "GARTEN")), a_change(2, state=ChangeState.PROPOSED)]

    ties = collect_references(["Inbox"], tags, aliases, unsettled)

    assert ties == NameReferences(
        settings=frozenset({"Inbox"}),
        parents=frozenset({5}),
        aliases=frozenset({(SENDER, 3)}),
        changes=frozenset({(TAGS, "garten")}),
    )


def test_every_reason_has_its_words() -> None:
    assert set(labels.KEPT) == set(KeepReason)


async def test_a_name_that_a_document_got_meanwhile_is_kept(
    services: Services, sandbox: Sandbox
) -> None:
    sandbox.world.users["paperclerk"].permissions.add("delete_tag")
    client, store, now = (
        services.instances[HOME].paperless,
        services.store,
        services.context.clock(),
    )
    name = await make(services, wants("Garten", TAGS), await a_job(services))
    (made,) = await store.names.list_created_names(HOME)
    inspected = await inspect_name(client, made, FREE)
    assert inspected is not None
    assert inspected.kept is None

    sandbox.world.edit(1, tags=["Garten"])
    kept = await remove_name(client, store, inspected, FREE, now=now)
    sandbox.world.edit(1, tags=[])
    gone = await remove_name(client, store, inspected, FREE, now=now)

    assert (kept, gone) == (KeepReason.IN_USE, None)
    assert name.id not in sandbox.world.tags
    assert await store.names.list_created_names(HOME) == ()


async def test_a_name_that_is_gone_meanwhile_is_not_missed(
    services: Services, sandbox: Sandbox
) -> None:
    client, store, now = (
        services.instances[HOME].paperless,
        services.store,
        services.context.clock(),
    )
    name = await make(services, wants("Garten", TAGS), await a_job(services))
    (made,) = await store.names.list_created_names(HOME)
    inspected = await inspect_name(client, made, FREE)
    assert inspected is not None
    assert name.id is not None
    del sandbox.world.tags[name.id]

    assert await remove_name(client, store, inspected, FREE, now=now) is None
    assert await store.names.list_created_names(HOME) == ()

"""Tags that Paperless never assigns automatically can be kept from the model."""

import json
import re

from core.fields import FieldName, Name
from core.jobs import Scope
from daemon.services import Services
from sandbox import Sandbox
from sandbox.model.behaviour import Behaviour
from sandbox.paperless import Kind
from tests.builders import a_change
from tests.installation import HOME, Installation, enqueue_document, fields_of, process

ANSWER = json.dumps(
    {
        "tags": [
            {"value": "Strom", "evidence": "Stromrechnung August 2026", "confidence": 0.9},
            {"value": "Wohnen", "evidence": "Kundennummer", "confidence": 0.9},
        ]
    }
)
LEFT_OUT = "[names]\ntags_without_matching = false\n"


def tags_in_prompt(sandbox: Sandbox) -> list[str]:
    messages = sandbox.model.state.chats()[-1].messages
    assert isinstance(messages, list)
    block = re.search(r'<names kind="tag">\n(.*?)\n</names>', messages[0]["content"], re.DOTALL)
    return block[1].split("\n") if block else []


async def create_tag(services: Services, name: str) -> None:
    """Create a tag as a job does that needs it."""
    asked = await enqueue_document(services, 2)
    only = Scope(jobs=frozenset({asked.id}))
    job = await services.store.jobs.claim(worker="vm", now=services.context.clock(), scope=only)
    assert job is not None
    wanted = a_change(7, field=FieldName.TAGS, before=None, after=Name(None, name))
    await services.instances[HOME].name_creator.create(wanted, job)
    await services.store.jobs.succeed(job, now=services.context.clock())


async def test_by_default_every_tag_is_listed(installation: Installation, sandbox: Sandbox) -> None:
    installation.configure(all_fields="replace")
    async with installation.open() as services:
        await process(services)

    assert {"Strom", "Wohnen"} < {line.split("  # ")[0] for line in tags_in_prompt(sandbox)}


async def test_a_tag_without_matching_is_neither_listed_nor_set(
    installation: Installation, sandbox: Sandbox
) -> None:
    sandbox.world.find(Kind.TAG, "Wohnen").matching_algorithm = 1
    sandbox.model.behave(Behaviour(answer=ANSWER))
    installation.configure(LEFT_OUT, all_fields="replace")
    async with installation.open() as services:
        await process(services)

    assert tags_in_prompt(sandbox) == ["Wohnen"]
    assert fields_of(sandbox)["tags"] == ["Inbox", "Wohnen"]


async def test_a_tag_that_we_created_is_listed_all_the_same(
    installation: Installation, sandbox: Sandbox
) -> None:
    sandbox.world.find(Kind.TAG, "Wohnen").matching_algorithm = 1
    installation.configure(LEFT_OUT, all_fields="replace")
    async with installation.open() as services:
        await create_tag(services, "Garten")
        await process(services)

    assert tags_in_prompt(sandbox) == ["Wohnen", "Garten"]

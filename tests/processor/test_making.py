"""New names are made once, however many jobs want them."""

import asyncio

from core.fields import FieldName
from daemon.wiring import Clerk
from sandbox import Sandbox
from sandbox.paperless import Kind


async def test_jobs_with_one_new_sender_make_one_name(clerk: Clerk, sandbox: Sandbox) -> None:
    catalogue = clerk.instances["home"].catalogue
    spellings = ("Neue Firma", "NEUE FIRMA", "Neue Firma GmbH")

    made = await asyncio.gather(
        *(catalogue.create(FieldName.CORRESPONDENT, one) for one in spellings)
    )

    names = sandbox.world.names[Kind.CORRESPONDENT].values()
    assert [one.name for one in names if "firma" in one.name.lower()] == ["Neue Firma"]
    assert len({name.id for name in made}) == 1


async def test_a_new_name_belongs_to_nobody(clerk: Clerk, sandbox: Sandbox) -> None:
    made = await clerk.instances["home"].catalogue.create(FieldName.TAGS, "Garten")

    assert made.id is not None
    assert sandbox.world.tags[made.id].owner is None

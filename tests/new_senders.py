"""Letters of senders that Paperless has no name for."""

from core.changes import Plan, PlannedChange
from core.documents import DocumentRef
from core.fields import FieldName, Name
from core.jobs import NewJob
from daemon.services import Services
from sandbox import Sandbox
from sandbox.paperless import Kind, World
from tests.installation import fields_of

FIRM, SHORT, LONG = "Neue Gartenwelt", "Telekontakt", "Deutsche Telekontakt"
"""An unknown firm; a short form of a name in use, and that name."""
FILL = (
    '[fields]\ntitle = "off"\ndocument_type = "off"\ntags = "off"\ndate = "off"\n'
    'correspondent = "fill"\n'
)
LETTER = """{sender}, Landgrabenweg 151, 53227 Bonn

Erika Mustermann
Lindenweg 4
12345 Musterstadt

Datum: 12.10.2026

Ihre Rechnung Nummer {number}

Guten Tag Frau Mustermann,

heute erhalten Sie Ihre Rechnung für September 2026.
"""


def put_letters(world: World, *senders: str) -> None:
    """Replace all documents by one letter of each sender."""
    world.documents = {}
    add_letters(world, *senders)


def add_letters(world: World, *senders: str) -> None:
    for number, sender in enumerate(senders, start=1):
        world.add_document(LETTER.format(sender=sender, number=number), f"r{number}.pdf")


async def add_name_for_review(services: Services, name: str, *documents: int) -> None:
    """Put a new name of some documents into review."""
    store, now = services.store, services.context.clock()
    for number in documents:
        await store.jobs.enqueue(NewJob(DocumentRef("home", number)), now=now)
        job = await store.jobs.claim(worker="worker", now=now)
        assert job is not None
        wanted = PlannedChange(
            FieldName.CORRESPONDENT, None, Name(None, name), name, 0.9, ("new_name",)
        )
        await store.changes.record_plan(job, Plan(review=(wanted,)), made_from="plan", now=now)
        await store.jobs.succeed(job, now=now)


def senders(sandbox: Sandbox) -> list[object]:
    """Return the correspondent of each document, oldest first."""
    return [fields_of(sandbox, number)["correspondent"] for number in sandbox.world.documents]


def made(sandbox: Sandbox, name: str) -> int:
    """Count the correspondents with a name."""
    return [
        correspondent.name for correspondent in sandbox.world.names[Kind.CORRESPONDENT].values()
    ].count(name)


def delete_correspondent(world: World, name: str) -> None:
    """Delete a name from Paperless, so that it would have to be created."""
    del world.names[Kind.CORRESPONDENT][world.find(Kind.CORRESPONDENT, name).id]

"""Words that documents of a type or with a tag have in common, as a person filed them."""

import json

import pytest

from core.changes import ChangeState
from core.fields import FieldName
from daemon.services import Services
from processor.learning import choose_words
from sandbox import Sandbox
from sandbox.model.behaviour import Behaviour
from tests.installation import HOME, Installation, changes_of, process

LETTER = "Gymnasium am See\n\nElternbrief {n}\n\nLiebe Eltern, der Ausflug der Klasse war schön."
OTHER = "Stadtwerke Musterstadt\n\nIhr Verbrauch im Monat {n} war gering. Der Ausflug entfällt."
QUOTE = "Der Ausflug entfällt."


def test_words_are_learnt_that_are_rarer_elsewhere() -> None:
    texts = [f"Elternbrief Nummer {n}, Ausflug der Klasse" for n in range(6)]

    learnt = choose_words(texts, {"elternbrief": 0.3, "ausflug": 0.9, "nummer": 0.66})

    assert learnt == {"elternbrief", "nummer", "klasse"}


def test_a_word_of_one_document_is_not_learnt() -> None:
    texts = ["Elternbrief Sommerfest", *["Elternbrief"] * 5]

    assert choose_words(texts, {}) == {"elternbrief"}


def test_few_documents_teach_nothing() -> None:
    assert choose_words(["Elternbrief"] * 4, {}) == frozenset()


def file_letters(sandbox: Sandbox, **filed: object) -> int:
    """File letters under a type, add other documents and one that nobody filed; return its id."""
    for number in range(6 if filed else 0):
        document = sandbox.world.add_document(LETTER.format(n=number), f"scan_{number}.pdf")
        sandbox.world.edit(document.id, **filed)
    for number in range(40):
        sandbox.world.add_document(OTHER.format(n=number), f"other_{number}.pdf")
    return sandbox.world.add_document(f"{OTHER.format(n=99)}\nKlasse 7b", "new.pdf").id


def answer(field: str, value: str, quote: str) -> Behaviour:
    item = {"value": value, "evidence": quote, "confidence": 0.9}
    return Behaviour(answer=json.dumps({field: [item] if field == "tags" else item}))


@pytest.mark.parametrize(
    ("quote", "state"), [("Klasse 7b", ChangeState.APPLIED), (QUOTE, ChangeState.PROPOSED)]
)
@pytest.mark.parametrize(
    ("field", "name"), [(FieldName.DOCUMENT_TYPE, "Brief"), (FieldName.TAGS, "Wohnen")]
)
async def test_a_quote_needs_a_word_of_the_documents_that_were_filed_so(
    installation: Installation,
    sandbox: Sandbox,
    field: FieldName,
    name: str,
    quote: str,
    state: ChangeState,
) -> None:
    installation.configure(all_fields="replace")
    filed: object = [name] if field is FieldName.TAGS else name
    id_ = file_letters(sandbox, **{str(field): filed})
    sandbox.model.behave(answer(field, name, quote))

    async with installation.open() as services:
        await services.index_fillers[HOME].update()
        await process(services, id_)
        states = await changes_of(services, id_)

    assert states[field] == [state]


async def test_words_of_automatically_filed_documents_are_not_learnt(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(all_fields="replace")
    id_ = file_letters(sandbox)
    async with installation.open() as services:
        sandbox.model.behave(answer("document_type", "Brief", "Elternbrief"))
        await _file_automatically(services, sandbox)
        await services.index_fillers[HOME].update()
        sandbox.model.behave(answer("document_type", "Brief", QUOTE))
        await process(services, id_)
        states = await changes_of(services, id_)

    assert states[FieldName.DOCUMENT_TYPE] == [ChangeState.APPLIED]


async def _file_automatically(services: Services, sandbox: Sandbox) -> None:
    for number in range(6):
        document = sandbox.world.add_document(LETTER.format(n=number), f"scan_{number}.pdf")
        await process(services, document.id)

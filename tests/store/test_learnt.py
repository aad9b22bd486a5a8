"""What was learnt from documents is stored by document, counted, and decided about by people."""

from datetime import timedelta

from core.documents import DocumentRef
from core.learning import Approval, Fact, FactCount, FactKind, LearntDecision, LearntDocument
from store import Store
from tests.store.builders import FakeClock

ERIKA = Fact(FactKind.ADDRESSEE, "erikamuster", "Erika Muster")
ERIKA_IN_CAPITALS = Fact(FactKind.ADDRESSEE, "erikamuster", "ERIKA MUSTER")
OURS = Fact(FactKind.IBAN, "DE89370400440532013000")
DAY_FIRST = Fact(FactKind.DATE_ORDER, "day_first")
ENERGY, WATER = 4, 5


def a_document(
    id_: int, *facts: Fact, sender: int | None = ENERGY, by_person: bool = True, home: str = "home"
) -> LearntDocument:
    return LearntDocument(DocumentRef(home, id_), frozenset(facts), sender, by_person)


async def decide(
    store: Store, clock: FakeClock, fact: Fact, approval: Approval, by: str = "anna"
) -> None:
    await store.learnt.decide("home", LearntDecision(fact, None, approval, by, clock()))


async def test_facts_are_counted_by_the_sender_that_a_person_chose(store: Store) -> None:
    await store.learnt.record(
        [
            a_document(1, OURS, ERIKA),
            a_document(2, OURS),
            a_document(3, OURS, sender=WATER),
            a_document(4, OURS, sender=WATER, by_person=False),
            a_document(5, OURS, sender=None),
            a_document(6, OURS, home="office"),
        ]
    )

    assert await store.learnt.find_counts("home", [OURS]) == (
        FactCount(OURS, ENERGY, 2),
        FactCount(OURS, WATER, 1),
    )


async def test_a_number_that_two_senders_use_or_one_document_shows_is_not_listed(
    store: Store,
) -> None:
    shared, single = Fact(FactKind.DOMAIN, "portal.example"), Fact(FactKind.PHONE, "+4930123456")
    await store.learnt.record(
        [
            a_document(1, OURS, shared, single),
            a_document(2, OURS, shared),
            a_document(3, shared, sender=WATER),
        ]
    )

    assert await store.learnt.list_sender_facts("home") == (FactCount(OURS, ENERGY, 2),)


async def test_a_document_that_is_read_again_teaches_only_what_it_says_now(store: Store) -> None:
    await store.learnt.record([a_document(1, OURS), a_document(2, OURS)])

    await store.learnt.record([a_document(2, ERIKA, sender=WATER)])

    assert await store.learnt.find_counts("home", [OURS, ERIKA]) == (
        FactCount(OURS, ENERGY, 1),
        FactCount(ERIKA, WATER, 1),
    )


async def test_what_a_forgotten_document_taught_is_gone_at_once(store: Store) -> None:
    await store.learnt.record([a_document(1, OURS), a_document(2, OURS), a_document(3, OURS)])

    await store.learnt.forget("home", [1, 3, 99])

    assert await store.learnt.find_counts("home", [OURS]) == (FactCount(OURS, ENERGY, 1),)
    assert list(await store.learnt.list_modified("home")) == [2]


async def test_numbers_of_senders_can_be_forgotten_without_the_rest(store: Store) -> None:
    await store.learnt.record([a_document(1, OURS, ERIKA), a_document(2, OURS, home="office")])

    await store.learnt.forget_senders("home")

    assert await store.learnt.find_counts("home", [OURS, ERIKA]) == (FactCount(ERIKA, ENERGY, 1),)
    assert await store.learnt.find_counts("office", [OURS]) == (FactCount(OURS, ENERGY, 1),)


async def test_a_sender_that_a_person_confirms_counts_from_then_on(store: Store) -> None:
    await store.learnt.record([a_document(1, OURS, sender=None, by_person=False)])

    await store.learnt.set_filed_by_person(DocumentRef("home", 1), WATER)

    assert await store.learnt.find_counts("home", [OURS]) == (FactCount(OURS, WATER, 1),)


async def test_a_sender_that_was_written_automatically_is_remembered(store: Store) -> None:
    written = LearntDocument(DocumentRef("home", 1), frozenset(), ENERGY, written=ENERGY)
    await store.learnt.record([written, a_document(2)])

    assert await store.learnt.list_written("home", [1, 2]) == {1: ENERGY}


async def test_facts_of_documents_that_no_person_filed_are_counted_apart(store: Store) -> None:
    await store.learnt.record(
        [
            a_document(1, ERIKA),
            a_document(2, ERIKA_IN_CAPITALS, sender=WATER),
            a_document(3, ERIKA, by_person=False),
        ]
    )

    counts, filed = await store.learnt.count_facts("home", FactKind.ADDRESSEE)

    found = {(count.fact.spelling, count.correspondent): count.documents for count in counts}
    assert found == {("Erika Muster", 4): 1, ("ERIKA MUSTER", 5): 1, ("Erika Muster", None): 1}
    assert filed == 2


async def test_new_counts_replace_those_of_the_same_kind(store: Store, clock: FakeClock) -> None:
    first = [FactCount(ERIKA, None, 3, 10), FactCount(DAY_FIRST, ENERGY, 4, 4)]
    await store.learnt.replace_counts(
        "home", {FactKind.ADDRESSEE, FactKind.DATE_ORDER}, first, now=clock()
    )
    clock.advance(days=1)

    await store.learnt.replace_counts("home", {FactKind.ADDRESSEE}, [], now=clock())

    assert await store.learnt.list_counts("home", FactKind.ADDRESSEE) == ()
    earlier = clock() - timedelta(days=1)
    assert await store.learnt.list_counts("home", FactKind.DATE_ORDER) == (
        FactCount(DAY_FIRST, ENERGY, 4, 4, earlier),
    )
    assert await store.learnt.get_counted_at("home") == earlier
    assert await store.learnt.get_counted_at("office") is None


async def test_the_last_decision_about_a_fact_counts(store: Store, clock: FakeClock) -> None:
    await decide(store, clock, ERIKA, Approval.CONFIRMED)
    await decide(store, clock, OURS, Approval.DECLINED)

    await decide(store, clock, ERIKA, Approval.DECLINED, "bert")

    assert await store.learnt.list_decisions("home", {FactKind.ADDRESSEE}) == (
        LearntDecision(ERIKA, None, Approval.DECLINED, "bert", clock()),
    )
    assert await store.learnt.list_decisions("office", {FactKind.ADDRESSEE}) == ()


async def test_a_withdrawn_decision_is_gone(store: Store, clock: FakeClock) -> None:
    await store.learnt.decide(
        "home", LearntDecision(OURS, ENERGY, Approval.DECLINED, "anna", clock())
    )

    assert await store.learnt.withdraw("home", OURS) is False
    assert await store.learnt.withdraw("home", OURS, correspondent=ENERGY) is True
    assert await store.learnt.list_decisions("home", {FactKind.IBAN}) == ()


async def test_decisions_outlive_the_documents(store: Store, clock: FakeClock) -> None:
    await store.learnt.record([a_document(1, ERIKA)])
    await decide(store, clock, ERIKA, Approval.CONFIRMED)

    await store.learnt.forget_instance("home")

    assert await store.learnt.find_counts("home", [ERIKA]) == ()
    assert len(await store.learnt.list_decisions("home", {FactKind.ADDRESSEE})) == 1


async def test_the_newest_documents_that_taught_a_fact_are_listed(store: Store) -> None:
    await store.learnt.record([a_document(number, OURS) for number in (1, 2, 3)])
    await store.learnt.record([a_document(4, OURS, by_person=False)])

    assert await store.learnt.list_origins("home", [OURS, ERIKA], limit=2) == {
        OURS: (DocumentRef("home", 3), DocumentRef("home", 2)),
        ERIKA: (),
    }

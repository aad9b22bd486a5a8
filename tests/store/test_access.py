"""Sessions and tokens: kept as hashes, valid for as long as they should be."""

from datetime import timedelta

import pytest

from core.access import ADMIN, LoginLimits, NewToken, Permission, Session, Visitor
from store import Store, TokenNameReserved, TokenNameTaken, TokenNotFound
from store.access import MAX_DEVICES, MAX_USER_AGENT_LENGTH
from tests.store.builders import FakeClock

MONTH = timedelta(days=30)
PATIENCE = LoginLimits(per_address=2, in_total=3, span=timedelta(minutes=15))
HERE, THERE = Visitor("192.0.2.1"), Visitor("192.0.2.2")


async def logged_in(store: Store, clock: FakeClock, shown: str = "one") -> Session:
    now = clock()
    return await store.access.sessions.begin(
        shown, ADMIN, user_agent="Firefox", now=now, until=now + MONTH
    )


async def test_at_first_there_is_no_password(store: Store) -> None:
    assert await store.access.get_password_hash() is None


async def test_a_new_password_takes_the_place_of_the_old_and_ends_its_sessions(
    store: Store, clock: FakeClock
) -> None:
    await store.access.set_password("old", now=clock())
    await logged_in(store, clock)

    await store.access.set_password("new", now=clock())

    assert await store.access.get_password_hash() == "new"
    assert await store.access.sessions.get("one", now=clock()) is None


async def test_a_better_hash_ends_no_session(store: Store, clock: FakeClock) -> None:
    await store.access.set_password("weak", now=clock())
    session = await logged_in(store, clock)

    await store.access.rehash("weak", "strong")

    assert await store.access.get_password_hash() == "strong"
    assert await store.access.sessions.get("one", now=clock()) == session


async def test_a_better_hash_of_an_old_password_is_dropped(store: Store, clock: FakeClock) -> None:
    await store.access.set_password("new", now=clock())

    await store.access.rehash("old", "strong")

    assert await store.access.get_password_hash() == "new"


async def test_a_link_sets_the_password_once(store: Store, clock: FakeClock) -> None:
    await store.access.issue_link("link", expires_at=clock() + timedelta(minutes=30))

    assert await store.access.is_link_valid("link", now=clock())
    assert await store.access.redeem_link("link", "hash", now=clock())

    assert await store.access.get_password_hash() == "hash"
    assert not await store.access.is_link_valid("link", now=clock())
    assert not await store.access.redeem_link("link", "another", now=clock())
    assert await store.access.get_password_hash() == "hash"


async def test_an_old_link_is_useless(store: Store, clock: FakeClock) -> None:
    await store.access.issue_link("link", expires_at=clock() + timedelta(minutes=30))

    clock.advance(minutes=30)

    assert not await store.access.is_link_valid("link", now=clock())
    assert not await store.access.redeem_link("link", "hash", now=clock())
    assert await store.access.get_password_hash() is None


async def test_a_new_link_makes_those_before_it_useless(store: Store, clock: FakeClock) -> None:
    later = clock() + timedelta(minutes=30)

    await store.access.issue_link("first", expires_at=later)
    await store.access.issue_link("second", expires_at=later)

    assert not await store.access.is_link_valid("first", now=clock())
    assert await store.access.is_link_valid("second", now=clock())


async def test_a_session_ends_when_it_is_not_used(store: Store, clock: FakeClock) -> None:
    session = await logged_in(store, clock)
    assert await store.access.sessions.get("one", now=clock()) == session

    clock.advance(days=30)

    assert await store.access.sessions.get("one", now=clock()) is None
    assert await store.access.sessions.list_for_account(ADMIN, now=clock()) == ()


async def test_a_session_in_use_lasts(store: Store, clock: FakeClock) -> None:
    session = await logged_in(store, clock)

    now = clock.advance(days=29)
    await store.access.sessions.extend(session, now=now, until=now + MONTH)
    clock.advance(days=29)

    found = await store.access.sessions.get("one", now=clock())
    assert found is not None
    assert (found.created_at, found.seen_at) == (session.created_at, now)


async def test_one_browser_or_all_can_be_logged_out(store: Store, clock: FakeClock) -> None:
    for token in ("one", "two", "three"):
        await logged_in(store, clock, token)

    await store.access.sessions.end("two")
    left = await store.access.sessions.list_for_account(ADMIN, now=clock())

    assert len(left) == 2
    assert await store.access.sessions.get("two", now=clock()) is None
    assert await store.access.sessions.end_all(ADMIN) == 2
    assert await store.access.sessions.list_for_account(ADMIN, now=clock()) == ()


async def test_a_long_name_of_a_browser_is_cut(store: Store, clock: FakeClock) -> None:
    session = await store.access.sessions.begin(
        "one", ADMIN, user_agent="x" * 5000, now=clock(), until=clock() + MONTH
    )

    assert session.user_agent == "x" * MAX_USER_AGENT_LENGTH


async def test_a_token_is_known_by_its_hash_until_it_is_revoked(
    store: Store, clock: FakeClock
) -> None:
    new = NewToken("grafana", Permission.READ, frozenset({"home", "attic"}))

    made = await store.access.tokens.create(new, "hash", now=clock())
    found = await store.access.tokens.get("hash")
    revoked = await store.access.tokens.revoke("grafana", now=clock.advance(hours=1))

    assert found == made
    assert (made.name, made.right, made.instances) == (new.name, new.right, new.instances)
    assert revoked.revoked_at == clock()
    assert await store.access.tokens.get("hash") is None
    assert await store.access.tokens.list() == (revoked,)


async def test_a_token_is_seen_to_be_used(store: Store, clock: FakeClock) -> None:
    made = await store.access.tokens.create(NewToken("cli", Permission.ACT), "hash", now=clock())

    await store.access.tokens.mark_used(made, now=clock.advance(hours=1))

    [listed] = await store.access.tokens.list()
    assert (made.used_at, listed.used_at) == (None, clock())


async def test_two_valid_tokens_cannot_have_one_name(store: Store, clock: FakeClock) -> None:
    new = NewToken("cli", Permission.ADMIN)
    await store.access.tokens.create(new, "first", now=clock())

    with pytest.raises(TokenNameTaken):
        await store.access.tokens.create(new, "second", now=clock())
    await store.access.tokens.revoke("cli", now=clock())

    assert (await store.access.tokens.create(new, "third", now=clock())).name == "cli"


@pytest.mark.parametrize("name", ["rule", "Rule", "superseded", "vanished"])
async def test_a_token_cannot_be_called_like_what_is_no_person(
    store: Store, clock: FakeClock, name: str
) -> None:
    with pytest.raises(TokenNameReserved):
        await store.access.tokens.create(NewToken(name, Permission.ADMIN), "hash", now=clock())

    assert await store.access.tokens.list() == ()


async def test_a_token_that_is_not_there_cannot_be_revoked(store: Store, clock: FakeClock) -> None:
    with pytest.raises(TokenNotFound, match="there is no valid API token cli"):
        await store.access.tokens.revoke("cli", now=clock())


async def test_too_many_tries_from_one_address_shut_the_door_for_it(
    store: Store, clock: FakeClock
) -> None:
    start = clock()
    for _ in range(2):
        assert await store.access.record_attempt(HERE, PATIENCE, now=clock()) is None

    shut = await store.access.record_attempt(HERE, PATIENCE, now=clock.advance(minutes=14))

    assert shut == start + PATIENCE.span
    assert await store.access.record_attempt(THERE, PATIENCE, now=clock()) is None
    assert await store.access.record_attempt(HERE, PATIENCE, now=start + PATIENCE.span) is None


async def test_too_many_tries_from_many_addresses_shut_it_for_all(
    store: Store, clock: FakeClock
) -> None:
    for number in range(3):
        assert (
            await store.access.record_attempt(Visitor(f"192.0.2.{number}"), PATIENCE, now=clock())
            is None
        )

    assert (
        await store.access.record_attempt(Visitor("192.0.2.9"), PATIENCE, now=clock()) is not None
    )


async def test_who_is_right_has_a_clean_record(store: Store, clock: FakeClock) -> None:
    await store.access.record_attempt(HERE, PATIENCE, now=clock())

    await store.access.clear_attempts(HERE)

    for _ in range(2):
        assert await store.access.record_attempt(HERE, PATIENCE, now=clock()) is None


async def test_the_tries_of_a_known_device_are_counted_apart(
    store: Store, clock: FakeClock
) -> None:
    device = Visitor(HERE.address, "its hash")
    await store.access.remember_device(device.device, now=clock())
    for number in range(PATIENCE.in_total):
        await store.access.record_attempt(Visitor(f"192.0.2.{number}"), PATIENCE, now=clock())
    assert await store.access.record_attempt(HERE, PATIENCE, now=clock()) is not None

    for _ in range(PATIENCE.per_address):
        assert await store.access.record_attempt(device, PATIENCE, now=clock()) is None
    assert await store.access.record_attempt(device, PATIENCE, now=clock()) is not None
    await store.access.clear_attempts(device)

    assert await store.access.record_attempt(device, PATIENCE, now=clock()) is None
    assert await store.access.record_attempt(HERE, PATIENCE, now=clock()) is not None


async def test_a_new_password_forgets_the_devices(store: Store, clock: FakeClock) -> None:
    device = Visitor(HERE.address, "its hash")
    await store.access.remember_device(device.device, now=clock())

    await store.access.set_password("hash", now=clock())
    for _ in range(PATIENCE.per_address):
        await store.access.record_attempt(HERE, PATIENCE, now=clock())

    assert await store.access.record_attempt(device, PATIENCE, now=clock()) is not None


async def test_only_the_newest_devices_are_known(store: Store, clock: FakeClock) -> None:
    for number in range(MAX_DEVICES + 1):
        now = clock.advance(seconds=1)
        await store.access.remember_device(f"device {number}", now=now)
    for _ in range(PATIENCE.per_address):
        await store.access.record_attempt(HERE, PATIENCE, now=clock())

    oldest, second = (Visitor(HERE.address, f"device {number}") for number in (0, 1))
    assert await store.access.record_attempt(oldest, PATIENCE, now=clock()) is not None
    assert await store.access.record_attempt(second, PATIENCE, now=clock()) is None


async def test_while_a_link_is_good_no_other_is_issued(store: Store, clock: FakeClock) -> None:
    issue, until = store.access.issue_link_unless_valid, clock() + timedelta(minutes=30)

    assert await issue("first", expires_at=until, now=clock()) is None
    assert await issue("second", expires_at=until + MONTH, now=clock()) == until
    assert await store.access.is_link_valid("first", now=clock())
    assert not await store.access.is_link_valid("second", now=clock())

    assert await issue("third", expires_at=until + MONTH, now=until) is None
    assert await store.access.is_link_valid("third", now=until)

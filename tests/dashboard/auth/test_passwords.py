"""Passwords: what is taken, how it is kept, and that the effort can grow."""

import pytest
from argon2 import PasswordHasher

from dashboard.auth.login import Login
from dashboard.auth.passwords import SHORTEST, PasswordProblem, Passwords, find_password_problem
from tests.dashboard.auth.conftest import QUICK
from tests.dashboard.conftest import DashboardRig

SLOWER = PasswordHasher(time_cost=2, memory_cost=8, parallelism=1)


@pytest.mark.parametrize(
    ("password", "again", "why"),
    [
        ("x" * SHORTEST, "x" * SHORTEST, None),
        ("x" * 1000, "x" * 1000, None),
        ("ä" * SHORTEST, "ä" * SHORTEST, None),
        ("x" * (SHORTEST - 1), "x" * (SHORTEST - 1), PasswordProblem.TOO_SHORT),
        ("x" * 1001, "x" * 1001, PasswordProblem.TOO_LONG),
        ("x" * SHORTEST, "x" * SHORTEST + " ", PasswordProblem.DIFFERENT),
    ],
)
def test_a_password_has_a_fit_length(
    password: str, again: str, why: PasswordProblem | None
) -> None:
    assert find_password_problem(password, again) is why


async def test_only_the_password_matches_its_hash() -> None:
    passwords = Passwords(QUICK)

    kept = await passwords.hash("straße \ud800")

    assert kept.startswith("$argon2id$")
    assert await passwords.matches("straße \ud800", kept)
    assert not await passwords.matches("strasse", kept)
    assert not await passwords.matches("x" * 1001, kept)
    assert not await passwords.matches("straße", "no hash at all")


async def test_a_hash_of_less_effort_is_made_anew_at_the_next_login(rig: DashboardRig) -> None:
    access = rig.context.store.access
    await access.set_password(await Passwords(QUICK).hash("correct horse"), now=rig.context.clock())
    weak = await access.get_password_hash()
    login = Login(rig.context, Passwords(SLOWER))

    assert await login.verify_password("correct horse")
    strong = await access.get_password_hash()
    assert await login.verify_password("correct horse")

    assert weak != strong
    assert await access.get_password_hash() == strong

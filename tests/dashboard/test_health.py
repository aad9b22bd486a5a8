"""Whether the process lives, as Docker and a monitor ask."""

from datetime import timedelta

from core.holds import model_target, paperless_target, pause_target
from tests.builders import because
from tests.dashboard.conftest import DashboardRig
from tests.store.builders import NOON


async def _health(rig: DashboardRig) -> tuple[int, dict[str, object]]:
    async with rig.client() as client:
        answer = await client.get("/health")
    return answer.status_code, answer.json()


async def test_an_idle_daemon_is_healthy(rig: DashboardRig) -> None:
    status, health = await _health(rig)

    assert status == 200
    assert health["status"] == "ok"
    assert [health[part] for part in ("database", "processor", "scheduler")] == [True] * 3
    assert (health["waits_for"], health["warnings"]) == ([], [])


async def test_an_outage_of_others_is_no_reason_to_restart(rig: DashboardRig) -> None:
    for target in (paperless_target("home"), model_target("http://ai/v1"), pause_target("attic")):
        await rig.context.store.holds.place(target, because("down"), next_probe_at=None, now=NOON)

    status, health = await _health(rig)

    assert (status, health["status"]) == (200, "degraded")
    assert health["waits_for"] == ["model", "paperless"]


async def test_a_silent_processor_is_broken(rig: DashboardRig) -> None:
    rig.life.silent = timedelta(minutes=6)

    status, health = await _health(rig)

    assert (status, health["status"], health["processor"]) == (503, "broken", False)


async def test_health_asks_for_no_login(rig: DashboardRig) -> None:
    rig.authenticator.person = None

    status, _ = await _health(rig)

    assert status == 200

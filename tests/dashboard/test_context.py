"""What may rest that has to do with some instances."""

from core.holds import PAUSE_ALL, limit_target, paperless_target, pause_target
from dashboard.context import all_targets
from tests.installation import Installation


async def test_an_instance_is_held_for_its_own_reasons_its_model_and_all(
    installation: Installation,
) -> None:
    async with installation.open() as services:
        model = services.instances["home"].model_target

        found = all_targets(services.instances, {"home"})
        elsewhere = all_targets(services.instances, {"attic"})

    own = {paperless_target("home"), limit_target("home"), pause_target("home")}
    assert found == {PAUSE_ALL, model} | own
    assert model not in elsewhere

"""What may rest that has to do with some instances."""

from core.holds import PAUSE_ALL, HoldKind
from dashboard.context import all_targets
from tests.installation import Installation


async def test_an_instance_is_held_for_its_own_reasons_its_model_and_all(
    installation: Installation,
) -> None:
    async with installation.open() as services:
        home = services.instances["home"]
        model, rate = home.model_target, home.rate_target

        found = all_targets(services.instances, {"home"})
        elsewhere = all_targets(services.instances, {"attic"})

    of_instances = set(HoldKind) - {HoldKind.MODEL, HoldKind.RATE}
    own = {f"{kind}:home" for kind in of_instances}
    assert found == {PAUSE_ALL, model, rate} | own
    assert model not in elsewhere

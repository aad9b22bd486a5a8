"""What may rest that has to do with some instances."""

from collections.abc import Iterable, Mapping

from core.holds import PAUSE_ALL, Targets, targets_of
from processor.instance import Instance


def targets_in(instances: Mapping[str, Instance], name: str) -> Targets:
    """Name what rests an instance; one that is not connected has no model that is known."""
    instance = instances.get(name)
    return instance.targets if instance else targets_of(name)


def all_targets(instances: Mapping[str, Instance], names: Iterable[str]) -> frozenset[str]:
    """Name all that may rest, as far as these instances have to do with it."""
    return frozenset({PAUSE_ALL}).union(*(targets_in(instances, name).every for name in names))

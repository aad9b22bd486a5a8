"""What a caller may see of a list."""

from actions.caller import Caller


def seen_by(caller: Caller, instance: str | None) -> frozenset[str] | None:
    """Return the instances that a list is about; None means all. Raise InstanceUnknown."""
    if instance is None:
        return caller.only
    caller.require(instance)
    return frozenset({instance})

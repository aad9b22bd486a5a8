"""Check right before a write whether the settings and the pauses still allow it.

A model call may take minutes. What a person has forbidden meanwhile must not happen.
"""

from collections.abc import Set

from core.holds import PAUSE_ALL, filter_holds, pause_target
from core.jobs import ANALYZE
from core.messages import message
from processor.attempt import Attempt
from processor.instance import Instance
from processor.names.catalogue import NamesInUse
from processor.verdict import DocumentExcluded, NotYet


def restrict_to_current(attempt: Attempt, instance: Instance) -> Instance:
    """Return the instance with the stricter of the settings that it had and the current ones.

    Raise NotYet if its settings were removed: the job waits until they are back.
    """
    current = attempt.get_current(instance)
    if current is None:
        raise NotYet(message("the settings file was removed"))
    return instance if current is instance else instance.restricted_by(current)


async def require_write_allowed(attempt: Attempt, instance: Instance) -> None:
    """Raise NotYet if the write must wait: for a resume, for settings, or for another plan.

    What a person decided does not depend on the modes.
    """
    allowed = restrict_to_current(attempt, instance)
    if attempt.job.kind == ANALYZE and allowed.policy != instance.policy:
        raise NotYet(message("the settings have changed"))
    targets = {PAUSE_ALL, pause_target(instance.name)}
    if pauses := filter_holds(await attempt.store.holds.list_active(), targets):
        raise NotYet(pauses[0].cause.message)


def refuse_excluded(tags: Set[int], names: NamesInUse, instance: Instance) -> None:
    """Raise DocumentExcluded if a document has an excluded tag."""
    excluded = names.tag_ids.all_ids(instance.tags.exclude)
    carried = [tag.name for tag in names.tags(excluded) if tag.id in tags]
    if carried:
        raise DocumentExcluded(message("has the excluded tag {tags}", tags=", ".join(carried)))

"""New names that wait: which there are, page by page."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from actions.caller import Caller
from actions.new_names import NewName, Rank, new_names, wanted_names, with_similar
from actions.soon import PATIENCE, PaperlessTakesLong, names_soon
from core.changes import Change
from paperless_client import PaperlessError
from processor.names.catalogue import NamesInUse


@dataclass(frozen=True, slots=True)
class NamesPage:
    """Some of the names that wait."""

    names: tuple[NewName, ...] = ()
    total: int = 0
    """How many there are in all."""
    has_more: bool = False
    """Whether some come after these."""
    in_use: Mapping[str, NamesInUse] = field(default_factory=dict)
    """The names of each instance, as far as they are known."""
    unsure: str = ""
    """Why it is not known which of them exist by now, in words for people."""

    @property
    def next(self) -> Rank | None:
        """Where the next page begins: after this; None at the end."""
        return self.names[-1].rank if self.has_more else None


async def waiting_names(caller: Caller, instance: str | None = None) -> tuple[NewName, ...]:
    """List the new names that wait, the most wanted first."""
    waiting = await _waiting_with_new_names(caller, instance)
    return new_names(waiting, await _names_of(caller, waiting))


async def names_after(
    caller: Caller, after: Rank | None, *, limit: int, instance: str | None = None
) -> NamesPage:
    """List so many of the new names that wait, from a place on."""
    waiting = await _waiting_with_new_names(caller, instance)
    return _page(waiting, await _names_of(caller, waiting), after, limit)


async def names_soon_after(
    caller: Caller,
    after: Rank | None,
    *,
    limit: int,
    instance: str | None = None,
    patience: timedelta = PATIENCE,
) -> NamesPage:
    """List them as `names_after` does, but wait only so long for each Paperless.

    Of one that does not answer, it is told what was known when the names were suggested.
    """
    waiting = await _waiting_with_new_names(caller, instance)
    names: dict[str, NamesInUse] = {}
    unsure = ""
    for one in _instances_of(waiting):
        try:
            names[one] = await names_soon(caller.instance(one), patience)
        except (PaperlessError, PaperlessTakesLong) as error:
            unsure = error.user_message
    return replace(_page(waiting, names, after, limit), unsure=unsure)


async def _waiting_with_new_names(caller: Caller, instance: str | None) -> tuple[Change, ...]:
    if instance is not None:
        caller.require(instance)
    names = [one for one in caller.instances if instance in {None, one}]
    return await caller.store.changes.waiting_with_new_names(names)


async def _names_of(caller: Caller, waiting: Sequence[Change]) -> Mapping[str, NamesInUse]:
    """Read the names of the instances for which something waits; of the others nobody asks."""
    return {name: await caller.instance(name).catalogue.names() for name in _instances_of(waiting)}


def _instances_of(waiting: Iterable[Change]) -> list[str]:
    return sorted({change.document.instance for change in waiting})


def _page(
    waiting: Sequence[Change], names: Mapping[str, NamesInUse], after: Rank | None, limit: int
) -> NamesPage:
    every = wanted_names(waiting, names)
    rest = every if after is None else [one for one in every if one.rank > after]
    here = tuple(with_similar(one, names) for one in rest[:limit])
    return NamesPage(here, total=len(every), has_more=len(rest) > limit, in_use=names)

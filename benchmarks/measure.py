"""Measure contestants beside each other on a noisy machine: short samples, in turns, medians."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Protocol

from rich.console import Console


class Contestant(Protocol):
    """Something whose rate is measured."""

    @property
    def name(self) -> str: ...

    async def prepare(self, count: int) -> None:
        """Put so many jobs into the queue; not measured."""
        ...

    async def work_off(self, count: int) -> float:
        """Take so many jobs through the queue; return the seconds it took."""
        ...


@dataclass(frozen=True, slots=True)
class Rates:
    """Jobs a second, one figure a round."""

    samples: tuple[float, ...]

    @property
    def median(self) -> float:
        return median(self.samples)

    @property
    def middle_half(self) -> tuple[float, float]:
        lower, _, upper = quantiles(self.samples, n=4)
        return lower, upper

    def beside(self, other: "Rates") -> float:
        """Return how many times the other's rate this is.

        Rounds are compared one by one: whatever slowed a round down slowed both.
        """
        return median(a / b for a, b in zip(self.samples, other.samples, strict=True))


async def take_turns(
    contestants: Sequence[Contestant], *, rounds: int, sample: int
) -> Mapping[str, Rates]:
    """Let all work off a sample in each round, begun by another each time; the first warms up."""
    samples: dict[str, list[float]] = {contestant.name: [] for contestant in contestants}
    for number in range(rounds + 1):
        shift = number % len(contestants)
        for contestant in (*contestants[shift:], *contestants[:shift]):
            await contestant.prepare(sample)
            seconds = await contestant.work_off(sample)
            if number:
                samples[contestant.name].append(sample / seconds)
    return {name: Rates(tuple(found)) for name, found in samples.items()}


def console() -> Console:
    """Return where figures are shown: as wide as they need, also in a file."""
    return Console(width=110, highlight=False)


def cpu_seconds(pid: int) -> float:
    """Return the time that a process has had of the processor."""
    stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    # The second field is a name in brackets, which may hold blanks.
    user, system = stat.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def memory_mb(pid: int | str = "self") -> float:
    """Return the resident memory of a process in MiB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    [line] = [line for line in status.splitlines() if line.startswith("VmRSS:")]
    return int(line.split()[1]) / 1024

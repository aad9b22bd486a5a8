"""Compare queues on a noisy machine: short samples, in turns, and medians."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Protocol

from rich.console import Console


class BenchQueue(Protocol):
    """A queue whose rate is measured."""

    @property
    def name(self) -> str: ...

    async def prepare(self, count: int) -> None:
        """Add jobs to the queue; this is not measured."""
        ...

    async def process(self, count: int) -> float:
        """Claim and settle `count` jobs; return the seconds taken."""
        ...


@dataclass(frozen=True, slots=True)
class Rates:
    """Jobs per second, one value per round."""

    samples: tuple[float, ...]

    @property
    def median(self) -> float:
        return median(self.samples)

    @property
    def middle_half(self) -> tuple[float, float]:
        lower, _, upper = quantiles(self.samples, n=4)
        return lower, upper

    def ratio_to(self, other: "Rates") -> float:
        """Return the median ratio to another rate.

        Rounds are compared one by one, because noise in a round affects both rates.
        """
        return median(a / b for a, b in zip(self.samples, other.samples, strict=True))


async def measure_in_turns(
    queues: Sequence[BenchQueue], *, rounds: int, sample: int
) -> Mapping[str, Rates]:
    """Measure all queues in each round, in rotating order; the first round warms up."""
    samples: dict[str, list[float]] = {queue.name: [] for queue in queues}
    for number in range(rounds + 1):
        shift = number % len(queues)
        for queue in (*queues[shift:], *queues[:shift]):
            await queue.prepare(sample)
            seconds = await queue.process(sample)
            if number:
                samples[queue.name].append(sample / seconds)
    return {name: Rates(tuple(found)) for name, found in samples.items()}


def console() -> Console:
    """Return a console of fixed width, so that tables fit in a file as well."""
    return Console(width=110, highlight=False)


def cpu_seconds(pid: int) -> float:
    """Return the CPU seconds of a process so far."""
    stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    # The second field is a name in brackets, which may contain spaces.
    user, system = stat.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def memory_mb(pid: int | str = "self") -> float:
    """Return the resident memory of a process in MiB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    [line] = [line for line in status.splitlines() if line.startswith("VmRSS:")]
    return int(line.split()[1]) / 1024

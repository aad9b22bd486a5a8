"""A process that dies of certain documents."""

import asyncio
import os

from core.jobs import ANALYZE
from daemon.cli.options import Options
from daemon.context import open_memory
from daemon.lifecycle import recover
from daemon.services import open_clerk
from processor.attempt import Attempt
from processor.instance import Instance
from processor.pipeline import Kind, Nothing, Report, by_name
from processor.processor import Manner, Processor

CRASHERS = frozenset(range(5, 110, 11))
"""Ten of a hundred and ten."""
DIED = 9


def live(options: Options) -> None:
    """Work until nothing is left, or until a document ends us."""
    asyncio.run(_work(options))


async def _work(options: Options) -> None:
    async with (
        open_memory(options) as memory,
        open_clerk(memory, memory.chosen(None)) as clerk,
    ):
        await recover(clerk)
        processor = Processor(
            clerk.store,
            clerk.instances,
            clock=memory.clock,
            worker=f"process {os.getpid()}",
            manner=Manner(parallel=4),
            kinds=by_name(Kind(ANALYZE, Nothing, _handle)),
        )
        async for _ in processor.drain():
            pass


async def _handle(attempt: Attempt, _: Instance, __: Nothing) -> Report:
    if attempt.document.id in CRASHERS:
        os._exit(DIED)
    return Report()

"""A process that crashes on certain documents."""

import asyncio
import os

from core.jobs import ANALYZE
from daemon.cli.arguments import Options
from daemon.context import open_context
from daemon.lifecycle import recover
from daemon.services import open_services
from processor.attempt import Attempt
from processor.instance import Instance
from processor.pipeline import EmptyPayload, JobHandler, Report, handlers_by_kind
from processor.processor import Processor

CRASHERS = frozenset(range(5, 110, 11))
"""Ten of a hundred and ten."""
DIED = 9


def live(options: Options) -> None:
    """Process jobs until the queue is empty, or until a document crashes the process."""
    asyncio.run(_work(options))


async def _work(options: Options) -> None:
    async with (
        open_context(options) as context,
        open_services(context, context.select_instances(None)) as services,
    ):
        await recover(services)
        processor = Processor(
            services.store,
            services.instances,
            clock=context.clock,
            worker=f"process {os.getpid()}",
            parallel=4,
            kinds=handlers_by_kind(JobHandler(ANALYZE, EmptyPayload, _handle)),
        )
        async for _ in processor.drain():
            pass


async def _handle(attempt: Attempt, _: Instance, __: EmptyPayload) -> Report:
    if attempt.document.id in CRASHERS:
        os._exit(DIED)
    return Report()

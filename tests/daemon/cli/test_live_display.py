"""The progress bar of commands that process documents."""

from datetime import timedelta
from io import StringIO

from rich.console import Console
from rich.progress import Progress

from core.jobs import CallProgress, Stage
from daemon.cli.progress import Display
from daemon.services import Services
from tests.installation import home
from tests.store.builders import FakeClock, enqueue_and_claim


async def test_the_bar_names_the_stage_and_the_progress_of_the_model_call(
    services: Services, clock: FakeClock
) -> None:
    jobs, bar = services.store.jobs, Progress(console=Console(file=StringIO()))
    job = await enqueue_and_claim(services.store, clock, home(7))
    job = await jobs.record_progress(job, Stage.ANALYZE, 20, now=clock())
    call = CallProgress(clock() - timedelta(seconds=12), tokens=85, is_thinking=True)

    Display(services, bar, total=1).update(await jobs.record_model_call(job, call, 33, now=clock()))

    [task] = bar.tasks
    assert task.description == "home/7 Asking model · 12\u00a0s · thinking · 85 tokens 33%"

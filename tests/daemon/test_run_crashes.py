"""Documents that end the process: they fail, and no other document loses anything by it."""

from core.calendar import utc_now
from core.jobs import JobStatus, NewJob
from core.scans import ScanPage
from tests.daemon.crashing_worker import CRASHERS, DIED, live
from tests.forking import start_forked
from tests.installation import HOME, Installation, home
from tests.waiting import LONG


async def test_ten_documents_that_crash_the_process_fail_and_the_hundred_others_are_done(
    installation: Installation,
) -> None:
    installation.config.joinpath("daemon.toml").write_text('[log]\nlevel = "error"\n')
    async with installation.open() as services:
        scan = await services.store.scans.start(HOME, asked_by="timer", now=utc_now())
        jobs = tuple((NewJob(home(id_)), "a title") for id_ in range(110))
        await services.store.scans.record_page(scan.id, ScanPage(jobs, seen=110), now=utc_now())

        lives, died = 0, True
        while died:
            process = start_forked(live, installation.options)
            process.join(LONG)
            lives, died = lives + 1, process.exitcode == DIED

        found = await services.store.jobs.list(limit=200)
        failed = {job.document.id for job in found if job.status is JobStatus.FAILED}
        done = [job for job in found if job.status is JobStatus.COMPLETED]
        assert failed == CRASHERS
        assert len(done) == 100
        assert process.exitcode == 0
        # Each crasher has three attempts; whoever was beside its first one goes on alone.
        assert lives == len(CRASHERS) * 3 + 1
        assert max(job.attempts for job in done) == 2

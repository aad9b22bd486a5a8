"""During a flood of incomplete requests, the daemon continues its work and logs little."""

import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import httpx

from benchmarks.flood import measure
from daemon.run import raise_descriptor_limit
from sandbox import Sandbox
from tests.daemon.processes import RunningDaemon, a_daemon
from tests.daemon.test_run import enqueue
from tests.installation import ONLY_BY_HAND, Installation
from tests.waiting import LONG

FEW_LINES = 20


def test_jobs_go_on_and_health_answers_while_hundreds_of_requests_are_half_sent(
    tmp_path: Path,
) -> None:
    found = measure(tmp_path, headers=400, logins=600, seconds=2, settled=0, timeout=LONG)

    for phase in found.phases:
        assert (phase.refused, phase.answers != []) == (0, True), phase
        assert phase.jobs > 0, phase
        assert len(phase.log_lines) < FEW_LINES, phase
        assert phase.peak < found.before + 100, phase
    assert [phase.opened > 256 for phase in found.phases] == [False, True, True]


def test_without_a_free_descriptor_one_line_is_logged_and_jobs_go_on(
    installation: Installation, sandbox: Sandbox
) -> None:
    installation.configure(ONLY_BY_HAND, all_fields="replace")

    with a_daemon(installation) as daemon, ExitStack() as stack:
        daemon.wait_for("event=started")
        address = daemon.web_address
        with _without_descriptors(daemon):
            for _ in range(20):
                stack.enter_context(closing(socket.create_connection(address)))
            daemon.wait_for("connection not accepted")
        enqueue(installation, 1)
        daemon.wait_for("job completed")
        answer = httpx.get(f"http://{address[0]}:{address[1]}/health", timeout=LONG)

    assert answer.status_code == 200
    assert daemon.log.count("connection not accepted") == 1
    assert "Traceback" not in daemon.log


def test_the_soft_limit_of_descriptors_is_raised() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
        raise_descriptor_limit()

        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (min(4096, before[1]), before[1])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@contextmanager
def _without_descriptors(daemon: RunningDaemon) -> Iterator[None]:
    """Prevent a process from opening more files."""
    before = resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE)
    highest = max(int(descriptor.name) for descriptor in Path(f"/proc/{daemon.pid}/fd").iterdir())
    resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, (highest + 1, before[1]))
    try:
        yield
    finally:
        resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, before)

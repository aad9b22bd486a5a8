"""Memory that was freed goes back to the system."""

import ctypes
import subprocess
import sys

import pytest

PROGRAM = """
from pathlib import Path
from daemon.worker import release_memory

def resident():
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmRSS:")[2].split()[0]) // 1024

blocks = [b"%06d" % number * 15_000 for number in range(500)]
kept = blocks[::10]
del blocks
before = resident()
release_memory()
print(before - resident())
"""
"""Frees 45 of 50 MB, of which the C library can return nothing by itself: the last is in use."""

needs_glibc = pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="the C library is not glibc"
)


@needs_glibc
def test_freed_memory_between_blocks_in_use_is_returned_to_the_system() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )

    assert int(ended.stdout) >= 30

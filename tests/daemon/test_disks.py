"""Disks that are full or read-only, as real ones: a command says what is wrong and what to do."""

import shutil
import subprocess
from pathlib import Path

import pytest

from daemon.cli.exits import Exit
from tests.daemon.programs import PROGRAM, folders_of, start
from tests.installation import Installation
from tests.waiting import LONG

# In a namespace of mounts of its own, which ends with the command.
_FULL = (
    'mount -t tmpfs -o size=1m tmpfs "$1" && cp "$2" "$1" && chmod 666 "$1"/*'
    ' && (dd if=/dev/zero of="$1/filler" bs=4k 2>/dev/null || true)'
)
_READ_ONLY = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1"'
DISKS = {"full": _FULL, "read-only": _READ_ONLY}
SAID = {
    "full": ("the disk with the data folder", "Free up space on that disk"),
    "read-only": ("is on a read-only disk", "without `:ro`"),
}


def can_mount() -> bool:
    unshare = shutil.which("unshare")
    tried = [str(unshare), "-rm", "true"]
    return unshare is not None and not subprocess.run(tried, check=False).returncode


pytestmark = pytest.mark.skipif(not can_mount(), reason="may not mount anything here")


def run_on(disk: str, installation: Installation, migrated: Path, *words: str) -> tuple[int, str]:
    """Run a command with its data folder on such a disk."""
    script = f'{DISKS[disk]} && shift 2 && exec "$@"'
    shell = ["unshare", "-rm", "sh", "-c", script, "sh", str(installation.data), str(migrated)]
    with start(*shell, PROGRAM, *folders_of(installation), *words) as process:
        said = process.communicate(timeout=LONG)
    return process.returncode, "".join(said)


@pytest.mark.parametrize("disk", DISKS)
@pytest.mark.parametrize("words", ["status", "pause", "run"])
def test_a_command_says_what_is_wrong_with_the_disk(
    installation: Installation, migrated: Path, disk: str, words: str
) -> None:
    code, said = run_on(disk, installation, migrated, words)

    what, advice = SAID[disk]
    assert code in {Exit.LOOK, Exit.CONFIG}, said
    assert said.count(what) == 1, said
    assert said.count(advice) == 1, said
    assert "chown" not in said
    assert "Traceback" not in said

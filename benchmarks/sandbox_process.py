"""Run a sandbox in a separate process, so that it does not slow the measured process down."""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import timedelta

from sandbox import Sandbox
from sandbox.model.behaviour import Behaviour
from sandbox.paperless import World, load_world
from sandbox.paperless.records import Kind

OURS, SCRIPT = "Ours", "Script"
"""Tags of alternating documents: for Paperclerk, and for the plain script."""


@dataclass(frozen=True, slots=True)
class Address:
    """Addresses and token of a sandbox."""

    paperless: str
    token: str
    model: str
    settings: str
    """The required tables of a settings file."""


@contextmanager
def running_sandbox(*, documents: int, delay: float = 0.0) -> Iterator[Address]:
    """Start a sandbox with `documents` documents; its model answers after `delay` seconds."""
    command = [sys.executable, "-m", "benchmarks.sandbox_process", str(documents), str(delay)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        try:
            address: Mapping[str, str] = json.loads(process.stdout.readline())
            yield Address(**address)
        finally:
            # The process ends at the end of its input.
            process.stdin.close()


def build_world(documents: int) -> World:
    """Build a Paperless with copies of the sample documents that have a text."""
    world = load_world()
    samples = [document for document in world.documents.values() if document.content.strip()]
    world.documents.clear()
    tags = [world.add_name(Kind.TAG, name).id for name in (OURS, SCRIPT)]
    newest = max(document.added for document in samples)
    for number in range(documents):
        # Each text is used twice in a row: for Paperclerk and for the script.
        sample = samples[number // 2 % len(samples)]
        document = world.add_document(
            sample.content,
            sample.original_file_name or "scan.pdf",
            added=newest - timedelta(seconds=number),
        )
        document.tags = {tags[number % 2]}
    return world


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("documents", type=int)
    parser.add_argument("delay", type=float)
    options = parser.parse_args()
    with Sandbox(build_world(options.documents)) as sandbox:
        sandbox.model.behave(Behaviour(delay=options.delay))
        address = Address(sandbox.url, sandbox.token, sandbox.model.base_url, sandbox.settings())
        sys.stdout.write(json.dumps(asdict(address)) + "\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main()

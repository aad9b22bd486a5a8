"""One sandbox for all hostile cases, reset after each."""

from collections.abc import Iterator
from copy import deepcopy

import pytest

from sandbox import Sandbox
from sandbox.model.behaviour import Behaviour
from sandbox.paperless import World, load_world

BYSTANDER = 10
"""A filed document of the sample archive, which must never change."""


@pytest.fixture(scope="package")
def hostile_world() -> World:
    world = load_world()
    world.documents = {BYSTANDER: world.documents[BYSTANDER]}
    return world


@pytest.fixture(scope="package")
def hostile_sandbox(hostile_world: World) -> Iterator[Sandbox]:
    with Sandbox(hostile_world) as running:
        yield running


@pytest.fixture
def sandbox(hostile_sandbox: Sandbox) -> Iterator[Sandbox]:
    """The shared sandbox, reset after the case."""
    world = hostile_sandbox.world
    before = deepcopy((world.documents, world.names))
    yield hostile_sandbox
    with world.lock:
        world.documents, world.names = before
    hostile_sandbox.model.behave(Behaviour())
    hostile_sandbox.paperless.requests.clear()

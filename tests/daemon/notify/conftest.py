"""A notification service, as a fixture."""

from collections.abc import Iterator

import pytest

from tests.daemon.notify.receiver import Receiver, running_receiver


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with running_receiver() as running:
        yield running

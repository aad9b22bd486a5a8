from collections.abc import Iterator

import httpx
import pytest

from sandbox.model import ModelServer
from tests.plain_http import NO_CERTIFICATES
from tests.waiting import LONG


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def http(model: ModelServer) -> Iterator[httpx.Client]:
    with httpx.Client(
        base_url=model.url, timeout=LONG, trust_env=False, verify=NO_CERTIFICATES
    ) as client:
        yield client

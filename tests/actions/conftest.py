"""A caller of actions, with a store and without connections."""

import pytest

from actions.caller import Caller
from core.calendar import Clock
from core.settings import InstanceSettings
from store import Store


@pytest.fixture
def caller(store: Store, clock: Clock) -> Caller:
    paperless = {"url": "http://paperless", "token": "t"}
    ai = {"base_url": "http://model/v1", "model": "m"}
    home = InstanceSettings(name="home", paperless=paperless, ai=ai)
    return Caller("admin", store, clock, None, {"home": home})

"""Names of holds, and how patient their probes are."""

from datetime import timedelta

import pytest

from core.holds import (
    PAUSE_ALL,
    limit_target,
    model_target,
    next_probe_after,
    paperless_target,
    pause_target,
)


def test_each_kind_of_hold_has_its_own_names() -> None:
    names = {
        paperless_target("home"),
        model_target("home"),
        limit_target("home"),
        pause_target("home"),
        PAUSE_ALL,
    }

    assert names == {"paperless:home", "model:home", "limit:home", "pause:home", "pause:*"}


@pytest.mark.parametrize(("probes", "minutes"), [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (99, 5)])
def test_probes_become_slower_up_to_every_five_minutes(probes: int, minutes: int) -> None:
    assert next_probe_after(probes) == timedelta(minutes=minutes)


def test_probes_are_counted_from_one() -> None:
    with pytest.raises(ValueError, match="counted from 1, got 0"):
        next_probe_after(0)

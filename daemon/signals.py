"""Listen to SIGINT and SIGTERM: the first asks, the second insists."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def on_signals(ask: Callable[[], object], insist: Callable[[], object]) -> Iterator[None]:
    """Call `ask` at the first signal and `insist` at any later one."""
    loop = asyncio.get_running_loop()
    asked = False

    def heard() -> None:
        nonlocal asked
        (insist if asked else ask)()
        asked = True

    for number in _SIGNALS:
        loop.add_signal_handler(number, heard)
    try:
        yield
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)

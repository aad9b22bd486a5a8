"""Log lines: an event and its fields, on stderr, as text, logfmt or JSON."""

import logging
import sys
from contextlib import suppress

import structlog
from structlog.typing import EventDict

from core.settings import LogFormat, LogSettings
from core.text import remove_invisible


def _remove_control_characters(_: object, __: str, event: EventDict) -> EventDict:
    """Remove characters that a terminal would obey: an error may quote a stranger's text."""
    return {
        key: remove_invisible(value) if isinstance(value, str) else value
        for key, value in event.items()
    }


_PROCESSORS: tuple[structlog.typing.Processor, ...] = (
    structlog.contextvars.merge_contextvars,
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
    _remove_control_characters,
)


class _StderrLogger(structlog.WriteLogger):
    """Writes lines to stderr, and drops those that cannot be written.

    A closed pipe or a full disk must not stop the work.
    """

    def msg(self, message: str) -> None:
        with suppress(OSError):
            super().msg(message)

    debug = info = warning = error = critical = exception = msg


def set_up_logs(settings: LogSettings, *, at_least: str = "debug") -> None:
    """Log from `settings.level` on, and never below `at_least`."""
    level = max(_number(settings.level), _number(at_least))
    structlog.configure(
        processors=[*_PROCESSORS, _renderer(settings.format)],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_names: _StderrLogger(sys.stderr),
        cache_logger_on_first_use=False,
    )


def _number(level: str) -> int:
    return logging.getLevelNamesMapping()[level.upper()]


def _renderer(wanted: LogFormat) -> structlog.typing.Processor:
    chosen = wanted
    if wanted is LogFormat.AUTO:
        chosen = LogFormat.TEXT if sys.stderr.isatty() else LogFormat.LOGFMT
    match chosen:
        case LogFormat.JSON:
            return structlog.processors.JSONRenderer()
        case LogFormat.TEXT:
            return structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
        case _:
            return structlog.processors.LogfmtRenderer(
                key_order=["timestamp", "level", "event"], drop_missing=True
            )

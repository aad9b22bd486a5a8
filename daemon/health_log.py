"""Log health warnings: once when one begins, and once when it is over."""

from dataclasses import dataclass, field

import structlog

from actions.health import HealthSnapshot, HealthWarning, list_warnings

log = structlog.get_logger()


@dataclass(slots=True)
class HealthLog:
    """Remembers which warnings were logged."""

    active: set[HealthWarning] = field(default_factory=set)

    def record(self, figures: HealthSnapshot) -> None:
        """Log the warnings that began, and those that are over, since the previous figures."""
        # The heartbeat logs a silent processor, with the time that it has been silent.
        warnings = set(list_warnings(figures)) - {HealthWarning.PROCESSOR_SILENT}
        for warning in sorted(warnings - self.active):
            log.warning("health warning", warning=warning, **_facts(warning, figures))
        for warning in sorted(self.active - warnings):
            log.info("health warning over", warning=warning, **_facts(warning, figures))
        self.active = warnings


def _facts(warning: HealthWarning, figures: HealthSnapshot) -> dict[str, object]:
    match warning:
        case HealthWarning.MANY_WAITING:
            return {"waiting": figures.waiting}
        case HealthWarning.MANY_FAILED:
            return {"failed_last_hour": figures.failed_last_hour}
        case _:
            return {"instances": ",".join(figures.late_scans)}

"""Request `/health` from a daemon on this machine, and log when warnings begin and end."""

import ssl
from dataclasses import dataclass, field

import httpx
import structlog

from actions.health import HealthSnapshot, HealthWarning, list_warnings
from core.settings import ConfigError, get_environment, load_setup_settings
from daemon.cli.arguments import Options

log = structlog.get_logger()

_TIMEOUT = 5.0
_SETUP = {"status": "setup"}


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


async def is_in_setup_mode(options: Options) -> bool:
    """Return whether a daemon on this machine serves the page about invalid settings."""
    try:
        web = load_setup_settings(options.config, get_environment()).web
    except ConfigError:
        return False
    if not web.enabled or not web.port:
        return False
    try:
        answer = await _ask(web.local_address())
        return answer.is_success and answer.json() == _SETUP
    except (httpx.HTTPError, ValueError):
        return False


async def is_health_reachable(address: str) -> bool:
    """Return whether `/health` responds at all; its content is checked elsewhere."""
    try:
        await _ask(address)
    except httpx.HTTPError:
        return False
    return True


async def _ask(address: str) -> httpx.Response:
    # Proxies from the environment are not used. Nothing here is encrypted, and loading the system's
    # certificates would take longer than the request.
    plain = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    async with httpx.AsyncClient(timeout=_TIMEOUT, trust_env=False, verify=plain) as http:
        return await http.get(f"{address}/health")


def _facts(warning: HealthWarning, figures: HealthSnapshot) -> dict[str, object]:
    match warning:
        case HealthWarning.MANY_WAITING:
            return {"waiting": figures.waiting}
        case HealthWarning.MANY_FAILED:
            return {"failed_last_hour": figures.failed_last_hour}
        case _:
            return {"instances": ",".join(figures.late_scans)}

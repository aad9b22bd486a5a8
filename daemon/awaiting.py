"""Tell whether a daemon waits for its settings to be mended: it has no store to say so in."""

import httpx

from core.settings import ConfigMistakes, environment, load_daemon_settings
from daemon.memory import Options

_PATIENCE = 5.0
_WAITS = {"status": "setup"}


async def waits_for_settings(options: Options) -> bool:
    """Ask where the dashboard would be whether the page is served that tells what is wrong."""
    try:
        web = load_daemon_settings(options.config, environment()).web
    except ConfigMistakes:
        return False
    if not web.enabled or not web.port:
        return False
    # No proxy that the environment names stands between us.
    async with httpx.AsyncClient(timeout=_PATIENCE, trust_env=False) as http:
        try:
            answer = await http.get(f"{web.listens_at()}/health")
            return answer.is_success and answer.json() == _WAITS
        except (httpx.HTTPError, ValueError):
            return False

"""Check the state of a daemon on this machine through the `/health` of its dashboard."""

import ssl

import httpx

from core.settings import ConfigError, get_environment, load_setup_settings
from daemon.cli.options import Options

_TIMEOUT = 5.0
_SETUP = {"status": "setup"}


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

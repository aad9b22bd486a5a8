"""`models`: what the endpoint of an instance offers."""

from daemon.cli.exits import Exit
from daemon.cli.options import Options
from daemon.cli.output import console, print_json
from daemon.context import open_context
from daemon.services import open_services


async def models(options: Options, name: str, *, as_json: bool) -> Exit:
    """List the models on offer; the configured one is marked."""
    async with (
        open_context(options) as memory,
        open_services(memory, memory.select_instances(name)) as services,
    ):
        server = services.instances[name].model.server
        offered = await server.list_models()
        if as_json:
            print_json(offered)
        else:
            for model in offered:
                mark = "*" if model == server.endpoint.model else " "
                console().print(f"{mark} {model}")
        return Exit.OK

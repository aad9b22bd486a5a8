"""Control a fake server over HTTP: its faults and its log of requests."""

from collections.abc import Sequence
from dataclasses import asdict

from pydantic import TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sandbox.faults import Fault, Faults
from sandbox.layers import RequestLog

_RULES = TypeAdapter(list[Fault])


def control_routes(faults: Faults, log: RequestLog) -> Sequence[Route]:
    """Return the routes to mount under `/sandbox`."""

    async def show_requests(request: Request) -> Response:
        after = int(request.query_params.get("after", 0))
        return JSONResponse([asdict(entry) for entry in log if entry.number > after])

    async def clear_requests(_: Request) -> Response:
        log.clear()
        return Response(status_code=204)

    async def show_faults(_: Request) -> Response:
        return JSONResponse({"waiting": _dumped(faults.waiting), "struck": _dumped(faults.struck)})

    async def add_faults(request: Request) -> Response:
        sent = await request.json()
        try:
            rules = _RULES.validate_python(sent if isinstance(sent, list) else [sent])
        except ValidationError as error:
            return JSONResponse({"error": str(error)}, 400)
        faults.add(*rules)
        return JSONResponse(_dumped(faults.waiting), 201)

    async def clear_faults(_: Request) -> Response:
        faults.clear()
        return Response(status_code=204)

    return [
        Route("/requests", show_requests, methods=["GET"]),
        Route("/requests", clear_requests, methods=["DELETE"]),
        Route("/faults", show_faults, methods=["GET"]),
        Route("/faults", add_faults, methods=["POST"]),
        Route("/faults", clear_faults, methods=["DELETE"]),
    ]


def _dumped(faults: Sequence[Fault]) -> list[dict[str, object]]:
    return [fault.model_dump(mode="json") for fault in faults]

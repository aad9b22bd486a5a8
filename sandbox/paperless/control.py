"""Control the world of a fake Paperless over HTTP, from another process."""

from collections.abc import Sequence
from datetime import datetime

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sandbox.paperless import persons
from sandbox.paperless.world import World


def world_routes(world: World) -> Sequence[Route]:
    """Return the routes for documents, edits by a person, and the worker."""

    async def show(_: Request) -> Response:
        with world.lock:
            all_of_them = world.documents.values()
            return JSONResponse(
                [persons.describe_document(world, document) for document in all_of_them]
            )

    async def add(request: Request) -> Response:
        data = await request.json()
        added = datetime.fromisoformat(data["added"]) if "added" in data else None
        document = world.add_document(data["content"], data["original_file_name"], added=added)
        return JSONResponse(persons.describe_document(world, document), 201)

    async def edit(request: Request) -> Response:
        changes = await request.json()
        document_id = changes.pop("document")
        try:
            document = persons.edit(world, document_id, changes)
        except KeyError as error:
            return JSONResponse({"error": f"there is no {error}"}, 400)
        return JSONResponse(persons.describe_document(world, document))

    async def trash(request: Request) -> Response:
        world.delete((await request.json())["document"])
        return Response(status_code=204)

    async def tasks(_: Request) -> Response:
        return JSONResponse({"tasks": world.worker.tasks})

    async def worker(request: Request) -> Response:
        is_wanted = (await request.json())["running"]
        with world.lock:
            world.worker.start() if is_wanted else world.worker.stop()
        return Response(status_code=204)

    return [
        Route("/documents", show, methods=["GET"]),
        Route("/documents", add, methods=["POST"]),
        Route("/edit", edit, methods=["POST"]),
        Route("/trash", trash, methods=["POST"]),
        Route("/worker", tasks, methods=["GET"]),
        Route("/worker", worker, methods=["POST"]),
    ]

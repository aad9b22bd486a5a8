"""Pictures of documents, passed on from Paperless so that the browser asks nobody else."""

from starlette.responses import Response

from dashboard.errors import NotFound
from paperless_client import Picture

_PICTURES = frozenset({"image/webp", "image/png", "image/jpeg", "image/gif"})


def picture_answer(picture: Picture) -> Response:
    """Answer with a picture; anything else, such as SVG, which can run script, is refused."""
    kind = picture.content_type.partition(";")[0].strip().lower()
    if kind not in _PICTURES:
        raise NotFound(f"{kind or 'that'} is no picture")
    headers = {"cache-control": "private, max-age=300", "content-security-policy": "sandbox"}
    return Response(picture.content, media_type=kind, headers=headers)

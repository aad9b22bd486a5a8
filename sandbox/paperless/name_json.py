"""A tag, correspondent, document type or storage path as JSON."""

import math
import re
import unicodedata

from sandbox.paperless.calls import Call
from sandbox.paperless.permissions import may_change, may_see
from sandbox.paperless.records import Kind, Name


def name_json(call: Call, kind: Kind, name: Name) -> dict[str, object]:
    shown: dict[str, object] = {
        "id": name.id,
        "slug": slug(name.name),
        "name": name.name,
        "match": name.match,
        "matching_algorithm": name.matching_algorithm,
        "is_insensitive": name.is_insensitive,
        "owner": name.owner,
        **_rights(call, name),
    }
    match kind:
        case Kind.TAG:
            return shown | _of_tag(call, name)
        case Kind.STORAGE_PATH:
            return shown | {"path": name.path}
        case _:
            return shown


def _rights(call: Call, name: Name) -> dict[str, object]:
    if call.query.get("full_perms") == "true":
        return {"permissions": name.shares.as_json()}
    return {"user_can_change": may_change(call.user, name)}


def document_count(call: Call, kind: Kind, name: Name) -> int:
    """Return the number of documents with a name that the caller may see."""
    return sum(
        name.id in (document.tags if kind is Kind.TAG else {getattr(document, kind.field)})
        for document in call.world.documents.values()
        if not document.deleted_at and may_see(call.user, document)
    )


def slug(text: str) -> str:
    """Return a slug as Django builds it: ASCII, lower case, hyphens."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain)).strip("-_")


def text_color(color: str) -> str:
    """Return black or white, whichever is readable on a colour."""
    red, green, blue = (int(color[i : i + 2], 16) / 256 for i in (1, 3, 5))
    lightness = math.sqrt(0.299 * red**2 + 0.587 * green**2 + 0.114 * blue**2)
    return "#ffffff" if lightness < 0.53 else "#000000"


def _of_tag(call: Call, tag: Name) -> dict[str, object]:
    below = [other for other in call.world.tags.values() if other.parent == tag.id]
    visible = [child for child in below if may_see(call.user, child)]
    return {
        "color": tag.color,
        "text_color": text_color(tag.color),
        "is_inbox_tag": tag.is_inbox_tag,
        "parent": tag.parent,
        # Children are repeated here in full, although the list has them, too.
        "children": [_child(call, child) for child in sorted(visible, key=lambda c: c.name)],
    }


def _child(call: Call, child: Name) -> dict[str, object]:
    count = {"document_count": document_count(call, Kind.TAG, child)}
    return name_json(call, Kind.TAG, child) | count

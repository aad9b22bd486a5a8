"""Access control: permissions of the user, and ownership of the object."""

from typing import Protocol

from sandbox.paperless.calls import Call
from sandbox.paperless.records import Document, Shares, User
from sandbox.paperless.replies import not_found, not_permitted, not_permitted_text

_ACTIONS = {
    "GET": "view",
    "HEAD": "view",
    "POST": "add",
    "PUT": "change",
    "PATCH": "change",
    "DELETE": "delete",
}


class Owned(Protocol):
    """An object that may belong to someone."""

    owner: int | None
    shares: Shares


def check_method(user: User, method: str, codename: str) -> None:
    """Refuse a method for which the user lacks the permission, such as `change_document`."""
    if not user.may(f"{_ACTIONS.get(method, 'view')}_{codename}"):
        raise not_permitted()


def may_see(user: User, thing: Owned) -> bool:
    return may_change(user, thing) or thing.shares.lets_view(user)


def may_change(user: User, thing: Owned) -> bool:
    """Return whether ownership allows a change, regardless of permissions, as `user_can_change`."""
    if user.is_superuser or thing.owner in (None, user.id):
        return True
    return thing.shares.lets_change(user)


def may_give_away(user: User, thing: Owned) -> bool:
    return user.is_superuser or thing.owner in (None, user.id)


def visible_document(call: Call) -> Document:
    """Return the document of the path; 404 if it does not exist or is hidden."""
    document = call.world.documents.get(call.id)
    if document is None or document.deleted_at or not may_see(call.user, document):
        raise not_found("Document")
    return document


def changeable_document(call: Call) -> Document:
    document = visible_document(call)
    if not may_change(call.user, document):
        raise not_permitted()
    return document


def file_of_document(call: Call) -> Document:
    """Return the document, also from the trash; hidden ones are refused with plain text."""
    document = call.world.documents.get(call.id)
    if document is None:
        raise not_found("Document")
    if not may_see(call.user, document):
        raise not_permitted_text()
    return document

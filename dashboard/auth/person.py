"""The authenticated person or program, and its permissions."""

from dataclasses import dataclass

from core.access import Permission


@dataclass(frozen=True, slots=True)
class Person:
    """An authenticated person or program."""

    name: str
    right: Permission
    instances: frozenset[str] | None = None
    """The instances that it may see; None means all."""
    csrf: str = ""
    """The CSRF token of its forms; empty for programs, which send no cookies."""
    credential_hash: str = ""
    """Hash of the token or session of the request; "" if it has none."""

    @property
    def key(self) -> str:
        """Return a key that identifies the session, token or proxy user."""
        return self.credential_hash or self.name

    def has_permission(self, right: Permission) -> bool:
        return self.right >= right

    @property
    def may_administrate(self) -> bool:
        """Return whether it may administrate all instances."""
        return self.has_permission(Permission.ADMIN) and self.instances is None

    def sees(self, instance: str) -> bool:
        return self.instances is None or instance in self.instances

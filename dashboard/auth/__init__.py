"""Who may come in: persons, what they may do, and the guard at the door."""

from core.access import Permission
from dashboard.auth.dependencies import (
    AuthenticationBackend,
    RequireAct,
    RequireAdmin,
    RequireRead,
    identify_person,
)
from dashboard.auth.person import Person

__all__ = [
    "AuthenticationBackend",
    "Permission",
    "Person",
    "RequireAct",
    "RequireAdmin",
    "RequireRead",
    "identify_person",
]

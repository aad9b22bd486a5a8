"""Authentication: login, sessions, CSRF, API tokens, trusted proxies, permissions."""

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

"""Authentication: login, sessions, CSRF, API tokens, trusted proxies, permissions."""

from core.access import Permission
from dashboard.auth.dependencies import (
    AuthenticationBackend,
    Person,
    RequireAct,
    RequireAdmin,
    RequireRead,
    identify_person,
)

__all__ = [
    "AuthenticationBackend",
    "Permission",
    "Person",
    "RequireAct",
    "RequireAdmin",
    "RequireRead",
    "identify_person",
]

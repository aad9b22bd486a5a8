"""Authentication: login, sessions, CSRF, API tokens, trusted proxies, permissions."""

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
    "Person",
    "RequireAct",
    "RequireAdmin",
    "RequireRead",
    "identify_person",
]

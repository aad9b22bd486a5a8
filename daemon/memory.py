"""Return memory that is no longer used to the system."""

import ctypes

_LIBC = ctypes.CDLL(None)


def release_memory() -> None:
    """Return freed memory to the system. glibc keeps it; other C libraries have no such call."""
    trim = getattr(_LIBC, "malloc_trim", None)
    if trim is not None:
        trim(0)

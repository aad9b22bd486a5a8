"""Web addresses as people write them, brought to one form. No sentence repeats the address."""

from urllib.parse import SplitResult, urlsplit

from core.messages import message


def paperless_address(text: str) -> str:
    """Check the address of a Paperless; a trailing slash or /api is taken off."""
    parts = _web_address(text)
    # Only in the path: a host may well be called "api".
    path = parts.path.rstrip("/").removesuffix("/api").rstrip("/")
    return parts._replace(path=path).geturl()


def ai_address(text: str) -> str:
    """Check the base address of a model's API; a trailing slash is taken off."""
    parts = _web_address(text)
    path = parts.path.rstrip("/")
    if path.endswith("/completions"):
        raise ValueError(message("must end before /chat/completions, mostly with /v1"))
    return parts._replace(path=path).geturl()


def public_address(text: str) -> str:
    """Check an address that people open; a trailing slash is taken off."""
    parts = _web_address(text)
    return parts._replace(path=parts.path.rstrip("/")).geturl()


def _web_address(text: str) -> SplitResult:
    text = text.strip()
    if any(letter.isspace() for letter in text):
        raise ValueError(message("has a space in it"))
    parts = _split(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(message("must begin with http:// or https:// and name a host"))
    if parts.username is not None:
        raise ValueError(message("must not carry a user name or password"))
    if parts.query or parts.fragment:
        raise ValueError(message("must end before the ? or #"))
    return parts


def _split(text: str) -> SplitResult:
    """Split an address, with a sentence of ours for what urllib only finds on a closer look."""
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        raise ValueError(message("is not a web address - look at the host and the port")) from None
    return parts

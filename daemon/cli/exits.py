"""Run a command: print errors in one clear line, and exit with a code that a script can use."""

import asyncio
import gc
import sys
from collections.abc import Callable, Collection, Coroutine
from enum import IntEnum
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from core.errors import PaperclerkError
from core.text import remove_invisible

if TYPE_CHECKING:
    from paperless_client import PaperlessError

T = TypeVar("T")
P = ParamSpec("P")


class Exit(IntEnum):
    """Exit codes, as the command line's reference lists them."""

    OK = 0
    LOOK = 1
    """Something needs attention."""
    CONFIG = 2
    UNREACHABLE = 3
    REFUSED = 4
    """A token, a permission or a key is missing, or a limit is reached."""
    CANCELLED = 130


class UsageError(PaperclerkError):
    """A command line that cannot be carried out."""

    code = "usage"
    user_message = "The command cannot be executed."


_SETTINGS = "config"
"""Code of errors in the settings: their text already says what to correct, line by line."""
_BY_CODE = {
    _SETTINGS: Exit.CONFIG,
    "tag_missing": Exit.CONFIG,
    "paperless_token_refused": Exit.REFUSED,
    "paperless_permission_missing": Exit.REFUSED,
    "paperless_login_refused": Exit.REFUSED,
    "paperless_mfa_code_required": Exit.REFUSED,
    "paperless_mfa_code_refused": Exit.REFUSED,
    "paperless_unavailable": Exit.UNREACHABLE,
    "paperless_outcome_unknown": Exit.UNREACHABLE,
    "paperless_certificate_untrusted": Exit.UNREACHABLE,
    "paperless_version_unsupported": Exit.UNREACHABLE,
    "not_paperless": Exit.UNREACHABLE,
    "model_key_refused": Exit.REFUSED,
    "model_rate_limited": Exit.UNREACHABLE,
    "model_unavailable": Exit.UNREACHABLE,
    "not_a_model_server": Exit.UNREACHABLE,
    "answer_interrupted": Exit.UNREACHABLE,
    "model_not_found": Exit.CONFIG,
    "limit_reached": Exit.REFUSED,
    "rate_reached": Exit.REFUSED,
    "outside_hours": Exit.REFUSED,
    "done_tag_beneath_removed": Exit.CONFIG,
    "custom_field_missing": Exit.CONFIG,
    "group_missing": Exit.CONFIG,
    "custom_field_not_fillable": Exit.CONFIG,
    "data_folder_not_writable": Exit.CONFIG,
    "disk_read_only": Exit.CONFIG,
    "schema_too_new": Exit.CONFIG,
    "schema_too_old": Exit.CONFIG,
    "cannot_listen": Exit.CONFIG,
    "apprise_missing": Exit.CONFIG,
    "notify_address_unusable": Exit.CONFIG,
    "message_not_taken": Exit.UNREACHABLE,
    "bad_value": Exit.CONFIG,
    "new_name_not_allowed": Exit.CONFIG,
    "usage": Exit.CONFIG,
    "asked_wrongly": Exit.CONFIG,
    "instance_unknown": Exit.CONFIG,
    "webhook_address_missing": Exit.CONFIG,
    "nothing_waits": Exit.CONFIG,
    "nothing_to_undo": Exit.CONFIG,
    "name_unclear": Exit.CONFIG,
}


def list_choices(names: Collection[str]) -> str:
    """Return the valid values, for an error message."""
    return f"there {'is' if len(names) == 1 else 'are'}: {', '.join(names)}"


def exit_for(error: "PaperclerkError | PaperlessError") -> Exit:
    """Return the exit code for an error.

    It depends on the error's code alone, because the code is all that is stored of an error.
    """
    return _BY_CODE.get(error.code, Exit.LOOK)


def print_error(error: "PaperclerkError | PaperlessError", *, about: str = "") -> None:
    """Write an error to stderr: what is wrong, and what to do."""
    text = f"{about}: {one_line(error)}" if about else one_line(error)
    sys.stderr.write(f"{remove_invisible(text)}\n")


def async_command(function: Callable[P, Coroutine[Any, Any, Exit]]) -> Callable[P, None]:
    """Turn a coroutine function into a command that exits with the exit code it returns."""

    @wraps(function)
    def command(*args: P.args, **kwargs: P.kwargs) -> None:
        run(lambda: function(*args, **kwargs))

    return command


def run(command: Callable[[], Coroutine[Any, Any, Exit]]) -> None:
    """Run a command and exit with its exit code."""
    sys.exit(result_of(command))


def result_of(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a part of a command and return its result; on an error, print it and exit."""
    try:
        return run_in_loop(work)
    except reported_errors() as error:
        print_error(error)
        sys.exit(exit_for(error))
    except (KeyboardInterrupt, asyncio.CancelledError):
        sys.exit(Exit.CANCELLED)


def run_in_loop(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a part of a command in an event loop of its own and return its result."""
    if not gc.isenabled():
        # Loaded modules are never freed, so the collector need not visit them.
        gc.freeze()
        gc.enable()
    return asyncio.run(work())


def reported_errors() -> "tuple[type[PaperclerkError], type[PaperlessError]]":
    """Return the errors that are printed without a stack trace; called only if there is one."""
    from paperless_client import PaperlessError

    return PaperclerkError, PaperlessError


def one_line(error: "PaperclerkError | PaperlessError") -> str:
    """Return the error's message, with its hint on a second line."""
    if error.code == _SETTINGS or not error.hint:
        return str(error)
    return f"{error}\n  -> {error.hint}"

"""The questions of `init`: each answer is checked before the next question."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from daemon.cli.arguments import Options
from daemon.cli.exits import Exit, UsageError, print_error, run_in_loop
from daemon.cli.terminal import Asker, console

if TYPE_CHECKING:
    from actions.setup import Draft, ModelServer, PaperlessAddress
    from paperless_client import User

_DEFAULT_NAME = "home"


@dataclass(frozen=True, slots=True)
class Flags:
    """The answers that were given on the command line; empty ones are asked for."""

    name: str = ""
    url: str = ""
    ca_file: Path | None = None
    token_file: Path | None = None
    username: str = ""
    password_file: Path | None = None
    mfa_code: str = ""
    base_url: str = ""
    api_key_file: Path | None = None
    model: str = ""
    owner_names: str | None = None
    overwrite: bool = False
    accept_failures: bool = False
    try_documents: bool | None = None


class Stopped(Exception):
    """The setup ends without a file."""

    def __init__(self, exit_code: Exit) -> None:
        super().__init__()
        self.exit = exit_code


def ask_name(options: Options, flags: Flags, asker: Asker) -> tuple[str, bool]:
    """Return the name of the instance, and whether an existing file may be replaced."""
    from core.settings.instance import check_instance_name

    def check(name: str) -> tuple[str, bool]:
        try:
            check_instance_name(name)
        except ValueError as error:
            raise UsageError(str(error)) from error
        file = options.config / f"{name}.toml"
        if not file.exists() or flags.overwrite:
            return name, flags.overwrite
        if asker.confirm(f"{file} exists. Replace it?", "--overwrite", default=False):
            return name, True
        raise UsageError("choose another name")

    def ask() -> str:
        if not asker.is_terminal:
            return _DEFAULT_NAME
        return asker.ask("Instance name", "--name", default=_DEFAULT_NAME)

    return asker.ask_until(flags.name, ask, check)


def ask_address(flags: Flags, asker: Asker) -> "PaperlessAddress":
    """Return the address that the person confirmed, at which a Paperless responds."""
    from actions.setup import PaperlessAddress, find_paperless
    from core.settings.values import check_paperless_url

    found: list[str] = []
    if not flags.url and asker.is_terminal:
        console().print("Looking for Paperless ...")
        found = run_in_loop(find_paperless)
        console().print(f"Found: {', '.join(found)}" if found else "None found nearby.")

    def check(typed: str) -> PaperlessAddress:
        address = PaperlessAddress(_valid(check_paperless_url, typed), flags.ca_file)
        run_in_loop(address.require_paperless)
        return address

    def ask() -> str:
        default = found[0] if found else ""
        return asker.ask("Address of Paperless", "--paperless-url", default=default)

    address = asker.ask_until(flags.url, ask, check)
    _warn_if_readable(address.url, asker)
    return address


def ask_token(
    draft: "Draft", address: "PaperlessAddress", flags: Flags, asker: Asker
) -> "tuple[Draft, User | None]":
    """Return the draft with a token that Paperless accepts, and the token's user."""
    from actions.setup import TOKEN, find_secret, read_secret
    from core.settings import get_environment

    variable, secret = find_secret(get_environment(), draft.name, TOKEN)
    if secret:
        user = run_in_loop(lambda: address.fetch_user(secret))
        console().print(f"Token from {variable} accepted{_of(user)}.")
        return draft, user
    in_file = read_secret(flags.token_file) if flags.token_file else ""
    # Used once: after an error, the person is asked.
    logins = iter([flags])

    def check(token: str) -> "tuple[Draft, User | None]":
        user = run_in_loop(lambda: address.fetch_user(token))
        console().print(f"Token accepted{_of(user)}.")
        if token == in_file:
            return replace(draft, token_file=str(flags.token_file)), user
        return replace(draft, token=token.strip()), user

    def ask() -> str:
        login = next(logins, Flags())
        if login.username or (asker.is_terminal and _wants_password(asker)):
            return _fetch_token(address, login, asker)
        return asker.ask("API token", "--token-file, or --username", is_secret=True)

    return asker.ask_until(in_file, ask, check)


def ask_model_server(draft: "Draft", flags: Flags, asker: Asker) -> "tuple[Draft, ModelServer]":
    """Return the draft with the address of a model server and its key, and the server."""
    from actions.setup import (
        API_KEY,
        describe_model_server,
        find_model_servers,
        find_secret,
        read_secret,
    )
    from core.settings import get_environment
    from core.settings.values import check_ai_url

    found: list[ModelServer] = []
    if not flags.base_url and asker.is_terminal:
        console().print("Looking for Ollama and LM Studio ...")
        found = run_in_loop(find_model_servers)
        listed = ", ".join(server.url for server in found)
        console().print(f"Found: {listed}" if found else "None found nearby.")
    _, key = find_secret(get_environment(), draft.name, API_KEY)
    if flags.api_key_file:
        key = read_secret(flags.api_key_file)
        draft = replace(draft, api_key_file=str(flags.api_key_file))

    def check(typed: str) -> "tuple[Draft, ModelServer]":
        url = _valid(check_ai_url, typed)
        server = run_in_loop(lambda: describe_model_server(url, key))
        _warn_if_readable(url, asker)
        if not server.needs_key:
            return replace(draft, base_url=url), server
        typed_key = asker.ask("API key", "--api-key-file", is_secret=True)
        server = run_in_loop(lambda: describe_model_server(url, typed_key))
        return replace(draft, base_url=url, api_key=typed_key), server

    def ask() -> str:
        default = found[0].url if found else ""
        return asker.ask("Address of the model's API", "--model-url", default=default)

    return asker.ask_until(flags.base_url, ask, check)


def ask_model(server: "ModelServer", given: str, asker: Asker) -> str:
    """Return the name of a model; it must be on the server's list, if there is one."""
    models = server.models
    if not given and models:
        for number, model in enumerate(models, start=1):
            console().print(f"  {number}  {model}")

    def check(typed: str) -> str:
        if models and typed.isdecimal() and 1 <= int(typed) <= len(models):
            return models[int(typed) - 1]
        if not typed or (models and typed not in models):
            listed = ", ".join(models) or "none"
            raise UsageError(f'{server.url} has no model "{typed}"; available: {listed}')
        return typed

    def ask() -> str:
        default = models[0] if models else ""
        return asker.ask("Model (number or name)", "--model", default=default)

    return asker.ask_until(given, ask, check)


def ask_owner_names(flags: Flags, asker: Asker) -> tuple[str, ...]:
    from actions.setup import split_names

    if flags.owner_names is not None:
        return split_names(flags.owner_names)
    if not asker.is_terminal:
        return ()
    console().print("Your own names and companies are never used as a correspondent.")
    return split_names(asker.ask("Your names, separated by commas", "--owner-names"))


def _warn_if_readable(url: str, asker: Asker) -> None:
    """Warn before a secret or a document crosses foreign networks without encryption.

    An address given as an option is confirmed already; on a terminal, the person is asked.
    """
    from actions.setup import is_readable_on_the_way

    if not is_readable_on_the_way(url):
        return
    console().print(
        f"WARNING: {url} is neither encrypted nor in a private network: others can read"
        " secrets and documents in transit. Use https:// if you can."
    )
    if asker.is_terminal and not asker.confirm("Use it?", "", default=False):
        raise Stopped(Exit.CANCELLED)


def _wants_password(asker: Asker) -> bool:
    console().print(
        "Paperclerk needs an API token. In Paperless, it is under your name > My Profile > API Auth"
        " Token. Or log in here: the password is sent to Paperless once and not stored."
    )
    return asker.confirm("Log in with user name and password?", "--username", default=False)


def _fetch_token(address: "PaperlessAddress", flags: Flags, asker: Asker) -> str:
    """Return the token for a user name and a password; neither is stored."""
    from actions.setup import read_secret
    from paperless_client import Login, MfaCodeRefused, MfaCodeRequired

    username = flags.username or asker.ask("User name", "--username")
    if flags.password_file:
        password = read_secret(flags.password_file)
    else:
        password = asker.ask("Password", "--password-file", is_secret=True)
    login = Login(username, password, flags.mfa_code)
    while True:
        try:
            return run_in_loop(partial(address.request_token, login))
        except (MfaCodeRequired, MfaCodeRefused) as error:
            if not asker.is_terminal:
                raise
            if isinstance(error, MfaCodeRefused):
                print_error(error)
            login = replace(login, mfa_code=asker.ask("Code of the second factor", "--mfa-code"))


def _of(user: "User | None") -> str:
    return f', user "{user.username}"' if user else ""


def _valid(check: Callable[[str], str], typed: str) -> str:
    try:
        return check(typed)
    except ValueError as error:
        raise UsageError(f'"{typed}" {error}') from error

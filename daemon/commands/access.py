"""`user` and `token`: who may come into the dashboard, and what programs may do there."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import tzinfo

from core.access import ApiToken, NewToken, Permission
from daemon.cli.exits import Exit, UsageError
from daemon.cli.options import Options
from daemon.cli.output import console, format_local, print_json, print_table
from daemon.context import open_context
from dashboard.auth.account import create_token
from dashboard.auth.login import create_link
from dashboard.auth.passwords import SHORTEST, Passwords, find_password_problem
from store import OpenMode

_ALL = "all"


async def link(options: Options) -> Exit:
    """Print a link to set the password by."""
    async with open_context(options) as memory:
        address = memory.settings.daemon.web.public_address()
        console().print(await create_link(memory.store, address, now=memory.clock()))
        return Exit.OK


async def password(options: Options, new: str) -> Exit:
    """Set the password."""
    if find_password_problem(new, new) is not None:
        raise UsageError(f"a password has at least {SHORTEST} characters")
    async with open_context(options) as memory:
        password_hash = await Passwords().hash(new)
        await memory.store.access.set_password(password_hash, now=memory.clock())
        console().print("password set; everybody who was logged in has to log in again")
        return Exit.OK


async def create(options: Options, name: str, right: Permission, instances: Sequence[str]) -> Exit:
    """Make a token; it alone goes to standard output, for a script to take."""
    if not name.strip():
        raise UsageError("a token needs a name")
    async with open_context(options) as memory:
        seen = (
            frozenset(one for typed in instances for one in memory.select_instances(typed)) or None
        )
        new = NewToken(name.strip(), right, seen)
        token, _ = await create_token(memory.store, new, now=memory.clock())
        sys.stderr.write("This token is shown once; keep it like a password.\n")
        sys.stdout.write(f"{token}\n")
        return Exit.OK


async def list_all(options: Options, *, as_json: bool) -> Exit:
    """Show all tokens."""
    async with open_context(options, opening=OpenMode.LOOK) as memory:
        tokens = await memory.store.access.tokens.list()
        if as_json:
            print_json([asdict(one) | {"right": one.right.name.lower()} for one in tokens])
        elif not tokens:
            console().print("no tokens")
        else:
            headings = ("name", "may", "instances", "made", "used", "revoked")
            print_table(headings, (_row(one, memory.zone) for one in tokens))
        return Exit.OK


async def revoke(options: Options, name: str) -> Exit:
    """Let a token be valid no longer."""
    async with open_context(options) as memory:
        await memory.store.access.tokens.revoke(name, now=memory.clock())
        console().print(f"revoked: {name}")
        return Exit.OK


def _row(token: ApiToken, zone: tzinfo) -> tuple[str, ...]:
    moments = (token.created_at, token.used_at, token.revoked_at)
    instances = _ALL if token.instances is None else ", ".join(sorted(token.instances))
    return (
        token.name,
        token.right.name.lower(),
        instances,
        *(format_local(one, zone) for one in moments),
    )

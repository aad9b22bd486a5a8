"""Mutants at the door: each lets someone in who should stay outside."""

from tests.mutants.mutants import Mutant

_ACCESS = "tests/dashboard/access"
_COMING_IN = f"{_ACCESS}/test_coming_in.py"
_KEEPER = f"{_ACCESS}/test_keeper.py"
_SHUT = f"{_ACCESS}/test_shut.py"
_PROXIES = f"{_ACCESS}/test_proxies.py"
_STORE = "tests/store/test_access.py"

DOORS = (
    Mutant(
        "door: the mark of a form is not compared",
        "dashboard/access/origin.py",
        "    if not same(await _carried(request), person.csrf):\n",
        "    if False:\n",
        (_COMING_IN,),
    ),
    Mutant(
        "door: other sites are not told apart",
        "dashboard/access/origin.py",
        "    if not is_own(site, origin, host=host):\n",
        "    if False:\n",
        (_COMING_IN,),
    ),
    Mutant(
        "door: a foreign name may stand for us",
        "dashboard/access/keeper.py",
        "arrival.from_here and cannot_be_rebound(arrival.host)",
        "arrival.from_here",
        (_KEEPER,),
    ),
    Mutant(
        "door: a stranger may name itself",
        "dashboard/access/keeper.py",
        "        if header and arrival.by_proxy:\n",
        "        if header:\n",
        (_KEEPER,),
    ),
    Mutant(
        "door: every proxy is believed",
        "dashboard/access/proxies.py",
        "said = request.headers if trusted else {}",
        "said = request.headers",
        (_PROXIES,),
    ),
    Mutant(
        "door: a session is kept over a login",
        "dashboard/access/door.py",
        "        await self._end_session(request)\n        await self._access.sessions.begin(",
        "        await self._access.sessions.begin(",
        (_COMING_IN,),
    ),
    Mutant(
        "door: tries are not counted",
        "dashboard/access/door.py",
        "        if shut is not None:\n",
        "        if False:\n",
        (_SHUT,),
    ),
    Mutant(
        "door: a revoked token is good",
        "store/access_tokens.py",
        "(api_tokens.c.token_hash == token_hash, api_tokens.c.revoked_at.is_(None))",
        "(api_tokens.c.token_hash == token_hash,)",
        (_STORE,),
    ),
    Mutant(
        "door: a link is good twice",
        "store/access_links.py",
        "        one_time_links.c.used_at.is_(None),\n",
        "",
        (_STORE,),
    ),
    Mutant(
        "door: a new password leaves sessions open",
        "store/access.py",
        "    end_all(connection, ADMIN)\n",
        "",
        (_STORE,),
    ),
    Mutant(
        "door: one is sent on to anywhere",
        "dashboard/access/local.py",
        "return path if is_ours and path.isprintable() else FIRST_PAGE",
        "return path",
        (_COMING_IN,),
    ),
    Mutant(
        "door: the right is not asked for",
        "dashboard/access/guard.py",
        "        if not person.may(right):\n",
        "        if False:\n",
        (f"{_ACCESS}/test_doors.py",),
    ),
    Mutant(
        "a list shows a limited token what is not theirs",
        "dashboard/api/visible.py",
        "        return caller.only\n",
        "        return None\n",
        ("tests/dashboard/test_limited_tokens.py",),
    ),
)

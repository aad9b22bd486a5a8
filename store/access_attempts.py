"""Tries at the password: counted before they are looked at, and limited."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, and_, delete, exists, insert, select

from core.access import Patience, Visitor
from store.access_tables import login_attempts, login_devices

DEVICE_FORGOTTEN_AFTER = timedelta(days=365)
MOST_DEVICES = 100
"""Maximum number of known devices: a program that logs in each time would fill the table."""


def attempt(
    connection: Connection, visitor: Visitor, patience: Patience, now: datetime
) -> datetime | None:
    """Count a try, unless the door is shut; return until when it is."""
    connection.execute(delete(login_attempts).where(login_attempts.c.at <= now - patience.span))
    device = visitor.device if _is_known(connection, visitor.device) else None
    here = _tries(connection, _counted_with(visitor.address, device))
    everywhere = () if device else _tries(connection, login_attempts.c.device.is_(None))
    shut = patience.shut_until(here, everywhere, now=now)
    if shut is None:
        new = {"address": visitor.address, "device": device, "at": now}
        connection.execute(insert(login_attempts).values(new))
    return shut


def forgive(connection: Connection, visitor: Visitor) -> None:
    """Delete the attempts that were counted together with the visitor's last one."""
    device = visitor.device if _is_known(connection, visitor.device) else None
    counted = _counted_with(visitor.address, device)
    connection.execute(delete(login_attempts).where(counted))


def remember_device(connection: Connection, new: str, before: str, now: datetime) -> None:
    """Replace the hash of a known device by a new one; delete the oldest devices."""
    gone = (login_devices.c.token_hash == before) | (
        login_devices.c.seen_at <= now - DEVICE_FORGOTTEN_AFTER
    )
    connection.execute(delete(login_devices).where(gone))
    latest = select(login_devices.c.token_hash).order_by(login_devices.c.seen_at.desc())
    kept = connection.scalars(latest.limit(MOST_DEVICES - 1)).all()
    connection.execute(delete(login_devices).where(login_devices.c.token_hash.not_in(kept)))
    connection.execute(insert(login_devices).values(token_hash=new, seen_at=now))


def forget_devices(connection: Connection) -> None:
    """Forget all devices, so that each is counted by its address again."""
    connection.execute(delete(login_devices))


def _is_known(connection: Connection, device: str) -> bool:
    return bool(connection.scalar(select(exists().where(login_devices.c.token_hash == device))))


def _counted_with(address: str, device: str | None) -> ColumnElement[bool]:
    if device is not None:
        return login_attempts.c.device == device
    return and_(login_attempts.c.address == address, login_attempts.c.device.is_(None))


def _tries(connection: Connection, which: ColumnElement[bool]) -> Sequence[datetime]:
    """List matching attempts, oldest first."""
    found = select(login_attempts.c.at).where(which).order_by(login_attempts.c.at)
    return connection.scalars(found).all()

"""Days, where the owner lives: when one begins."""

from datetime import UTC, date, datetime, time, tzinfo


def start_of(day: date, zone: tzinfo | None) -> datetime:
    """Return when a day begins in a zone, told in UTC; no zone means the system's.

    Clocks that go forward at midnight leave it out: then the day begins with the first moment
    there is.
    """
    return datetime.combine(day, time(), tzinfo=zone).astimezone(UTC)

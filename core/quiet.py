"""Hours in which nobody is disturbed, by the clock on the wall."""

from dataclasses import dataclass
from datetime import datetime, time, tzinfo

from core.messages import message


def time_of_day(text: str) -> time:
    """Read a time such as 08:00; raise ValueError."""
    hour, colon, minute = text.strip().partition(":")
    digits = hour.isdecimal() and minute.isdecimal() and text.isascii()
    if not colon or not digits or len(hour) > 2 or len(minute) != 2:
        raise ValueError(message('"{text}" is not a time - write one such as "08:00"', text=text))
    try:
        return time(int(hour), int(minute))
    except ValueError:
        raise ValueError(
            message('"{text}" is not a time - a day ends at 23:59', text=text)
        ) from None


@dataclass(frozen=True, slots=True)
class QuietHours:
    """From one time of day to another, perhaps over midnight."""

    begin: time
    end: time

    @classmethod
    def parse(cls, text: str) -> "QuietHours | None":
        """Read hours such as 22:00-07:00; None if there are none. Raise ValueError."""
        if not text.strip():
            return None
        begin, dash, end = text.partition("-")
        if not dash:
            raise ValueError(
                message(
                    '"{text}" is not a span of hours - write one such as "22:00-07:00"', text=text
                )
            )
        hours = cls(time_of_day(begin), time_of_day(end))
        if hours.begin == hours.end:
            raise ValueError(message("begins and ends at the same time"))
        return hours

    def covers(self, now: datetime, zone: tzinfo | None) -> bool:
        """Tell whether it is quiet; the end is not.

        What the wall shows decides: a night with an hour more, or less, is longer or shorter.
        """
        shown = now.astimezone(zone).time()
        if self.begin < self.end:
            return self.begin <= shown < self.end
        return shown >= self.begin or shown < self.end

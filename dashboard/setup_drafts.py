"""The instances that people are setting up: kept in memory until their settings are written."""

from collections import deque
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from actions.setup import Draft, ModelServer, PaperlessAddress
from core.calendar import Clock
from dashboard.context import DraftCheck
from dashboard.errors import TooManyRequests
from paperless_client import User

_KEPT_FOR = timedelta(hours=1)
_MOST_REQUESTS = 60
_WITHIN = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class SetupState:
    """How far a person has come."""

    draft: Draft
    address: PaperlessAddress
    changed_at: datetime
    has_token: bool = False
    user: User | None = None
    """The token's user; None if it may not read that."""
    server: ModelServer | None = None
    check: DraftCheck | None = None
    """The check of this draft; None if it changed since."""


class SetupDrafts:
    """The drafts by person, and a limit for the requests that setting up causes.

    They contain secrets, so they are never stored, and forgotten after an hour.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._states: dict[str, SetupState] = {}
        self._requests: deque[datetime] = deque()

    def get(self, person: str) -> SetupState | None:
        self._forget_old()
        return self._states.get(person)

    def begin(self, person: str, draft: Draft, address: PaperlessAddress) -> None:
        self._forget_old()
        self._states[person] = SetupState(draft, address, self._clock())

    def update(self, person: str, state: SetupState) -> None:
        self._states[person] = replace(state, changed_at=self._clock())

    def forget(self, person: str) -> None:
        self._states.pop(person, None)

    def count_request(self) -> None:
        """Count a request to an address that a person typed; raise TooManyRequests."""
        now = self._clock()
        while self._requests and now - self._requests[0] > _WITHIN:
            self._requests.popleft()
        if len(self._requests) >= _MOST_REQUESTS:
            raise TooManyRequests(self._requests[0] + _WITHIN - now)
        self._requests.append(now)

    def _forget_old(self) -> None:
        oldest = self._clock() - _KEPT_FOR
        self._states = {
            person: state for person, state in self._states.items() if state.changed_at > oldest
        }

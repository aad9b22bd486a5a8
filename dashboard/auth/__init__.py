"""Who may come in: persons, what they may do, and the guard at the door."""

from core.access import Right
from dashboard.auth.dependencies import Acts, Administers, Guard, Reads, person_known
from dashboard.auth.person import Person

__all__ = ["Acts", "Administers", "Guard", "Person", "Reads", "Right", "person_known"]

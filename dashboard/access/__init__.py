"""Who may come in: persons, what they may do, and the guard at the door."""

from dashboard.access.guard import Acts, Administers, Guard, Reads, person_known
from dashboard.access.person import Person, Right

__all__ = ["Acts", "Administers", "Guard", "Person", "Reads", "Right", "person_known"]

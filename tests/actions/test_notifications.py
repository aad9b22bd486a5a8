"""Notices in words, in both languages."""

from dataclasses import replace
from datetime import UTC, timedelta

import pytest
from pydantic import JsonValue

from actions.notifications import MessageFormat, build_body, documents_of, merge_by_topic
from core.documents import DocumentRef
from core.notifications import Notification, NotificationKind
from i18n import get_translator
from tests.store.builders import NOON, PROBLEM

SINCE = NOON.isoformat()
OUTAGE: dict[str, JsonValue] = {
    "down": True,
    "model": True,
    "instances": ["home", "office"],
    "since": SINCE,
    "waiting": 6,
}
FAILED: dict[str, JsonValue] = {
    "until": SINCE,
    "causes": [
        {"why": PROBLEM.user_message, "count": 2, "documents": ["home/7", "home/8"]},
        {"why": "", "count": 1, "documents": ["home/9"]},
    ],
}
DAY: dict[str, JsonValue] = {
    "since": SINCE,
    "until": SINCE,
    "completed": 7,
    "written": 1,
    "failed": 0,
    "waiting": 3,
}
TABLE: list[tuple[NotificationKind, dict[str, JsonValue], str, str]] = [
    (
        NotificationKind.REVIEW,
        {"documents": 5},
        "5 documents are waiting for review.",
        "5 Dokumente warten auf Prüfung.",
    ),
    (
        NotificationKind.FAILED,
        FAILED,
        "2 documents failed: The model's answer was no use.\n"
        "1 document failed: An unexpected error occurred.",
        "2 Dokumente fehlgeschlagen: The model's answer was no use.\n"
        "1 Dokument fehlgeschlagen: Ein unerwarteter Fehler ist aufgetreten.",
    ),
    (
        NotificationKind.CONNECTION,
        OUTAGE,
        "The model (home, office) has been unreachable since 12:00.\n"
        "6 documents are waiting; nothing is lost.",
        "Das Modell (home, office) ist seit 12:00 nicht erreichbar.\n"
        "6 Dokumente warten; nichts geht verloren.",
    ),
    (
        NotificationKind.CONNECTION,
        {**OUTAGE, "model": False, "down": False, "back": (NOON + timedelta(hours=2)).isoformat()},
        "Paperless (home, office) is reachable again after 2\u00a0h.",
        "Paperless (home, office) ist nach 2\u00a0Std. wieder erreichbar.",
    ),
    (
        NotificationKind.LIMIT,
        {"instance": "home", "goes_on_at": "2026-04-01T00:00:00+00:00"},
        "home: limit reached. Resumes automatically: 1\u00a0Apr, 00:00.",
        "home: Limit erreicht. Wird automatisch fortgesetzt: 1.\u00a0Apr., 00:00.",
    ),
    (
        NotificationKind.ALERT,
        {"warning": "many_waiting", "count": 120},
        "120 jobs are waiting in the queue.",
        "120 Aufträge warten in der Warteschlange.",
    ),
    (
        NotificationKind.ALERT,
        {"warning": "many_failed", "count": 10},
        "10 jobs failed within one hour.",
        "10 Aufträge sind innerhalb einer Stunde fehlgeschlagen.",
    ),
    (
        NotificationKind.ALERT,
        {"warning": "scan_late", "instances": ["home"]},
        "Scan overdue: home.",
        "Suchlauf überfällig: home.",
    ),
    (
        NotificationKind.ALERT,
        {"warning": "processor_silent", "seconds": 360},
        "The processor has not responded for 6\u00a0min.",
        "Die Verarbeitung reagiert seit 6\u00a0Min. nicht.",
    ),
    (
        NotificationKind.DIGEST,
        DAY,
        "Since 12:00:\n7 documents analysed\n1 document changed\n"
        "3 documents are waiting for review.",
        "Seit 12:00:\n7 Dokumente analysiert\n1 Dokument geändert\n3 Dokumente warten auf Prüfung.",
    ),
]


def letter(language: str = "en", *, address: str = "") -> MessageFormat:
    return MessageFormat(get_translator(language, zone=UTC, now=NOON), address)


def a_notice(
    kind: NotificationKind, facts: dict[str, JsonValue], *, topic: str = ""
) -> Notification:
    return Notification(1, kind, topic or kind, facts, is_silent=False, recorded_at=NOON)


@pytest.mark.parametrize(("kind", "facts", "english", "german"), TABLE)
def test_each_notification_is_written_in_both_languages(
    kind: NotificationKind, facts: dict[str, JsonValue], english: str, german: str
) -> None:
    notice = a_notice(kind, facts)

    assert build_body([notice], letter()) == english
    assert build_body([notice], letter("de")) == german


def test_every_kind_has_its_words() -> None:
    assert {kind for kind, *_ in TABLE} == set(NotificationKind)


def test_several_are_one_message_each_with_its_page() -> None:
    notices = [
        a_notice(NotificationKind.REVIEW, {"documents": 5}),
        a_notice(NotificationKind.FAILED, FAILED),
    ]

    body = build_body(notices, letter(address="https://my.house/clerk"))

    first, second = body.split("\n\n")
    assert first == "5 documents are waiting for review.\nhttps://my.house/clerk/review"
    assert second.endswith("\nhttps://my.house/clerk/activity?status=failed")


def test_titles_are_sent_only_if_they_are_given_and_obey_nothing() -> None:
    notice = a_notice(NotificationKind.FAILED, FAILED)
    titles = {"home/7": "Rechnung\nzwei\x1b[31m"}

    body = build_body([notice], replace(letter(), titles=titles))

    assert documents_of([notice]) == tuple(DocumentRef("home", number) for number in (7, 8, 9))
    assert "home" not in build_body([notice], letter())
    [line] = [line for line in body.splitlines() if line.startswith("- ")]
    assert line.startswith("- Rechnung zwei")


def test_of_an_outage_that_has_ended_only_the_end_is_reported() -> None:
    ended: dict[str, JsonValue] = {**OUTAGE, "down": False, "back": SINCE}
    outage = a_notice(NotificationKind.CONNECTION, OUTAGE)
    review = a_notice(NotificationKind.REVIEW, {"documents": 5})
    back = a_notice(NotificationKind.CONNECTION, ended)

    assert merge_by_topic([outage, review, back]) == (review, back)


def test_the_outages_of_two_servers_are_both_reported() -> None:
    model = a_notice(NotificationKind.CONNECTION, OUTAGE, topic="model")
    paperless = a_notice(NotificationKind.CONNECTION, OUTAGE, topic="paperless")

    assert merge_by_topic([model, paperless]) == (model, paperless)


def test_failures_of_one_cause_are_added_up() -> None:
    earlier = a_notice(NotificationKind.FAILED, FAILED)
    later_facts: dict[str, JsonValue] = {
        "until": SINCE,
        "causes": [{"why": PROBLEM.user_message, "count": 1, "documents": ["home/10"]}],
    }

    [merged] = merge_by_topic([earlier, a_notice(NotificationKind.FAILED, later_facts)])

    assert merged.facts["causes"] == [
        {"why": PROBLEM.user_message, "count": 3, "documents": ["home/7", "home/8", "home/10"]},
        {"why": "", "count": 1, "documents": ["home/9"]},
    ]

import pytest

from sandbox.model.subjects import find_kind, find_storage_path, find_tags

KINDS = ["Angebot", "Brief", "Kontoauszug", "Mahnung", "Rechnung", "Steuerbescheid", "Vertrag"]


@pytest.mark.parametrize(
    ("text", "kind", "quote"),
    [
        ("Stromrechnung Oktober 2026", "Rechnung", "Stromrechnung Oktober 2026"),
        ("R E C H N U N G   Nr. 7", "Rechnung", "R E C H N U N G"),
        ("STATEMENT OF CHARGES", "Rechnung", "STATEMENT OF CHARGES"),
        (
            "Subject: Payment reminder for invoice 7",
            "Mahnung",
            "Subject: Payment reminder for invoice 7",
        ),
        ("Account statement", "Kontoauszug", "Account statement"),
        ("Grundsteuerbescheid 2027", "Steuerbescheid", "Grundsteuerbescheid 2027"),
        ("Ihr neuer Mobilfunkvertrag", "Vertrag", "Ihr neuer Mobilfunkvertrag"),
        ("Vertragskonto: 7\nQUOTATION: heat pump", "Angebot", "QUOTATION: heat pump"),
        ("Sehr geehrte Frau Mustermann,", "Brief", "Sehr geehrte"),
    ],
)
def test_a_heading_says_what_a_document_is(text: str, kind: str, quote: str) -> None:
    found = find_kind(text, KINDS)

    assert found is not None
    assert (found.value, found.evidence) == (kind, quote)


def test_a_kind_is_called_what_this_paperless_calls_it() -> None:
    found = find_kind("INVOICE", ["Invoice"])

    assert found is not None
    assert found.value == "Invoice"


def test_a_kind_that_nobody_offers_is_proposed_with_less_confidence() -> None:
    known, new = find_kind("Kontoauszug", ["Kontoauszug"]), find_kind("Kontoauszug", [])

    assert known is not None
    assert new is not None
    assert new.value == "Kontoauszug"
    assert new.confidence < known.confidence


def test_a_name_of_the_owners_own_is_found_by_itself() -> None:
    found = find_kind("Urkunde über den ersten Platz", ["Urkunde"])

    assert found is not None
    assert (found.value, found.evidence) == ("Urkunde", "Urkunde")


def test_a_long_line_is_no_heading() -> None:
    line = "Diese Information ist kein Bescheid und in keiner Weise verbindlich, auch nicht später."

    assert find_kind(line, ["Bescheid"]) is None


@pytest.mark.parametrize(
    ("text", "offered", "tags"),
    [
        ("Stromlieferung 218 kWh", ["Strom", "Auto"], {"Strom"}),
        ("Fahrzeug, Kennzeichen; Versicherungsschein, Versicherungsschutz", ["Auto"], {"Auto"}),
        ("Patientin, Behandlung", ["Health"], {"Health"}),
        ("Desk, oak; office chair", ["Auto"], {"Möbel"}),
        ("Ein Brief aus dem Garten", ["Garten", "Auto"], {"Garten"}),
        ("Ein Brief", ["Auto"], set()),
    ],
)
def test_tags_come_from_the_offered_names_unless_none_fits(
    text: str, offered: list[str], tags: set[str]
) -> None:
    assert {found.value for found in find_tags(text, offered)} == tags


def test_no_more_than_three_tags_are_given() -> None:
    offered = ["Rosen", "Tulpen", "Nelken", "Astern"]

    assert len(find_tags("Rosen, Tulpen, Nelken und Astern", offered)) == 3


def test_a_storage_path_is_chosen_from_those_offered_and_never_made_up() -> None:
    bill = "Stromrechnung\nStromlieferung im August"

    found = find_storage_path(bill, ["Nach Jahr", "Strom"])

    assert found is not None
    assert (found.value, found.evidence in bill) == ("Strom", True)
    assert find_storage_path(bill, ["Nach Jahr"]) is None
    assert find_storage_path(bill, []) is None

import pytest

from sandbox.model.senders import find_sender

OWNER = "Erika Mustermann\nLindenweg 4\n12345 Musterstadt\n"


@pytest.mark.parametrize(
    ("text", "offered", "value", "quote"),
    [
        (
            "Deutsche Telekontakt GmbH\n" + OWNER,
            ["Deutsche Telekontakt"],
            "Deutsche Telekontakt",
            "Deutsche Telekontakt",
        ),
        ("NORTHGATE BANK PLC\n" + OWNER, ["Northgate Bank"], "Northgate Bank", "NORTHGATE BANK"),
        ("Harbour Cloud\n" + OWNER, ["Harbour Cloud Ltd"], "Harbour Cloud Ltd", "Harbour Cloud"),
        (
            "Nordstern Reisen GmbH\n" + OWNER,
            ["Nordstern", "Nordstern Reisen", "Nordstern Versicherung"],
            "Nordstern Reisen",
            "Nordstern Reisen",
        ),
        (
            "Malerbetr1eb Thie1e\nMalerbetrieb Thiele · Birkenstr. 3 · 12348 Musterstadt\n" + OWNER,
            [],
            "Malerbetrieb Thiele",
            "Malerbetrieb Thiele",
        ),
        ("FJORD HOTELL AS\n" + OWNER, [], "Fjord Hotell AS", "FJORD HOTELL AS"),
        ("Praxis am Tor    Rechnung\n" + OWNER, [], "Praxis am Tor", "Praxis am Tor"),
    ],
)
def test_the_sender_presents_itself_at_the_top(
    text: str, offered: list[str], value: str, quote: str
) -> None:
    found = find_sender(text, offered)

    assert found is not None
    assert (found.value, found.evidence) == (value, quote)


def test_the_bank_of_the_sender_is_not_the_sender() -> None:
    text = "Maler Thiele GmbH\n" + OWNER + "Zahlbar auf Musterbank eG, IBAN DE09 3006\n"

    found = find_sender(text, ["Musterbank"])

    assert found is not None
    assert found.value == "Maler Thiele GmbH"


def test_a_known_name_further_down_is_taken_when_the_letterhead_says_nothing() -> None:
    text = "Rechnung\nNr. 1\n\nSeite 1\n" + OWNER + "Ihre Stadtwerke Musterstadt\n"

    found = find_sender(text, ["Stadtwerke Musterstadt"])

    assert found is not None
    assert (found.value, found.confidence) == ("Stadtwerke Musterstadt", 0.6)


def test_a_name_is_not_found_inside_a_longer_word() -> None:
    found = find_sender("Stadtwerke Musterstadt\n", ["Stadt", "Musterstadt AG"])

    assert found is not None
    assert found.value == "Musterstadt AG"


def test_nobody_sent_an_empty_page() -> None:
    assert find_sender("\n \n", ["Musterbank"]) is None

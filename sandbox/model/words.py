"""The words that the reader knows: kinds of documents and subjects, in German and English."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Concept:
    """Something that a document can be, or be about."""

    names: tuple[str, ...]
    """Its usual names in Paperless; the first is suggested if none of them exists."""
    signs: re.Pattern[str]
    """Words in a text that indicate it."""


def _concept(names: str, signs: str) -> Concept:
    return Concept(tuple(names.split(", ")), re.compile(signs, re.IGNORECASE))


LETTER = _concept("Brief, Letter, Schreiben", r"\b(?:sehr geehrte|liebe|guten tag|hallo|dear)\b")

KINDS = (
    # The order matters within a line: "Payment reminder for invoice" is not an invoice.
    _concept("Mahnung, Reminder", r"\b(?:zahlungserinnerung|mahnung|payment reminder)\b"),
    _concept("Kündigung, Cancellation", r"\bkündigung\b|\bnotice of cancellation\b"),
    _concept(
        "Auftragsbestätigung, Bestellbestätigung, Order, Order confirmation",
        r"\b(?:auftrags|bestell|buchungs)bestätigung\b|\b(?:order|booking) confirmation\b",
    ),
    _concept("Angebot, Quotation, Offer", r"\bangebot\b|\bquotation\b"),
    _concept(
        "Gehaltsabrechnung, Lohnabrechnung, Payslip",
        r"\b(?:gehalts|lohn|entgelt)abrechnung\b|\bpayslip\b",
    ),
    _concept("Kontoauszug, Bank statement", r"\bkontoauszug\b|\b(?:account|bank) statement\b"),
    _concept(
        "Versicherungsschein, Police, Insurance policy",
        r"\bversicherungsschein\b|\bcertificate of insurance\b|\binsurance policy\b",
    ),
    _concept(
        "Steuerbescheid, Tax notice",
        r"\b\w*steuerbescheid\b|\bbescheid für \d{4}\b|\b(?:notice of|tax) assessment\b",
    ),
    _concept("Bescheid, Notice", r"\b\w*bescheid\b"),
    _concept("Vertrag, Contract", r"\b\w*vertrag\b|\bcontract of \w+\b|\b\w+ agreement$"),
    _concept("Abrechnung, Statement", r"\b\w*abrechnung\b"),
    _concept(
        "Rechnung, Invoice",
        r"\b\w*(?<!ab)rechnung\b|\b(?:hotel )?invoice\b|\bstatement of charges\b"
        r"|\br e c h n u n g\b",
    ),
)

SUBJECTS = (
    _concept("Strom, Electricity", r"\bstrom\w*|\bkwh\b"),
    _concept("Telefon, Phone", r"\bmobilfunk\w*|\btelefonie\b|\brufnummer\w*|\broaming\b"),
    _concept(
        "Bank",
        r"\bkontoauszug\b|\bkontostand\b|\baccount statement\b|\bbalance\b|\boverdraft\b",
    ),
    _concept(
        "Steuern, Taxes",
        r"\b(?:einkommen|grund)steuer(?:bescheid|wert)?\b|\bfinanzamt\b|\bsteueramt\b"
        r"|\btax assessment\b|\bnotice of assessment\b|\btaxpayer\b|\btaxable\b",
    ),
    _concept(
        "Versicherung, Insurance",
        r"\b\w*versicherungs(?:schein|schutz|beginn|nehmerin|umfang)\b|\bhausratversicherung\b"
        r"|\bkraftfahrtversicherung\b|\binsurance\b|\bpolicyholder\b",
    ),
    _concept("Auto, Car", r"\bkfz\b|\bkennzeichen\b|\bfahrzeug\b|\bkm-stand\b|\berstzulassung\b"),
    _concept(
        "Gesundheit, Health",
        r"\bpatient(?:in)?\b|\bbehandlung\w*|\bzahnärzt\w*|\bkrankenkasse\b|\bgesundheit\b"
        r"|\bdiagnose\b|\bmedical bill\b|\bclinic\b|\boutpatient\b",
    ),
    _concept(
        "Arbeit, Work",
        r"\bentgeltabrechnung\b|\bgehalt(?:sabrechnung)?\b|\blohnsteuer\b|\bpayslip\b"
        r"|\bemployee\b|\bemployment\b|\bsalary\b",
    ),
    _concept(
        "Schule, School",
        r"\b\w*schule\b|\bklassen\w+|\bschulleit\w+|\bschool\b|\bpupils?\b|\bclass teacher\b",
    ),
    _concept(
        "Reise, Travel",
        r"\breise\w*|\burlaub\b|\banreise\b|\bhotel\b|\btravel\b|\bdestination\b|\barrival\b",
    ),
    _concept("Bücher, Books", r"\bbuchhandlung\b|\bbücher\b|\bhardcover\b|\btitel\b"),
    _concept("Software", r"\bcloud\b|\blicen[cs]e\b|\bsubscription\b"),
    _concept(
        "Wohnen, Home",
        r"\bmiet\w+|\bwohnung\b|\bbetriebskosten\w*|\bnebenkosten\b|\btenancy\b|\brent\b"
        r"|\blettings\b|\bwände\b",
    ),
    _concept("Möbel, Furniture", r"\bmöbel\b|\bfurniture\b|\bdesk\b|\bchair\b"),
    _concept("Vorsorge, Pension", r"\brente\w*|\baltersvorsorge\b"),
    _concept("Elektronik, Electronics", r"\bhi-fi\b|\bturntable\b|\bphono\b"),
    _concept("Heizung, Heating", r"\bheat pump\b|\bhot water\b|\bwärmepumpe\b|\bheizkessel\b"),
)

KNOWN_WORDS = frozenset(
    name.casefold() for concept in (LETTER, *KINDS, *SUBJECTS) for name in concept.names
)

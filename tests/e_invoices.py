"""E-invoices for tests, in PDF files."""

from collections.abc import Mapping

from sandbox.paperless.e_invoices import build_invoice_pdf

VALUES = {
    "number": "HC-88213",
    "date": "20260909",
    "seller": "Harbour Cloud Ltd",
    "currency": "EUR",
    "total": "128.52",
    "due": "20260923",
}
_NEW = (
    "CrossIndustryInvoice",
    "ExchangedDocument",
    "ApplicableHeaderTradeAgreement",
    "ApplicableHeaderTradeSettlement",
    "SpecifiedTradeSettlementHeaderMonetarySummation",
)
_OLD = (
    "CrossIndustryDocument",
    "HeaderExchangedDocument",
    "ApplicableSupplyChainTradeAgreement",
    "ApplicableSupplyChainTradeSettlement",
    "SpecifiedTradeSettlementMonetarySummation",
)


def an_xml(changes: Mapping[str, str] | None = None, *, is_old: bool = False) -> bytes:
    """Return an invoice of ZUGFeRD 2 and Factur-X, or of ZUGFeRD 1."""
    values = VALUES | dict(changes or {})
    root, head, agreement, settlement, sums = _OLD if is_old else _NEW
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<rsm:{root} xmlns:rsm="urn:a" xmlns:ram="urn:b" xmlns:udt="urn:c">
<rsm:{head}><ram:ID>{values["number"]}</ram:ID><ram:TypeCode>380</ram:TypeCode>
<ram:IssueDateTime><udt:DateTimeString format="102">{values["date"]}</udt:DateTimeString>
</ram:IssueDateTime></rsm:{head}>
<rsm:Transaction><ram:{agreement}>
<ram:SellerTradeParty><ram:ID>7</ram:ID><ram:Name>{values["seller"]}</ram:Name></ram:SellerTradeParty>
<ram:BuyerTradeParty><ram:Name>Erika Mustermann</ram:Name></ram:BuyerTradeParty></ram:{agreement}>
<ram:{settlement}><ram:InvoiceCurrencyCode>{values["currency"]}</ram:InvoiceCurrencyCode>
<ram:SpecifiedTradePaymentTerms><ram:DueDateDateTime>
<udt:DateTimeString format="102">{values["due"]}</udt:DateTimeString>
</ram:DueDateDateTime></ram:SpecifiedTradePaymentTerms>
<ram:{sums}><ram:LineTotalAmount>108.00</ram:LineTotalAmount>
<ram:GrandTotalAmount>{values["total"]}</ram:GrandTotalAmount></ram:{sums}></ram:{settlement}>
</rsm:Transaction></rsm:{root}>
""".encode()


def a_pdf(changes: Mapping[str, str] | None = None) -> bytes:
    return build_invoice_pdf(an_xml(changes))

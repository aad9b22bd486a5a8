"""Labels that senders use, by language: what they say of a number, an amount or a date."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal

import pytest

from processor.analysis.amount_labels import find_amounts, find_total
from processor.analysis.checks.dates import rank
from processor.analysis.date_labels import DateRole, find_labelled_dates
from processor.analysis.due_dates import find_due_dates
from processor.analysis.value_labels import Subject, find_labelled_places

DAY = date(2026, 6, 14)

INVOICE_NUMBERS = {
    "en": (
        "Invoice no.|Invoice #|Inv. No.|Inv #|Bill no.|Bill number|Billing no.|"
        "Billing statement no.|Tax invoice|Sales invoice number|Receipt no.|Receipt #|Rcpt no.|"
        "Credit note number|Debit note no.|Document no.|Doc. no.|Fee note no.|Invoice ID|"
        "Your invoice|Invoice reference|Patient statement #|Proforma invoice no.|Sales slip no.|"
        "Cash sale no.|Premium invoice no.|Rent demand no.|VAT invoice no.|e-invoice number|"
        "Invoice / Ref."
    ),
    "de": (
        "Rechnungsnummer|Rechnungs-Nr.|Rechn.-Nr.|Re.-Nr.|RgNr.|Rg-Nr|Rechnung Nr.|Fakturanummer|"
        "Faktura-Nr.|Belegnr.|Beleg|Bon-Nr.|Kassenbon Nr.|Quittungsnummer|Gutschriftsnummer|"
        "Gutschrift Nr.|Stornorechnung Nr.|Abrechnung Nr.|Abrechnungsnummer|Schlussrechnung Nr.|"
        "Abschlagsrechnung Nr.|Teilrechnung|Kostenrechnung Nr.|Gebührenrechnung Nr.|"
        "Liquidation Nr.|Honorarrechnung Nr.|Dokumentnummer|Dok.-Nr.|Beitragsrechnung Nr.|"
        "Prämienrechnung Nr.|Vorschreibung Nr.|Zahlungsaufforderung Nr.|Kassabon-Nr.|"
        "Barbeleg Nr.|Verkaufsbeleg"
    ),
    "fr": (
        "N° de facture|Facture n°|Facture N°|No de facture|Num. facture|Réf. facture|"
        "Référence facture|Numéro de pièce|Avoir n°|Note d'honoraires n°|Reçu n°|Quittance n°|"
        "Ticket n°|Appel de cotisation n°|Facture-proforma n°|Relevé de facturation n°"
    ),
    "nl": (
        "Factuurnummer|Factuurnr.|Factuur nr.|Fact.nr.|Notanummer|Nota nr.|Bonnummer|"
        "Kassabon nr.|Schoolrekening nr.|Creditnota nr.|Creditfactuur|Declaratienummer|"
        "Kwitantie nr.|Afrekening nr.|Documentnummer|Verzamelfactuur nr.|Betaalverzoek nr.|"
        "Stuknummer"
    ),
    "it": (
        "Fattura n.|Fattura N°|Numero fattura|N. fattura|Nr. fattura|Ricevuta n.|"
        "Ricevuta fiscale n.|Scontrino n.|Documento n.|Documento commerciale n.|Bolletta n.|"
        "Nota di credito n.|Parcella n.|Numero documento|N. doc."
    ),
    "es": (
        "Factura nº|Nº factura|Número de factura|Nº de factura|Núm. factura|Factura simplificada|"
        "Factura rectificativa nº|Recibo nº|Tique nº|Nota de abono nº|Boleta nº|Minuta nº|"
        "Nº de recibo"
    ),
    "pt": (
        "Fatura n.º|Fatura nº|Número da fatura|Fatura-recibo nº|Recibo n.º|Factura n.º|"
        "Fatura simplificada|Nota de crédito nº|Documento nº|Talão nº"
    ),
    "sv": (
        "Fakturanummer|Fakturanr|Faktura nr|Fakt.nr|Räkning nr|Kvittonummer|Kvitto nr|"
        "Kreditfaktura nr|Avi nr|Avinummer|Verifikationsnummer|Fakturanr.|Kreditnota|Hyresavi nr|"
        "Notanr"
    ),
    "da": (
        "Fakturanr.|Faktura nr.|Regning nr.|Regningsnr.|Opkrævning nr.|Opkrævningsnr.|"
        "Kvittering nr.|Kreditnota nr.|Bilagsnr.|Bilag nr.|Bonnr.|Bon nr.|Kvitteringsnr.|"
        "Kontingentopkrævning nr."
    ),
    "no": "Fakturanummer:|Kvitteringsnummer|Bilagsnummer|Regning nr|Kreditnotanr.",
}
OTHER_NUMBERS = {
    "en": (
        "Customer no.|Account number|Order no.|PO number|Policy no.|VAT no.|Our ref|Your ref|"
        "Delivery note no.|Contract no.|Membership no.|Meter serial no.|Company no.|Notice no.|"
        "Claim no.|Booking reference|Auth code|Terminal ID|Merchant ID|Bank statement no.|"
        "Sort code|Quote no.|Tracking no.|Case no."
    ),
    "de": (
        "Kundennummer|Auftragsnummer|Bestellnummer|Lieferschein-Nr.|Vertragsnummer|Steuernummer|"
        "USt-IdNr.|Aktenzeichen|Kassenzeichen|Mitgliedsnummer|Zählernummer|Angebot Nr.|"
        "Versicherungsschein-Nr.|Patientennummer|Kontoauszug Nr.|Mandatsreferenz|Terminal-ID|"
        "TSE-Transaktion|Personalnummer|Kennwort|Objektnummer|Gläubiger-ID|Rechnungseinheit|"
        "Buchungskonto|Trace-Nr.|Bescheid Nr."
    ),
    "fr": (
        "N° client|N° de commande|N° de contrat|N° SIRET|N° TVA|N° de dossier|Référence client|"
        "N° d'adhérent|Bon de livraison n°|Devis n°|N° de compteur|RUM|N° de sinistre|Avis n°|"
        "N° fiscal|Relevé n°"
    ),
    "nl": (
        "Klantnummer|Ordernummer|Polisnummer|KvK-nummer|Btw-nummer|Pakbonnummer|Offertenummer|"
        "Lidnummer|Machtigingskenmerk|Meternummer|Kenmerk|Aanslagnummer|Rekeningnummer|Werkorder|"
        "Debiteurnummer|Betalingskenmerk|Transactie"
    ),
    "it": (
        "Codice cliente|N. ordine|Partita IVA|P.IVA|Codice fiscale|N. contratto|POD|"
        "Preventivo n.|DDT n.|Verbale n.|Matricola|Prot."
    ),
    "es": (
        "Nº cliente|Nº pedido|NIF|CIF|Nº contrato|Póliza nº|Localizador|Albarán nº|"
        "Presupuesto nº|CUPS|Autorización|Expediente"
    ),
    "pt": "Nº cliente|NIF|Contrato nº|Encomenda nº|Apólice nº|NIPC|Nº contribuinte|Referência",
    "sv": (
        "Kundnummer|Ordernummer|Org.nr|OCR-nummer|Bankgiro|Medlemsnummer|Avtalsnummer|"
        "Följesedel nr|Offert nr|Ärendenummer|Personnummer|Momsreg.nr"
    ),
    "da": (
        "Kundenr.|Ordrenr.|CVR-nr.|Medlemsnr.|Aftalenr.|Policenr.|Tilbud nr.|Reg.nr.|Kontonr.|"
        "Følgeseddel nr.|Sagsnr.|Målernr.|FIK"
    ),
    "no": (
        "Kundenummer|KID|Org.nr.|Ordrenummer|Medlemsnummer|Kontonummer|Avtalenummer|Tilbud nr|"
        "Saksnummer"
    ),
}
TOTALS = {
    "en": (
        "Total|Grand total|Total due|Balance due|Amount due|Amount payable|Total payable|"
        "Please pay|To pay|Invoice total|Bill total|Total to pay|Total charges|Total inc. VAT|"
        "Total incl. VAT|Gross total|Total amount|Total price|Total paid|Annual premium|"
        "Renewal premium|Your premium|Balance outstanding|Total owing|Now due|Total cost|"
        "Payment due|Amount to be collected|Total fare|Credit total|Total credit|Order total|"
        "Net payable|Fee due|Total fees|Total this invoice|Charge total|You pay|"
        "Amount in our favour|Rent due|Penalty|Sum due|Amount charged|Total Sale"
    ),
    "de": (
        "Gesamtbetrag|Rechnungsbetrag|Summe|Gesamtsumme|Endbetrag|Zu zahlen|Zu zahlender Betrag|"
        "Zahlbetrag|Bruttobetrag|Gesamt brutto|Gesamtbetrag inkl. MwSt|Rechnungssumme|"
        "Rechnungsendbetrag|Gutschriftsbetrag|Gutschriftbetrag|Erstattungsbetrag|Jahresbeitrag|"
        "Jahresprämie|Ihr Beitrag|Nachzahlung|Forderungsbetrag|Offener Betrag|Gesamtforderung|"
        "Abrechnungsbetrag|Gesamtpreis|Endpreis|Total CHF|Totalbetrag|Zahlungsbetrag|"
        "Auszahlungsbetrag|Überweisungsbetrag|Abbuchungsbetrag|Saldo zu unseren Gunsten|"
        "Saldo zu Ihren Lasten|Restbetrag|Betrag|Bußgeld|Gesamtkosten|Gesamtbetrag der Forderung|"
        "Rechnung gesamt|Fälliger Betrag|Festgesetzter Betrag|Gesamthonorar|Honorarsumme|"
        "Kaufpreis|Verwarnungsgeld|Warenkorb gesamt|Summe EUR"
    ),
    "fr": (
        "Total TTC|Montant TTC|Net à payer|Total à payer|Montant à payer|Montant dû|Solde dû|"
        "Reste à payer|Total général|Montant total|Montant de la facture|Total facture|"
        "Prime annuelle|Cotisation annuelle|Solde en notre faveur|Montant prélevé|Total payé|"
        "Net à régler|Somme due|Solde à payer|Prime totale|Amende forfaitaire|"
        "Montant net à payer|Total de la facture|Prix total|Coût total|A votre charge|"
        "Solde débiteur"
    ),
    "nl": (
        "Totaal|Totaalbedrag|Te betalen|Te voldoen|Totaal incl. btw|Totaal te betalen|"
        "Factuurbedrag|Factuurtotaal|Eindtotaal|Te ontvangen|Openstaand bedrag|Jaarpremie|"
        "Totale kosten|Totaalprijs|Nog te betalen|Totaal betaald|Verschuldigd bedrag|"
        "Bedrag incl. btw|Notabedrag|U betaalt|Contributie|Saldo in ons voordeel|Af te schrijven|"
        "Creditbedrag|Algemeen totaal|Totaal aanslag|Te storten|Bij te betalen"
    ),
    "it": (
        "Totale|Totale fattura|Totale da pagare|Totale documento|Importo totale|"
        "Totale complessivo|Netto a pagare|Importo da pagare|Totale dovuto|Totale a pagare|"
        "Totale EUR|Totale IVA inclusa|Totale pagato|Totale generale|Premio annuo|Importo dovuto|"
        "Totale bolletta|Somma dovuta|Da versare|Importo fattura|Prezzo totale|Totale conto|"
        "Totale ordine|Quota associativa"
    ),
    "es": (
        "Total factura|Total a pagar|Importe total|Total|Importe a pagar|Total pagado|"
        "Total IVA incluido|Total con IVA|Líquido a pagar|Importe factura|Total importe|"
        "Total recibo|Saldo pendiente|Prima anual|Prima total|Cuota anual|A abonar|Total general|"
        "Precio total|Importe líquido|Total a abonar|Importe de la factura|Total a ingresar|"
        "Total Euros"
    ),
    "pt": (
        "Total a pagar|Valor a pagar|Total|Valor total|Montante a pagar|Total da fatura|"
        "Total com IVA|Total pago|Total EUR|Importância a pagar|Total do documento|Total geral|"
        "Valor em dívida|Prémio total"
    ),
    "sv": (
        "Att betala|Summa att betala|Totalt|Summa|Totalbelopp|Belopp att betala|Att betala SEK|"
        "Summa inkl. moms|Totalt att betala|Slutsumma|Totalsumma|Fakturabelopp|Att erlägga|"
        "Totalt inkl. moms|Årspremie|Totalpris|Medlemsavgift|Att återfå|Kreditbelopp|Till godo"
    ),
    "da": (
        "I alt|Ialt|Total|At betale|Til betaling|I alt at betale|Total inkl. moms|"
        "I alt inkl. moms|Beløb til betaling|Samlet beløb|Fakturabeløb|Fakturatotal|Årspræmie|"
        "Kontingent|Total DKK|Beløb i alt|Betalt i alt|Skyldigt beløb|Til indbetaling|Restbeløb|"
        "Kreditbeløb|Totalbeløb|Til gode|Samlet pris"
    ),
    "no": (
        "Å betale|Sum|Totalt|Sum å betale|Totalsum|Beløp å betale|Totalt å betale|Fakturabeløp|"
        "Sum inkl. mva|Å betale NOK|Totalbeløp|Til gode|Årspremie|Sum totalt|Skyldig beløp|"
        "Til betaling|Samlet sum"
    ),
}
OTHER_AMOUNTS = {
    "en": (
        "Subtotal|VAT|Net total|Deposit|Discount|Shipping|Unit price|Previous balance|"
        "Cash tendered|Change|Total VAT|Total tax|Total net|Total excl. VAT|Total discount|"
        "Sum insured|Excess|Credit limit|Minimum payment|Total savings|Opening balance|"
        "Monthly rent|Last payment|Total hours|Taxable amount|Late fee|Total before tax|"
        "You saved|Payment received|Available credit|Estimated cost|Budget"
    ),
    "de": (
        "Zwischensumme|Netto|MwSt|Nettobetrag|Summe netto|Anzahlung|Rabatt|Skonto|Versandkosten|"
        "Einzelpreis|Gegeben|Rückgeld|Vorauszahlung|Kaution|Versicherungssumme|Selbstbeteiligung|"
        "Guthaben Vormonat|Alter Saldo|Übertrag|Mahngebühr|Summe MwSt|Gesamt netto|Nettosumme|"
        "Steuerbetrag|Abschlag|Ersparnis|Kostenrahmen|Sie sparen|Bereits gezahlt|"
        "Gesamtbetrag netto|Summe Rabatte|Streitwert|Deckungssumme|Bisherige Zahlungen|"
        "Jahresumsatz"
    ),
    "fr": (
        "Sous-total|Total HT|TVA|Acompte|Remise|Frais de port|Prix unitaire|Rendu|Franchise|"
        "Dépôt de garantie|Caution|Solde précédent|Total TVA|Montant HT|Arrhes|Capital assuré|"
        "Déjà réglé|Escompte|Économie réalisée|Budget"
    ),
    "nl": (
        "Subtotaal|Btw|Totaal excl. btw|Korting|Verzendkosten|Aanbetaling|Voorschot|Wisselgeld|"
        "Borg|Waarborgsom|Totaal btw|Vorig saldo|Eigen risico|Bedrag excl. btw|Reeds betaald|"
        "U bespaart|Verzekerd bedrag"
    ),
    "it": (
        "Imponibile|IVA|Totale imponibile|Sconto|Acconto|Spese di spedizione|Resto|Cauzione|"
        "Totale IVA|Contanti|Saldo precedente|Massimale|Franchigia|Prezzo unitario|Già versato"
    ),
    "es": (
        "Base imponible|IVA|Subtotal|Descuento|Anticipo|Gastos de envío|Fianza|Total IVA|Cambio|"
        "Entregado|Saldo anterior|Suma asegurada|Precio unitario|Total sin IVA|Efectivo"
    ),
    "pt": (
        "Base tributável|IVA|Subtotal|Desconto|Portes|Caução|Total IVA|Total sem IVA|Troco|"
        "Adiantamento|Saldo anterior"
    ),
    "sv": (
        "Moms|Delsumma|Netto|Rabatt|Frakt|Växel|Summa exkl. moms|Varav moms|À-pris|Deposition|"
        "Kontant|Tidigare saldo|Öresavrundning|Självrisk"
    ),
    "da": (
        "Moms|Subtotal|Netto|Rabat|Fragt|Byttepenge|Depositum|Moms i alt|Total ekskl. moms|"
        "Heraf moms|Kontant|Tidligere saldo|Rykkergebyr|Selvrisiko|Stk. pris"
    ),
    "no": (
        "Mva|Netto|Rabatt|Frakt|Depositum|Sum eks. mva|Herav mva|Kontant|Forrige saldo|"
        "Purregebyr|Egenandel|Sum mva"
    ),
}
DUE = {
    "en": (
        "Due date|Payment due|Due by|Pay by|Payable by|Date due|Due|Payment date|Please pay by|"
        "Payment required by|Last date for payment|To be paid by|Payment due date|"
        "Direct debit date|Next direct debit|We will collect on|Collection date|"
        "Will be debited on|Settlement date|Payable on or before|Net due|Pay before|Remit by|"
        "Must be received by|Payment must reach us by|Payment deadline|Amount due by|"
        "Next payment date|Pay no later than|Due on|Bill due|Settle by|"
        "Your payment will be taken on or after|Deadline for payment"
    ),
    "de": (
        "Fällig am|Fälligkeit|Fälligkeitsdatum|Zahlbar bis|Zahlungsziel|Zahlungsfrist|"
        "Zu zahlen bis|Fällig bis|Bitte zahlen Sie bis|Bitte überweisen Sie bis zum|Zahlung bis|"
        "Abbuchung am|Lastschrifteinzug am|Einzug am|Wird abgebucht am|Zahltermin|Zahlungstermin|"
        "Spätestens zu zahlen am|Zahlung erbeten bis|Zahlbar spätestens am|Überweisung bis|"
        "Valuta|Fälligkeitstermin|Netto fällig am|Zahlungseingang bis|Nächste Abbuchung|"
        "Begleichen Sie den Betrag bis|Einzuzahlen bis|Zahlbar am|Zahlung fällig am|"
        "Zu begleichen bis|Zu überweisen bis"
    ),
    "fr": (
        "Date d'échéance|Échéance|À payer avant le|À régler avant le|Date limite de paiement|"
        "Payable le|Payable avant le|Prélèvement le|Sera prélevé le|Paiement dû le|"
        "À payer au plus tard le|Règlement avant le|Date de prélèvement|Échéance le|"
        "Date d'exigibilité|Exigible le|Prochain prélèvement le|À verser avant le|"
        "Merci de régler avant le|Paiement avant le|Date de règlement|À acquitter avant le|"
        "Doit être payé avant le"
    ),
    "nl": (
        "Vervaldatum|Vervaldag|Te betalen voor|Uiterste betaaldatum|Betalen voor|Te voldoen voor|"
        "Uiterlijk te betalen op|Incassodatum|Wordt afgeschreven op|Gelieve te betalen voor|"
        "Betaaldatum|Betalen uiterlijk|Afschrijving op|Automatische incasso op|"
        "Te betalen uiterlijk|Wij incasseren op|Uiterste betaaldag|Betalingstermijn tot|"
        "Te storten voor|Moet betaald zijn voor"
    ),
    "it": (
        "Scadenza|Data scadenza|Da pagare entro il|Scadenza pagamento|Pagare entro il|"
        "Pagamento entro il|Addebito il|Data addebito|Termine di pagamento|Scade il|"
        "Data di scadenza|Da versare entro il|Verrà addebitato il|Pagabile entro il|"
        "Data pagamento|Deve essere pagato entro il"
    ),
    "es": (
        "Vencimiento|Fecha de vencimiento|Fecha límite de pago|Pagar antes del|Vence el|"
        "Fecha de cargo|Se cargará el|A pagar antes del|Fecha de cobro|Plazo de pago hasta el|"
        "Pago hasta el|Fecha de pago|Último día de pago|Adeudo el|Domiciliación el|"
        "Debe abonarse antes del"
    ),
    "pt": (
        "Data de vencimento|Vencimento|Pagar até|Data limite de pagamento|Pagamento até|"
        "A pagar até|Débito em|Data de débito|Vence em|Data limite|Pague até"
    ),
    "sv": (
        "Förfallodatum|Förfallodag|Att betala senast|Betalas senast|Sista betalningsdag|"
        "Förfaller|Oss tillhanda senast|Betala senast|Dras den|Betalning senast|Autogirodatum|"
        "Ska vara betald senast"
    ),
    "da": (
        "Forfaldsdato|Betalingsdato|Sidste rettidige betalingsdag|Betales senest|"
        "Bedes indbetalt senest den|Betalingsfrist|Forfalder|Trækkes den|Seneste betalingsdato|"
        "Senest betaling|Skal være betalt senest|Indbetales senest|Forfald|Betaling senest|"
        "Bedes betalt inden|Sidste betalingsdag|Betalingsservice den"
    ),
    "no": (
        "Forfallsdato|Forfall|Betalingsfrist|Betales innen|Forfaller|Trekkes den|Betal innen|"
        "Må være betalt innen|Ny forfallsdato|Innbetales innen|Frist for betaling|"
        "Bes betalt innen|Avtalegiro den"
    ),
}
NOT_DUE = {
    "en": (
        "Invoice date|Date|Delivery date|Valid until|Paid on|Payment received on|Order date|"
        "Service date|Cover ends|Contract end|Received on|Date of birth|Period to|Check-in|"
        "Appointment on|We paid on|Cancel before|Return by|Offer valid until|Next reading"
    ),
    "de": (
        "Rechnungsdatum|Datum|Lieferdatum|Gültig bis|Bezahlt am|Leistungszeitraum bis|Geboren am|"
        "Kündigung bis|Zahlung erhalten am|Vertragsende|Anmeldung bis|Widerspruch bis|Abgabe bis|"
        "Eingegangen am|Buchungsdatum|Umtausch bis|Antwort bis|Rückgabe bis"
    ),
    "fr": (
        "Date|Date de facture|Livré le|Valable jusqu'au|Payé le|Reçu le|Né le|Période au|"
        "Réglé le|Fin du contrat|Résiliation avant le|Inscription avant le|Contrat jusqu'au"
    ),
    "nl": (
        "Factuurdatum|Datum|Leverdatum|Geldig tot|Betaald op|Geboren op|Opzeggen voor|"
        "Ontvangen op|Periode tot|Aanmelden voor"
    ),
    "it": "Data|Data fattura|Consegna|Valido fino al|Pagato il|Nato il|Periodo al|Ricorso entro il",
    "es": "Fecha|Fecha factura|Entrega|Válido hasta|Pagado el|Nacido el|Periodo hasta",
    "pt": "Data|Data de emissão|Entrega|Válido até|Pago em|Período até",
    "sv": "Datum|Fakturadatum|Leveransdatum|Giltig till|Betald den|Född|Anmälan senast",
    "da": (
        "Dato|Fakturadato|Leveringsdato|Gyldig til|Betalt den|Født|Tilmelding senest|"
        "Udmeldelse inden"
    ),
    "no": "Dato|Fakturadato|Leveringsdato|Gyldig til|Betalt den|Påmelding innen",
}
ISSUED = {
    "en": (
        "Date|Invoice date|Date of issue|Issued|Issue date|Bill date|Billing date|Statement date|"
        "Date of invoice|Date of this bill|Letter date|Dated|Tax point|Tax date|Printed on|"
        "Receipt date|Date issued|Notice date|Date of notice|Document date|Issued on|Sale date|"
        "Transaction date|Reminder date|Quotation date|Quote date|Credit note date|Contract date|"
        "Report date|Certificate date|Booking date"
    ),
    "de": (
        "Datum|Rechnungsdatum|Ausstellungsdatum|Belegdatum|Belegtag|Rechnung vom|Ausgestellt am|"
        "Erstellt am|Briefdatum|Bescheid vom|Druckdatum|Datum der Rechnung|Rechnungs-Datum|"
        "Re.-Datum|Rg.-Datum|Mahndatum|Angebotsdatum|Gutschriftsdatum|Dok.-Datum|"
        "Tag der Ausstellung|Rechnungstag|Auszugsdatum|Erstelldatum|Datum/Zeit|Dokumentdatum"
    ),
    "fr": (
        "Date|Date de facture|Date d'émission|Émis le|Établi le|Date facture|Facture du|"
        "Date de facturation|Édité le|Date du document|Date d'édition|Fait le|Date du devis|"
        "Date de l'avis|Date d'établissement|Établie le|Date du relevé|Relevé du|"
        "Date de la facture|Date de rappel"
    ),
    "nl": (
        "Datum|Factuurdatum|Notadatum|Dagtekening|Factuur van|Opgemaakt op|Datum factuur|"
        "Briefdatum|Datum nota|Uitgegeven op|Offertedatum|Datum aanslag|Bondatum|Datum afschrift|"
        "Datum offerte|Pakbondatum|Datum van afgifte"
    ),
    "it": (
        "Data|Data fattura|Data emissione|Data di emissione|Emessa il|Data documento|"
        "Rilasciato il|Fattura del|Data del documento|Data scontrino|Data preventivo|"
        "Data del verbale|Data di rilascio"
    ),
    "es": (
        "Fecha|Fecha de factura|Fecha factura|Fecha de emisión|Fecha emisión|Fecha de expedición|"
        "Emitida el|Fecha del documento|Fecha presupuesto|Expedida el"
    ),
    "pt": "Data|Data de emissão|Data da fatura|Data do documento|Emitido em|Data emissão",
    "sv": (
        "Datum|Fakturadatum|Utskriftsdatum|Kvittodatum|Utfärdad|Offertdatum|Fakturadag|Utställd|"
        "Påminnelsedatum|Utfärdat den"
    ),
    "da": (
        "Dato|Fakturadato|Udstedt|Udstedelsesdato|Tilbudsdato|Rykkerdato|Faktura dato|Bilagsdato|"
        "Udskrevet|Opkrævningsdato"
    ),
    "no": (
        "Dato|Fakturadato|Utstedt|Utskriftsdato|Purredato|Tilbudsdato|Vedtaksdato|Utstedelsesdato"
    ),
}
OTHER_DATES = {
    "en": (
        "Due date|Delivery date|Date of birth|Order date|Payment date|Valid until|Service date|"
        "Start date|End date|Expiry date|Travel date|Date of supply|Date of last payment|"
        "Reading date|Date received|Renewal date|Your letter of|Appointment date|Check-out|"
        "Departure"
    ),
    "de": (
        "Fälligkeitsdatum|Lieferdatum|Leistungsdatum|Geburtsdatum|Bestelldatum|Zahlungsziel|"
        "Gültig bis|Vertragsbeginn|Eingangsdatum|Ihr Schreiben vom|Ablesedatum|Behandlungsdatum|"
        "Fällig am|Ihre Bestellung vom|Leistungszeitraum|Anreise|Wertstellung|Termin"
    ),
    "fr": (
        "Date d'échéance|Date de livraison|Date de naissance|Échéance|Valable jusqu'au|"
        "Date de commande|Votre commande du|Début|Fin|Date d'intervention|Relevé du compteur|"
        "Date de départ|Date d'effet"
    ),
    "nl": (
        "Vervaldatum|Leverdatum|Geboortedatum|Geldig tot|Ingangsdatum|Orderdatum|"
        "Uiterste betaaldatum|Vertrekdatum|Opnamedatum"
    ),
    "it": (
        "Data scadenza|Data di nascita|Data consegna|Scadenza|Data ordine|Valido fino al|"
        "Partenza|Decorrenza|Data lettura"
    ),
    "es": (
        "Fecha de vencimiento|Fecha de nacimiento|Fecha de entrega|Vencimiento|Fecha de pedido|"
        "Fecha de salida|Fecha de cargo|Fecha de lectura|Fecha de operación"
    ),
    "pt": (
        "Data de vencimento|Data de nascimento|Vencimento|Data de entrega|Data limite de pagamento"
    ),
    "sv": (
        "Förfallodatum|Leveransdatum|Orderdatum|Född|Er beställning|Avläsningsdatum|Avresa|"
        "Giltig till"
    ),
    "da": (
        "Forfaldsdato|Leveringsdato|Ordredato|Fødselsdato|Betalingsdato|Gyldig til|"
        "Aflæsningsdato|Ankomst"
    ),
    "no": "Forfallsdato|Leveringsdato|Ordredato|Fødselsdato|Gyldig til|Avlest dato|Ankomst",
}


def by_language(table: Mapping[str, str]) -> pytest.MarkDecorator:
    """Test the labels of each language; a failure lists those that are misread."""
    labels = [text.split("|") for text in table.values()]
    return pytest.mark.parametrize("labels", labels, ids=list(table))


def texts(label: str, value: str) -> tuple[str, str]:
    """Return a page with a value beside its label, and one with the value in a column."""
    return f"Firm\n\n{label} {value}\n", f"Firm\n\n{label}:    {value}\n"


def is_invoice_number(label: str) -> bool:
    places = [
        place for text in texts(label, "4711-88") for place in find_labelled_places("4711-88", text)
    ]
    return any(Subject.INVOICE in place.number_subjects for place in places)


def is_total(label: str) -> bool:
    text = f"Firm\n\nThing A      10,00\nThing B      21,00\n{label}      131,50\n"
    return find_total(find_amounts(text)) == Decimal("131.50")


def is_due(label: str) -> bool:
    return any(day == DAY for text in texts(label, "14.06.2026") for day, _ in find_due_dates(text))


def ranks(label: str) -> list[int]:
    pages = texts(label, "14.06.2026")
    return [rank({found.role}) for text in pages for found in find_labelled_dates(text)]


@by_language(INVOICE_NUMBERS)
def test_a_number_is_the_invoices(labels: list[str]) -> None:
    assert [label for label in labels if not is_invoice_number(label)] == []


@by_language(OTHER_NUMBERS)
def test_a_number_is_of_something_else(labels: list[str]) -> None:
    assert [label for label in labels if is_invoice_number(label)] == []


@by_language(TOTALS)
def test_an_amount_is_the_total(labels: list[str]) -> None:
    assert [label for label in labels if not is_total(label)] == []


@by_language(OTHER_AMOUNTS)
def test_an_amount_is_not_the_total(labels: list[str]) -> None:
    assert [label for label in labels if is_total(label)] == []


@by_language(DUE)
def test_a_day_is_due(labels: list[str]) -> None:
    assert [label for label in labels if not is_due(label)] == []


@by_language(NOT_DUE)
def test_a_day_is_not_due(labels: list[str]) -> None:
    assert [label for label in labels if is_due(label)] == []


@by_language(ISSUED)
def test_a_date_is_the_documents(labels: list[str]) -> None:
    assert [label for label in labels if max(ranks(label)) < rank({DateRole.NAMED})] == []


@by_language(OTHER_DATES)
def test_a_date_is_of_something_else(labels: list[str]) -> None:
    assert [label for label in labels if max(ranks(label)) >= rank({DateRole.UNKNOWN})] == []

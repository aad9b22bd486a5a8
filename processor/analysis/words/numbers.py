"""Words for numbers."""

from processor.analysis.words import Words

INVOICE: Words = {
    "de": (
        r"rechnung(?!s?-?(?:empf|adr|ansch|kunde|einheit|wesen|gesell|stelle|zentr|dienst))|beleg(?!datum|schaft|ung)|quittung"
        r"|gutschrift|faktura|\b(?:kassen|kassa)?bon\b|honorarnote|kostennote"
        r"|liquidation|\b(?:rg|re|r|rn|rechn?|fakt|dok)\.?-? ?(?:nr|nummer)\b|vorschreibung"
        r"|zahlungsaufforderung|\bkr-?\.?(?:nr|nummer)\b"
        r"|\bbon-?(?:nr|nummer)|\bstorno-?(?:nr|nummer)|\bfakt\b|honorar-?(?:nr|nummer)"
    ),
    "en": (
        r"(?:invoice|\b[il]nv|\bbill)\b|[il1]nvoice|receipt|(?:fee|credit|debit|sales) note"
        r"|credit memo|\bfolio\b|\bdemand\b|\bmemo\b|\bdocket\b|till slip|sales slip|cash sale"
        r"|\bpro (?:no|number)\b"
        r"|\bbilling (?:no|number|id|document)\b|\brcpt\b|\bdoc\.? ?(?:no|number|id|#)"
        r"|(?:billing|patient|service|fee|rent) statement|^\W*(?:guest )?che?c?k\W*$"
        r"|\bche?c?k ?(?:#|no\b|number|id)|\bsale ?(?:#|no\b|number|id)|\btill receipt"
        r"|\bslip (?:no|number)|\bcredit (?:no|number)|\b[cd]/n\b"
    ),
    "fr": (
        r"facture|\bavoir\b|note d'honoraires|note de (?:frais|credit)|^\W*note n|\brecu\b"
        r"|ticket de caisse|\bticket n°|quittance|appel de (?:fonds|cotisation|prime)|\bpiece\b"
        r"|avis d'echeance|\bfact\b|memoire d'honoraires|etat de frais"
        r"|avis des sommes"
        r"|\bnumero de ticket"
    ),
    "nl": (
        r"fa[ck]tuur|(?:\b|credit|jaar|eind|maand)nota(?:-?(?:nr|nummer))?\b|\bbon\b|kassabon"
        r"|kwitantie|\bbon[- ]?(?:nr|nummer)\b|\bfact\.? ?-?(?:nr|nummer)\b"
        r"|declaratie-?(?:nota|nummer|nr)"
        r"|afrekening|betaalverzoek|\bstuk-?(?:nr|nummer)|\bfact-?nr|ticket-?(?:nr|nummer)"
        r"|\bcredit(?:erings?)?-?(?:nr|nummer)"
        r"|(?:school|hotel|eind|maand|verblijfs|ziekenhuis)rekening"
    ),
    "it": (
        r"fattura|ricevuta(?: fiscale)?|scontrino|bolletta|parcella|nota di (?:credito|debito)"
        r"|documento commerciale|\bn(?:umero|\.|r\.?) ?doc(?:umento)?\b|\bfatt\b|\bft\b\.? ?n"
        r"|\bdoc\.? n"
    ),
    "es": (
        r"factura|recibo|boleta|nota de (?:credito|abono)|\btiquet?\b|\bminuta\b|\bfra\b|\bfact?\b"
        r"|\bn(?:um|umero)?[o\W]{0,3} ?de documento"
    ),
    "pt": (
        r"fatura|factura|nota de (?:credito|debito)|aviso de cobranca|talao|nota fiscal"
        r"|\bdoc\b\.? n"
    ),
    "sv": (
        r"faktura|kvitto|rakning(?!sdag)|kreditnota|(?:\b|hyres|avgifts)avi(?:-?(?:nr|nummer))?\b"
        r"|verifikations?-?(?:nr|nummer)|\bnota-?nr"
    ),
    "da": r"faktura|kvittering|\bbilag|regning|kreditnota|\bfakt\b|opkr[aæ]vning",
    "pl": r"faktur|paragon|rachunek|rachunk|nota (?:korygujaca|ksiegowa)|\bfv\b",
    "any": r"\bdocument(?:o|en)?[- ]?(?:no|nr|n|num\w*|nummer)\b|\bdokument(?:en)?[- ]?n(?:r|um)",
}
"""What a document that asks for money, or confirms it, calls itself."""
CUSTOMER: Words = {
    "de": r"(?<!ur)(?<!heil)kunde|kundin|debitor|mitglied|teilnehmer|konto",
    "en": r"customer|\bclient|\bmember|account|subscriber|\bholder\b",
    "fr": r"adherent|abonne|(?<!a)compte|societaire|\bclient",
    "nl": r"klant|debiteur|relatie|rekening|\blid-?n|lidnummer|spaarpas",
    "it": r"cliente|\bconto\b|\bsocio\b",
    "es": r"cliente|cuenta|\bsocio\b",
    "pt": r"cliente|\bconta\b",
    "sv": r"\bkund|medlem",
    "da": r"\bkunde|medlem",
    "pl": r"klient|nabywc",
}
ORDER: Words = {
    "de": r"bestell|auftrag|buchung|reserv",
    "en": r"\border|booking|reserv|\bp\.?o\b",
    "fr": r"commande|reserv",
    "nl": r"bestel|\border|boeking|reserv",
    "it": r"\bordine|prenotazione",
    "es": r"pedido|reserva",
    "pt": r"encomenda|reserva",
    "sv": r"\border|bokning",
    "da": r"\bordre|booking",
    "pl": r"zamowieni",
}
CONTRACT: Words = {
    "de": r"vertrag|versicherungs(?:schein|nummer|nr)|tarif|lizenz",
    "en": r"contract|agreement|polic[ey]|licen[cs]e|guarantee|warranty|certificate",
    "fr": r"contrat|police|garantie\b",
    "nl": r"overeenkomst|polis\b|garantie",
    "it": r"contratto|polizza",
    "es": r"contrato|poliza",
    "pt": r"contrato|apolice",
    "sv": r"\bavtal|forsakring",
    "da": r"aftale|police",
    "pl": r"umow|polis",
}
TAX: Words = {
    "de": (
        r"\bust|umsatzst|steuer|\bhr[ab]\b|handelsreg|amtsgericht|finanzamt|\buid\b|\bst\.?-?nr"
        r"|\bfn\b"
    ),
    "en": (
        r"(?<!faktura )\bvat\b(?! (?:invoice|receipt))|\btax\b(?! (?:invoice|point))|regist"
        r"|\breg\b|\bgst\b|\bsst\b|\bein\b|company n"
    ),
    "fr": r"\btva\b|sire[nt]|\brcs\b|fiscal",
    "nl": r"\bbtw|\bkvk",
    "it": r"\bp\.? ?iva\b|codice fiscale",
    "es": r"\bn\.?i\.?f\b|\bc\.?i\.?f\b|registro mercantil|\btomo\b|\bhoja\b",
    "pt": r"\bnif\b|contribuinte|\bnipc\b",
    "sv": r"\borg\b|orgnr|\bmoms",
    "da": r"\bcvr\b|\bse-nr|\bmva\b",
    "pl": r"\bnip\b|\bregon\b|\bkrs\b",
}
BANK: Words = {
    "de": r"konto|\bblz\b|glaubiger|mandat|\bbank|genehmigung",
    "en": r"account|sort code|creditor|mandate|\bswift",
    "fr": r"(?<!a)compte|creancier",
    "nl": r"rekening|incassant",
    "it": r"conto corrente",
    "es": r"cuenta",
    "sv": r"bankgiro|plusgiro|\bocr\b",
    "da": r"\bkonto|\bfik\b",
    "any": r"\biban|\bbic\b",
}
DELIVERY: Words = {
    "de": r"liefer|versand|sendung",
    "en": r"deliver|shipment|tracking|consignment|despatch|dispatch",
    "fr": r"livraison|\bcolis|expedition",
    "nl": r"lever(?:ing|bon)|pakbon|zending",
    "it": r"consegna|spedizione",
    "es": r"entrega|\benvio|albaran",
    "sv": r"leverans|foljesedel",
    "da": r"levering|f[oø]lgeseddel",
}
REFERENCE: Words = {
    "de": (
        r"aktenz|\baz\b|zeichen|verwendungszweck|vorgang|betreff|bestatigung|schaden|angebot"
        r"|geschaftszahl|bescheid"
    ),
    "en": r"referen|\bref\b|\bticket|confirmation|claim|quot(?:e|ation)|notice|\brma\b|authoris",
    "fr": r"dossier|devis|sinistre|\bavis\b",
    "nl": r"kenmerk|offerte|dossier",
    "it": r"preventivo|riferimento|pratica",
    "es": r"presupuesto|expediente",
    "sv": r"offert|\barende",
    "da": r"tilbud|sagsn",
}
THING: Words = {
    "de": (
        r"zahler|serien|artikel|kennzeichen|fahrgestell|kasse\b|objekt|wohnung|gerat|modell"
        r"|terminal|\bta-?nr|\bb-?nr\b|marktlok"
    ),
    "en": (
        r"meter|serial|article|\bitem|chassis|\bvin\b|till\b|\bpos\b|model|\bsku\b|\bean\b|\btrans"
    ),
    "fr": r"compteur|\bserie\b|article|chassis",
    "nl": r"meter|\bserie|artikel|kenteken|\bframe|betaalautomaat",
    "it": r"contatore|articolo|\btarga",
    "es": r"contador|articulo|matricula\b",
    "sv": r"\bmatare|artikel",
    "da": r"\bvare",
}
PERSON: Words = {
    "de": r"personal|\bpers\b|sozialvers|rentenvers|ausweis|versicherten|bediener|schuler|patient",
    "en": r"employee|\bpatient|insurance (?:no|number)|passport|cashier|student|\bstaff",
    "fr": r"matricule|\bpatient",
    "nl": r"\bbsn\b|personeel",
    "it": r"matricola",
    "es": r"empleado",
    "sv": r"personn",
    "da": r"\bcpr\b",
}
CONTACT: Words = {
    "de": r"\btel|\bfax|mobil|hotline|\bplz\b|postfach|durchwahl|rufnummer|betreiber",
    "en": r"phone|\bcall\b|\bpo box\b",
    "fr": r"portable",
    "nl": r"\bgsm\b|toestel",
}
JUST_A_NUMBER: Words = {
    "de": r"nummer|nr\.?|zahl|lfd\.? ?nr\.?",
    "en": r"number|no\.?|#|id",
    "fr": r"numero|n\W?|no\.?",
    "nl": r"nummer|nr\.?",
    "it": r"numero|n\W?",
    "es": r"numero|n[ro]?\W{0,2}|num\.?",
    "pt": r"n\.?o\.?",
    "pl": r"numer",
}
"""A label that does not say what the number belongs to: the document itself."""
REFERENCE_WORD: Words = {
    "any": r"ref\w*\.?|code|kennzeichen|zeichen|kenmerk",
}
"""Beside a word for an invoice, it does not say anything else: facture réf."""
OWN_REFERENCE: Words = {
    "de": r"unser(?:e|em)?:? (?:zeichen|ref\w*)",
    "en": r"our ref\w*(?: no| number)?",
    "fr": r"n(?:os|otre|/) ?ref\w*",
    "nl": r"ons kenmerk|onze ref\w*",
    "it": r"n(?:ostro|s)\.? rif\w*",
    "es": r"n(?:uestra|/) ?ref\w*",
    "da": r"v(?:or|ar|ores) ref\w*",
}
"""Labels of the number under which the sender files a document."""
REMINDER_WORD: Words = {
    "de": r"mahn(?:ung|schreiben)?s?|zahlungserinnerungs?",
    "en": r"reminder|overdue notice",
    "fr": r"rappel|relance|mise en demeure",
    "nl": r"(?:betalings)?herinnerings?|aanmanings?",
    "it": r"sollecito",
    "es": r"recordatorio|reclamacion",
    "sv": r"paminnelse",
    "da": r"rykker|purring",
}
"""A reminder may have a number of its own."""
BEFORE_DATE: Words = {
    "de": r"\w*datum|vom|v\.",
    "en": r"date[ds]?|of|dated",
    "fr": r"date\w*|du|le",
    "nl": r"van|d\.?d\.?",
    "it": r"data|del|in data",
    "es": r"fecha|de",
    "pt": r"data|de",
    "sv": r"datum|av|den",
    "da": r"dato|af|den",
    "pl": r"data|z dnia",
}
"""Between the number of a document and its date."""
MEASURES: Words = {
    "any": (
        r"k?wh?|mwh|m2|m3|m²|m³|cbm|qm|kg|g|to|km|cm|mm|ml|l|ltr|liter|litres?|stk|st|stuck|pcs|x"
        r"|std|h|hrs?|hours?|min|tage?|days?|jours?|dagen|dni|personen|pers|%|°c?|gb|mb|kva?|amp"
    ),
}
"""After a quantity, which is no number of a document."""

EARLIER: Words = {
    "de": (
        r"(?:letzte|vorige|vorherige|fruhere|ursprungliche)[nrs]? (?:\w+ )?\w*rechnung"
        r"|\bzu(?:r| der| unserer| ihrer)? (?:\w+ )?rechnung|\bdie rechnung|\baus (?:bon|beleg)"
        r"|(?:\./\.|abzgl\.?|abzuglich) \w*rechnung|storno (?:zu|der|von)|ruckrechnung"
        r"|(?:storniert|ersetzt|korrigiert|berichtigt) (?:\w+ ){0,2}rechnung"
    ),
    "en": (
        r"(?:previous|last|original|re our|that|against|re:? your) (?:\w+ )?(?:invoice|bill)"
        r"|\borig\.? invoice"
        r"|(?:cancels?|reverses?|corrects?|replaces?|supersedes?) (?:\w+ ){0,2}(?:invoice|bill)"
    ),
    "fr": (
        r"(?:derniere|precedente) facture|facture (?:(?:d')?origine|initiale|precedente)"
        r"|\bsur la facture"
        r"|(?:annul|rectifi|remplac)\w* (?:\w+ ){0,2}facture"
    ),
    "nl": (
        r"(?:vorige|laatste|oorspronkelijke|betreft) (?:factuur|nota)"
        r"|(?:crediteert|vervangt|annuleert|\bbij|\bop) (?:\w+ ){0,2}(?:factuur|nota)"
    ),
    "it": r"(?:precedente|ultima) fattura|(?:annulla|rettifica|storna) (?:\w+ ){0,2}fattura",
    "es": (
        r"(?:anterior|ultima) factura|factura anterior"
        r"|(?:anula|rectifica|sustituye) (?:\w+ ){0,2}factura"
    ),
    "pt": r"fac?tura anterior|(?:anterior|ultima) fatura|anula (?:\w+ ){0,2}fatura",
    "sv": r"(?:tidigare|forra) faktura",
    "da": r"(?:tidligere|forrige) faktura",
}
"""An earlier document of the same sender."""
QUOTED: Words = {
    "de": r"(?:unter|mit) (?:der )?angabe|geben sie|verwendungszweck|zahlungszweck",
    "en": (
        r"\bquot(?:e|ing)\b|\bstating\b|(?:as|with|your|payment) (?:the )?reference"
        r"|mention(?:ing)?\b"
    ),
    "fr": r"en (?:indiquant|precisant|rappelant|mentionnant)|rappele[rz]|mention(?:ner)?\b",
    "nl": r"o\.?v\.?v\b|(?:onder|met) vermelding|vermeld",
    "it": r"indicando|causale|riportando|specificando",
    "es": r"indicando|concepto|mencionando",
    "pt": r"indicando|mencionando|com a referencia",
    "sv": r"\bange\b|uppge|markt?\b",
    "da": r"\bangiv|oplys|oppgi|m[aæe]rk(?:et|es)?\b|\bmed angivelse",
}
"""Before the number that a payment is to mention: the document's own, even in a sentence."""
TICKET: Words = {
    "fr": r"ticket(?: client| tva| caisse)?",
    "nl": r"(?:kas(?:sa)?)?ticket",
}
"""What a till receipt calls itself; elsewhere the word means a ticket of admission or travel."""
TILL: Words = {
    "fr": r"\bttc\b|\btva\b|\bcaisse\b",
    "nl": r"\bbtw\b|\bkassa",
}
"""Words on a till receipt."""
ACCOUNT_STATEMENT: Words = {
    "de": r"kontoauszug",
    "en": r"bank statement|(?:current|savings) account statement",
    "fr": r"releve de compte",
    "nl": r"rekening-?(?:afschrift|uittreksel)",
    "it": r"estratto (?:di )?conto",
    "es": r"extracto (?:de cuenta|bancario)",
    "pt": r"extrato (?:de conta|bancario)",
    "sv": r"kontoutdrag",
    "da": r"kontoud(?:tog|skrift)|kontoutskrift",
}
"""The title of a list of payments: the invoices in it are others'."""
RECEIPT: Words = {
    "de": r"quittung|beleg",
    "en": r"receipt|rcpt",
    "fr": r"recu",
    "nl": r"kwitantie|bon",
    "it": r"ricevuta",
    "es": r"recibo",
    "pt": r"recibo",
    "sv": r"kvitto",
    "da": r"kvittering",
}
"""A receipt may have a number beside that of its invoice."""
BILL: Words = {
    "de": r"rechnung",
    "en": r"invoice",
    "fr": r"facture",
    "nl": r"fa[ck]tuur",
    "it": r"fattura",
    "es": r"factura",
    "pt": r"fatura",
    "sv": r"faktura",
    "da": r"faktura",
}
REMINDER: Words = {
    "de": (
        r"mahnung(?!s?-?(?:geb|kost))|erinnerung(?!s?-?geb)|mahnbescheid|zahlungsruckstand"
        r"|letzte zahlungsaufforderung"
    ),
    "en": (
        r"remin ?der(?! (?:fee|charge))|overdue|(?<!no )arrears|final demand|past due"
        r"|(?:second|third|final) notice|unpaid (?:invoice|account)"
    ),
    "fr": r"\brappel\b|mise en demeure|relance|impayee?s?\b|dernier avis",
    "nl": r"herinnering|aanmaning|ingebrekestelling",
    "it": r"sollecito|messa in mora",
    "es": r"recordatorio de pago|requerimiento|reclamacion de (?:pago|deuda)|impagad[oa]",
    "pt": r"aviso de atraso|pagamento em atraso|lembrete de pagamento",
    "sv": r"paminnelse(?!avg)|krav\b|inkasso(?!\w)",
    "da": r"rykker(?!geb)|pamindelse(?!sgeb)|\bpurring",
}
"""A document that is about an earlier invoice."""

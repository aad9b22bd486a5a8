"""Words for numbers."""

from processor.analysis.words import Words

INVOICE: Words = {
    "de": (
        r"rechnung(?!s?(?:empf|adr|ansch|kunde))|beleg(?!datum)|quittung|gutschrift"
        r"|(?:kassen)?bon[- ]?(?:nr|nummer)\b|kassenbon|honorarnote"
        r"|liquidation|\b(?:rg|re|r|rn|rech)\.?-? ?(?:nr|nummer)\b"
    ),
    "en": (
        r"(?:invoice|\binv|\bbill)\b(?: ref(?:erence)?\b)?|invoice|receipt"
        r"|credit (?:note|memo)|debit note|\bfolio\b|\bdemand\b|\bmemo\b"
    ),
    "fr": r"facture|\bavoir\b|note d'honoraires|^\W*note n|\brecu\b|ticket de caisse",
    "nl": r"factuur|\bnota\b|\bbon[- ]?(?:nr|nummer)\b|kassabon|kwitantie",
    "it": r"fattura|ricevuta|scontrino",
    "es": r"factura|recibo",
    "sv": r"faktura|kvitto",
    "da": r"faktura|kvittering|\bbilag",
}
CUSTOMER: Words = {
    "de": r"kunde|kundin|debitor|mitglied|teilnehmer|konto",
    "en": r"customer|\bclient|\bmember|account|subscriber|\bholder\b",
    "fr": r"adherent|abonne|compte|societaire|\bclient",
    "nl": r"klant|debiteur|relatie|rekening|\blid-?n|lidnummer|spaarpas",
    "it": r"cliente|\bconto\b|\bsocio\b",
    "es": r"cliente|cuenta|\bsocio\b",
    "sv": r"\bkund|medlem",
    "da": r"\bkunde|medlem",
}
ORDER: Words = {
    "de": r"bestell|auftrag|buchung|reserv",
    "en": r"\border|booking|reserv|\bp\.?o\b",
    "fr": r"commande|reserv",
    "nl": r"bestel|\border|boeking|reserv",
    "it": r"\bordine|prenotazione",
    "es": r"pedido|reserva",
    "sv": r"\border|bokning",
    "da": r"\bordre|booking",
}
CONTRACT: Words = {
    "de": r"vertrag|versicherungs(?:schein|nummer|nr)|tarif|lizenz",
    "en": r"contract|agreement|polic[ey]|licen[cs]e|guarantee|warranty|certificate",
    "fr": r"contrat|police|garantie\b",
    "nl": r"overeenkomst|polis\b|garantie",
    "it": r"contratto|polizza",
    "es": r"contrato|poliza",
    "sv": r"\bavtal|forsakring",
    "da": r"aftale|police",
}
TAX: Words = {
    "de": (
        r"\bust|umsatzst|steuer|\bhr[ab]\b|handelsreg|amtsgericht|finanzamt|\buid\b|\bst\.?-?nr"
        r"|\bfn\b"
    ),
    "en": r"\bvat\b|\btax\b(?! (?:invoice|point))|regist|\breg\b|\bgst\b|\bsst\b|\bein\b|company n",
    "fr": r"\btva\b|sire[nt]|\brcs\b|fiscal",
    "nl": r"\bbtw|\bkvk",
    "it": r"\bp\.? ?iva\b|codice fiscale",
    "es": r"\bn\.?i\.?f\b|\bc\.?i\.?f\b",
    "sv": r"\borg\b|orgnr|\bmoms",
    "da": r"\bcvr\b|\bse-nr",
}
BANK: Words = {
    "de": r"konto|\bblz\b|glaubiger|mandat|\bbank|genehmigung",
    "en": r"account|sort code|creditor|mandate|\bswift",
    "fr": r"compte|creancier",
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
    "de": r"nummer|nr\.?",
    "en": r"number|no\.?|#",
    "fr": r"numero|n\W?",
    "nl": r"nummer|nr\.?",
}
"""A label that does not say what the number belongs to: the document itself."""

EARLIER: Words = {
    "de": (
        r"(?:letzte|vorige|vorherige|fruhere|ursprungliche)[nrs]? (?:\w+ )?\w*rechnung"
        r"|\bzu(?:r| der| unserer| ihrer)? (?:\w+ )?rechnung|\bdie rechnung|\baus (?:bon|beleg)"
        r"|(?:\./\.|abzgl\.?|abzuglich) \w*rechnung|storno zu|ruckrechnung"
    ),
    "en": r"(?:previous|last|original|re our|that|against|re:? your) (?:\w+ )?(?:invoice|bill)",
    "fr": r"(?:derniere|precedente) facture|facture (?:d'origine|precedente)|\bsur la facture",
    "nl": r"(?:vorige|laatste|oorspronkelijke) (?:factuur|nota)",
    "it": r"(?:precedente|ultima) fattura",
    "es": r"(?:anterior|ultima) factura|factura anterior",
    "sv": r"(?:tidigare|forra) faktura",
    "da": r"(?:tidligere|forrige) faktura",
}
"""An earlier document of the same sender."""
REMINDER: Words = {
    "de": r"mahnung|zahlungserinnerung|mahnbescheid",
    "en": r"reminder|overdue|arrears|final demand",
    "fr": r"\brappel\b|mise en demeure|relance",
    "nl": r"herinnering|aanmaning",
    "it": r"sollecito",
    "es": r"recordatorio de pago|requerimiento",
    "sv": r"paminnelse|krav\b",
    "da": r"rykker|pamindelse",
}
"""A document that is about an earlier invoice."""

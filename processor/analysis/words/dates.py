"""Words for dates: the document's own, those of something else, and dates of birth."""

from processor.analysis.words import Words

ISSUED: Words = {
    "de": (
        r"(?:rechnungs|ausstellungs|beleg|brief|bescheid|abrechnungs|erstellungs|erstell|auszugs"
        r"|druck|bon|dokument|schreib|mahn|gutschrifts?|quittungs|faktura)datum"
        r"|(?:beleg|rechnungs|ausstellungs)tag|tag der ausstellung"
        r"|datum(?: (?:der|des|dieses) (?:rechnung|belegs"
        r"|bescheids|schreibens|ausstellung|briefs))?|(?:ausgestellt|erstellt|ausgefertigt)"
        r"|(?:konto)?auszug"
    ),
    "en": (
        r"date|issued|purchased|tax point"
        r"|(?:invoice|issue|bill|billing|statement|letter|document|pay|notice|receipt|print"
        r"|reminder) date"
        r"|date of (?:the |this )?(?:invoice|issue|bill|statement|letter|notice|agreement|document"
        r"|receipt)|(?:certificate|policy|statement|notice|quotation) issued"
        r"|minutes of [^.]{0,60}held(?: on)?"
        r"|(?:agreement|contract|deed) is made(?: and entered into)?(?: on)?(?: this)?"
    ),
    "fr": (
        r"date(?: (?:(?:de (?:la )?)?facture|de facturation|d'(?:emission|edition|etablissement)"
        r"|de l'avis|de (?:rappel|relance|delivrance)"
        r"|du (?:document|courrier|releve|devis)))?|(?:emise?|etablie?|editee?)"
        r"|facture(?: n\S* \S+)? du|faite? (?:en \w+ exemplaires )?a [^,]{2,40},?"
    ),
    "nl": (
        r"factuurdatum|datum (?:factuur|brief|document|nota|van uitgifte)|datum|dagtekening"
        r"|opgemaakt|opgesteld|uitgegeven"
        r"|datum (?:aanslag|afschrift|herinnering|aanmaning|van afgifte)"
        r"|(?:nota|bon|pakbon|aanslag|afschrift|herinnerings?|aanmanings?|uitgifte|afgifte)datum"
    ),
    "it": (
        r"data(?: (?:(?:del(?:la)? )?(?:fattura|documento|verbale|ricevuta|scontrino|avviso)"
        r"|(?:di )?(?:emissione|rilascio)))?|(?:emess|rilasciat)[ao](?: il)?"
    ),
    "es": (
        r"fecha(?: (?:de |del )?(?:factura|emision|expedicion|documento|recibo|ticket))?"
        r"|(?:expedid|emitid)[ao](?: el)?"
    ),
    "pt": r"data(?: (?:d[aeo] )?(?:emissao|fatura|documento|recibo))?|emitid[ao](?: em)?",
    "sv": (
        r"datum|faktura(?:ns )?datum|(?:utskrifts|kvitto|paminnelse|utfardande)datum|utfarda[dt]"
        r"|utstall[dt]|fakturadag"
    ),
    "da": (
        r"dato|fakt(?:ura|\.)?-?dato|udstedt|utstedt|fakturadag"
        r"|(?:udstedelses|utstedelses|bilags|rykker|purre|opkr[aæ]vnings|vedtaks|utskrifts"
        r"|kvitterings)dato"
    ),
    "pl": r"data wystawienia|wystawion[ao](?: dnia)?|dnia",
}
PRODUCED: Words = {
    "de": r"gedruckt|ausgedruckt|angelegt|freigegeben|angebotsdatum",
    "en": (
        r"printed|raised|date (?:raised|printed|prepared|entered)|prepared|acknowledged|generated"
    ),
    "fr": r"imprimee?|valide(?:e| par [^,]{2,40},)?|date de (?:paiement|paie)",
    "nl": r"afgedrukt|aangemaakt|geprint|offertedatum|datum offerte",
    "it": r"stampat[oa](?: il)?|data (?:del )?preventivo",
    "es": r"impres[oa](?: el)?|fecha (?:del? )?presupuesto",
    "sv": r"utskriven|utskrivet|offertdatum",
    "da": r"udskrevet|utskrevet|tilbudsdato",
}
"""When the document was made: its own date if no other is labelled so."""
STATEMENT: Words = {
    "de": r"(?:kontoauszug|auszug) per|neuer (?:kontostand|saldo)|endsaldo|schlusssaldo",
    "en": r"(?:statement|situation) as at|(?:closing|new|final) balance|carried forward",
    "fr": r"(?:releve(?: de compte)?|situation) au|(?:nouveau|ancien et nouveau) solde|solde final",
    "nl": r"nieuw saldo|eindsaldo",
}
"""A statement is dated by the day on which it closes."""

ALSO_ISSUED: Words = {
    "de": (
        r"rechnungs-? ?(?:/|und|u\.|&) ?(?:leistungs|liefer|versand)-?datum"
        r"|(?:rechnungs)?datum ?(?:=|/|und|u\.|&) ?(?:\w+datum|(?:uhr)?zeit)"
    ),
    "en": r"invoice (?:and|/|&) (?:delivery|supply|tax) date|date ?(?:/|and|&) ?time",
    "fr": r"date (?:de facture )?et (?:de livraison|heure)",
    "nl": r"factuur- ?(?:/|en) ?leverdatum|datum ?(?:/|en) ?tijd",
}
"""The document's own date, together with another date or the time."""

OF_INVOICE: Words = {
    "de": r"(?:rechnungs|beleg|re\.?-?|rg\.?-?)datum",
    "en": r"(?:invoice|bill) date|date of (?:the )?(?:invoice|bill)",
    "fr": r"date (?:de (?:la )?)?facture",
    "nl": r"factuurdatum|datum factuur|notadatum",
    "it": r"data (?:della )?fattura",
    "es": r"fecha (?:de (?:la )?)?factura",
    "pt": r"data da fatura",
    "sv": r"fakturadatum|fakturadag",
    "da": r"faktura-? ?dato",
}
"""In a reminder, this is the date of an earlier document."""

KINDS: Words = {
    "de": r"\w*rechnung|\w*bescheid|gutschrift|mahnung|quittung|faktura|beleg|honorarnote",
    "en": r"(?:tax )?invoice|receipt|statement|credit (?:note|memo)|bill|fee note",
    "fr": r"facture|avoir|releve|quittance|recu|note d'honoraires|appel de fonds",
    "nl": r"\w*factuur|nota|aanmaning|kwitantie",
    "it": r"fattura|ricevuta|bolletta|parcella",
    "es": r"factura|recibo",
    "pt": r"fatura|recibo",
    "sv": r"faktura|kvitto|kreditnota",
    "da": r"faktura|kvittering|kreditnota|regning",
    "pl": r"faktura|rachunek|paragon",
}
"""What a document calls itself: Rechnung Nr. 4711 vom. Offers and orders are often others'."""

SIGNED: Words = {
    "de": r"unterschrift|erhalten|empfangen|quittiert",
    "en": r"signature|signed|received|print(?:ed)? name",
    "fr": r"signature|recu\b|bon pour accord",
    "nl": r"handtekening|ontvangen|paraaf",
    "it": r"firma|ricevuto",
    "es": r"firma|recibido",
    "sv": r"underskrift|mottaget",
    "da": r"underskrift|modtaget",
}
"""A date beside such a word is that of a signature."""

BIRTH: Words = {
    "de": r"geb(?:oren(?:e[rs]?)?)?|geb(?:urts)?-?(?:datum|tag)",
    "en": r"(?:date of )?birth(?:day| ?date)?|d\.?o\.?b|born(?: (?:after|before|on))?",
    "fr": r"nee? ?(?:\(e\))?|date de naissance",
    "nl": r"geboortedatum|geboortedag|geboren",
    "it": r"data di nascita|nat[oa] (?:il|a)",
    "es": r"fecha de nacimiento|nacid[oa]",
    "pt": r"data de nascimento|nascid[oa]",
    "sv": r"fodd|fodelsedatum",
    "da": r"f[oø]dt|f[oø]dselsdato",
}

DUE: Words = {
    "de": (
        r"fallig(?:keit(?:sdatum)?)?|zahlbar|zahlungs(?:ziel|frist|termin|datum)|spatestens|bis"
        r"|binnen|abgebucht|eingezogen|einzug|lastschrift|nicht vor dem|nach|innerhalb|also bis"
        r"|frist|termin|stichtag"
    ),
    "en": (
        r"(?:payment )?due(?: date)?|payable|payment date|pay by|by|before|until|till"
        r"|no(?:t)? later than|debited|(?:not|on or) before|after|within|that is(?: by)?|deadline"
    ),
    "fr": (
        r"(?:date d')?echeance|date limite(?: de \w+)?|a (?:payer|regler)|payable|avant|jusqu'?au"
        r"|au plus tard|preleve|apres|pour le"
    ),
    "nl": (
        r"verval(?:datum|dag)|(?:uiterste )?betaaldatum|te betalen|uiterlijk|voor|a?fgeschreven|na"
    ),
    "it": r"scadenza|entro(?: il)?",
    "es": r"vencimiento|antes del|hasta(?: el)?",
    "sv": r"forfallo\w*|senast|fore",
    "da": r"forfald\w*|senest|inden|før",
}
ORDERED: Words = {
    "de": r"(?:bestell|auftrags|kauf|verkaufs)datum|datum der bestellung",
    "en": r"(?:order|purchase) date|date of (?:order|purchase|sale)",
    "fr": r"date de (?:la )?commande",
    "nl": r"besteldatum|orderdatum|aankoopdatum",
    "it": r"data (?:di |dell')?ordine",
    "es": r"fecha de pedido",
    "sv": r"orderdatum|kopdatum",
    "da": r"ordredato|kj?[oø]psdato|k[oø]bsdato",
}
SERVED: Words = {
    "de": (
        r"(?:liefer|versand|leistungs|behandlungs|ausfuhrungs|bestell|auftrags|eingangs|buchungs"
        r"|kauf|abnahme)datum|liefer(?:ung|termin|tag)|leistung"
        r"|(?:\w*(?:leistungs|abrechnungs|liefer|vertrags))?zeitraum"
        r"|datum der (?:lieferung|leistung|behandlung|bestellung)|lieferung oder leistung"
        r"|ausgefuhrt|durchgefuhrt|erbracht|abnahme|versendet|zugestellt|zwischen"
        r"|(?:ein(?:ge)?gang(?:en)?|erhalten)(?: am)?|mit wirkung|in kraft|bezahlt|gezahlt"
        r"|geprufte?|zuletzt|kontostand|tatzeit|ihre? (?:nachricht|schreiben|bestellung|auftrag)"
        r"|anfrage|einladung|nachtrag|vorschuss|teilzahlung|anzahlung|uberweisung|gedruckt|ausdruck"
    ),
    "en": (
        r"(?:estimated )?(?:delivery|shipping|dispatch|service|treatment|order|due|travel|purchase)"
        r"(?: date)?|date of (?:delivery|supply|service|treatment|travel|order|dispatch|purchase"
        r"|contravention|(?:the )?(?:last|next) meeting)|delivered|shipped"
        r"|(?:\w+ )?period(?: of cover)?|arrived|left|sent|posted|dispatched|observed|collected"
        r"|expected(?: between)?|between|(?:received|served|placed|renewed)(?: on)?|original date"
        r"|effective(?: (?:as of|from|date|on))?|as of|as at|paid|examined|version(?: of)?"
        r"|balance(?: (?:on|at|as of))?|opens?(?: on)?|est\.? ship|promised|installed|reading"
        r"|(?:next|last) (?:meeting|service|visit|review|payment|bill|reading)"
        r"|(?:meter )?reading date|appointment(?: date)?"
        r"|(?:replaces|original invoice|(?:your|yr) (?:enquiry|order|letter|ref))\b.*|enquiry"
        r"|first regist(?:ration|ered)|held (?:at|in) .*"
    ),
    "fr": (
        r"(?:date de )?(?:livraison|prestation|commande|la prestation|la livraison|mise en \w+"
        r"|versement)|livree?|periode|executee?|realisee?s?|pose|entre|recue?|acceptee?|versee?"
        r"|payee?|acompte|solde|visite(?: sur place)?|tempete|signee?|(?:1ere )?mec"
        r"|mise en circulation|votre (?:demande|courrier|commande)"
        r"|date d'(?:intervention|effet)|releve du compteur"
    ),
    "nl": (
        r"(?:lever(?:ings)?|bestel|uitvoerings|verzend|aankoop)datum|geleverd|leverings?periode"
        r"|uitgevoerd|tussen|ontvangen(?: op)?|betaald|saldo|aanbetaald|in dienst|overgemaakt"
        r"|bestelling|valuta|gedaan"
    ),
    "it": r"data (?:di )?(?:consegna|ordine|competenza|lettura)|consegna|periodo|decorrenza",
    "es": r"fecha (?:de )?(?:entrega|pedido|operacion|lectura|cargo|cobro)|entrega|periodo",
    "pt": r"data (?:de |da )?(?:entrega|encomenda|prestacao)|entrega|periodo",
    "sv": r"leverans(?:datum|dag)?|orderdatum|period|er bestallning",
    "da": r"leverings?(?:dato)?|ordredato|periode",
    "pl": r"data (?:sprzedazy|dostawy|zamowienia)|dostawa|okres",
    "any": r"(?:fassung|satzung|bedingungen|bestimmungen|bepalingen)(?: (?:vom|of|van|du))?"
    r"|subject:.*|betreff:.*|betreft:.*|objet:.*|re:.*",
}
SPAN: Words = {
    "de": (
        r"(?:\w*(?:vertrags|versicherungs|miet|laufzeit))?(?:beginn|ende)|erstzulassung|eintritt"
        r"|gultig(?: (?:ab|bis))?|laufzeit|ab|seit|anreise|abreise|von|ablauf|preisgarantie bis"
    ),
    "en": (
        r"valid(?: (?:from|until|to))?|(?:start|end|expiry|renewal) ?date|expires|from|to|since"
        r"|arrival|departure|check-? ?(?:in|out)|runs"
    ),
    "fr": r"valable|du|au|a partir|depuis|debut|fin|arrivee|depart|mise en service",
    "nl": (
        r"geldig(?: (?:van|tot))?|ingangsdatum|einddatum|vanaf|tot|t/m|sinds|aankomst|vertrek"
        r"|contract tot|ingegaan"
    ),
    "it": r"dal|al|valid[oa]|partenza|arrivo",
    "es": r"desde|hasta|fecha de salida|salida|llegada",
    "sv": r"fran|till|t\.?o\.?m|ankomst|avresa",
    "da": r"fra|til|ankomst|afrejse|avreise|avlest(?: dato)?",
}

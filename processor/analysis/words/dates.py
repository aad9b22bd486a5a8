"""Words for dates: the document's own, those of something else, and dates of birth."""

from processor.analysis.words import Words

WEEKDAYS: Words = {
    "de": r"(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|sonnabend|(?:mo|di|mi|do|fr|sa|so)\.",
    "en": r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|tue|wed|thu|fri|sat|sun)\b\.?",
    "fr": r"lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche",
    "nl": r"(?:maan|dins|woens|donder|vrij|zater|zon)dag",
    "it": r"lunedi|martedi|mercoledi|giovedi|venerdi|sabato|domenica",
    "es": r"lunes|martes|miercoles|jueves|viernes|sabado|domingo",
    "pt": r"(?:segunda|terca|quarta|quinta|sexta)(?:-feira)?",
    "sv": r"(?:man|tis|ons|tors|fre|lor|son)dag",
    "da": r"(?:tirs|l[oø]r|s[oø]n)dag",
}

SENT: Words = {
    "de": r"gesendet(?: am)?",
    "en": r"sent(?: on)?",
    "fr": r"envoyee?(?: le)?",
    "nl": r"verzonden(?: op)?",
    "it": r"inviat[oa](?: il)?",
    "es": r"enviad[oa](?: el)?",
    "sv": r"skickat",
    "da": r"sendt",
}
E_MAIL_HEAD: Words = {
    "de": r"von|betreff",
    "en": r"from|subject",
    "fr": r"de|objet|sujet",
    "nl": r"van|onderwerp",
    "it": r"da|oggetto",
    "es": r"asunto",
    "pt": r"assunto",
    "sv": r"fran|amne",
    "da": r"fra|emne",
}
"""In the head of an e-mail."""

NEXT: Words = {
    "de": r"nachste[rns]? [\w -]{3,30}",
    "en": r"next [\w -]{3,30}",
    "fr": r"prochaine?s? [\w -]{3,30}",
    "nl": r"volgende [\w -]{3,30}",
    "it": r"prossim[oa] [\w -]{3,30}",
    "es": r"proxim[oa] [\w -]{3,30}",
    "sv": r"nasta [\w -]{3,30}",
    "da": r"n[aæ]e?ste [\w -]{3,30}",
}
"""What comes next is after the document."""

OF_THE_READER: Words = {
    "de": r"ihr datum",
    "en": r"your date",
    "fr": r"votre date",
    "nl": r"uw datum",
    "it": r"(?:vostra|vs) data",
    "es": r"su fecha",
    "sv": r"(?:ert|er|ditt) datum",
    "da": r"deres dato",
}
"""The date of the letter that the document answers."""

TIME: Words = {
    "de": r"(?:uhr)?zeit|beginn|um",
    "en": r"(?:start )?time|doors",
    "fr": r"heure|horaire|a partir de",
    "nl": r"tijd(?:stip)?|aanvang|om",
    "it": r"ora|ore|orario",
    "es": r"hora",
    "pt": r"hora",
    "sv": r"tid|kl|klockan",
    "da": r"tidspunkt|valgstedet er abent",
}
"""Labels of the time at which something begins."""

REFERENCE: Words = {
    "de": r"(?:ihr|unser) zeichen|(?:ihre|unsere) referenz",
    "en": r"(?:your|our) ref(?:erence)?",
    "fr": r"(?:vos?|nos?|votre|notre)/? ?ref(?:erence)?s?",
    "nl": r"(?:uw|ons|onze) (?:kenmerk|referentie)",
    "it": r"(?:vs|ns|vostro|nostro)\.? (?:rif|riferimento)",
    "es": r"(?:su|nuestra) (?:ref|referencia)",
    "pt": r"(?:v|n)/? ?ref(?:erencia)?",
    "sv": r"(?:er|var) (?:ref|referens)",
    "da": r"(?:deres|vor) (?:ref|reference)",
}
"""Labels beside the date of a letter, often without a value."""

DELIVERY_NOTES: Words = {
    "de": r"lieferschein|liefernachweis",
    "en": r"delivery (?:note|docket|ticket)|packing (?:slip|list)|despatch note",
    "fr": r"bon de livraison|bordereau de livraison",
    "nl": r"pakbon|leverings?bon|afleverbon|vrachtbrief",
    "it": r"documento di trasporto|\bd\.?d\.?t\b|bolla di consegna",
    "es": r"albaran",
    "pt": r"guia de (?:remessa|transporte)",
    "sv": r"foljesedel|fraktsedel",
    "da": r"f[oø]lgeseddel|fragtbrev|pakkseddel",
}

DELIVERED: Words = {
    "de": r"lieferdatum|liefertag|datum der lieferung|geliefert",
    "en": r"deliver(?:y|ed)(?: date| on)?|date of delivery|date delivered",
    "fr": r"date de (?:la )?livraison|livree?",
    "nl": r"lever(?:ings)?datum|datum levering|geleverd",
    "it": r"data (?:di |della )?consegna|consegnat[oa]",
    "es": r"fecha de entrega|entregad[oa]",
    "pt": r"data de entrega",
    "sv": r"leveransdatum|leveransdag|levererad",
    "da": r"leveringsdato|leveret|levert",
}
"""A delivery note is dated by the day of delivery if it has no other date."""

ORDER_CONFIRMATIONS: Words = {
    "de": r"(?:auftrags|bestell)bestatigung|bestatigung (?:ihrer|der) bestellung",
    "en": r"order (?:confirmation|acknowledge?ment)|confirmation of (?:your )?order",
    "fr": r"confirmation de (?:votre |la )?commande|accuse de reception de commande",
    "nl": r"(?:order|bestel)bevestiging|bevestiging van uw (?:order|bestelling)",
    "it": r"conferma (?:d'|di |dell')?ordine",
    "es": r"confirmacion del? (?:su |tu )?pedido",
    "pt": r"confirmacao d[ae] encomenda",
    "sv": r"orderbekraftelse|orderbekreftelse",
    "da": r"ordrebekr[aæ]?e?ftelse",
}
"""A confirmation is dated by the day of the order if it has no other date."""

MINUTES: Words = {
    "de": r"niederschrift|(?:sitzungs|versammlungs|ergebnis)?protokoll",
    "en": r"minutes",
    "fr": r"proces-verbal|compte[ -]rendu",
    "nl": r"notulen|verslag",
    "it": r"verbale",
    "es": r"\bacta\b",
    "pt": r"\bata\b",
    "sv": r"protokoll",
    "da": r"referat",
}
"""Minutes are dated by the day of the meeting."""

MEETING_DAY: Words = {
    "de": r"(?:sitzungs)?(?:tag|termin)|(?:ver)?sammlung|sitzung",
    "en": r"meeting(?: date)?|held(?: on)?",
    "fr": r"(?:reunion|assemblee|seance)(?: du)?",
    "nl": r"(?:vergadering|bijeenkomst)(?: van)?",
    "it": r"(?:riunione|assemblea|seduta)(?: del)?",
    "es": r"(?:reunion|junta|sesion)(?: del)?",
    "sv": r"(?:mote|sammantrade)s?(?:datum)?",
    "da": r"(?:m[oø]de|generalforsamling)s?(?:dato)?",
}

QUALIFIED: Words = {
    "en": r"[a-z]{3,} date|date (?:of|for) [a-z ]{3,30}|date [a-z]{3,20}",
    "fr": r"date (?:de |d'|du |des )?(?:la |l'|prochaine? )?[a-z]{4,}(?: [a-z']{2,})?",
    "nl": r"datum [a-z]{4,}",
    "it": r"data (?:di |del(?:la)? |dell'|d')?[a-z]{4,}(?: [a-z]{3,})?",
    "es": r"fecha (?:de (?:la )?|del )?[a-z]{4,}(?: [a-z]{3,})?",
    "pt": r"data (?:d[aeo] )?[a-z]{4,}(?: [a-z]{3,})?",
}
"""Any other date that has a name: date exécutoire, date of leaving."""

ISSUED: Words = {
    "de": (
        r"(?:rechnungs|ausstellungs|beleg|brief|bescheid|abrechnungs|erstellungs|erstell|auszugs"
        r"|druck|bon|dokument|ausstell|ausfertigungs|zeugnis|ausgabe|re\.?-?|rg\.?-?|berichts"
        r"|befund|rechn\.?-?"
        r"|bewilligungs|avis|schreib|mahn|gutschrifts?|quittungs|faktura)datum"
        r"|(?:beleg|rechnungs|ausstellungs|abrechnungs)tag|tag der ausstellung"
        r"|rechnungsdat|datum(?: (?:der|des|dieses) (?:rechnung(?:sstellung)?|belegs|bescheides"
        r"|bescheids|schreibens|ausstellung"
        r"|briefs))?|(?:ausgestellt|erstellt|ausgefertigt|gefertigt|verfasst)"
        r"|(?:konto)?auszug"
    ),
    "en": (
        r"(?<![a-z] )date|the date|issued|purchased|tax point|today'?s date"
        r"|(?:created|mailed|given|reported|written|drawn up)(?: on)?|invoice dated"
        r"|(?:invoice|issue|bill|billing|statement|letter|document|pay|notice|receipt|print"
        r"|reminder|report|certificate|mail|mailing|publication|agreement|summons|advice"
        r"|transaction|sale|assessment|decision"
        r"|tax|our|memo|payslip|issuance|creation|slip|ticket issue) date"
        r"|(?:issued|given|dated|signed|executed|witnessed) (?:at|in) [^.]{2,40}?,? (?:this|on)"
        r"|(?:issued|given|dated|signed|executed|made) this"
        r"|date of (?:the |this )?(?:invoice|issue|bill|statement|letter|notice|agreement|document"
        r"|receipt|report|certificate|assessment|decision|summons|sale|transaction|mailing|printing"
        r"|signature|signing)"
        r"|date of this (?:[a-z]+ ){0,2}(?:certificate|notice|letter|demand|order|report|quote)"
        r"|minutes (?:issued|circulated)(?: to [a-z ]{3,20})?"
        r"|(?:certificate|policy|statement|notice|quotation) issued"
        r"|minutes of [^.]{0,60}held(?: on)?"
        r"|(?:agreement|contract|deed) is made(?: and entered into)?(?: on)?(?: this)?"
    ),
    "fr": (
        r"(?<![a-z] )date(?: (?:(?:de (?:la )?)?facture|de facturation|d'(?:emission|edition"
        r"|etablissement)"
        r"|de l'avis|de (?:rappel|relance|delivrance|signature|redaction|vente|la vente|l'acte)"
        r"|du (?:document|courrier|releve|devis|jour|rapport|certificat|bulletin|ticket|recu)"
        r"|d'impression))?"
        r"|(?:emise?|etablie?|editee?|edition|redigee?|dressee?)"
        r"|facture(?: n\S* \S+)? du|faite? (?:en \w+ exemplaires )?a [^,]{2,40},?"
    ),
    "nl": (
        r"fa[ck]tuurdatum|datum (?:fa[ck]tuur|brief|document|nota|van uitgifte)|datum|dagtekening"
        r"|opgemaakt|opgesteld|uitgegeven"
        r"|datum (?:aanslag(?:biljet)?|afschrift|herinnering|aanmaning|van afgifte)"
        r"|datum (?:rapport|besluit|beschikking|vonnis|uitspraak|afgifte|opmaak|verzending"
        r"|print)"
        r"|(?:rapport|afdruk|print|besluit|polis)datum"
        r"|(?:nota|bon|pakbon|aanslag|afschrift|herinnerings?|aanmanings?|uitgifte|afgifte)datum"
    ),
    "it": (
        r"data(?: (?:(?:del(?:la)? )?(?:fattura|documento|verbale|ricevuta|scontrino|avviso"
        r"|referto|certificato|vendita|bolletta|atto)|(?:di )?(?:emissione|rilascio|stampa"
        r"|stipula)))?"
        r"|addi|(?:fatto|letto|sottoscritto|firmato) (?:a|in) [^.]{2,40},?(?: (?:addi|li))?"
        r"|(?:emess|rilasciat|redatt|refertat)[ao](?: il)?"
    ),
    "es": (
        r"fecha(?: (?:de (?:la )?|del )?(?:resolucion|notificacion|extracto|factura|emision"
        r"|expedicion|documento|recibo|ticket|informe"
        r"|certificado|venta|firma|carta|acta|liquidacion|impresion))?"
        r"|(?:expedid|emitid|redactad)[ao](?: el)?"
    ),
    "pt": (
        r"data(?: (?:d[aeo] )?(?:emissao|fatura|documento|recibo|venda|assinatura|impressao))?"
        r"|emitid[ao](?: em)?"
    ),
    "sv": (
        r"datum|faktura(?:ns )?datum|(?:utskrifts|kvitto|paminnelse|utfardande|avi|brev|besluts"
        r"|upprattande|utstallnings|dokument|forsaljnings|rapport|fakturerings"
        r"|avraknings)datum|skapad|utfarda[dt]"
        r"|utstall[dt]|fakturadag"
    ),
    "da": (
        r"dato|fakt(?:ura|\.)?-?dato|udstedt|utstedt|fakturadag"
        r"|(?:udstedelses|utstedelses|bilags|rykker|purre|opkr[aæ]vnings|vedtaks|utskrifts"
        r"|kvitterings|brev|afg[oø]relses|dokument|salgs|underskrifts|rapport|udskrifts|afregnings"
        r"|opg[oø]relses)dato|dato for udstedelse"
    ),
    "pl": r"data wystawienia|wystawion[ao](?: dnia)?|(?<!z )dnia",
}
PRODUCED: Words = {
    "de": (
        r"(?:policen|vertrags)datum|gebucht|gekauft|gedruckt|ausgedruckt|angelegt"
        r"|freigegeben|angebotsdatum|reservierungsdatum"
        r"|datum (?:der (?:buchung|reservierung)|des angebots)"
    ),
    "en": (
        r"booked(?: on)?|bought(?: on)?"
        r"|(?:quotation|quote|offer|estimate|contract|booking|credit note|policy|application) date"
        r"|printed|produced|raised|date (?:raised|printed|prepared|entered|typed)|prepared"
        r"|acknowledged|generated|date of (?:the )?(?:quotation|quote|estimate|booking|reservation)"
    ),
    "fr": r"date d'envoi|imprimee?|valide(?:e| par [^,]{2,40},)?|date de (?:paiement|paie)"
    r"|date de (?:la )?reservation",
    "nl": (
        r"afgedrukt|verzonden|verzendingsdatum|aangemaakt|geprint|offertedatum|datum offerte"
        r"|reserveringsdatum|datum (?:van (?:de )?)?reservering"
    ),
    "it": r"stampat[oa](?: il)?|data (?:del )?preventivo|data (?:di |della )?prenotazione",
    "es": r"impres[oa](?: el)?|fecha (?:del? )?presupuesto|fecha (?:de (?:la )?)?reserva",
    "sv": r"utskriven|utskrivet|offertdatum|bokningsdatum",
    "da": r"udskrevet|utskrevet|tilbudsdato",
}
"""When the document was made: its own date if no other is labelled so."""
STATEMENT: Words = {
    "de": (
        r"(?:kontoauszug|auszug) per|abschluss(?:datum| per)|rechnungsabschluss(?: per)?"
        r"|neuer (?:kontostand|saldo)|endsaldo|schlusssaldo"
    ),
    "en": (
        r"(?:statement|situation) as at|(?:statement )?closing date|period end(?:ing)?"
        r"|(?:closing|new|final) balance|carried forward"
    ),
    "fr": r"(?:releve(?: de compte)?|situation) au|(?:nouveau|ancien et nouveau) solde|solde final"
    r"|date d'arrete|arretee? au",
    "nl": r"nieuw saldo|eindsaldo|afsluitdatum",
    "it": r"(?:estratto conto|saldo finale) al|saldo finale|data (?:di )?chiusura",
    "es": r"(?:extracto|saldo final) (?:a|al)|saldo final|fecha de cierre",
    "pt": r"(?:extrato|saldo final) (?:a|em)|saldo final|data de fecho",
    "sv": r"utgaende saldo|slutsaldo|ny skuld",
    "da": r"(?:ny|udgaende|utgaende) saldo|saldo (?:ultimo|pr)",
}
"""A statement is dated by the day on which it closes."""

ALSO_ISSUED: Words = {
    "de": (
        r"rechnungs-? ?(?:/|und|u\.|&) ?(?:leistungs|liefer|versand)-?datum"
        r"|(?:rechnungs)?datum ?(?:=|/|und|u\.|&) ?\w+datum"
    ),
    "en": (
        r"invoice (?:and|/|&) (?:delivery|supply|tax) date|date of (?:inspection|visit) ?/ ?issue"
        r"|(?:statement|document|report|letter|bill|notice|summary|certificate)"
        r" (?:produced|prepared|printed|generated|created)"
    ),
    "fr": r"date (?:de facture )?et de livraison",
    "nl": r"factuur- ?(?:/|en) ?leverdatum",
}
"""The document's own date, together with another date."""

DATE_AND_TIME: Words = {
    "de": r"(?:rechnungs)?datum ?(?:/|und|u\.|&|,) ?(?:uhr)?zeit",
    "en": r"date ?(?:/|and|&|,) ?time",
    "fr": r"date ?(?:/|et|&|,) ?heure",
    "nl": r"datum ?(?:/|en|&|,) ?tijd",
    "it": r"data ?(?:/|e|,) ?ora",
    "es": r"fecha ?(?:/|y|,) ?hora",
    "pt": r"data ?(?:/|e|,) ?hora",
    "sv": r"datum ?(?:/|och|,) ?tid",
    "da": r"dato ?(?:/|og|,) ?(?:tid|kl)",
}
"""Of the document, or of an event that it is about."""

OF_INVOICE: Words = {
    "de": r"(?:rechnungs|beleg|re\.?-?|rg\.?-?)datum",
    "en": r"(?:invoice|bill) date|date of (?:the )?(?:invoice|bill)",
    "fr": r"date (?:de (?:la )?)?facture",
    "nl": r"fa[ck]tuurdatum|datum fa[ck]tuur|notadatum",
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
    "fr": (
        r"facture(?: (?:de |d')[a-z]{4,15})?|avoir|releve|quittance|recu|note d'honoraires"
        r"|appel de fonds"
    ),
    "nl": r"\w*fa[ck]tuur|nota|aanmaning|kwitantie",
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

SIGNED_BY: Words = {
    "de": r"gez|i\. ?[av]|ppa",
    "en": r"per|by|signed|signed by",
    "fr": r"signe|par",
    "nl": r"namens|getekend",
}
"""Words before the name of a person who signs; the date is beside it."""

BIRTH: Words = {
    "de": r"geb(?:oren(?:e[rs]?)?)?|geb(?:urts|\.)?[- ]?(?:datum|tag)",
    "en": r"(?:date of )?birth(?:day| ?date)?|d\.?o\.?b|born(?: (?:after|before|on))?",
    "fr": r"nee? ?(?:\(e\))?|date de naissance",
    "nl": r"geboortedatum|geboortedag|geboren",
    "it": r"data di nascita|nat[oa] (?:il|a)",
    "es": r"f(?:echa|\.) ?(?:de )?nac(?:imiento|\.)?|nacid[oa]",
    "pt": r"data de nascimento|nascid[oa]",
    "sv": r"fodd|fodelsedatum",
    "da": r"f[oø]dt|f[oø]dselsdato",
}

DUE: Words = {
    "de": (
        r"fallig(?:keit(?:sdatum)?)?|bis einschliesslich|per|zahlbar"
        r"|zahlungs(?:ziel|frist|termin|datum)|spatestens|bis"
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
        r"verval(?:datum|dag)|tot en met|per|(?:uiterste )?betaaldatum|te betalen|uiterlijk|voor"
        r"|a?fgeschreven|na"
    ),
    "it": r"scadenza|entro(?: e non oltre)?(?: il)?|fino al|prima del|non oltre il",
    "es": r"vencimiento|antes del|hasta(?: el)?|a mas tardar(?: el)?|caduca(?: el)?",
    "pt": r"vencimento|ate(?: (?:ao dia|dia|a|ao))?|antes de",
    "sv": r"forfallo\w*|senast(?: den)?|fore(?: den)?|till och med|t\.?o\.?m|per|fram till",
    "da": r"forfald\w*|senest(?: den)?|inden(?: den)?|før(?: den)?|til og med|t\.?o\.?m|pr|innen",
}
TICKET_BOUGHT: Words = {
    "fr": r"date d'achat",
    "it": r"data (?:di |d')acquisto",
    "es": r"fecha de compra",
    "pt": r"data de compra",
}
"""Of a ticket, or of a thing that the document is about."""

ORDERED: Words = {
    "de": (
        r"(?:bestell|auftrags|kauf|verkaufs)datum|datum der bestellung|bestellt"
        r"|bestellung aufgegeben"
    ),
    "en": (
        r"(?:order|purchase) date|date of (?:order|purchase)|order placed(?: on)?|ordered(?: on)?"
    ),
    "fr": r"date de (?:la )?commande|commande passee|commandee?",
    "nl": r"besteldatum|orderdatum|aankoopdatum|besteld|bestelling geplaatst",
    "it": r"data (?:di |dell')?ordine|ordinato",
    "es": r"fecha de pedido|pedido realizado",
    "pt": r"data da encomenda",
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
        r"|demenagement|emmenagement|resiliation|installation"
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
        r"|abflug|ruckflug|ex-tag|zahlbarkeitstag|hinfahrt|ruckfahrt|kundigung zum|letzte ablesung"
        r"|gultig(?: (?:ab|bis))?|laufzeit|ab|seit"
        r"|anreise|abreise|von|ablauf|preisgarantie bis"
        r"|verfallt|endet|lauft ab|befristet bis|hinreise|ruckreise|reise(?:datum|tag)|wann"
        r"|tag und (?:uhrzeit|stunde)"
    ),
    "en": (
        r"valid(?: (?:from|until|to))?|(?:start|end|expiry|renewal) ?date"
        r"|expir(?:es?|y|ing)(?: on)?|renews(?: on)?|ends(?: on)?|exp|thru|from|to|since"
        r"|(?:starts|begins|commenc(?:es?|ing))(?: on)?"
        r"|joined|outbound|return|inbound|ex-date|policy start|move-in date|arrival|departure"
        r"|check-? ?(?:in|out)|runs|outward|when"
    ),
    "fr": r"valable|expire|echoit|du|au|a partir|depuis|debut|fin|arrivee|depart|mise en service"
    r"|aller|retour|quand|jour et heure|reception|prelevement|collecte",
    "nl": (
        r"geldig(?: (?:van|tot))?|ingangsdatum|einddatum|vanaf|tot|t/m|sinds|aankomst|vertrek"
        r"|contract tot|ingegaan|heenreis|terugreis|wanneer|opgenomen|meterstand|dag en uur"
    ),
    "it": r"dal|al|scade(?: il)?|decorre dal|valid[oa]|partenza|arrivo|rientro|andata|ritorno"
    r"|quando"
    r"|giorno e ora",
    "es": r"desde|hasta|vence(?: el)?|al|valid[oa]|fecha de salida|salida|llegada|ida|vuelta"
    r"|regreso|cuando|dia y hora",
    "pt": r"partida|chegada|desde|inicio|fim|ida|volta|quando|dia e hora",
    "sv": r"tilltradesdag|valutadag|bokforingsdag|fran|till|t\.?o\.?m|ankomst|avresa",
    "da": r"fra|til|ankomst|afrejse|avreise|avlest(?: dato)?",
}

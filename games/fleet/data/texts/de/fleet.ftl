# Wie die Einheiten heißen: Ihre Kennungen sind ihre Rollen.
miner = Schürfer
scout = Späher
corvette = Korvette
frigate = Fregatte
carrier = Träger
turret = Geschütz
station = Station
fighter = Jäger
hint-miner = Baut von selbst Erz ab und bringt es heim
hint-scout = Schnelle Augen; findet die Relais zuerst
hint-corvette = Das Linienschiff: ein Laser, auch gegen Raketen und Jäger
hint-frigate = Raketen auf große Entfernung; man kann sie abschießen
hint-carrier = Langsam und stark; sechs Jäger starten von ihm
hint-turret = Kriecht an seinen Platz und hält ihn
hud-ore = { $ore } Erz
hud-income = { $income } in der Minute
hud-energy = { $energy } Energie
hud-ships = { $ships ->
    [one] ein Schiff
   *[other] { $ships } Schiffe
}
hud-cost = { $energy ->
    [0] { $ore }
   *[other] { $ore } · { $energy } E
}
hud-queued = ×{ $queued }
hud-time = { $minutes }:{ $seconds ->
    [0] 00
    [1] 01
    [2] 02
    [3] 03
    [4] 04
    [5] 05
    [6] 06
    [7] 07
    [8] 08
    [9] 09
   *[other] { $seconds }
}
hud-warning = Der Gegner hält die Relais: { $seconds } s
hud-soon = Du hältst die Relais: { $seconds } s
hud-selected = { $selected ->
    [one] eine Einheit
   *[other] { $selected } Einheiten
}
hud-normal = 1×
hud-fast = 3×
hud-menu = Menü
hud-leave = Verlassen
hud-hint = Ziehen: auswählen · Rechtsklick: hin, angreifen, abbauen, halten · { $key_attack } Angriff · { $key_patrol } Patrouille · { $key_retreat } Rückzug · { $key_army } alle Schiffe · { $key_reform } Formation · F1 Tasten
form-line = Formation: Linie
form-wedge = Formation: Keil
form-sphere = Formation: Kugel
note-begin = Halte drei der fünf Relais drei Minuten lang, oder zerstöre beide gegnerischen Stationen
note-taken = Ein Relais gehört uns
note-relay_lost = Der Gegner hat ein Relais genommen
note-lost = Ein Schiff ist verloren
note-refused = Zu wenig Erz oder Energie
over-won = Sieg
over-lost = Niederlage
over-draw = Unentschieden
over-score = Zerstört: { $killed } · verloren: { $lost }
over-menu = Zum Menü
result-amber-stations = Die letzte Station von Cyan ist gefallen.
result-cyan-stations = Die letzte Station von Bernstein ist gefallen.
result-amber-relays = Bernstein hat drei Relais drei Minuten lang gehalten.
result-cyan-relays = Cyan hat drei Relais drei Minuten lang gehalten.
result-amber-score = Die Zeit ist um. Bernstein liegt vorn.
result-cyan-score = Die Zeit ist um. Cyan liegt vorn.
result-draw = Niemand hat gewonnen.
result-left = Die Partie wurde verlassen.
menu-title = FLEET
menu-about = Erz abbauen, Schiffe bauen, drei von fünf Relais drei Minuten lang halten oder die letzte Station nehmen. Hinter diesem Menü tun zwei Computerflotten genau das.
menu-fencer = Gegen den Fechter
    .hint = Raubzüge mit schnellen Schiffen, bleibt nie stehen
menu-miser = Gegen den Geizigen
    .hint = Erst die Wirtschaft; schlägt spät und mit allem zu
menu-wall = Gegen die Mauer
    .hint = Hält Relais mit Geschützen
menu-watch = Der Schlacht zusehen
menu-settings = Einstellungen
menu-language = English
menu-quit = Beenden
menu-back = Menü
key-choose = Auswählen
key-more = Zur Auswahl dazu
key-smart = Hin, angreifen, abbauen oder halten, was dort ist
key-attack = Angreifen, oder kämpfend dorthin
key-guard = Bewachen
key-patrol = Patrouille zwischen hier und dort
key-retreat = Heim zur Reparatur
key-mine = Abbauen
key-charge = Haltung: stürmen
key-defend = Haltung: verteidigen
key-hold = Haltung: halten
key-reform = Nächste Formation
key-build_miner = Schürfer bauen
key-build_scout = Späher bauen
key-build_corvette = Korvette bauen
key-build_frigate = Fregatte bauen
key-build_carrier = Träger bauen
key-build_turret = Geschütz bauen
key-army = Alle Kampfschiffe auswählen
key-idle = Alle Schürfer auswählen
key-set_group_1 = Gruppe 1 bilden
key-group_1 = Gruppe 1 auswählen
key-set_group_2 = Gruppe 2 bilden
key-group_2 = Gruppe 2 auswählen
key-set_group_3 = Gruppe 3 bilden
key-group_3 = Gruppe 3 auswählen
key-set_group_4 = Gruppe 4 bilden
key-group_4 = Gruppe 4 auswählen
key-set_group_5 = Gruppe 5 bilden
key-group_5 = Gruppe 5 auswählen

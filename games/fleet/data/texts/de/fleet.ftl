# Wie die Einheiten heißen: Ihre Kennungen sind ihre Rollen.
miner = Schürfer
scout = Späher
corvette = Korvette
frigate = Fregatte
carrier = Träger
turret = Geschütz
station = Station
fighter = Jäger
flak = Flakfregatte
bomber = Bomber
mine = Mine
hint-miner = Baut von selbst Erz ab und bringt es heim
hint-scout = Schnelle Augen; findet die Relais zuerst
hint-corvette = Das Linienschiff: ein Laser, auch gegen Raketen und Jäger
hint-frigate = Raketen auf große Entfernung; man kann sie abschießen
hint-carrier = Langsam und stark; vier Jäger und zwei Bomber starten von ihm
hint-turret = Kriecht an seinen Platz und hält ihn
hint-flak = Viele kleine Schüsse: gegen Jäger, Bomber und Raketen
hint-mine = Kriecht an ihren Platz, wartet und geht hoch
hint-dreadnought = Ein Strahl, der Rümpfe zerschneidet
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
hud-rewind = −10 s
hud-pause = Pause
hud-slower = ½×
hud-faster = 2×
hud-play_on = Ab hier
hud-other_side = Andere Seite
hint-rewind = Zeigt das Spiel, wie es vor zehn Sekunden war
hint-pause = Hält die Zeit an oder lässt sie laufen
hint-slower = Halbiert die Geschwindigkeit der Zeit
hint-faster = Verdoppelt die Geschwindigkeit der Zeit
hint-play_on = Spielt von dem gezeigten Augenblick an weiter
hint-other_side = Spielt von dem gezeigten Augenblick an die andere Seite
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
key-build_flak = Flakfregatte bauen
key-build_mine = Mine bauen
key-build_dreadnought = Schlachtschiff bauen
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
freighter = Frachter
dreadnought = Schlachtschiff
hud-signal = ?
hud-task = AUFTRAG
goal-relay-find = Irgendwo dort draußen ruft ein Relais. Schick den Späher zu den Signalen. (Noch { $number })
goal-relay-take = Ein Relais! Bring bewaffnete Schiffe daneben, und halte den Gegner fern, bis es uns gehört.
goal-relay-hold = Halte das Relais { $number } s lang.
goal-blockade-break = Vier Frachter kommen in { $number } s. Mach ihnen den Weg durch die Mitte frei: Zwei müssen ankommen.
goal-blockade-freighters = Die Frachter sind unterwegs. { $number } von 2 sind da.
goal-titan-prepare = Ein Schlachtschiff kommt in { $number } s. Bau, was es aufhalten kann.
goal-titan-survive = Zerstöre das Schlachtschiff, ehe die letzte Station fällt. Sein Rumpf: { $number } %
hint-relay-select = Zieh mit der linken Taste einen Kasten um deine Schiffe, oder klicke eines an.
hint-relay-order = Rechtsklick, wohin sie sollen: ins Leere, auf ein Signal, einen Felsen, einen Gegner.
hint-relay-search = Wähle den Späher (er fliegt vor den anderen), und klicke rechts bei einem der Signale mit „?“. Das Rad zoomt, { $key_camera_forward } und die Bildränder bewegen die Sicht.
hint-relay-take = Wähle deine Korvetten ({ $key_army } wählt alle, die kämpfen), und klicke rechts auf das Relais.
hint-relay-build = Du hast Erz: Bau Korvetten mit den Knöpfen unten oder mit { $key_build_corvette }. Was fertig ist, sammelt sich vor der Station.
hint-blockade-order = Rechtsklick schickt, was ausgewählt ist. { $key_army } wählt alle, die kämpfen.
hint-blockade-carriers = Fregatten reichen weiter als Korvetten, aber Jäger sind zu schnell für ihre Raketen. Schick die Träger bis etwa 300 m vor die Fregatten: Die Jäger fliegen von selbst.
hint-blockade-build = Noch ein Träger ({ $key_build_carrier }) oder mehr Korvetten ({ $key_build_corvette }): Das Erz ist da.
hint-blockade-mend = Ein Träger ist schwer getroffen. { $key_retreat } schickt ihn heim, wo er geflickt wird; seine Jäger werden neu gebaut.
hint-titan-build = Träger ({ $key_build_carrier }) sind am besten: Ein Strahl, der sich langsam dreht, trifft keine Jäger. Alle anderen helfen gegen das Geleit.
hint-titan-meet = Es ist in Sicht des Außenpostens. Stell es, ehe es feuert: { $key_army } wählt alle, die kämpfen, Rechtsklick greift an.
hint-titan-flank = Halte die Träger aus der Linie seines Bugs: Der Strahl zerschneidet alles, was dort steht. Seine Seiten und sein Heck sind harmlos.
note-wreck = Nur ein Wrack mit einer Lampe
note-relay_found = Ein Relais! Und noch jemand hat es gehört
note-freighters = Die Frachter sind unterwegs
note-arrived = Ein Frachter ist da
note-titan = Das Schlachtschiff ist da
over-next = Nächste Mission
over-again = Noch einmal
result-mission-station = Die letzte Station ist gefallen.
result-relay-won = Das Relais ist gehalten und antwortet. Es gibt einen Weg hinaus.
result-relay-lost = Der Gegner hält das Relais und den Weg hinaus.
result-blockade-won = Die Frachter sind zu Hause. Die Blockade ist gebrochen.
result-blockade-lost = Es sind zu wenige Frachter übrig.
result-titan-won = Das Schlachtschiff liegt in Stücken. Aus dem, was übrig ist, wird eine Flotte.
menu-campaign = Feldzug
menu-campaign-about = Drei Missionen. Jede lehrt, was sie braucht, während man sie spielt.
menu-skirmish = Gefecht
menu-skirmish-about = Erz abbauen, Schiffe bauen, drei von fünf Relais drei Minuten lang halten oder die letzte Station nehmen.
menu-mission_1 = 1 · Das Relais
    .hint = Finde ein Relais, und halte es
menu-mission_2 = 2 · Die Blockade
    .hint = Bring Frachter durch, mit Trägern
menu-mission_3 = 3 · Das Schlachtschiff
    .hint = Überlebe es
menu-first = Zurück

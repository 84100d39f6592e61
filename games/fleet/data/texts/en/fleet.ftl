# What units are called: their ids are their roles.
miner = Miner
scout = Scout
corvette = Corvette
frigate = Frigate
carrier = Carrier
turret = Platform
station = Station
fighter = Fighter
flak = Flak frigate
bomber = Bomber
mine = Mine
hint-miner = Mines rocks by itself and brings the ore home
hint-scout = Fast eyes; the first to find a relay
hint-corvette = The line ship: a laser, and point defence against missiles and fighters
hint-frigate = Missiles at range; they can be shot down
hint-carrier = Slow and strong; four fighters and two bombers fly from it
hint-turret = Crawls to its place and holds it
hint-flak = Many small shots: against fighters, bombers and missiles
hint-mine = Crawls to its place, waits, and goes off
hint-dreadnought = One beam that cuts hulls in pieces
hud-ore = { $ore } ore
hud-income = { $income } a minute
hud-energy = { $energy } energy
hud-ships = { $ships ->
    [one] one ship
   *[other] { $ships } ships
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
hud-warning = The enemy holds the relays: { $seconds } s
hud-soon = You hold the relays: { $seconds } s
hud-selected = { $selected ->
    [one] one unit
   *[other] { $selected } units
}
hud-rewind = −10 s
hud-pause = Pause
hud-slower = ½×
hud-faster = 2×
hud-play_on = From here
hud-other_side = Other side
hint-rewind = Shows the match as it was ten seconds before
hint-pause = Stops time, or lets it run
hint-slower = Halves the speed of time
hint-faster = Doubles the speed of time
hint-play_on = Plays on from the moment that is shown
hint-other_side = Plays on from the moment that is shown, as the other side
hud-menu = Menu
hud-leave = Leave
hud-hint = Drag: select · right click: go, attack, mine, hold · { $key_attack } attack · { $key_patrol } patrol · { $key_retreat } retreat · { $key_army } all ships · { $key_reform } formation · F1 keys
form-line = Formation: line
form-wedge = Formation: wedge
form-sphere = Formation: sphere
note-begin = Hold three of the five relays for three minutes, or destroy both enemy stations
note-taken = A relay is ours
note-relay_lost = The enemy has taken a relay
note-lost = A ship is lost
note-refused = Not enough ore or energy
over-won = Victory
over-lost = Defeat
over-draw = A draw
over-score = Destroyed: { $killed } · lost: { $lost }
over-menu = Back to the menu
result-amber-stations = The last station of cyan has fallen.
result-cyan-stations = The last station of amber has fallen.
result-amber-relays = Amber has held three relays for three minutes.
result-cyan-relays = Cyan has held three relays for three minutes.
result-amber-score = The time is over. Amber is ahead.
result-cyan-score = The time is over. Cyan is ahead.
result-draw = Nobody has won.
result-left = The match was left.
menu-title = FLEET
menu-about = Gather ore, build ships, hold three of five relays for three minutes, or take the last station. Behind this menu two computer fleets do just that.
menu-fencer = Against the Fencer
    .hint = Raids with fast ships, never stands
menu-miser = Against the Miser
    .hint = Economy first; strikes late, and whole
menu-wall = Against the Wall
    .hint = Holds relays with guns
menu-watch = Watch the battle
menu-settings = Settings
menu-language = Deutsch
menu-quit = Quit
menu-back = Menu
key-choose = Select
key-more = Add to the selection
key-smart = Go, attack, mine or hold what is there
key-attack = Attack, or go there fighting
key-guard = Guard
key-patrol = Patrol between here and there
key-retreat = Go home for repairs
key-mine = Mine
key-charge = Stance: charge
key-defend = Stance: defend
key-hold = Stance: hold
key-reform = Next formation
key-build_miner = Build a miner
key-build_scout = Build a scout
key-build_corvette = Build a corvette
key-build_frigate = Build a frigate
key-build_carrier = Build a carrier
key-build_turret = Build a gun platform
key-build_flak = Build a flak frigate
key-build_mine = Build a mine
key-build_dreadnought = Build a dreadnought
key-army = Select all that fight
key-idle = Select all miners
key-set_group_1 = Make group 1
key-group_1 = Select group 1
key-set_group_2 = Make group 2
key-group_2 = Select group 2
key-set_group_3 = Make group 3
key-group_3 = Select group 3
key-set_group_4 = Make group 4
key-group_4 = Select group 4
key-set_group_5 = Make group 5
key-group_5 = Select group 5
freighter = Freighter
dreadnought = Dreadnought
hud-signal = ?
hud-task = TASK
goal-relay-find = Somewhere out there a relay calls. Send the scout to the signals. ({ $number } left)
goal-relay-take = A relay! Bring armed ships beside it, and keep the enemy away until it is ours.
goal-relay-hold = Hold the relay for { $number } s.
goal-blockade-break = Four freighters come in { $number } s. Clear them a way through the middle: two must arrive.
goal-blockade-freighters = The freighters are on their way. { $number } of 2 have arrived.
goal-titan-prepare = A dreadnought comes in { $number } s. Build what can stop it.
goal-titan-survive = Destroy the dreadnought before the last station falls. Its hull: { $number } %
hint-relay-select = Drag a box around your ships with the left button, or click one.
hint-relay-order = Right click where they are to go: on empty space, on a signal, on a rock, on an enemy.
hint-relay-search = Choose the scout (it flies ahead of the others) and right click near one of the signals marked “?”. The wheel zooms, { $key_camera_forward } and the edges of the picture move the view.
hint-relay-take = Choose your corvettes ({ $key_army } selects all that fight) and right click the relay.
hint-relay-build = You have ore: build corvettes with the buttons below, or with { $key_build_corvette }. What is built gathers before the station.
hint-blockade-order = Right click sends what is selected. { $key_army } selects all that fight.
hint-blockade-carriers = Frigates outrange corvettes, but fighters are too quick for their missiles. Send the carriers to about 300 m before the frigates: the fighters fly by themselves.
hint-blockade-build = Another carrier ({ $key_build_carrier }) or more corvettes ({ $key_build_corvette }): there is ore for it.
hint-blockade-mend = A carrier is badly hit. { $key_retreat } sends it home, where it is mended; its fighters are built again.
hint-titan-build = Carriers ({ $key_build_carrier }) are best: a beam that turns slowly does not catch fighters. Every other ship helps against its escort.
hint-titan-meet = It is in sight of your outpost. Meet it before it fires: { $key_army } selects all that fight, right click attacks.
hint-titan-flank = Keep the carriers out of the line of its bow: the beam cuts all that stands there. Its sides and its back are harmless.
note-wreck = Only a wreck with a lamp
note-relay_found = A relay! And somebody else has heard it
note-freighters = The freighters are on their way
note-arrived = A freighter has arrived
note-titan = The dreadnought is here
over-next = Next mission
over-again = Once more
result-mission-station = The last station has fallen.
result-relay-won = The relay is held, and answers. There is a way out of here.
result-relay-lost = The enemy holds the relay, and the way out.
result-blockade-won = The freighters are home. The blockade is broken.
result-blockade-lost = Too few freighters are left.
result-titan-won = The dreadnought is in pieces. What is left of it will build a fleet.
menu-campaign = Campaign
menu-campaign-about = Three missions. Each teaches what it needs while it is played.
menu-skirmish = Skirmish
menu-skirmish-about = Gather ore, build ships, hold three of five relays for three minutes, or take the last station.
menu-mission_1 = 1 · The relay
    .hint = Find a relay, and hold it
menu-mission_2 = 2 · The blockade
    .hint = Bring freighters through, with carriers
menu-mission_3 = 3 · The dreadnought
    .hint = Survive it
menu-first = Back

# What units are called: their ids are their roles.
miner = Miner
scout = Scout
corvette = Corvette
frigate = Frigate
carrier = Carrier
turret = Platform
station = Station
fighter = Fighter
hint-miner = Mines rocks by itself and brings the ore home
hint-scout = Fast eyes; the first to find a relay
hint-corvette = The line ship: a laser, and point defence against missiles and fighters
hint-frigate = Missiles at range; they can be shot down
hint-carrier = Slow and strong; six fighters fly from it
hint-turret = Crawls to its place and holds it
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
hud-normal = 1×
hud-fast = 3×
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

hud-ours = { $ours ->
    [one] one ship
   *[other] { $ours } ships
}
hud-theirs = { $theirs ->
    [one] one enemy
   *[other] { $theirs } enemies
}
hud-hint = Left click: build a ship · T: hunt what is there · R: recall
hud-menu = Menu
menu-title = Skirmish
menu-resume = Continue
menu-music = Music
menu-effects = Effects
menu-full = Fullscreen
menu-quit = Quit
menu-language = Deutsch
hud-lost = Ship lost

hud-ours = { $ours ->
    [one] one ship
   *[other] { $ours } ships
}
hud-theirs = { $theirs ->
    [one] one enemy
   *[other] { $theirs } enemies
}
hud-hint = { $key_want }: build a ship · { $key_target }: hunt what is there · { $key_recall }: recall
hud-menu = Menu
menu-title = Skirmish
menu-resume = Continue
menu-music = Music
menu-effects = Effects
menu-full = Fullscreen
menu-quit = Quit
menu-language = Deutsch
hud-lost = Ship lost
controls-want = Build a ship
controls-target = Hunt what is there
controls-recall = Recall the hunters

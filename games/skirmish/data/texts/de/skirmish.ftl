hud-ours = { $ours ->
    [one] ein Schiff
   *[other] { $ours } Schiffe
}
hud-theirs = { $theirs ->
    [one] ein Feind
   *[other] { $theirs } Feinde
}
hud-hint = { $key_want }: Schiff bauen · { $key_target }: Ziel jagen · { $key_recall }: zurückrufen
hud-menu = Menü
menu-title = Scharmützel
menu-resume = Weiter
menu-music = Musik
menu-effects = Geräusche
menu-full = Vollbild
menu-quit = Beenden
menu-language = English
hud-lost = Schiff verloren
controls-want = Schiff bauen
controls-target = Jagen, was dort ist
controls-recall = Jäger zurückrufen

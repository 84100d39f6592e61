hud-ours = { $ours ->
    [one] ein Schiff
   *[other] { $ours } Schiffe
}
hud-theirs = { $theirs ->
    [one] ein Feind
   *[other] { $theirs } Feinde
}
hud-hint = Linksklick: Schiff bauen · T: Ziel jagen · R: zurückrufen
hud-menu = Menü
menu-title = Scharmützel
menu-resume = Weiter
menu-music = Musik
menu-effects = Geräusche
menu-full = Vollbild
menu-quit = Beenden
menu-language = English
hud-lost = Schiff verloren

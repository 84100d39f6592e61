hud-hint = Linksklick: Ball werfen · Leertaste: Felsen schleudern · W A S D: bewegen · Q E: drehen
hud-thrown = { $thrown ->
    [one] ein Wurf
   *[other] { $thrown } Würfe
}

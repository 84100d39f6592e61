hud-hint = { $key_throw }: Ball werfen · { $key_hurl }: Felsen schleudern · F1: alle Tasten
hud-thrown = { $thrown ->
    [one] ein Wurf
   *[other] { $thrown } Würfe
}
controls-throw = Ball werfen
controls-hurl = Felsen schleudern

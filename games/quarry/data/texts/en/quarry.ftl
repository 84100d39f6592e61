hud-hint = { $key_throw }: throw a ball · { $key_hurl }: hurl a boulder · F1: all keys
hud-thrown = { $thrown ->
    [one] one thing thrown
   *[other] { $thrown } things thrown
}
controls-throw = Throw a ball
controls-hurl = Hurl a boulder

hud-hint = Left click: throw a ball · Space: hurl a boulder · W A S D: move · Q E: turn
hud-thrown = { $thrown ->
    [one] one thing thrown
   *[other] { $thrown } things thrown
}

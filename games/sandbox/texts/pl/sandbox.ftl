-game = Piaskownica

sandbox-about = { -game }: małe istoty wśród rosnących roślin

sandbox-level-meadow = Łąka
sandbox-level-tiny = Malutkie miejsce
sandbox-level-crowd = Tłum
sandbox-level-garden = Ogród

agents-alive =
    { $count ->
        [0] Nikt nie żyje
        [one] Żyje jedna istota
        [few] Żyją { $count } istoty
       *[many] Żyje { $count } istot
    }

agents-born =
    { $count ->
        [one] { $team }: jedne narodziny
        [few] { $team }: { $count } narodziny
       *[many] { $team }: { $count } narodzin
    }

ship-hit =
    { $damage ->
        [one] Statek trafiony, traci jeden punkt
        [few] Statek trafiony, traci { $damage } punkty
        [many] Statek trafiony, traci { $damage } punktów
       *[other] Statek trafiony, traci { $damage } punktu
    }
    .short = Trafienie: { $damage }

team-place = { $place }. miejsce

plants-share = Rośliny pokrywają { NUMBER($share, minimumFractionDigits: 1, maximumFractionDigits: 1) } % terenu

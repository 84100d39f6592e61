-game =
    { $case ->
       *[nominative] Sandkasten
        [genitive] Sandkastens
    }

sandbox-about = { -game }: kleine Wesen zwischen wachsenden Pflanzen

sandbox-level-meadow = Eine Wiese
sandbox-level-tiny = Ein winziger Ort
sandbox-level-crowd = Ein Gedränge
sandbox-level-garden = Ein Garten

agents-alive =
    { $count ->
        [0] Niemand lebt
        [one] Ein Wesen des { -game(case: "genitive") } lebt
       *[other] { $count } Wesen leben
    }

agents-born =
    { $count ->
        [one] { $team }: eine Geburt
       *[other] { $team }: { $count } Geburten
    }

ship-hit =
    { $damage ->
        [one] Das Schiff ist getroffen und verliert einen Punkt
       *[other] Das Schiff ist getroffen und verliert { $damage } Punkte
    }
    .short = Treffer: { $damage }

team-place = { $place }. Platz

plants-share = Pflanzen bedecken { NUMBER($share, minimumFractionDigits: 1, maximumFractionDigits: 1) } % des Landes

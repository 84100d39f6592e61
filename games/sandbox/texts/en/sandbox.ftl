# What the sandbox tells people.

-game = Sandbox

sandbox-about = { -game }: small agents among plants that grow

sandbox-level-meadow = A meadow
sandbox-level-tiny = A tiny place
sandbox-level-crowd = A crowd
sandbox-level-garden = A garden

# $count (number): how many agents are alive.
agents-alive =
    { $count ->
        [0] Nobody is alive
        [one] One agent is alive
       *[other] { $count } agents are alive
    }

# $count (number): how many were born; $team (text): the name of their team.
agents-born =
    { $count ->
        [one] { $team }: one birth
       *[other] { $team }: { $count } births
    }

# $damage (number): how much was lost.
ship-hit =
    { $damage ->
        [one] The ship is hit and loses one point
       *[other] The ship is hit and loses { $damage } points
    }
    .short = Hit: { $damage }

# $place (number): the place in the ranking.
team-place =
    { NUMBER($place, type: "ordinal") ->
        [one] { $place }st place
        [two] { $place }nd place
        [few] { $place }rd place
       *[other] { $place }th place
    }

# $share (number): a part of the whole, in hundredths.
plants-share = Plants cover { NUMBER($share, minimumFractionDigits: 1, maximumFractionDigits: 1) } % of the land

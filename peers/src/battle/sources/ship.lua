-- A ship of the battle. Plain numbers in, plain numbers out: what is kept between calls is in the engine's components.

local random, sqrt, max, min = math.random, math.sqrt, math.max, math.min

local weapons = {
    { kind = "laser", range = 120, period = 300, damage = 5, heat = 0.18 },
    { kind = "mine", range = 90, period = 900, damage = 16, heat = 0.3 },
    { kind = "emp", range = 110, period = 600, damage = 8, heat = 0.25 },
}

local armour = {
    { laser = 0.05, mine = 1, emp = 0 },
    { laser = 0.1, mine = 0.5, emp = 0.1 },
    { laser = 0.15, mine = 0.25, emp = 0.2 },
}

-- How far it looks for a target.
function look(is_fleeing)
    return 200
end

-- Every cycle. The target's place is nil if there is none. The last result is how hard the target is hit: nil if it is not.
function update(hull, shield, heat, calm, cooldown, is_fleeing, weapon, x, y, vx, vy, home_x, home_y, target_x, target_y)
    heat = max(0, heat - 0.005)
    calm = calm + 10
    cooldown = max(0, cooldown - 10)
    if calm >= 3000 then
        shield = min(60, shield + 0.08)
        hull = min(120, hull + 0.02)
    end
    if is_fleeing then
        is_fleeing = hull <= 72
    else
        is_fleeing = hull < 36
    end

    local hit = nil
    local wanted_x, wanted_y = 0, 0
    if target_x then
        local dx, dy = target_x - x, target_y - y
        local distance = sqrt(dx * dx + dy * dy)
        local mine = weapons[weapon]
        if distance < mine.range and cooldown <= 0 and heat < 1 then
            cooldown = mine.period
            heat = heat + mine.heat
            if random() < 0.95 - 0.7 * distance / mine.range then
                hit = mine.damage * (0.8 + 0.4 * random())
            end
        end
        if is_fleeing or distance < 40 then
            local speed = -60 / max(distance, 0.001)
            wanted_x, wanted_y = dx * speed, dy * speed
        elseif distance > 70 then
            local speed = 60 / distance
            wanted_x, wanted_y = dx * speed, dy * speed
        end
    end

    local hx, hy = home_x - x, home_y - y
    local far = sqrt(hx * hx + hy * hy)
    if far > 250 or (far > 20 and not target_x) then
        local speed = 60 / far
        wanted_x, wanted_y = hx * speed, hy * speed
    end
    vx = vx + (wanted_x - vx) * 0.04
    vy = vy + (wanted_y - vy) * 0.04
    return hull, shield, heat, calm, cooldown, is_fleeing, vx, vy, hit
end

-- What comes through the armour.
local function mitigate(damage, kind)
    local left = damage
    for layer = 1, #armour do
        if kind == "laser" then
            left = left * (1 - armour[layer].laser)
        elseif kind == "mine" then
            left = max(0, left - armour[layer].mine)
        else
            left = left * (1 - armour[layer].emp)
        end
    end
    return left
end

-- It was hit. The last result is how soon there is another ship at its place: nil if it still lives.
function damage(hull, shield, heat, amount, weapon)
    local kind = weapons[weapon].kind
    local against_shield = amount
    if kind == "emp" then
        heat = heat + 0.1
        against_shield = amount * 2
    end
    local taken = min(shield, against_shield)
    local rest = against_shield - taken
    if kind == "emp" then
        rest = rest * 0.125
    end
    hull = hull - mitigate(rest, kind)
    local replaced = nil
    if hull <= 0 then
        replaced = 1500
    end
    return hull, shield - taken, heat, 0, replaced
end

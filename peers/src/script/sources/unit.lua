-- A unit that recharges its shield, cools and spends energy: five reads, two calls, three writes.
local function regenerate(charge, power)
    if charge < 100 then return charge + power * 0.01 else return charge - 90 end
end

local function cool(warmth, bulk)
    return warmth - warmth * 40 / (bulk + 100)
end

function update(unit)
    unit.shield = regenerate(unit.shield, unit.energy)
    unit.heat = cool(unit.heat, unit.mass) + unit.hull * 0.001
    local energy = unit.energy
    if energy < 1 then energy = 100 + unit.heat else energy = energy - 0.25 end
    unit.energy = energy
    return energy
end

-- The same calls with the loop in Lua.
function inside(start, count)
    local sum, first = 0.0, start % #objects
    for i = first + 1, first + count do
        sum = sum + update(objects[i])
    end
    return sum
end

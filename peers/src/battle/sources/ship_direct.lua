-- A ship of the battle, as ship.lua has it, for LuaJIT: it reads and writes the engine's components where they lie, by pointers.

local ffi = require("ffi")
ffi.cdef [[
typedef struct { float hull, shield, heat, calm, cooldown, look; uint8_t weapon, team; bool is_fleeing; } Ship;
typedef struct { float x, y, z; } Vec3;
]]
local Ship, Vec3 = ffi.typeof("Ship *"), ffi.typeof("Vec3 *")
local cast, random, sqrt, max, min = ffi.cast, math.random, math.sqrt, math.max, math.min

local ranges = ffi.new("double[3]", { 120, 90, 110 })
local periods = ffi.new("double[3]", { 300, 900, 600 })
local damages = ffi.new("double[3]", { 5, 16, 8 })
local heats = ffi.new("double[3]", { 0.18, 0.3, 0.25 })

function update(ship, velocity, position, home, target)
    ship, velocity, position, home = cast(Ship, ship), cast(Vec3, velocity), cast(Vec3, position), cast(Vec3, home)
    local heat, calm, cooldown = max(0, ship.heat - 0.005), ship.calm + 10, max(0, ship.cooldown - 10)
    if calm >= 3000 then
        ship.shield = min(60, ship.shield + 0.08)
        ship.hull = min(120, ship.hull + 0.02)
    end
    local is_fleeing
    if ship.is_fleeing then
        is_fleeing = ship.hull <= 72
    else
        is_fleeing = ship.hull < 36
    end

    local hit = nil
    local wanted_x, wanted_y = 0, 0
    local x, y = position.x, position.y
    if target then
        target = cast(Vec3, target)
        local dx, dy = target.x - x, target.y - y
        local distance = sqrt(dx * dx + dy * dy)
        local weapon = ship.weapon
        if distance < ranges[weapon] and cooldown <= 0 and heat < 1 then
            cooldown = periods[weapon]
            heat = heat + heats[weapon]
            if random() < 0.95 - 0.7 * distance / ranges[weapon] then
                hit = damages[weapon] * (0.8 + 0.4 * random())
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

    local hx, hy = home.x - x, home.y - y
    local far = sqrt(hx * hx + hy * hy)
    if far > 250 or (far > 20 and not target) then
        local speed = 60 / far
        wanted_x, wanted_y = hx * speed, hy * speed
    end
    velocity.x = velocity.x + (wanted_x - velocity.x) * 0.04
    velocity.y = velocity.y + (wanted_y - velocity.y) * 0.04
    ship.heat, ship.calm, ship.cooldown, ship.is_fleeing = heat, calm, cooldown, is_fleeing
    return hit
end

-- The objects of the thesis's four scenarios: what they are asked and told.

-- Asked in every cycle, by the interface and by those who fly it. Only a hit changes the answers.
function status(object)
    local share = object.hull / object.hull_max
    if share > 0.66 then return 3 elseif share > 0.33 then return 2 else return 1 end
end

function speed(object)
    return (20 + object.level * 0.5) * (0.5 + 0.5 * object.hull / object.hull_max)
end

-- Mostly there is nothing to do.
local function recover(object)
    local shield = object.shield + 0.25
    if not (shield < object.shield_max) then shield = object.shield_max end
    object.shield = shield
    return shield
end

function update(object)
    if object.shield < object.shield_max then return recover(object) else return object.shield end
end

-- Never asked twice with the same place.
function aim(object, place)
    local ahead = place * 0.5 + object.level
    local off = ahead * ahead - place
    if off > 0 then return ahead - off * 0.01 else return ahead + 1 end
end

-- A hit of a battle: few weapons, few kinds of armour.
local function resistance(kind, plates)
    if kind == 0 then return plates * 0.4
    elseif kind == 1 then return plates * 0.1 + 5
    elseif kind == 2 then return 0
    else return plates * 0.25 end
end

local factors = { 0.95, 0.9, 1.05, 0.98 }

local function mitigated(damage, kind, plates)
    local rest = damage - resistance(kind, plates)
    for i = 1, #factors do rest = rest * factors[i] - 0.1 end
    if rest < 1 then return 1 else return rest end
end

local function take(object, lost)
    local hull = object.hull - lost
    if hull < 1 then hull = object.hull_max end
    object.hull = hull
    object.shield = object.shield * 0.5
    return lost
end

function hit(object, damage, kind)
    return take(object, mitigated(damage, kind, object.armour))
end

-- A spell: any strength, cast by anybody, met by whatever protects its target.
local buffs = {
    { kind = 0, factor = 0.9 }, { kind = 1, factor = 0.8 }, { kind = 3, factor = 1.1 }, { kind = 2, factor = 0.95 },
}

local function buffed(damage, kind)
    for i = 1, #buffs do
        local buff = buffs[i]
        if buff.kind == kind then damage = damage * buff.factor end
    end
    return damage
end

local function against(damage, difference)
    local apart = difference
    if apart < 0 then apart = -apart end
    return damage * (1 + difference / (40 + apart))
end

function spell(object, damage, kind, caster)
    local raw = against(buffed(damage, kind), caster - object.level)
    return take(object, mitigated(raw, kind, object.armour))
end

-- A message: the same few again and again, each dear to understand.
local function worth(kind, weight)
    local total = 0
    for step = 0, 15 do
        local times = 1
        if step % 4 == kind then times = 2 end
        total = total + weight / (step + 1) * times
    end
    return total
end

function message(object, kind, weight)
    object.morale = object.morale * 0.5 + worth(kind, weight)
    return object.morale
end

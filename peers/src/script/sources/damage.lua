-- What a hit does, by the kind of weapon and the armour it meets.
function damage(d, t, m)
    local met = d * 1.25 + 3
    if t == 0 then
        met = met - m
    elseif t == 1 then
        met = met * (1 - m / (m + 100))
    elseif t == 2 then
        met = met * 0.5 - m * 0.25
    end
    if met > 50 then met = met * 1.5 end
    if met < 1 then met = 1 elseif met > 999 then met = 999 end
    return met * 0.9 + t * 0.1
end

-- The same calls with the loop in Lua. Others are given floats, and so it is here.
function inside(start, count)
    local sum = 0.0
    for i = start, start + count - 1 do
        sum = sum + damage(i % 100 + 0.0, i % 4 + 0.0, i % 50 + 0.0)
    end
    return sum
end

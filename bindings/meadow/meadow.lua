-- The game of meadow.c, from LuaJIT.
--
-- SPDX-License-Identifier: MIT
local sett = require("sett")
local ffi, bit = require("ffi"), require("bit")

local SIZE, FRAMES = 256, 300
local CELLS = SIZE * SIZE

local world = sett.world()
local Position = world:component("Position", "int32_t x, y;")
local Dice = world:component("Dice", "uint32_t state;")
local Energy = world:component("Energy", "int32_t points;")
local Grass = world:component("Grass", "uint16_t level[65536];")
local Sheep, Wolf = world:component("Sheep"), world:component("Wolf")

local sheep = world:query {Energy, sett.read(Position), sett.with(Sheep)}
local wolves = world:query {Energy, sett.read(Position), sett.with(Wolf)}
local prey = world:query {sett.read(Position), sett.entities, sett.with(Sheep)}
local flock, pack, share = ffi.new("int32_t[?]", CELLS), ffi.new("int32_t[?]", CELLS), ffi.new("int32_t[?]", CELLS)

local function cell_of(p) return p.y * SIZE + p.x end
local function count(query, counts)
    ffi.fill(counts, CELLS * 4)
    query:each(function(i, _, p)
        local cell = cell_of(p[i])
        counts[cell] = counts[cell] + 1
    end)
end
local function grass() return world:ensure(world:singletons(), Grass).level end

world:system("grow", {}, {phase = 0}, function(frame)
    local level = grass()
    for cell = frame.number % 2, CELLS - 1, 2 do
        if level[cell] < 200 then level[cell] = level[cell] + 1 end
    end
end)

world:system("wander", {Position, Dice}, {phase = 1}, function(_, i, p, dice)
    local state = bit.tobit(dice[i].state * 1664525ULL + 1013904223ULL)
    dice[i].state = state
    local turn = bit.band(bit.rshift(state, 16), 0xFFFF) % 9
    p[i].x = bit.band(p[i].x + turn % 3 - 1, SIZE - 1)
    p[i].y = bit.band(p[i].y + math.floor(turn / 3) - 1, SIZE - 1)
end)

-- The sheep of a cell share its grass.
world:system("graze", {}, {phase = 2}, function()
    local level = grass()
    count(sheep, flock)
    for cell = 0, CELLS - 1 do
        local each = flock[cell] > 0 and math.floor(level[cell] / flock[cell]) or 0
        share[cell] = math.min(each, 12)
        level[cell] = level[cell] - share[cell] * flock[cell]
    end
    sheep:each(function(i, energy, p) energy[i].points = energy[i].points + share[cell_of(p[i])] end)
end)

-- The wolves of a cell share its sheep.
world:system("hunt", {}, {phase = 3}, function(frame)
    count(wolves, pack)
    count(sheep, flock)
    wolves:each(function(i, energy, p)
        local cell = cell_of(p[i])
        energy[i].points = energy[i].points + math.floor(flock[cell] * 20 / pack[cell])
    end)
    prey:each(function(i, p, entity)
        if pack[cell_of(p[i])] > 0 then frame.later:destroy(entity[i]) end
    end)
end)

for _, kind in ipairs {{Sheep, 3, 120}, {Wolf, 2, 240}} do
    local tag, cost, enough = kind[1], kind[2], kind[3]
    world:system("starve " .. tag.name, {Energy, sett.entities, sett.with(tag)}, {phase = 4}, function(frame, i, energy, entity)
        energy[i].points = energy[i].points - cost
        if energy[i].points <= 0 then frame.later:destroy(entity[i]) end
    end)
    world:system("breed " .. tag.name, {Energy, sett.read(Position), sett.read(Dice), sett.with(tag)}, {phase = 5}, function(frame, i, energy, p, dice)
        if energy[i].points > enough then
            energy[i].points = math.floor(energy[i].points / 2)
            local state = bit.bxor(bit.tobit(dice[i].state), 0x9E3779B9) % 2 ^ 32
            frame.later:create(Position {p[i].x, p[i].y}, Dice {state}, Energy {energy[i].points}, tag)
        end
    end)
end

for k = 0, 20999 do
    local p = Position {k * 7 % SIZE, math.floor(k * 13 / SIZE) % SIZE}
    world:create(p, Dice {tonumber(k * 2654435761ULL % 4294967296ULL)}, Energy {40 + k % 50}, k % 21 ~= 0 and Sheep or Wolf)
end
local level = grass()
for cell = 0, CELLS - 1 do level[cell] = cell * 31 % 100 end

local ring = world:ring(10)
local begin = os.clock()
local frame, played = 0, 0
while frame < FRAMES do
    ring:take(frame)
    world:progress(1)
    if frame % 50 == 49 and played - frame < (frame + 1) / 50 * 8 then -- eight frames again
        frame = frame - 8
        ring:restore(frame + 1)
    end
    frame, played = frame + 1, played + 1
end
local ms = 1000 * (os.clock() - begin) / (FRAMES + FRAMES / 50 * 8)
print(("%s %d sheep, %d wolves, %.3f ms a frame"):format(bit.tohex(world:hash()), sheep:count(), wolves:count(), ms))

-- Tests of sett.lua: tools/languages.sh.
local sett = require("sett")
local ffi = sett.ffi
local folder = arg[1]

local function check(what, why) if not what then error(why or "a check failed", 2) end end
local function moving()
    local world = sett.world()
    local Position, Velocity = world:component("Position", "float x, y;"), world:component("Velocity", "float x, y;")
    world:system("move", {Position, sett.read(Velocity)}, {}, function(frame, i, p, v)
        p[i].x = p[i].x + v[i].x * frame.dt
    end)
    return world, Position, Velocity
end

local function the_programs_of_the_page()
    local file = assert(io.open("docs/site/start/languages.md"))
    local said = {}
    for block in file:read("*a"):gmatch("```lua\n(.-)```") do
        local program = assert(loadstring(block))
        setfenv(program, setmetatable({print = function(text) said[#said + 1] = text end}, {__index = _G}))()
    end
    file:close()
    check(#said == 1 and said[1] == "x = 11.0")
end

local function values()
    local world, Position = moving()
    local Door = world:component("Door", "uint8_t state; char label[8]; double width; sett_entity key; int16_t at[3];")
    local Frozen = world:component("Frozen")
    local key = world:create()
    local door = world:create(Door {state = 3, label = "front", width = 1.5, key = key, at = {1, 2, 3}}, Frozen)
    check(world:has(door, Frozen) and not world:has(door, Position) and world:find(door, Position) == nil)
    check(world:find(door, Door).at[2] == 3 and world:find(door, Door).key.index == key.index)
    world:ensure(door, Door).width = 2
    world:set(door, Position {4, 5})
    world:remove(door, Frozen)
    world:remove(door, Frozen)
    check(not world:has(door, Frozen) and world:find(door, Position).y == 5)
    check(world:json():find('"Door": {"state": 3, "label": "front", "width": 2, "key": "#0:1", "at": [1, 2, 3]}', 1, true), world:json())
    world:destroy(door)
    local fine, why = pcall(world.set, world, door, Position {1, 1})
    check(not fine and why:find("stale", 1, true), why)
end

local function loops_and_commands()
    local world, Position, Velocity = moving()
    local Frozen = world:component("Frozen")
    for k = 0, 2999 do
        if k % 5 == 0 then world:create(Position {k, 0}, Velocity {1, 1}, Frozen) else world:create(Position {k, 0}, Velocity {1, 1}) end
    end
    local query = world:query {Position, sett.entities, sett.optional(Velocity), sett.without(Frozen)}
    local seen = 0
    query:each(function(i, p, e, v)
        check(p[i].x == e[i].index and v[i].x == 1)
        seen = seen + 1
        if p[i].x % 2 == 0 then world:later():destroy(e[i]) end
    end)
    check(seen == 2400 and query:count() == 2400)
    world:apply()
    check(query:count() == 1200 and world:count() == 1800)
    local fine, why = pcall(query.each, query, function() error("mine") end)
    check(not fine and why:find("mine"))
    world:create(Position {0, 0}) -- the loop is closed
    world:system("fails", {}, {phase = 5}, function() error("also mine") end)
    fine, why = pcall(world.progress, world, 1)
    check(not fine and why:find("also mine"))
end

local function observers()
    local world, Position, Velocity = moving()
    local of_position, of_moving = world:observe(Position), world:observe({Position, sett.with(Velocity)}, {replay = true})
    local function taken(queue)
        local seen = {}
        queue:each(function(entity, change) seen[#seen + 1] = change .. " " .. entity.index end)
        return table.concat(seen, ", ")
    end
    local first = world:create(Position {1, 0}, Velocity {1, 0})
    local second = world:create(Position {2, 0})
    check(taken(of_position) == "add 0, set 0, add 1, set 1", "position")
    check(taken(of_moving) == "add 0")
    world:progress(1) -- writes values, sets none
    check(taken(of_position) == "" and taken(of_moving) == "")
    world:set(second, Velocity {1, 1})
    world:remove(first, Velocity)
    world:later():destroy(second)
    world:apply()
    check(taken(of_moving) == "add 1, remove 0, remove 1")
    check(taken(of_position) == "remove 1")
    for k = 1, 1000 do world:set(first, Position {k, 0}) end
    local count = 0
    of_position:each(function(entity, change) count = count + (change == "set" and entity.index == first.index and 1 or 0) end)
    check(count == 1000)
    of_position:destroy()
    local fine, why = pcall(world.observe, world, Position, {disabled = true})
    check(not fine and why:find("a queue has no callbacks", 1, true), why)
end

local function rollback()
    local world, Position, Velocity = moving()
    for k = 0, 999 do world:create(Position {k, 0}, Velocity {1, 1}) end
    local ring, hashes = world:ring(8), {}
    for frame = 0, 19 do
        ring:take(frame)
        world:progress(0.5)
        hashes[frame] = world:hash()
    end
    ring:restore(14)
    check(world:hash() == hashes[13])
    for frame = 14, 19 do
        ring:take(frame)
        world:progress(0.5)
        check(world:hash() == hashes[frame])
    end
    local now = world:snapshot()
    world:save(folder .. "/lua.sett")
    world:progress(1)
    check(world:hash() ~= hashes[19])
    now:restore()
    now:drop()
    check(world:hash() == hashes[19])
    local other = moving()
    other:load(folder .. "/lua.sett")
    check(other:hash() == hashes[19])
end

for name, test in pairs {the_programs_of_the_page = the_programs_of_the_page, values = values, loops_and_commands = loops_and_commands, observers = observers, rollback = rollback} do
    local fine, why = pcall(test)
    if not fine then
        print(name .. ": " .. tostring(why))
        os.exit(1)
    end
end
print("  LuaJIT: 5 passed, 0 failed")

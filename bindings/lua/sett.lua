-- sett.lua: Sett from LuaJIT, by its ffi.
--
--     local sett = require("sett")
--     local world = sett.world()
--     local Position = world:component("Position", "float x, y;")
--     local Velocity = world:component("Velocity", "float x, y;")
--
--     world:system("move", {Position, sett.read(Velocity)}, {}, function(frame, i, p, v)
--         p[i].x = p[i].x + v[i].x * frame.dt
--     end)
--     local ship = world:create(Position {1, 0}, Velocity {10, 0})
--     for _ = 1, 60 do world:progress(1 / 60) end
--     print(world:find(ship, Position).x)
--
-- The functions of systems and loops get a row `i`, and for each term with values a pointer to an
-- array, or nil. Pointers are valid during the call.
--
-- Compiled Lua cannot be called back from C, so an observer is a queue of what happened:
--
--     local hurt = world:observe(Health)
--     hurt:each(function(entity, change) print(entity.index, change) end) -- "add", "set", "remove"
--
-- Calls that this module does not have: sett.lib, with world.c.
--
-- SPDX-License-Identifier: MIT
local ffi = require("ffi")
local api = require("sett_api")
ffi.cdef(api.cdef)
local lib = ffi.load(os.getenv("SETT_LIBRARY") or "sett")

local sett = {lib = lib, ffi = ffi}
local OK, ABSENT = tonumber(ffi.cast("int", lib.SETT_STATUS_OK)), tonumber(ffi.cast("int", lib.SETT_STATUS_ABSENT))

-- ---- components ----

local KINDS = {
    bool = "BOOL", int8_t = "I8", uint8_t = "U8", int16_t = "I16", uint16_t = "U16", int32_t = "I32",
    uint32_t = "U32", int64_t = "I64", uint64_t = "U64", float = "F32", double = "F64",
    sett_entity = "ENTITY", char = "TEXT",
}

local Component = {}
Component.__index = Component

-- Position {1, 2} or Position {x = 1}: a value.
function Component:__call(members)
    return {component = self, value = self.ctype and ffi.new(self.ctype, members or {})}
end

local function members_of(component, members)
    local listed, held, n = {}, {}, 0
    for kind, names in members:gmatch("([%w_]+)%s+([^;]+);") do
        for name, count in names:gmatch("([%w_]+)%s*(%[?[^,]*)") do
            listed[#listed + 1] = {name, kind}
        end
    end
    local list = ffi.new("sett_member[?]", #listed)
    for k, item in ipairs(listed) do
        local name, kind = item[1], item[2]
        local offset = ffi.offsetof(component.ctype, name)
        local after = listed[k + 1] and ffi.offsetof(component.ctype, listed[k + 1][1]) or ffi.sizeof(component.ctype)
        local count = tonumber(members:match("[%s,]" .. name .. "%s*%[(%d+)%]")) or 1
        held[#held + 1] = ffi.new("char[?]", #name + 1, name)
        list[k - 1].name = held[#held]
        list[k - 1].kind = lib["SETT_MEMBER_" .. assert(KINDS[kind], "sett: a member cannot be a " .. kind)]
        list[k - 1].offset = offset
        list[k - 1].size = count * ffi.sizeof(kind)
        assert(offset + count * ffi.sizeof(kind) <= after)
        n = n + 1
    end
    local name = ffi.new("char[?]", #component.name + 1, component.name)
    local of = ffi.new("sett_struct", {name = name, size = ffi.sizeof(component.ctype), count = n, members = list})
    return of, {held, list, name}
end

-- ---- terms ----

local function term(component, access, kind, changed)
    return {component = component, access = access, kind = kind or "WITH", changed = changed}
end
function sett.read(component) return term(component, "IN") end
function sett.overwrite(component) return term(component, "OUT") end
function sett.optional(component) return term(component, "IN", "OPTIONAL") end
function sett.with(component) return term(component, "NONE") end
function sett.without(component) return term(component, "NONE", "WITHOUT") end
function sett.changed(component) return term(component, "IN", "WITH", true) end
-- In a list of terms: the function gets an array of handles.
sett.entities = {}

local function fill(c_terms, terms)
    local fields, n = {}, 0
    for _, t in ipairs(terms) do
        if t == sett.entities then
            fields[#fields + 1] = false
        else
            if t.ctype or t.id then t = term(t, "INOUT") end
            local c = c_terms[n]
            c.component, c.changed = t.component.id, t.changed or false
            c.access, c.kind = lib["SETT_" .. t.access], lib["SETT_" .. t.kind]
            if t.access ~= "NONE" and t.component.ctype then
                local pointer = (t.access == "IN" and "const $*" or "$*")
                fields[#fields + 1] = {n, ffi.typeof(pointer, t.component.ctype)}
            end
            n = n + 1
        end
    end
    assert(#fields <= 6, "sett: a loop has at most six arrays")
    return fields
end

-- ---- loops ----

local function rows(batch, fields, f, first)
    local run, handles = ffi.new("sett_run"), nil
    while lib.sett_batch_next_run(batch, run) do
        local at = {}
        for k, field in ipairs(fields) do
            if field then
                at[k] = run.fields[field[1]] ~= nil and ffi.cast(field[2], run.fields[field[1]]) or nil
            else
                local packed = ffi.new("sett_entity[?]", run.count)
                lib.sett_run_entities(batch, run, packed)
                handles = packed
                if run.rows ~= nil then
                    handles = ffi.new("sett_entity[?]", run.rows[run.count - 1] + 1)
                    for k = 0, run.count - 1 do handles[run.rows[k]] = packed[k] end
                end
                at[k] = handles
            end
        end
        local a, b, c, d, e, g = at[1], at[2], at[3], at[4], at[5], at[6]
        local list, count = run.rows, run.count
        if first ~= nil then
            if list == nil then
                for i = 0, count - 1 do f(first, i, a, b, c, d, e, g) end
            else
                for k = 0, count - 1 do f(first, list[k], a, b, c, d, e, g) end
            end
        elseif list == nil then
            for i = 0, count - 1 do f(i, a, b, c, d, e, g) end
        else
            for k = 0, count - 1 do f(list[k], a, b, c, d, e, g) end
        end
    end
end

local function visit(batch, fields, f, first)
    local fine, why = pcall(rows, batch, fields, f, first)
    lib.sett_batch_end(batch)
    if not fine then error(why, 0) end
end

local Query = {}
Query.__index = Query

-- Calls f(i, array, ...) for each matching entity.
function Query:each(f)
    local batch = ffi.new("sett_batch")
    if lib.sett_query_begin(self.c, batch) ~= nil then visit(batch, self.fields, f) end
end
function Query:count() return lib.sett_query_count(self.c) end
function Query:since(tick) lib.sett_query_set_since(self.c, tick) end

-- ---- queues of changes ----

local CHANGES = {[0] = "add", "set", "remove"}
local QUEUE_BLOCK = 256

local Queue = {}
Queue.__index = Queue

-- Calls f(entity, change, component) for each change since the last call, and empties the queue.
-- `change` is "add", "set" or "remove"; `component` is an id.
function Queue:each(f)
    local out = ffi.new("sett_queued_change[?]", QUEUE_BLOCK)
    repeat
        local count = lib.sett_queue_take(self.c, out, QUEUE_BLOCK)
        for k = 0, count - 1 do
            local entity = ffi.new("sett_entity", out[k].entity)
            f(entity, CHANGES[tonumber(out[k].change)], out[k].component)
        end
    until count == 0
end
function Queue:destroy() self.world:check(lib.sett_queue_destroy(self.c)) end

-- ---- commands ----

local Commands = {}
Commands.__index = Commands

function Commands:create(...)
    local entity = lib.sett_cmd_create(self.c)
    for k = 1, select("#", ...) do self:set(entity, (select(k, ...))) end
    return entity
end
-- A value, or a component: a tag.
function Commands:set(entity, value)
    if value.value then
        self.world:check(lib.sett_cmd_set(self.c, entity, value.component.id, value.value))
    else
        self.world:check(lib.sett_cmd_add(self.c, entity, (value.component or value).id))
    end
end
function Commands:remove(entity, component) self.world:check(lib.sett_cmd_remove(self.c, entity, component.id)) end
function Commands:destroy(entity) self.world:check(lib.sett_cmd_destroy(self.c, entity)) end

-- ---- worlds ----

local World = {}
World.__index = World

local function fail(world)
    error("sett: " .. ffi.string(lib.sett_world_message(world.c)), 0)
end
function World:check(status)
    if status ~= lib.SETT_STATUS_OK then
        local said = lib.sett_world_error(self.c) == status -- else the message is about an earlier call
        error("sett: " .. ffi.string(said and lib.sett_world_message(self.c) or lib.sett_status_text(status)), 0)
    end
end

function sett.world()
    local c = lib.sett_world_create_sized(nil, ffi.sizeof("sett_world_desc"), api.version, api.layout)
    assert(c ~= nil, "sett: the library does not match sett_api.lua")
    return setmetatable({c = ffi.gc(c, lib.sett_world_destroy), callbacks = {}}, World)
end

-- A component with members in C; without members a tag.
function World:component(name, members)
    local component = setmetatable({name = name, world = self}, Component)
    local desc = ffi.new("sett_component_desc", {name = name})
    if members then
        component.ctype = ffi.typeof("struct { " .. members .. " }")
        desc.size, desc.align = ffi.sizeof(component.ctype), ffi.alignof(component.ctype)
    end
    component.id = lib.sett_component_register_sized(self.c, desc, ffi.sizeof(desc))
    if component.id == 0 then fail(self) end
    if members then
        component.pointer = ffi.typeof("$*", component.ctype)
        component.const_pointer = ffi.typeof("const $*", component.ctype)
        local of, held = members_of(component, members)
        self:check(lib.sett_members_set(self.c, component.id, of))
    end
    return component
end

function World:create(...)
    local n = select("#", ...)
    local values = ffi.new("sett_value[?]", math.max(n, 1))
    for k = 1, n do
        local value = select(k, ...)
        values[k - 1].component = (value.component or value).id
        values[k - 1].value = value.value or nil
    end
    local entity = lib.sett_create_with(self.c, values, n)
    if entity.generation == 0 then fail(self) end
    return entity
end
function World:set(entity, value)
    if lib.sett_set(self.c, entity, (value.component or value).id, value.value or nil) == nil then fail(self) end
end
function World:remove(entity, component)
    local status = lib.sett_remove(self.c, entity, component.id)
    if tonumber(status) ~= ABSENT then self:check(status) end
end
function World:destroy(entity) self:check(lib.sett_entity_destroy(self.c, entity)) end
function World:valid(entity) return lib.sett_entity_valid(self.c, entity) end
function World:has(entity, component) return lib.sett_has(self.c, entity, component.id) end
-- The value, to read; nil if the entity does not have it.
function World:find(entity, component)
    local at = lib.sett_find(self.c, entity, component.id)
    return at ~= nil and ffi.cast(component.const_pointer, at) or nil
end
-- The value, to write; adds it if it is absent.
function World:ensure(entity, component)
    local at = lib.sett_ensure(self.c, entity, component.id)
    if at == nil then fail(self) end
    return ffi.cast(component.pointer, at)
end
function World:singletons() return lib.sett_singletons(self.c) end
function World:count() return lib.sett_entity_count(self.c) end

function World:query(terms)
    local desc = ffi.new("sett_query_desc")
    local fields = fill(desc.terms, terms)
    local c = lib.sett_query_create_sized(self.c, desc, ffi.sizeof(desc), ffi.sizeof("sett_term"))
    if c == nil then fail(self) end
    return setmetatable({world = self, c = c, fields = fields}, Query)
end

-- A queue of what happens to a component; with a list of terms, of entities that begin to match ("add")
-- or cease to ("remove"). `options` are members of sett_observer_desc.
function World:observe(of, options)
    local desc = ffi.new("sett_observer_desc")
    for option, value in pairs(options or {}) do desc[option] = value end
    if of.id then desc.component = of.id else fill(desc.terms, of) end
    local c = lib.sett_queue_create_sized(self.c, desc, ffi.sizeof(desc), ffi.sizeof("sett_term"))
    if c == nil then fail(self) end
    return setmetatable({world = self, c = c}, Queue)
end

-- Commands, for places where structure is locked; world:apply() applies them.
function World:later() return setmetatable({world = self, c = lib.sett_commands_here(self.c)}, Commands) end
function World:apply() self:check(lib.sett_commands_apply(lib.sett_commands_here(self.c))) end

-- With terms: f(frame, i, array, ...) for each entity; without: f(frame). `options` are members of
-- sett_system_desc. An error ends the frame, and progress raises it.
function World:system(name, terms, options, f)
    local desc = ffi.new("sett_system_desc", {name = name, exclusive = true})
    for option, value in pairs(options) do desc[option] = value end
    local fields = fill(desc.terms, terms)
    local run = ffi.cast("void (*)(sett_context*)", function(context)
        if self.raised then return end
        local frame = {world = self, dt = context.dt, time = context.time, number = tonumber(context.frame),
                       later = setmetatable({world = self, c = context.commands}, Commands)}
        local fine, why
        if #terms == 0 then
            fine, why = pcall(f, frame)
        else
            local batch = ffi.new("sett_batch")
            fine = true
            if lib.sett_context_begin(context, batch) ~= nil then fine, why = pcall(visit, batch, fields, f, frame) end
        end
        if not fine then self.raised = {why} end
    end)
    desc.run = run
    if lib.sett_system_create_sized(self.c, desc, ffi.sizeof(desc), ffi.sizeof("sett_term")) == nil then fail(self) end
    self.callbacks[#self.callbacks + 1] = run
end

function World:progress(dt)
    self.raised = nil
    local status = lib.sett_progress(self.c, dt)
    if self.raised then error(self.raised[1], 0) end
    self:check(status)
end
jit.off(World.progress) -- it is called back

function World:hash() return lib.sett_world_hash(self.c) end
function World:save(path) self:check(lib.sett_world_save(self.c, path)) end
function World:load(path) self:check(lib.sett_world_load(self.c, path)) end
function World:json()
    local size = ffi.sizeof("sett_json_desc")
    local length = tonumber(lib.sett_json_format_sized(self.c, nil, size, nil, 0))
    local out = ffi.new("char[?]", length + 1)
    lib.sett_json_format_sized(self.c, nil, size, out, length + 1)
    return ffi.string(out, length)
end

-- ---- snapshots ----

local Snapshot = {}
Snapshot.__index = Snapshot
function World:snapshot()
    local c = ffi.new("sett_snapshot[1]")
    self:check(lib.sett_snapshot_take(self.c, c))
    return setmetatable({world = self, c = c[0]}, Snapshot)
end
function Snapshot:restore() self.world:check(lib.sett_snapshot_restore(self.world.c, self.c)) end
function Snapshot:drop() self.world:check(lib.sett_snapshot_drop(self.world.c, self.c)) end

local Ring = {}
Ring.__index = Ring
function World:ring(capacity)
    local c = lib.sett_ring_create(self.c, capacity)
    if c == nil then fail(self) end
    return setmetatable({world = self, c = c}, Ring)
end
function Ring:take(frame) self.world:check(lib.sett_ring_take_frame(self.c, frame)) end
function Ring:restore(frame) self.world:check(lib.sett_ring_restore_frame(self.c, frame)) end

return sett

"""Sett from Python: an entity component system with snapshots, by cffi and numpy.

    import sett

    @sett.component
    class Position:
        x: "f4"
        y: "f4"

    Velocity = sett.component("Velocity", x="f4", y="f4")

    world = sett.World()

    @world.system(Position, sett.read(Velocity))
    def move(frame, p, v):
        p["x"] += v["x"] * frame.dt

    ship = world.create(Position(1, 0), Velocity(10, 0))
    for _ in range(60):
        world.progress(1 / 60)
    print(ship.get(Position)["x"])

A system, and the function of Query.each, gets numpy arrays that lie in the memory of the world: there
are no copies. The arrays are valid during the call. If one of them is still used after the call, the
loop ends with a ValueError that names the component. Use array.copy(), or Query.column.

Functions of the C library that have no method here: sett.lib and sett.ffi, with world.c and entity.c.

SPDX-License-Identifier: MIT
"""
import json
import os
import weakref

import numpy as np

from . import _api
from ._declared import ffi

lib = ffi.dlopen(os.environ.get("SETT_LIBRARY") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "libsett.so"))

__version__ = "%d.%d.%d" % (_api.VERSION // 10000, _api.VERSION // 100 % 100, _api.VERSION % 100)

# A handle in an array.
HANDLE = np.dtype([("index", "u4"), ("generation", "u4")], align=True)


class Error(RuntimeError):
    """A call that failed; `status` is its sett_status, such as "STALE"."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def _text(chars):
    return ffi.string(chars).decode() if chars != ffi.NULL else None


def _grown(call):
    """The text of a function that works as snprintf does."""
    size = call(ffi.NULL, 0) + 1
    out = ffi.new("char[]", size)
    call(out, size)
    return ffi.string(out).decode()


def _bytes(world, call):
    """The bytes of a function that measures when it gets no buffer."""
    size = ffi.new("size_t*")
    world._check(call(ffi.NULL, 0, size))
    out = ffi.new("char[]", max(size[0], 1))
    world._check(call(out, size[0], size))
    return ffi.buffer(out, size[0])[:]


# ---------------------------------------------------------------------------------- components


class Component:
    """A component type, from sett.component. A world registers it when it is first used there.

    Called, it makes a value: Position(1, 0), Position(x=1). Members that are not given are zeroes.
    In a query it is a term: the entities have it, and its values are read and written.
    """

    def __init__(self, name, dtype, options):
        self.name, self.dtype, self.options = name, dtype, options
        if dtype is not None and dtype.hasobject:
            raise TypeError('component "%s": Python objects cannot be values: use numbers, fixed text ("S16") or sett.HANDLE' % name)
        for member in dtype.names or () if dtype is not None else ():
            if dtype.fields[member][0].base.kind == "U":
                raise TypeError('component "%s": member "%s" is text without a size: use "S16", which holds 16 bytes' % (name, member))

    def __repr__(self):
        return "<component %s>" % self.name

    def __call__(self, *members, **named):
        if self.dtype is None:
            if members or named:
                raise TypeError('component "%s" is a tag, without a value: pass none' % self.name)
            return self
        array = np.zeros(1, self.dtype)
        if self.dtype.names is None:
            self._put(array, 0, members[0] if members else 0)
        else:
            if len(members) > len(self.dtype.names):
                raise TypeError('component "%s" has %d members, not %d' % (self.name, len(self.dtype.names), len(members)))
            for member, value in list(zip(self.dtype.names, members)) + list(named.items()):
                if member not in self.dtype.names:
                    raise TypeError('component "%s" has no member "%s": it has %s' % (self.name, member, ", ".join(self.dtype.names)))
                self._put(array, member, value.handle if isinstance(value, Entity) else value)
        return Value(self, array)

    def _put(self, array, member, value):
        """Writes a member, or the whole value. numpy would make 2 of 2.7, and 0 of 2**32."""
        dtype, given = array[member].dtype, np.asarray(value)
        if dtype.kind in "iu" and given.dtype.kind in "iufO":
            limits = np.iinfo(dtype)
            if not np.all((given >= limits.min) & (given <= limits.max) & (given == np.floor(given))):
                raise ValueError('component "%s": %r cannot be a value of type %s' % (self.name, value, dtype))
        array[member] = value

    def _register(self, world):
        desc, text = ffi.new("sett_component_desc*"), ffi.new("char[]", self.name.encode())
        desc.name = text
        if self.dtype is not None:
            desc.size, desc.align = self.dtype.itemsize, self.dtype.alignment
        _set_options(desc, self.options)
        held = []
        members = _members(self.name, self.dtype, held) if self.dtype is not None and self.dtype.names else None
        number = lib.sett_component_register_sized(world.c, desc, ffi.sizeof(desc[0]))
        if number == 0 and lib.sett_world_error(world.c) == lib.SETT_STATUS_LOCKED:
            raise Error("LOCKED", 'component "%s" is new in this world, and cannot be registered inside a loop or a system: '
                        "call world.register before" % self.name)
        if number == 0:
            world._fail()
        if members is not None:
            world._check(lib.sett_members_set(world.c, number, members))
        return number


def _set_options(desc, options):
    for option, value in options.items():
        if not hasattr(desc, option):
            names = sorted(name for name, _ in ffi.typeof(desc[0]).fields)
            raise TypeError('there is no option "%s": there are %s' % (option, ", ".join(names)))
        setattr(desc, option, value)


class Value:
    """A value of a component: what Position(1, 0) returns."""

    __slots__ = ("component", "array")

    def __init__(self, component, array):
        self.component, self.array = component, array


def component(name=None, dtype=None, /, options=None, **members):
    """A component type: from a class, from members, from a numpy dtype, or a tag.

        @sett.component
        class Position:
            x: "f4"
            target: sett.Entity

        Velocity = sett.component("Velocity", x="f4", y="f4")
        Matrix = sett.component("Matrix", np.dtype(("f4", (4, 4))))
        Frozen = sett.component("Frozen")

    Values begin as zeroes. `options` are members of sett_component_desc: {"keep_order": True}. With
    members, values are described: in JSON, for files of another layout, for hashes that are equal on
    all machines.
    """
    if options is not None and not isinstance(options, dict):
        members["options"], options = options, None
    if name is None:
        return lambda described: component(described, options=options)
    if isinstance(name, type):
        given = [m for m in getattr(name, "__annotations__", {}) if m in vars(name)]
        if given:
            raise TypeError('component "%s": values begin as zeroes, so member "%s" cannot have a default' % (name.__name__, given[0]))
        members = {m: t.strip("'\"") if isinstance(t, str) else t for m, t in getattr(name, "__annotations__", {}).items()}
        name = name.__name__
    if members:
        kinds = {m: HANDLE if t is Entity or t in ("Entity", "sett.Entity") else t for m, t in members.items()}
        dtype = np.dtype(list(kinds.items()), align=True)
    return Component(name, np.dtype(dtype) if dtype is not None else None, options or {})


_KINDS = {"b1": "BOOL", "i1": "I8", "u1": "U8", "i2": "I16", "u2": "U16", "i4": "I32", "u4": "U32",
          "i8": "I64", "u8": "U64", "f4": "F32", "f8": "F64"}


def _members(name, dtype, held):
    """A sett_struct for a dtype; None if a member is of a kind that Sett does not describe."""
    members = ffi.new("sett_member[]", len(dtype.names))
    for k, member in enumerate(dtype.names):
        kind, offset = dtype.fields[member][:2]
        base = kind.base
        text = ffi.new("char[]", member.encode())
        held.append(text)
        members[k].name, members[k].offset, members[k].size = text, offset, kind.itemsize
        if base == HANDLE:
            members[k].kind = lib.SETT_MEMBER_ENTITY
        elif base.names:
            members[k].of = _members(member, base, held) or ffi.NULL
        elif base.kind == "S":
            members[k].kind = lib.SETT_MEMBER_TEXT
        else:
            members[k].kind = getattr(lib, "SETT_MEMBER_" + _KINDS.get(base.str[1:], "UNKNOWN"))
        if members[k].kind == lib.SETT_MEMBER_UNKNOWN and members[k].of == ffi.NULL:
            return None
    text = ffi.new("char[]", name.encode())
    out = ffi.new("sett_struct*", {"name": text, "size": dtype.itemsize, "count": len(dtype.names), "members": members})
    held += [members, text, out]
    return out


# --------------------------------------------------------------------------------------- terms


class Term:
    def __init__(self, component, access, kind="WITH", changed=False):
        if component is not None and not isinstance(component, Component):
            raise TypeError("%r is not a component: see sett.component" % (component,))
        self.component, self.access, self.kind, self.changed = component, access, kind, changed
        self.has_array = component is None or access != "NONE" and component.dtype is not None


def read(component):
    """The entities have it. Its arrays are read only."""
    return Term(component, "IN")


def overwrite(component):
    """The entities have it. Each value is overwritten, and none is read."""
    return Term(component, "OUT")


def optional(component):
    """Its array, read only, is None for entities that do not have it."""
    return Term(component, "IN", "OPTIONAL")


def with_(component):
    """The entities have it. There is no array."""
    return Term(component, "NONE")


def without(component):
    """The entities do not have it."""
    return Term(component, "NONE", "WITHOUT")


def changed(component):
    """The entities have it, written since the last run of the system, or since Query.since. Its
    arrays are read only."""
    return Term(component, "IN", "WITH", True)


# An array of the entities, a copy: in the list of terms, where the function takes it.
entities = Term(None, "NONE")


def _fill(world, c_terms, terms):
    asked = [term for term in terms if term.component is not None]
    if len(asked) > lib.SETT_QUERY_TERMS:
        raise ValueError("%d terms: a query has at most %d" % (len(asked), lib.SETT_QUERY_TERMS))
    for k, term in enumerate(asked):
        c_terms[k].component = world.id(term.component)
        c_terms[k].access = getattr(lib, "SETT_" + term.access)
        c_terms[k].kind = getattr(lib, "SETT_" + term.kind)
        c_terms[k].changed = term.changed


def _terms(items):
    return tuple(item if isinstance(item, Term) else Term(item, "INOUT") for item in items)


# --------------------------------------------------------------------------------------- loops

# What numpy copies fastest, by the bytes of a value.
_RAW = {1: np.dtype("u1"), 2: np.dtype("u2"), 4: np.dtype("u4"), 8: np.dtype("u8"), 16: np.dtype("c16")}


def _visit(core, batch, terms, before, function, where):
    """Calls the function for each run of rows that lie side by side, and finds arrays that are still
    used afterwards. An array's views refer to it: so it lives as long as they do."""
    run = ffi.new("sett_run*")
    fields, number = [], 0
    for term in terms:
        fields.append((number, term))
        number += term.component is not None
    fields = [(k, term) for k, term in fields if term.has_array]
    frombuffer, buffer, null = np.frombuffer, ffi.buffer, ffi.NULL
    late = None
    try:
        while late is None and lib.sett_batch_next_run(batch, run):
            count = rows = run.count
            index = None
            if run.rows != null:
                index = frombuffer(buffer(run.rows, count * 2), np.uint16).astype(np.intp)
                rows = int(index[-1]) + 1
            arrays, views, whole = [], [], []
            for k, term in fields:
                if term.component is None:
                    array = np.empty(count, HANDLE)
                    lib.sett_run_entities(batch, run, ffi.cast("sett_entity*", array.ctypes.data))
                elif run.fields[k] == null:
                    array = None
                else:
                    dtype = term.component.dtype
                    memory = buffer(run.fields[k], rows * dtype.itemsize)
                    owner = array = frombuffer(memory, dtype.base)
                    if index is not None:  # rows with gaps: a copy, which is written back
                        raw = frombuffer(memory, _RAW.get(dtype.itemsize, dtype))
                        owner = raw[index]
                        array = owner.view(dtype.base)
                        if term.access != "IN":
                            whole.append((raw, owner))
                    if term.access == "IN":
                        array.flags.writeable = False
                    if dtype.shape:
                        array.shape = (count,) + dtype.shape
                    views.append((weakref.ref(owner), term))
                arrays.append(array)
            try:
                function(*before, *arrays)
            except BaseException:
                for view, term in views:  # the traceback has the arrays
                    weakref.finalize(view(), _Core.hold, core)
                raise
            for raw, owner in whole:
                raw[index] = owner
            whole = raw = owner = array = arrays = None
            for view, term in views:
                if view() is not None:
                    late = late or term
                    weakref.finalize(view(), _Core.hold, core)  # the world lives as long as the array
    finally:
        lib.sett_batch_end(batch)
    if late is not None:
        raise ValueError('%s: an array of "%s" is still used after the call that it was for: use array.copy(), '
                         "or Query.column" % (where, late.component.name))


class Query:
    """A query, from World.query."""

    def __init__(self, world, terms):
        self.world, self.terms = world, terms
        desc = ffi.new("sett_query_desc*")
        _fill(world, desc.terms, terms)
        self.c = lib.sett_query_create_sized(world.c, desc, ffi.sizeof(desc[0]), ffi.sizeof("sett_term"))
        if self.c == ffi.NULL:
            world._fail()
        weakref.finalize(self, world._core.later, lambda _, query: lib.sett_query_destroy(query), self.c)

    def each(self, function):
        """Calls function(array, array, ...) for one run of matching entities after another: with an
        array for each term that has values, and for sett.entities. Also as a decorator."""
        batch = ffi.new("sett_batch*")
        if lib.sett_query_begin(self.c, batch) == ffi.NULL:
            self.world._fail()
        _visit(self.world._core, batch, self.terms, (), function, "Query.each")
        return function

    def __len__(self):
        return lib.sett_query_count(self.c)

    def first(self):
        """The first matching entity, or None."""
        return self.world._entity(lib.sett_query_first(self.c))

    def since(self, tick):
        """Terms with sett.changed match values that were written after this tick."""
        lib.sett_query_set_since(self.c, tick)

    def _number(self, component):
        asked = [term for term in self.terms if term.component is not None]
        for k, term in enumerate(asked):
            if term.component is component and term.has_array:
                return k
        raise KeyError("%r has no array in this query: make a query that reads or writes it" % component)

    def column(self, component):
        """The values of all matching entities: a copy, which stays valid."""
        out = np.zeros(len(self), component.dtype)
        if len(out):
            lib.sett_query_read(self.c, self._number(component), ffi.from_buffer(out), len(out))
        return out

    def set_column(self, component, values):
        """Writes values back, in the order of column()."""
        values = _column(component, values, len(self))
        if len(values) and lib.sett_query_write(self.c, self._number(component), ffi.from_buffer(values), len(values)) == 0:
            self.world._fail()

    def entities(self):
        """The handles of all matching entities: an array of HANDLE, a copy, in the order of column()."""
        parts = [np.empty(0, HANDLE)]
        batch, run = ffi.new("sett_batch*"), ffi.new("sett_run*")
        if lib.sett_query_begin(self.c, batch) == ffi.NULL:
            self.world._fail()
        while lib.sett_batch_next_run(batch, run):
            part = np.empty(run.count, HANDLE)
            lib.sett_run_entities(batch, run, ffi.cast("sett_entity*", part.ctypes.data))
            parts.append(part)
        lib.sett_batch_end(batch)
        return np.concatenate(parts)


def _column(component, values, count):
    given = np.asarray(values)
    if given.dtype.names is not None and given.dtype.names != component.dtype.base.names:
        raise TypeError('the column of "%s" has the members %s, not %s' % (component.name, given.dtype.names, component.dtype.base.names))
    if given.shape != (count,) + component.dtype.shape:
        raise ValueError('the column of "%s" has the shape %s, not %s' % (component.name, given.shape, (count,) + component.dtype.shape))
    return np.ascontiguousarray(given, component.dtype.base)


def _handles(world, entities):
    """An array of handles, of what a call is given: an entity, a list of them, or an array."""
    if isinstance(entities, Entity):
        entities = [entities]
    if not isinstance(entities, np.ndarray):
        entities = list(entities)
        for entity in entities:
            if not isinstance(entity, Entity):
                raise TypeError("%r is not an entity: pass what World.create or World.entity returned" % (entity,))
            _check_world(world, entity)
        return np.array([entity.handle for entity in entities], HANDLE)
    if entities.dtype != HANDLE:
        raise TypeError("an array of %s holds no handles: choose from one that sett.entities gives, such as entities[mask]" % entities.dtype)
    return np.ascontiguousarray(entities, HANDLE).reshape(-1)


def _check_world(world, entity):
    if entity.world is not world:
        raise ValueError("%r belongs to another world: pass an entity of this one" % entity)


def _create_many(world, call, c, count, columns):
    ids = ffi.new("sett_component[]", [world.id(component) for component in columns])
    held, pointers = [], ffi.new("void*[]", max(len(columns), 1))
    for k, (component, column) in enumerate(columns.items()):
        if column is not None:
            held.append(ffi.from_buffer(_column(component, column, count)))
            pointers[k] = held[-1]
    out = np.zeros(count, HANDLE)
    handles = ffi.cast("sett_entity*", out.ctypes.data)
    world._check(call(c, count, ids, len(columns), ffi.cast("const void* const*", pointers), handles))
    return out


# ------------------------------------------------------------------------------ random numbers


def _mix(x):
    x = (x ^ (x >> np.uint64(32))) * np.uint64(0xE9846AF9B1A615D)
    x = (x ^ (x >> np.uint64(32))) * np.uint64(0xE9846AF9B1A615D)
    return x ^ (x >> np.uint64(28))


def random(entities, seed, tick, use=0):
    """64 random bits for each entity of an array of handles: those of sett_random.

    A number depends on the arguments and its entity only, so a frame that is played again draws the
    same ones. `tick` is the number of the frame; two numbers of an entity in one frame need different
    numbers as `use`.
    """
    entities = np.asarray(entities)
    if entities.dtype != HANDLE:
        raise TypeError("an array of %s holds no handles: sett.entities gives them" % entities.dtype)
    wide, start = np.uint64, np.array([int(seed) + 0x9E3779B97F4A7C15 * (use + 1) & 2**64 - 1], np.uint64)
    hashed = _mix(_mix(start) ^ wide(int(tick) * 0xBF58476D1CE4E5B9 + 0x94D049BB133111EB & 2**64 - 1))
    handle = entities["generation"].astype(wide) << wide(32) | entities["index"].astype(wide)
    return _mix(hashed ^ (handle * wide(0xD6E8FEB86659FD93) + wide(0x2545F4914F6CDD1D)))


def uniform(entities, seed, tick, use=0):
    """A random number from 0 to below 1 for each entity: sett_random_uniform of random()."""
    return (random(entities, seed, tick, use) >> np.uint64(11)).astype("f8") * 2.0**-53


# ------------------------------------------------------------------------------------ entities


def _address(value, world):
    """The id and the address of a Value, or of a component: a tag, or zeroes."""
    if isinstance(value, Value):
        return world.id(value.component), ffi.from_buffer(value.array)
    return world.id(value), ffi.NULL


def _json(world, entity=None):
    desc = ffi.NULL if entity is None else ffi.new("sett_json_desc*", {"entity": entity})
    size = ffi.sizeof("sett_json_desc")
    return _grown(lambda out, room: lib.sett_json_format_sized(world.c, desc, size, out, room))


class Entity:
    """An entity of a world: its handle, and what can be done with it."""

    __slots__ = ("world", "c")

    def __init__(self, world, c):
        self.world, self.c = world, c

    @property
    def handle(self):
        """The handle as it is in arrays: a value of HANDLE."""
        return np.array((self.c.index, self.c.generation), HANDLE)[()]

    def __eq__(self, other):
        return isinstance(other, Entity) and (self.c.index, self.c.generation) == (other.c.index, other.c.generation)

    def __hash__(self):
        return hash((self.c.index, self.c.generation))

    def __bool__(self):
        return lib.sett_entity_valid(self.world.c, self.c)

    def __repr__(self):
        return "<entity %d:%d>" % (self.c.index, self.c.generation)

    def has(self, component):
        return lib.sett_has(self.world.c, self.c, self.world.id(component))

    def get(self, component):
        """A copy of the value; None if the entity does not have the component. Fails if it is dead."""
        if not self:
            self.world._check(lib.SETT_STATUS_STALE)
        at = lib.sett_find(self.world.c, self.c, self.world.id(component))
        if at == ffi.NULL or component.dtype is None:
            return None
        dtype = component.dtype
        return np.frombuffer(ffi.buffer(at, dtype.itemsize), dtype.base).reshape((1,) + dtype.shape)[0].copy()

    def set(self, *values):
        """Sets values, and adds components that are absent: ship.set(Position(1, 0), Frozen)."""
        for value in values:
            number, at = _address(value, self.world)
            missing = at == ffi.NULL and value.dtype is not None
            call = lib.sett_ensure if missing else lib.sett_set
            if call(self.world.c, self.c, number, *([] if missing else [at])) == ffi.NULL:
                self.world._fail()
        return self

    def remove(self, *components):
        """Removes components; absent ones are skipped."""
        for component in components:
            self.world._check(lib.sett_remove(self.world.c, self.c, self.world.id(component)), lib.SETT_STATUS_ABSENT)
        return self

    def destroy(self):
        self.world._check(lib.sett_entity_destroy(self.world.c, self.c))

    def child_of(self, parent):
        """Makes it the last child of another entity."""
        _check_world(self.world, parent)
        self.world._check(lib.sett_hierarchy_attach(self.world.c, self.c, parent.c))
        return self

    @property
    def parent(self):
        return self.world._entity(lib.sett_hierarchy_parent(self.world.c, self.c))

    @property
    def name(self):
        return _text(lib.sett_name_get(self.world.c, self.c))

    @name.setter
    def name(self, text):
        self.world._check(lib.sett_name_set(self.world.c, self.c, text.encode()))

    def describe(self):
        """Its components and values, as text."""
        return _grown(lambda out, size: lib.sett_entity_describe_values(self.world.c, self.c, out, size))


    def to_json(self):
        """The entity and its descendants, as World.to_json writes them."""
        return _json(self.world, self.c)


class Commands:
    """Changes that are recorded now and applied later, from Frame.later or World.later.

    Entities are given one by one, or as an array of handles."""

    def __init__(self, world, c):
        self.world, self.c = world, c

    def _each(self, entities, call, *arguments):
        for entity in ffi.from_buffer("sett_entity[]", _handles(self.world, entities)):
            self.world._check(call(self.c, entity, *arguments))

    def create(self, *values):
        """Returns the entity, which is alive when the commands were applied."""
        entity = self.world._entity(lib.sett_cmd_create(self.c))
        if entity is None:
            self.world._fail()
        self.set(entity, *values)
        return entity

    def create_many(self, count, columns):
        """Creates entities, as World.create_many. Returns their handles, an array."""
        return _create_many(self.world, lib.sett_cmd_create_many, self.c, count, columns)

    def set(self, entities, *values):
        """Sets components, and adds them where they are absent: later.set(found, Position(1, 0), Frozen)."""
        for value in values:
            number, at = _address(value, self.world)
            if at == ffi.NULL:
                self._each(entities, lib.sett_cmd_add, number)
            else:
                self._each(entities, lib.sett_cmd_set, number, at)

    def set_many(self, entities, columns):
        """Sets a value for each entity: later.set_many(found, {Position: array})."""
        handles = _handles(self.world, entities)
        for component, column in columns.items():
            number, values = self.world.id(component), _column(component, column, len(handles))
            at, size = ffi.cast("char*", values.ctypes.data), component.dtype.itemsize
            for k, entity in enumerate(ffi.from_buffer("sett_entity[]", handles)):
                self.world._check(lib.sett_cmd_set(self.c, entity, number, at + k * size))

    def remove(self, entities, *components):
        for component in components:
            self._each(entities, lib.sett_cmd_remove, self.world.id(component))

    def destroy(self, entities):
        self._each(entities, lib.sett_cmd_destroy)


class Frame:
    """What a system gets beside its arrays.

        dt, time  seconds: of this frame, and since the first one
        number    of the frame. It is part of the state: Snapshot.restore sets it back
        later     commands, applied after the system
        world     the world
    """

    def __init__(self, world, context):
        self.world, self.c = world, context
        self.dt, self.time, self.number = context.dt, context.time, context.frame
        self.later = Commands(world, context.commands)


# --------------------------------------------------------------------------------------- state


class Snapshot:
    """The state at one moment, from World.snapshot. It is dropped when it is not used any more."""

    def __init__(self, world):
        self.world, out = world, ffi.new("sett_snapshot*")
        world._check(lib.sett_snapshot_take(world.c, out))
        self.c = out[0]
        self.drop = weakref.finalize(self, world._core.later, lib.sett_snapshot_drop, out[0])

    def restore(self):
        self.world._check(lib.sett_snapshot_restore(self.world.c, self.c))

    def hash(self):
        """The hash that the world had."""
        out = ffi.new("uint64_t*")
        self.world._check(lib.sett_snapshot_hash(self.world.c, self.c, out))
        return out[0]

    def delta(self, to):
        """The bytes that turn this state into the state of another snapshot."""
        return _bytes(self.world, lambda *out: lib.sett_delta_encode(self.world.c, self.c, to.c, *out))


class Ring:
    """The snapshots of the last frames, from World.ring."""

    def __init__(self, world, capacity):
        self.world, self.c = world, lib.sett_ring_create(world.c, capacity)
        if self.c == ffi.NULL:
            world._fail()

    def take(self, frame=None):
        """Takes a snapshot; with the number of the frame to replace what the ring has of it."""
        self.world._check(lib.sett_ring_take(self.c) if frame is None else lib.sett_ring_take_frame(self.c, frame))

    def restore(self, back=None, frame=None):
        """Restores a snapshot: back=0 is the latest; or that of a frame."""
        self.world._check(lib.sett_ring_restore(self.c, back or 0) if frame is None else lib.sett_ring_restore_frame(self.c, frame))

    def __len__(self):
        return lib.sett_ring_count(self.c)


class _Core:
    """The world of the library. Arrays that are used too long hold it: their memory stays."""

    def __init__(self, c):
        self.c, self.callbacks, self.drops, self.systems = c, [], [], {}
        self.inspectors = []  # _Opened: they end before the world

    def later(self, call, *arguments):
        """For what garbage collection ends, at any moment: it is done at the next call of `tidy`."""
        self.drops.append((call, arguments))

    def tidy(self):
        while self.drops:
            call, arguments = self.drops.pop()
            call(self.c, *arguments)

    def hold(self):
        pass

    def __del__(self, destroy=lib.sett_world_destroy):
        for inspector in self.inspectors:
            inspector.close()
        destroy(self.c)


class _Opened:
    """An inspector of the library."""

    def __init__(self, library, c, callback):
        self.library, self.c, self.callback, self.raised = library, c, callback, None

    def close(self):
        c, self.c = self.c, ffi.NULL
        self.library.sett_inspector_close(c)


class Inspector:
    """An inspector, from World.inspect: a browser looks into the world, pauses it and goes back in it.

        inspector = world.inspect(title="my game")
        while playing:
            if inspector.frame():
                world.progress(1 / 60)
    """

    def __init__(self, world, opened):
        self._world, self._opened = world, opened

    def frame(self):
        """Answers the browser. Call it between frames. False: it is paused, run no frame now."""
        run = self._opened.library.sett_inspector_frame(self._open())
        raised, self._opened.raised = self._opened.raised, None
        if raised is not None:
            raise raised
        return run != 0

    @property
    def address(self):
        """The address to open, with its secret token; "" without a server."""
        return _text(self._opened.library.sett_inspector_address(self._open()))

    def ask(self, do, **question):
        """Answers a request of addons/inspector/protocol.md, as the page would get it: a dict.
        inspector.ask("pause"), inspector.ask("restore", frame=100)"""
        body = json.dumps(dict(question, do=do)).encode()
        return json.loads(_text(self._opened.library.sett_inspector_request(self._open(), body, len(body), ffi.NULL)))

    def close(self):
        """Ends it; so does the end of the world."""
        if self._opened.c != ffi.NULL:
            self._opened.close()
            self._world._core.inspectors.remove(self._opened)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _open(self):
        if self._opened.c == ffi.NULL:
            raise ValueError("this inspector is closed: World.inspect opens another one")
        return self._opened.c


_LEVELS = ("info", "warning", "error")


class World:
    """A world: entities, their components, systems.

        log  function(level, message) for the messages of the library; by default they go to stderr
    """

    def __init__(self, log=None):
        desc = ffi.new("sett_world_desc*")
        callbacks = []
        if log is not None:
            callbacks.append(ffi.callback("void(void*, sett_log_level, const char*)",
                                          lambda _, level, message: log(_LEVELS[level], _text(message))))
            desc.log_fn = callbacks[0]
        c = lib.sett_world_create_sized(desc, ffi.sizeof(desc[0]), _api.VERSION, _api.LAYOUT)
        if c == ffi.NULL:
            raise ImportError("sett: the library does not match this module (build both from one version), or memory ran out")
        self._core = _Core(c)
        self._core.callbacks += callbacks
        self._ids, self._raised, self._systems = {}, None, self._core.systems
        self._queries = weakref.WeakValueDictionary()  # a query refers to its world

    @property
    def c(self):
        """The sett_world*."""
        return self._core.c

    def _fail(self):
        self._check(lib.sett_world_error(self.c))

    def _check(self, status, *accepted):
        if status != lib.SETT_STATUS_OK and status not in accepted:
            same = lib.sett_world_error(self.c) == status
            text = _text(lib.sett_world_message(self.c) if same else lib.sett_status_text(status))
            if status == lib.SETT_STATUS_LOCKED:  # the library's remedies are calls of C
                text += " (in Python: world.later, or frame.later in a system, records a change)"
            raise Error(_text(lib.sett_status_name(status))[len("SETT_STATUS_"):], text)

    def _entity(self, handle):
        return Entity(self, handle) if handle.generation != 0 else None

    def id(self, component):
        """The id of a component in this world, for functions of sett.lib."""
        number = self._ids.get(component)
        if number is None:
            if not isinstance(component, Component):
                raise TypeError("%r is not a component: see sett.component" % (component,))
            number = self._ids[component] = component._register(self)
        return number

    def register(self, *components):
        """Registers components, as their first use does. That is too late in loops and systems, and for
        World.load."""
        for component in components:
            self.id(component)

    def create(self, *values):
        """Creates an entity: world.create(Position(1, 0), Frozen)."""
        out = ffi.new("sett_value[]", max(len(values), 1))
        for k, value in enumerate(values):
            out[k].component, out[k].value = _address(value, self)
        handle = lib.sett_create_with(self.c, out, len(values)) if values else lib.sett_entity_create(self.c)
        return self._entity(handle) or self._fail()

    def create_many(self, count, columns):
        """Creates entities: world.create_many(1000, {Position: array, Frozen: None}). A column has one
        value for each entity; None stands for zeroes, or a tag. Returns the handles, an array."""
        return _create_many(self, lib.sett_entity_create_many, self.c, count, columns)

    def destroy_many(self, handles):
        """Destroys the entities of an array of handles, or of a list; those that are not alive are skipped."""
        handles = _handles(self, handles)
        self._check(lib.sett_entity_destroy_many(self.c, ffi.cast("sett_entity*", handles.ctypes.data), len(handles)))

    def entity(self, handle):
        """The entity of a handle out of an array."""
        return Entity(self, ffi.new("sett_entity*", (int(handle["index"]), int(handle["generation"])))[0])

    def lookup(self, path):
        """The entity with a path of names, "map01/door"; None if there is none."""
        return self._entity(lib.sett_name_lookup(self.c, (0, 0), path.encode()))

    def inspect(self, title="Sett", run_frame=None, **options):
        """Opens an inspector, which prints the address to open in a browser. Inspector.frame, called
        between frames, answers it.

        `run_frame` is a function that runs a frame, such as lambda: world.progress(1 / 60): then any
        frame of the past can be restored, and "who wrote this" is answered. `options` are members of
        sett_inspector_desc: port=8000, paused=True, quiet=True, no_server=True, seconds=60.
        """
        path = os.environ.get("SETT_INSPECTOR_LIBRARY") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "libsett_inspector.so")
        if not os.path.exists(path):
            raise ImportError("sett: this module was built without the inspector (Debian: libcivetweb-dev, libzstd-dev)")
        library, desc = ffi.dlopen(path), ffi.new("sett_inspector_desc*", options)
        opened = _Opened(library, ffi.NULL, None)
        label = ffi.new("char[]", title.encode())
        desc.title = label
        if run_frame is not None:

            def failed(kind, error, trace):
                opened.raised = opened.raised or error

            opened.callback = ffi.callback("void(void*)", lambda _: run_frame(), onerror=failed)
            desc.run_frame = opened.callback
        opened.c = library.sett_inspector_open_sized(self.c, desc, ffi.sizeof(desc[0]))
        if opened.c == ffi.NULL:
            self._fail()
        self._core.inspectors.append(opened)
        return Inspector(self, opened)

    def singletons(self):
        """The entity that has the singletons of the world."""
        return self._entity(lib.sett_singletons(self.c)) or self._fail()

    def __len__(self):
        return lib.sett_entity_count(self.c)

    def query(self, *terms):
        """The query of these terms; the same terms give the same query."""
        terms = _terms(terms)
        key = tuple((t.component, t.access, t.kind, t.changed) for t in terms)
        query = self._queries.get(key)
        if query is None or any(t.changed for t in terms):  # a query with `changed` has a tick of its own
            self._core.tidy()
            query = self._queries[key] = Query(self, terms)
        return query

    @property
    def later(self):
        """Commands; World.apply applies them, and so does World.progress."""
        return Commands(self, lib.sett_commands_here(self.c))

    def apply(self):
        self._check(lib.sett_commands_apply(lib.sett_commands_here(self.c)))

    def system(self, *terms, name=None, **options):
        """A decorator: the function is called in each frame.

        With terms it is called as function(frame, array, ...), for one run of entities after another,
        as by Query.each. Without terms it is called once, as function(frame). It runs alone.
        `options` are members of sett_system_desc, such as phase=100 or interval=0.5. An exception
        in a system ends the frame, and World.progress raises it. World.remove ends a system.
        """
        terms = _terms(terms)
        # The library has no term that all entities match.
        everything = self.query(*terms) if terms and all(term.component is None for term in terms) else None

        def make(function):
            label, ref = name or function.__name__, weakref.ref(self)  # no cycle: the core has the callback

            @ffi.callback("void(sett_context*)")
            def run(context):
                world = ref()
                if world._raised is not None:
                    return
                try:
                    if not terms:
                        function(Frame(world, context))
                        return
                    batch = ffi.new("sett_batch*")
                    begun = lib.sett_query_begin(everything.c, batch) if everything else lib.sett_context_begin(context, batch)
                    if begun != ffi.NULL:
                        _visit(world._core, batch, terms, (Frame(world, context),), function, label)
                except BaseException as error:
                    world._raised = error

            desc, text = ffi.new("sett_system_desc*"), ffi.new("char[]", label.encode())
            desc.name, desc.run, desc.exclusive = text, run, True
            _set_options(desc, options)
            _fill(self, desc.terms, terms)
            system = lib.sett_system_create_sized(self.c, desc, ffi.sizeof(desc[0]), ffi.sizeof("sett_term"))
            if system == ffi.NULL:
                self._fail()
            self._systems[label] = run
            return function

        return make

    def remove(self, system):
        """Ends a system: its function, or its name. Not while systems run."""
        name = system if isinstance(system, str) else system.__name__
        if name not in self._systems:
            raise KeyError('there is no system "%s" made by World.system' % name)
        self._check(lib.sett_system_destroy(lib.sett_system_find(self.c, name.encode())))
        del self._systems[name]

    def observe(self, event, component):
        """A decorator: function(entity) is called for "add", "set" or "remove" of a component. It can
        read, and record commands by entity.world.later. What it raises is printed."""
        def make(function):
            ref = weakref.ref(self)

            @ffi.callback("void(sett_world*, sett_entity, void*, void*)")
            def run(_, entity, value, user):
                if ref() is not None:
                    function(Entity(ref(), entity))

            desc, text = ffi.new("sett_observer_desc*"), ffi.new("char[]", function.__name__.encode())
            desc.name, desc.component = text, self.id(component)
            _set_options(desc, {"on_" + event: run})
            if lib.sett_observer_create_sized(self.c, desc, ffi.sizeof(desc[0]), ffi.sizeof("sett_term")) == ffi.NULL:
                self._fail()
            self._core.callbacks.append(run)
            return function

        return make

    def progress(self, dt):
        """Runs one frame: all systems. `dt` in seconds."""
        self._core.tidy()
        self._raised = None
        status = lib.sett_progress(self.c, dt)
        raised, self._raised = self._raised, None
        if raised is not None:
            raise raised
        self._check(status)

    def tick(self):
        """Begins a new tick, and returns the one before it: for Query.since."""
        return lib.sett_world_advance_tick(self.c) - 1

    def hash(self):
        return lib.sett_world_hash(self.c)

    def difference(self, other):
        """The first difference to another world, as text; "" if there is none."""
        return _grown(lambda out, size: lib.sett_world_difference(self.c, other.c, out, size))

    def snapshot(self):
        self._core.tidy()
        return Snapshot(self)

    def ring(self, capacity):
        return Ring(self, capacity)

    def apply_delta(self, delta):
        self._check(lib.sett_delta_apply(self.c, ffi.from_buffer(delta), len(delta)))

    def to_bytes(self):
        """The whole state, for World.from_bytes of another world."""
        return _bytes(self, lambda *out: lib.sett_state_encode(self.c, *out))

    def from_bytes(self, state, limit=1 << 30):
        """Replaces the state. `limit` is the most memory that it takes, in bytes."""
        self._check(lib.sett_state_apply(self.c, ffi.from_buffer(state), len(state), limit))

    def clone_into(self, other):
        other._check(lib.sett_world_clone(self.c, other.c))

    def save(self, path):
        self._check(lib.sett_world_save(self.c, os.fsencode(path)))

    def load(self, path):
        """Replaces the state by that of a file. Register the components before."""
        self._check(lib.sett_world_load(self.c, os.fsencode(path)))

    def to_json(self):
        """All entities, as a text."""
        return _json(self)

    def from_json(self, text):
        """Creates the entities of a text."""
        text = text.encode()
        self._check(lib.sett_json_read_sized(self.c, text, len(text), ffi.NULL, ffi.sizeof("sett_json_read_desc"), ffi.NULL))

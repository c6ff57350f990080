"""Tests of the Python module: tools/test.sh python."""
import contextlib
import gc
import io
import json
import os
import re
import tempfile
import threading
import unittest
import urllib.request
import weakref

import numpy as np
import sett
from sett import ffi, lib


@sett.component
class Position:
    x: "f4"
    y: "f4"


@sett.component
class Target:
    at: sett.Entity
    name: "S8"
    weights: ("f8", 3)


Velocity = sett.component("Velocity", x="f4", y="f4")
Health = sett.component("Health", points="i4")
Frozen = sett.component("Frozen")
Matrix = sett.component("Matrix", np.dtype(("f4", (2, 2))))


def moving_world(log=None):
    world = sett.World(log)

    @world.system(Position, sett.read(Velocity))
    def move(frame, p, v):
        p["x"] += v["x"] * frame.dt
        p["y"] += v["y"] * frame.dt

    return world


def crowd(world, count):
    rows = np.zeros(count, Position.dtype)
    rows["x"] = np.arange(count)
    speed = np.ones(count, Velocity.dtype)
    return world.create_many(count, {Position: rows, Velocity: speed})


class Mistakes(unittest.TestCase):
    """Each is an exception that names the thing, and changes nothing."""

    def raises(self, kind, part, call, *arguments, **named):
        with self.assertRaises(kind) as caught:
            call(*arguments, **named)
        self.assertIn(part, str(caught.exception))

    def test_only_handles_are_entities(self):
        world = sett.World()
        handles = world.create_many(4, {Health: np.array([(0,), (5,), (0,), (5,)], Health.dtype)})
        mask = np.array([True, False, True, False])
        for wrong in (mask, np.arange(4), handles["index"]):
            self.raises(TypeError, "entities[mask]", world.later.destroy, wrong)
            self.raises(TypeError, "entities[mask]", world.later.set, wrong, Frozen)
            self.raises(TypeError, "entities[mask]", world.later.remove, wrong, Health)
            self.raises(TypeError, "entities[mask]", world.destroy_many, wrong)
            self.raises(TypeError, "sett.entities", sett.uniform, wrong, 1, 1)
        self.raises(TypeError, "is not an entity", world.later.destroy, [3])
        world.apply()
        self.assertEqual(len(world), 4)
        world.later.destroy(handles[mask])
        world.destroy_many([world.entity(handles[1])])
        world.apply()
        self.assertEqual(len(world), 1)

    def test_entities_of_another_world(self):
        mine, other = sett.World(), sett.World()
        ship, theirs = mine.create(Health(1)), other.create(Health(1))
        self.assertEqual(ship, theirs)  # the same index and generation
        self.raises(ValueError, "another world", mine.later.destroy, theirs)
        self.raises(ValueError, "another world", mine.later.set, theirs, Frozen)
        self.raises(ValueError, "another world", mine.destroy_many, [theirs])
        self.raises(ValueError, "another world", ship.child_of, theirs)
        mine.apply()
        self.assertTrue(ship)

    def test_values_that_would_change(self):
        self.raises(ValueError, "2.7", Health, 2.7)
        self.raises(ValueError, "1099511627776", Health, 2**40)
        self.raises(ValueError, "18446744073709551616", Health, 2**64)
        self.raises(TypeError, 'no member "point": it has points', Health, point=1)
        self.assertEqual(Position(1, 0.1).array["y"][0], np.float32(0.1))
        world = sett.World()
        turned = np.zeros(2, [("y", "f4"), ("x", "f4")])
        self.raises(TypeError, "('y', 'x')", world.create_many, 2, {Position: turned})
        self.raises(ValueError, "the shape (5, 2), not (5,)", world.create_many, 5, {Position: np.zeros((5, 2))})

    def test_members_of_any_name(self):
        self.raises(TypeError, '"name" is text without a size', sett.component, "Ship", name=str)
        ship = sett.component("Ship", name="S8", dtype="i4", options="u1", to=sett.Entity)
        world = sett.World()
        one = world.create(ship(b"Ada", 3, 4))
        self.assertEqual(one.get(ship)["name"], b"Ada")
        self.assertIn('"Ada"', one.to_json())
        self.assertNotIn("Ada", world.create(Health(1)).to_json())

    def test_options_and_events(self):
        world = sett.World()
        self.raises(TypeError, 'no option "fase"', world.system(fase=1), lambda frame: None)
        self.raises(TypeError, 'no option "on_removed"', world.observe("removed", Health), lambda entity: None)
        self.raises(TypeError, 'no option "keep"', world.create, sett.component("Kept", p="i4", options={"keep": 1})(1))

    def test_dead_entities(self):
        world = sett.World()
        ship = world.create(Health(1))
        self.assertIsNone(ship.get(Position))
        ship.destroy()
        self.raises(sett.Error, "is not alive", ship.get, Health)
        self.assertFalse(ship.has(Health))

    def test_structure_in_a_loop(self):
        world = sett.World(log=lambda level, message: None)
        world.create(Health(1))
        self.raises(sett.Error, "world.later", world.query(Health).each, lambda h: world.create(Health(2)))


class Frames(unittest.TestCase):
    def test_systems_of_entities_alone(self):
        world = sett.World()
        world.create_many(3, {Health: None})
        world.register(Frozen)
        counted = []

        @world.system(sett.entities)
        def count(frame, entities):
            counted.append(len(entities))
            frame.later.set(entities, Frozen)

        world.progress(1)
        self.assertEqual(sum(counted), 3)
        self.assertEqual(len(world.query(sett.with_(Frozen))), 3)
        world.remove(count)
        world.progress(1)
        self.assertEqual(sum(counted), 3)
        self.assertRaises(KeyError, world.remove, "count")

        @world.system(name="count")  # again, as in a cell of a notebook
        def other(frame):
            counted.append(frame.number)

        world.progress(1)
        self.assertEqual(len(counted), 2)

    def test_values_for_each_entity(self):
        world = sett.World()
        handles = world.create_many(3, {Position: None})
        values = np.array([(1,), (2,), (3,)], Health.dtype)
        world.later.set_many(handles[::2], {Health: values[::2]})
        world.apply()
        self.assertEqual([row["points"] for row in world.query(Health).column(Health)], [1, 3])

    def test_random_numbers_are_those_of_the_library(self):
        world = sett.World()
        handles = world.create_many(5, {Health: None})
        for seed, tick, use in ((0, 0, 0), (7, 100, 3), (2**64 - 1, 2**40, 2**32 - 1), (2**63, 1, 1)):
            expected = [lib.sett_random(seed, world.entity(handle).c, tick, use) for handle in handles]
            self.assertEqual(list(sett.random(handles, seed, tick, use)), expected)
            self.assertEqual(list(sett.uniform(handles, seed, tick, use)), [lib.sett_random_uniform(bits) for bits in expected])

    def test_random_numbers_do_not_depend_on_runs(self):
        """A restored world keeps its values elsewhere: runs are cut at other places."""
        world = sett.World()
        world.create_many(20000, {Position: None})
        runs = []

        @world.system(sett.entities, Position)
        def walk(frame, entities, p):
            runs.append(len(p))
            p["x"] += sett.uniform(entities, 7, frame.number)

        def future():
            runs.clear()
            for k in range(3):
                world.create_many(3000 + 700 * k, {Position: None})
                world.progress(1)
            return world.hash(), list(runs)

        world.progress(1)
        before = world.snapshot()
        for _ in range(5):
            one = future()
            before.restore()
            two = future()
            before.restore()
            self.assertEqual(one[0], two[0])
            self.assertEqual(sum(one[1]), sum(two[1]))


class Declarations(unittest.TestCase):
    def test_layouts_are_those_of_the_compiler(self):
        for name, (size, align) in sett._api.SIZES.items():
            self.assertEqual(ffi.sizeof(name), size, name)

    def test_another_library_is_rejected(self):
        present, sett._api.LAYOUT = sett._api.LAYOUT, sett._api.LAYOUT ^ 8
        try:
            with self.assertRaisesRegex(ImportError, "does not match"):
                sett.World(log=lambda level, message: None)
        finally:
            sett._api.LAYOUT = present

    def test_a_handle_is_passed_as_a_number(self):
        """What docs/languages.md says of 64-bit machines."""
        world = sett.World()
        ship = world.create(Position(3, 4))
        create = ffi.cast("uint64_t(*)(sett_world*)", ffi.addressof(lib, "sett_entity_create"))
        has = ffi.cast("bool(*)(sett_world*, uint64_t, uint32_t)", ffi.addressof(lib, "sett_has"))
        handle = create(world.c)
        self.assertEqual(handle, 1 << 32 | 1)
        self.assertFalse(has(world.c, handle, world.id(Position)))
        self.assertTrue(has(world.c, ship.c.generation << 32 | ship.c.index, world.id(Position)))


class Readme(unittest.TestCase):
    def test_the_programs_of_the_page(self):
        """Each block of docs/python.md, one after another, as in one program."""
        page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "docs", "python.md")
        with open(page, encoding="utf-8") as file:
            blocks = re.findall(r"(?ms)^```python\n(.*?)^```", file.read())
        self.assertGreater(len(blocks), 4)
        said = io.StringIO()
        names, here = {}, os.getcwd()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(said):
            os.chdir(folder)
            try:
                for block in blocks:
                    exec(compile(block, page, "exec"), names)
            finally:
                os.chdir(here)
        for line in ("x = 11.0", 'Query.each: an array of "Position" is still used after the call', "1000 1"):
            self.assertIn(line, said.getvalue())

    def test_the_program_of_the_readme(self):
        world = sett.World()

        @world.system(Position, sett.read(Velocity))
        def move(frame, p, v):
            p["x"] += v["x"] * frame.dt

        ship = world.create(Position(x=1), Velocity(x=10))
        for _ in range(60):
            world.progress(1 / 60)
        self.assertEqual("x = %.1f" % ship.get(Position)["x"], "x = 11.0")


class Entities(unittest.TestCase):
    def test_values(self):
        world = sett.World()
        ship = world.create(Position(1, 2), Frozen)
        self.assertTrue(ship.has(Frozen) and not ship.has(Velocity))
        self.assertIsNone(ship.get(Velocity))
        ship.set(Position(y=5), Velocity)
        self.assertEqual(ship.get(Position).tolist(), (0, 5))
        self.assertEqual(ship.get(Velocity).tolist(), (0, 0))
        ship.set(Velocity(2, 3)).set(Velocity)  # what is there stays
        self.assertEqual(ship.get(Velocity).tolist(), (2, 3))
        ship.remove(Frozen, Frozen)
        self.assertFalse(ship.has(Frozen))
        ship.set(Matrix([[1, 2], [3, 4]]))
        self.assertEqual(ship.get(Matrix).tolist(), [[1, 2], [3, 4]])
        ship.set(Target(ship, b"home", (1, 2, 3)))
        self.assertEqual(world.entity(ship.get(Target)["at"]), ship)
        ship.destroy()
        self.assertFalse(ship)
        with self.assertRaises(sett.Error) as raised:
            ship.set(Position(1, 1))
        self.assertEqual(raised.exception.status, "STALE")

    def test_misuse_says_what_to_write(self):
        with self.assertRaisesRegex(TypeError, "values begin as zeroes"):
            @sett.component
            class Wrong:
                x: "f4" = 1
        with self.assertRaisesRegex(TypeError, "Python objects cannot be values"):
            sett.component("Wrong", x="O")
        with self.assertRaisesRegex(TypeError, "has 2 members, not 3"):
            Position(1, 2, 3)
        with self.assertRaisesRegex(TypeError, "is a tag"):
            Frozen(1)
        with self.assertRaisesRegex(TypeError, "not a component"):
            sett.World().query("Position")
        with self.assertRaisesRegex(ValueError, r"has the shape \(3,\), not \(2,\)"):
            sett.World().create_many(2, {Position: np.zeros(3, Position.dtype)})
        world = sett.World(log=lambda level, message: None)
        with self.assertRaisesRegex(sett.Error, "already|other|size"):
            world.query(Position, sett.component("Position", z="f8"))

    def test_names_parents_and_singletons(self):
        world = sett.World()
        map01 = world.create()
        map01.name = "map01"
        door = world.create(Position(7, 7)).child_of(map01)
        door.name = "door"
        self.assertEqual(world.lookup("map01/door"), door)
        self.assertEqual(door.parent, map01)
        self.assertIsNone(world.lookup("nowhere"))
        world.singletons().set(Health(9))
        self.assertEqual(world.singletons().get(Health)["points"], 9)
        self.assertIn("Position", door.describe())


class Loops(unittest.TestCase):
    def test_each_sees_all_once(self):
        world = sett.World()
        for count in (1, 1000, 5000):
            crowd(world, count)
        query = world.query(Position, sett.read(Velocity))
        seen = []

        @query.each
        def count(p, v):
            seen.append(len(p))
            p["y"] = p["x"] + v["x"]

        self.assertEqual(sum(seen), len(query))
        self.assertTrue((query.column(Position)["y"] == query.column(Position)["x"] + 1).all())

    def test_arrays_to_read_cannot_be_written(self):
        world = sett.World()
        crowd(world, 10)

        def wrong(p, v):
            v["x"] = 3

        with self.assertRaisesRegex(ValueError, "read-only"):
            world.query(Position, sett.read(Velocity)).each(wrong)
        world.create(Position(1, 1))  # the loop is closed

    def test_gaps_are_written_back(self):
        world = sett.World()
        handles = crowd(world, 5000)
        for handle in handles[::7]:
            world.entity(handle).set(Frozen)
        query = world.query(Position, sett.entities, sett.without(Frozen))
        found = []

        @query.each
        def move(p, entities):
            p["y"] = entities["index"]
            found.append(entities)

        found = np.concatenate(found)
        left = np.delete(handles, np.arange(0, 5000, 7))
        self.assertTrue((found == left).all() and (query.entities() == left).all())
        self.assertTrue((query.column(Position)["y"] == left["index"]).all())
        everyone = world.query(sett.read(Position)).column(Position)
        self.assertTrue((everyone["y"][::7] == 0).all())

    def test_gaps_of_all_sizes(self):
        kinds = [sett.component("K%d" % n, np.dtype(k)) for n, k in enumerate(("u1", "f2", "i4", "f8", "c16", "S3", "S40", ("f4", 5)))]
        world = sett.World()
        for k in range(0, 3000):
            world.create(*([Frozen] if k % 5 == 0 else []), *(kind(k % 100) for kind in kinds))
        query = world.query(sett.without(Frozen), *kinds)
        query.each(lambda *arrays: [np.copyto(a, a[::-1].copy()) for a in arrays])
        for kind in kinds:
            expected = [kind(k % 100).array[0] for k in range(3000) if k % 5 != 0]
            self.assertEqual(sorted(np.array(expected).tolist(), key=repr),
                             sorted(query.column(kind).tolist(), key=repr), kind)
        kept = []
        with self.assertRaisesRegex(ValueError, '"K0" is still used'):  # copies too: gaps come and go
            query.each(lambda *arrays: kept.append(arrays[0][1:]))

    def test_optional_and_changed(self):
        world = sett.World()
        crowd(world, 3)
        other = world.create(Position(1, 1))
        absent = []
        world.query(Position, sett.optional(Velocity)).each(lambda p, v: absent.append(v is None))
        self.assertIn(True, absent)
        self.assertIn(False, absent)
        query = world.query(sett.changed(Position))
        query.since(world.tick())
        self.assertEqual(len(query), 0)
        other.set(Position(2, 2))
        self.assertGreater(len(query), 0)

    def test_columns(self):
        world = sett.World()
        crowd(world, 3000)
        query = world.query(Position, sett.read(Velocity))
        rows = query.column(Position)
        rows["x"] *= 2
        query.set_column(Position, rows)
        self.assertEqual(query.column(Position)["x"][-1], 2 * 2999)
        with self.assertRaises(KeyError):
            query.column(Health)
        with self.assertRaisesRegex(sett.Error, "declared as read only"):
            query.set_column(Velocity, np.zeros(3000, Velocity.dtype))

    def test_a_view_that_is_used_too_long(self):
        world = sett.World()
        crowd(world, 3000)
        query = world.query(sett.read(Position), Velocity)
        kept = []

        def keep(p, v):
            kept.append(v["x"][1:3])

        with self.assertRaisesRegex(ValueError, 'Query.each: an array of "Velocity" is still used'):
            query.each(keep)
        world.create(Position(1, 1))  # the loop is closed
        core = weakref.ref(world._core)
        del world, query
        gc.collect()
        self.assertEqual(kept[0].tolist(), [1, 1])  # its memory is still there
        self.assertIsNotNone(core())
        kept.clear()
        gc.collect()
        self.assertIsNone(core())  # and not longer

    def test_worlds_and_queries_end_with_their_last_use(self):
        gc.disable()  # without cycles
        try:
            world = sett.World()
            crowd(world, 10)
            query = world.query(Position)
            self.assertIs(world.query(Position), query)
            stats = ffi.new("sett_stats*")
            for _ in range(20):
                world.query(Velocity).each(lambda v: None)
            world.progress(0)
            lib.sett_world_stats_sized(world.c, stats, ffi.sizeof(stats[0]))
            self.assertEqual(stats.queries, 1)
            core = weakref.ref(world._core)
            del world
            self.assertEqual(len(query), 10)
            del query
            self.assertIsNone(core())
        finally:
            gc.enable()

    def test_a_view_in_an_exception(self):
        world = sett.World()
        crowd(world, 10)
        try:
            world.query(Position).each(lambda p: p.no_such_thing)
        except AttributeError as error:
            del world
            gc.collect()
            trace = error.__traceback__
            while trace.tb_next:
                trace = trace.tb_next
            self.assertEqual(trace.tb_frame.f_locals["p"]["x"][9], 9)

    def test_copies_may_be_used_on(self):
        world = sett.World()
        crowd(world, 10)
        kept = []
        world.query(Position).each(lambda p: kept.append(p.copy()))
        self.assertEqual(len(kept[0]), 10)


class Systems(unittest.TestCase):
    def test_commands(self):
        world = sett.World()
        handles = world.create_many(3000, {Health: np.arange(3000, dtype="i4").view(Health.dtype)})
        made = []
        world.register(Position, Frozen)

        @world.system(sett.entities, Health, phase=5)
        def hurt(frame, entities, health):
            health["points"] -= 1000
            frame.later.destroy(entities[health["points"] < 0])
            if not made:
                made.append(frame.later.create(Position(1, 1), Frozen))

        world.progress(0.1)
        self.assertEqual(len(world), 2001)
        self.assertTrue(made[0].has(Frozen))
        self.assertFalse(world.entity(handles[999]))
        self.assertTrue(world.entity(handles[1000]))
        world.later.set(handles[2000:2002], Velocity(1, 1))
        world.apply()
        self.assertEqual(len(world.query(Velocity)), 2)
        made = world.later.create_many(5, {Health: np.full(5, 7, Health.dtype), Frozen: None})
        self.assertFalse(world.entity(made[4]))
        world.apply()
        self.assertEqual(world.entity(made[4]).get(Health)["points"], 7)
        world.destroy_many(np.concatenate([handles, made]))
        self.assertEqual(len(world), 1)

    def test_an_exception_ends_the_frame(self):
        world = sett.World()
        ran = []

        @world.system()
        def fail(frame):
            raise KeyError("mine")

        @world.system()
        def after(frame):
            ran.append(frame.number)

        with self.assertRaisesRegex(KeyError, "mine"):
            world.progress(0.1)
        self.assertEqual(ran, [])

    def test_a_late_view_of_a_system(self):
        world = sett.World()
        crowd(world, 10)
        kept = []

        @world.system(Position)
        def keep(frame, p):
            kept.append(p)

        with self.assertRaisesRegex(ValueError, 'keep: an array of "Position"'):
            world.progress(0.1)

    def test_structure_is_locked(self):
        world = sett.World(log=lambda level, message: None)
        crowd(world, 10)

        def wrong(p):
            world.create(Position(1, 1))

        with self.assertRaises(sett.Error) as raised:
            world.query(Position).each(wrong)
        self.assertEqual(raised.exception.status, "LOCKED")
        with self.assertRaisesRegex(sett.Error, '"Frozen" is new in this world'):
            world.query(sett.entities, Position).each(lambda e, p: world.later.set(e, Frozen))

    def test_observers(self):
        world = sett.World()
        seen = []

        @world.observe("set", Position)
        def notice(entity):
            seen.append((entity, entity.get(Position)["x"]))

        ship = world.create(Position(4, 0))
        self.assertEqual(seen, [(ship, 4)])
        del world, ship, seen[:]
        gc.collect()  # on_remove of a world that ends calls nothing


class State(unittest.TestCase):
    def test_a_rollback(self):
        world = moving_world()
        crowd(world, 3000)
        ring = world.ring(8)
        hashes = []
        for frame in range(20):
            ring.take(frame)
            world.progress(1 / 60)
            hashes.append(world.hash())
        self.assertEqual(len(ring), 8)
        ring.restore(frame=14)
        self.assertEqual(world.hash(), hashes[13])
        for frame in range(14, 20):
            ring.take(frame)
            world.progress(1 / 60)
            self.assertEqual(world.hash(), hashes[frame])
        ring.restore(back=1)
        with self.assertRaises(sett.Error):
            ring.restore(frame=3)

    def test_snapshots_and_deltas(self):
        world, other = moving_world(), moving_world()
        other_empty = other.snapshot()
        empty = world.snapshot()
        crowd(world, 100)
        full = world.snapshot()
        self.assertEqual(full.hash(), world.hash())
        other.apply_delta(empty.delta(full))
        self.assertEqual(other.hash(), world.hash())
        self.assertEqual(world.difference(other), "")
        empty.restore()
        self.assertEqual(len(world), 0)
        full.restore()
        self.assertEqual(len(world), 100)
        self.assertNotEqual(other_empty.hash(), full.hash())
        del empty, full, other_empty
        gc.collect()
        world.snapshot().drop()
        world._core.tidy()
        stats = ffi.new("sett_snapshot_stats*")
        lib.sett_snapshot_stats_get_sized(world.c, stats, ffi.sizeof(stats[0]))
        self.assertEqual(stats.snapshots, 0)

    def test_files_bytes_and_json(self):
        world = moving_world()
        crowd(world, 50)
        world.create(Health(5)).name = "ship"
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "game.sett")
            world.save(path)
            loaded = moving_world()
            loaded.register(Health)
            loaded.load(path)
            self.assertEqual(loaded.hash(), world.hash())
            with self.assertRaises(sett.Error) as raised:
                sett.World(log=lambda level, message: None).load(os.path.join(folder, "none"))
            self.assertEqual(raised.exception.status, "FILE")
        copied = moving_world()
        copied.register(Health)
        copied.from_bytes(world.to_bytes())
        self.assertEqual(copied.hash(), world.hash())
        clone = sett.World()
        world.clone_into(clone)
        self.assertEqual(clone.hash(), world.hash())
        text = world.to_json()
        self.assertIn('"/ship"', text)
        read = sett.World()
        read.register(Position, Velocity, Health)
        read.from_json(text)
        self.assertEqual(len(read), len(world))
        self.assertEqual(read.lookup("ship").get(Health)["points"], 5)

    @unittest.skipUnless(os.path.exists(os.path.join(os.path.dirname(sett.__file__), "libsett_inspector.so")), "no civetweb or zstd")
    def test_the_inspector(self):
        world = moving_world()
        ship = world.create(Position(1, 0), Velocity(10, 0))
        with contextlib.redirect_stdout(io.StringIO()):
            inspector = world.inspect(title="ships", quiet=True, run_frame=lambda: world.progress(0.5))
        self.assertRegex(inspector.address, r"^http://127.0.0.1:\d+/#token=[0-9a-f]{32}$")
        hashes = {}
        self.assertTrue(inspector.frame())
        world.progress(0.5)
        self.assertTrue(self.posted(inspector, {"do": "status"})["ok"])  # now frames are stored
        for _ in range(10):
            hashes[inspector.ask("status")["frame"]] = world.hash()
            self.assertTrue(inspector.frame())
            world.progress(0.5)
        inspector.frame()
        self.assertEqual(inspector.ask("status")["title"], "ships")
        self.assertEqual(self.posted(inspector, {"do": "pause"}), {"ok": True})
        self.assertFalse(inspector.frame())
        said = inspector.ask("restore", frame=4)
        self.assertTrue(said["ok"], said)
        self.assertEqual(world.hash(), hashes[4])
        self.assertTrue(inspector.ask("set", entity="#0:1", component="Position", value={"y": 7})["ok"])
        self.assertEqual(ship.get(Position)["y"], 7)
        said = inspector.ask("set", entity="#9:1", component="Position", value={"y": 7})
        self.assertFalse(said["ok"])
        inspector.close()
        inspector.close()
        with self.assertRaises(ValueError):
            inspector.frame()
        with world.inspect(no_server=True, quiet=True) as other:
            self.assertEqual(other.address, "")
        last = world.inspect(no_server=True)
        del world, ship, inspector, other
        gc.collect()
        self.assertTrue(last.frame())  # it holds its world
        lost = moving_world()
        lost.inspect(no_server=True)
        del lost  # the inspector ends first
        gc.collect()

    def posted(self, inspector, question):
        """The answer to a request by HTTP, which another thread sends."""
        address, token = inspector.address.split("#token=")
        request = urllib.request.Request(address + "request", json.dumps(question).encode(), {"X-Sett-Token": token})
        answers = []
        thread = threading.Thread(target=lambda: answers.append(json.load(urllib.request.urlopen(request, timeout=20))))
        thread.start()
        while thread.is_alive():
            inspector.frame()
            thread.join(0.01)
        return answers[0]

    def test_the_log(self):
        lines = []
        world = sett.World(log=lambda level, message: lines.append((level, message)))
        lib.sett_world_log(world.c, lib.SETT_LOG_WARNING, b"noted")
        self.assertEqual(lines, [("warning", "noted")])


if __name__ == "__main__":
    unittest.main(verbosity=1)

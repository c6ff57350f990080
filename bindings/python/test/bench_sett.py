"""A step of 1,000,000 entities, p += v * dt, compared with plain numpy: alternating runs."""
import time

import numpy as np
import sett

COUNT, ROUNDS = 1_000_000, 100
Position = sett.component("Position", x="f4", y="f4")
Velocity = sett.component("Velocity", x="f4", y="f4")
Frozen = sett.component("Frozen")


def seconds(step):
    begin = time.process_time()
    step()
    return time.process_time() - begin


def compare(name, step, plain):
    pairs = [(seconds(step), seconds(plain)) for _ in range(ROUNDS)]
    ratios = sorted(a / b for a, b in pairs)
    print("  %-42s %.2f x plain numpy (quartiles %.2f, %.2f); %.1f ms" % (
        name, ratios[ROUNDS // 2], ratios[ROUNDS // 4], ratios[ROUNDS * 3 // 4], sorted(a for a, _ in pairs)[ROUNDS // 2] * 1e3))


def main():
    dt = np.float32(0.125)
    p, v = np.zeros(COUNT, Position.dtype), np.ones(COUNT, Velocity.dtype)
    p["x"] = np.arange(COUNT)
    world = sett.World()

    @world.system(Position, sett.read(Velocity))
    def move(frame, p, v):
        p["x"] += v["x"] * dt
        p["y"] += v["y"] * dt

    handles = world.create_many(COUNT, {Position: p, Velocity: v})
    flat = world.query(Position, sett.read(Velocity))

    def by_member():
        p["x"] += v["x"] * dt
        p["y"] += v["y"] * dt

    def by_row(p, v):
        a = p.view("f4")
        a += v.view("f4") * dt

    compare("a system, member by member", lambda: world.progress(0.125), by_member)
    compare("a query, both members at once", lambda: flat.each(by_row), lambda: by_row(p, v))
    ring = world.ring(8)

    def frame():
        ring.take()
        world.progress(0.125)

    compare("a system, with a snapshot each frame", frame, by_member)
    compare("columns out and in", lambda: flat.set_column(Position, flat.column(Position)), by_member)
    for handle in handles[::COUNT // 2000]:
        world.entity(handle).set(Frozen)
    gaps = world.query(Position, sett.read(Velocity), sett.without(Frozen))
    compare("a query, 2,000 of them frozen", lambda: gaps.each(by_row), lambda: by_row(p, v))


main()

"""The game of meadow.c, from Python.

SPDX-License-Identifier: MIT
"""
import time

import numpy as np
import sett

SIZE = 256
CELLS = SIZE * SIZE
FRAMES = 300

Position = sett.component("Position", x="i4", y="i4")
Dice = sett.component("Dice", state="u4")
Energy = sett.component("Energy", points="i4")
Grass = sett.component("Grass", level=("u2", CELLS))
Sheep = sett.component("Sheep")
Wolf = sett.component("Wolf")

world = sett.World()
world.register(Position, Dice, Energy, Grass, Sheep, Wolf)
sheep = world.query(Energy, sett.read(Position), sett.with_(Sheep))
wolves = world.query(Energy, sett.read(Position), sett.with_(Wolf))


def cells(p):
    return p["y"] * SIZE + p["x"]


def count(query):
    return np.bincount(cells(query.column(Position)), minlength=CELLS).astype("i4")


@world.system(phase=0)
def grow(frame):
    grass = world.singletons().get(Grass)
    level = grass["level"]
    half = level[frame.number % 2 :: 2]
    half += half < 200
    world.singletons().set(Grass(level))


@world.system(Position, Dice, phase=1)
def wander(frame, p, dice):
    dice["state"] = dice["state"] * np.uint32(1664525) + np.uint32(1013904223)
    turn = ((dice["state"] >> 16) % 9).astype("i4")
    p["x"] = (p["x"] + turn % 3 - 1) & (SIZE - 1)
    p["y"] = (p["y"] + turn // 3 - 1) & (SIZE - 1)


@world.system(phase=2)
def graze(frame):
    """The sheep of a cell share its grass."""
    level = world.singletons().get(Grass)["level"]
    flock = count(sheep)
    share = np.minimum(level // np.maximum(flock, 1) * (flock > 0), 12)
    world.singletons().set(Grass((level - share * flock).astype("u2")))

    @sheep.each
    def eat(energy, p):
        energy["points"] += share[cells(p)].astype("i4")


@world.system(phase=3)
def hunt(frame):
    """The wolves of a cell share its sheep."""
    pack, flock = count(wolves), count(sheep)

    @wolves.each
    def eat(energy, p):
        at = cells(p)
        energy["points"] += flock[at] * 20 // pack[at]

    eaten = pack[cells(sheep.column(Position))] > 0
    frame.later.destroy(sheep.entities()[eaten])


@world.system(phase=4)
def starve(frame):
    for query, cost in ((sheep, 3), (wolves, 2)):
        energy = query.column(Energy)
        energy["points"] -= cost
        query.set_column(Energy, energy)
        frame.later.destroy(query.entities()[energy["points"] <= 0])


@world.system(phase=5)
def breed(frame):
    for kind, enough in ((Sheep, 120), (Wolf, 240)):
        everyone = world.query(Energy, sett.read(Position), sett.read(Dice), sett.with_(kind))

        @everyone.each
        def divide(energy, p, dice):
            parents = np.flatnonzero(energy["points"] > enough)
            energy["points"][parents] //= 2
            seeds = dice[parents]
            seeds["state"] ^= np.uint32(0x9E3779B9)
            columns = {Position: p[parents], Dice: seeds, Energy: energy[parents], kind: None}
            frame.later.create_many(len(parents), columns)


def populate():
    for k in range(21000):
        world.create(Position(k * 7 % SIZE, k * 13 // SIZE % SIZE), Dice(k * 2654435761 % 2**32), Energy(40 + k % 50),
                     Sheep if k % 21 != 0 else Wolf)
    world.singletons().set(Grass(np.arange(CELLS) * 31 % 100))


populate()
ring = world.ring(10)
begin = time.process_time()
frame = played = 0
while frame < FRAMES:
    ring.take(frame)
    world.progress(1)
    if frame % 50 == 49 and played - frame < (frame + 1) // 50 * 8:  # eight frames again
        frame -= 8
        ring.restore(frame=frame + 1)
    frame, played = frame + 1, played + 1
ms = 1000 * (time.process_time() - begin) / (FRAMES + FRAMES // 50 * 8)
print("%016x %d sheep, %d wolves, %.3f ms a frame" % (world.hash(), len(sheep), len(wolves), ms))

/* meadow.cpp: the game of meadow.c, by sett.hpp.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sett/sett.hpp"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <ctime>

constexpr int32_t size = 256;
constexpr uint32_t cells = size * size;
constexpr uint64_t frames = 300;

struct Position {
    int32_t x, y;
    uint32_t cell() const
    {
        return uint32_t(y * size + x);
    }
};
struct Dice {
    uint32_t state;
};
struct Energy {
    int32_t points;
};
struct Grass {
    std::array<uint16_t, cells> level;
};
struct Sheep {
};
struct Wolf {
};
constexpr auto sett_type(const Position*)
{
    return sett::type().member("x", &Position::x).member("y", &Position::y);
}
constexpr auto sett_type(const Dice*)
{
    return sett::type().member("state", &Dice::state);
}
constexpr auto sett_type(const Energy*)
{
    return sett::type().member("points", &Energy::points);
}
constexpr auto sett_type(const Grass*)
{
    return sett::type().member("level", &Grass::level);
}

using counts = std::array<int32_t, cells>;
template <class Kind> using of_kind = sett::query<const Position, sett::with<Kind>>;

template <class Kind> void count(const of_kind<Kind>& query, counts& out)
{
    out.fill(0);
    query.each([&](const Position& p) { out[p.cell()]++; });
}

template <class Kind>
void live(sett::world& world, const char* starve, const char* breed, int cost, int enough)
{
    world.system(starve).phase(4).template with<Kind>().single_job().each(
        [=](sett::frame f, sett::entity e, Energy& energy) {
            energy.points -= cost;
            if (energy.points <= 0) {
                f.later(e).destroy();
            }
        });
    world.system(breed).phase(5).template with<Kind>().single_job().each(
        [=](sett::frame f, Energy& energy, const Position& p, const Dice& dice) {
            if (energy.points > enough) {
                energy.points /= 2;
                f.later().create(p, Dice{dice.state ^ 0x9E3779B9u}, energy, Kind());
            }
        });
}

int main()
{
    static counts flock, pack, share;
    sett::world world;
    world.component<Position, Dice, Energy, Grass, Sheep, Wolf>();
    const auto sheep = world.query<const Position, sett::with<Sheep>>();
    const auto wolves = world.query<const Position, sett::with<Wolf>>();

    world.system("grow").phase(0).run([](sett::frame f, sett::single<Grass> grass) {
        for (uint32_t cell = 0; cell < cells; cell++) {
            if ((cell + f.number) % 2 == 0 && grass->level[cell] < 200) {
                grass->level[cell]++;
            }
        }
    });
    world.system("wander").phase(1).each([](Position& p, Dice& dice) {
        dice.state = dice.state * 1664525u + 1013904223u;
        const int32_t turn = int32_t((dice.state >> 16) % 9);
        p.x = (p.x + turn % 3 - 1) & (size - 1);
        p.y = (p.y + turn / 3 - 1) & (size - 1);
    });
    /* The sheep of a cell share its grass. */
    const auto eaters = world.query<Energy, const Position, sett::with<Sheep>>();
    world.system("graze").phase(2).exclusive().run([&](sett::frame f) {
        Grass& grass = *f.world().get_mut<Grass>();
        count<Sheep>(sheep, flock);
        for (uint32_t cell = 0; cell < cells; cell++) {
            const int32_t each = flock[cell] > 0 ? grass.level[cell] / flock[cell] : 0;
            share[cell] = std::min(each, 12);
            grass.level[cell] = uint16_t(grass.level[cell] - share[cell] * flock[cell]);
        }
        eaters.each([](Energy& energy, const Position& p) { energy.points += share[p.cell()]; });
    });
    /* The wolves of a cell share its sheep. */
    const auto hunters = world.query<Energy, const Position, sett::with<Wolf>>();
    world.system("hunt").phase(3).exclusive().run([&](sett::frame f) {
        count<Wolf>(wolves, pack);
        count<Sheep>(sheep, flock);
        hunters.each([](Energy& energy, const Position& p) {
            energy.points += flock[p.cell()] * 20 / pack[p.cell()];
        });
        sheep.each([&](sett::entity e, const Position& p) {
            if (pack[p.cell()] > 0) {
                f.later(e).destroy();
            }
        });
    });
    live<Sheep>(world, "starve sheep", "breed sheep", 3, 120);
    live<Wolf>(world, "starve wolves", "breed wolves", 2, 240);

    for (uint32_t k = 0; k < 21000; k++) {
        const Position p = {int32_t(k * 7 % size), int32_t(k * 13 / size % size)};
        const Energy energy = {int32_t(40 + k % 50)};
        const sett::entity e = world.create(p, Dice{k * 2654435761u}, energy);
        k % 21 != 0 ? e.add<Sheep>() : e.add<Wolf>();
    }
    Grass* grass = world.ensure<Grass>();
    for (uint32_t cell = 0; cell < cells; cell++) {
        grass->level[cell] = uint16_t(cell * 31 % 100);
    }

    sett::ring ring(world, 10);
    const clock_t begin = clock();
    for (uint64_t frame = 0, played = 0; frame < frames; frame++, played++) {
        ring.take_frame(frame);
        world.progress(1);
        if (frame % 50 == 49 && played - frame < (frame + 1) / 50 * 8) { /* eight frames again */
            frame -= 8;
            ring.restore_frame(frame + 1);
        }
    }
    const double ms =
        1000.0 * double(clock() - begin) / CLOCKS_PER_SEC / (frames + frames / 50 * 8);
    std::printf("%016" PRIx64 " %u sheep, %u wolves, %.3f ms a frame\n", world.hash(),
                sheep.count(), wolves.count(), ms);
    return 0;
}

// wide_entt.cpp: the scenes of wide.h for EnTT, where it has something for them: views and each(),
// storages by name for types that are not known when it compiles, a pool sorted by depth.
#include "meter.h"
#include "wide.h"

#include <entt/entity/registry.hpp>
#include <entt/entity/view.hpp>
#include <entt/signal/sigh.hpp>

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace
{

using entt::entity;
using entt::registry;

// -------------------------------------------------------------------------------- seven systems

struct bodies {
    registry world;
    std::vector<entity> entities;
    std::vector<int32_t> picture;

    bodies(uint32_t count, bool mixed) : entities(count), picture(WIDE_WIDTH * WIDE_HEIGHT)
    {
        for (uint32_t k = 0; k < count; k++) {
            entity e = entities[k] = world.create();
            world.emplace<Position>(e, wide_position(k));
            world.emplace<Velocity>(e, scene_velocity(k));
            if (wide_thinks(k, mixed)) {
                world.emplace<Thoughts>(e, wide_thoughts(k));
            }
            if (wide_lives(k, mixed)) {
                world.emplace<Player>(e, wide_player(k));
                world.emplace<Health>(e, scene_health(k));
                world.emplace<Sprite>(e, ' ');
            }
            if (wide_fights(k, mixed)) {
                world.emplace<Damage>(e, scene_damage(k));
            }
        }
    }
    uint64_t sum()
    {
        uint64_t total = wide_picture_sum(picture.data());
        for (uint32_t k = 0; k < entities.size(); k++) {
            entity e = entities[k];
            total += wide_body_sum(k, &world.get<Position>(e), world.try_get<Thoughts>(e),
                                   world.try_get<Health>(e), world.try_get<Sprite>(e));
        }
        return total;
    }
};

void seven(scene_run* run)
{
    bodies b(run->count, run->variant >= WIDE_seven_mixed);
    registry& world = b.world;
    int32_t* picture = b.picture.data();
    uint32_t rounds = scene_rounds(run->count, 1000000);
    rounds = rounds < 20 ? 20 : rounds;
    for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
        world.view<Position, const Velocity>().each(
            [](Position& p, const Velocity& v) { scene_move(&p, &v); });
        world.view<Thoughts>().each([](Thoughts& d) { wide_think(&d); });
        world.view<const Position, Velocity, Thoughts>().each(
            [](const Position& p, Velocity& v, Thoughts& d) { wide_turn(&p, &v, &d); });
        world.view<Health>().each([](Health& h) { scene_heal(&h); });
        world.view<Health, const Damage>().each(
            [](Health& h, const Damage& g) { scene_hurt(&h, &g); });
        world.view<Sprite, const Player, const Health>().each(
            [](Sprite& s, const Player& player, const Health& h) { wide_choose(&s, &player, &h); });
        world.view<const Position, const Sprite>().each(
            [picture](const Position& p, const Sprite& s) { wide_draw(&p, &s, picture); });
    }
    run->operations = uint64_t(rounds) * run->count;
    run->checksum = b.sum();
}

void three(scene_run* run)
{
    bodies b(run->count, true);
    uint32_t rounds = scene_rounds(run->count, 4000000);
    for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
        b.world.view<Position, const Velocity, const Thoughts>().each(
            [](Position& p, const Velocity& v, const Thoughts& d) {
                p.x += v.x * SCENE_DT;
                p.y += v.y * SCENE_DT + float(d.limit);
            });
    }
    run->operations = uint64_t(rounds) * run->count / 2;
    run->checksum = b.sum();
}

void absent(scene_run* run)
{
    bodies b(run->count, true);
    uint32_t rounds = scene_rounds(run->count, 10000000);
    uint64_t found = 0;
    b.world.emplace<Rare>(b.entities.back());
    const auto& rare = b.world.storage<Rare>();
    for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
        for (entity e : b.entities) {
            found += rare.contains(e);
        }
    }
    run->operations = uint64_t(rounds) * run->count;
    run->checksum = found;
}

void bulk(scene_run* run)
{
    uint32_t rounds = scene_rounds(run->count, 1000000);
    std::vector<Position> p(run->count);
    std::vector<Velocity> v(run->count);
    std::vector<entity> e(run->count);
    for (uint32_t k = 0; k < run->count; k++) {
        p[k] = scene_position(k);
        v[k] = scene_velocity(k);
    }
    for (uint32_t round = 0; round < rounds; round++) {
        registry world;
        (void)world.storage<Position>();
        (void)world.storage<Velocity>();
        scene_start(run);
        world.create(e.begin(), e.end());
        world.insert<Position>(e.begin(), e.end(), p.begin());
        world.insert<Velocity>(e.begin(), e.end(), v.begin());
        scene_stop(run);
        run->checksum += world.storage<Position>().size();
    }
    run->operations = uint64_t(rounds) * run->count;
}

// ------------------------------------------------------------------------------------ rare types

void rare(scene_run* run)
{
    registry world;
    std::vector<entity> e(run->count);
    for (uint32_t k = 0; k < run->count; k++) {
        e[k] = world.create();
        world.emplace<Position>(e[k], scene_position(k));
    }
    for (uint32_t k = 0; k < WIDE_RARE; k++) {
        world.emplace<Rare>(e[wide_place(k, run->count)]).x = 1;
    }
    if (run->variant == WIDE_rare_loop_10k || run->variant == WIDE_rare_loop_1m) {
        for (uint32_t round = 0; scene_goes_on(run, round, 1000); round++) {
            world.view<Position, const Rare>().each(
                [](Position& at, const Rare& r) { at.x += r.x * SCENE_DT; });
        }
        run->operations = 1000;
        run->checksum = WIDE_RARE;
        return;
    }
    uint64_t state = SCENE_SEED;
    const uint32_t rounds = 200000;
    auto& pool = world.storage<Rare>();
    scene_start(run);
    for (uint32_t k = 0; k < rounds; k++) {
        entity at = e[scene_random(&state) % run->count];
        if (!pool.contains(at)) {
            pool.emplace(at).x = 2;
            pool.erase(at);
            run->checksum++;
        }
    }
    scene_stop(run);
    run->operations = rounds;
}

// -------------------------------------------------------------------------------- thousand types

void types(scene_run* run)
{
    registry world;
    std::vector<entt::storage_type_t<Pair>*> type(WIDE_TYPES);
    std::vector<entity> e(run->count);
    for (uint32_t k = 0; k < WIDE_TYPES; k++) {
        type[k] = &world.storage<Pair>(k + 1);
    }
    if (run->variant == WIDE_types_create) {
        scene_start(run);
    }
    for (uint32_t k = 0; k < run->count; k++) {
        e[k] = world.create();
        for (uint32_t i = 0; i < WIDE_EACH; i++) {
            type[wide_type(k % WIDE_KINDS, i)]->emplace(e[k], scene_pair(k, i));
        }
    }
    if (run->variant == WIDE_types_create) {
        scene_stop(run);
    }
    run->operations = run->count;
    if (run->variant == WIDE_types_destroy) {
        scene_start(run);
        for (entity at : e) {
            world.destroy(at);
        }
        scene_stop(run);
        run->checksum = type[0]->size();
    } else if (run->variant != WIDE_types_create) {
        for (uint32_t round = 0; scene_goes_on(run, round, 40); round++) {
            for (uint32_t k = 0; k < WIDE_KINDS; k++) {
                if (run->variant == WIDE_types_two) {
                    entt::basic_view{*type[wide_type(k, 0)], *type[wide_type(k, 1)]}.each(
                        [](Pair& pair, Pair&) { pair.x += 1; });
                } else {
                    entt::basic_view{*type[wide_type(k, 0)]}.each([](Pair& pair) { pair.x += 1; });
                }
            }
        }
        run->operations = 40 * WIDE_KINDS;
        run->checksum = run->count;
    }
    if (run->variant == WIDE_types_bytes) {
        run->operations = uint64_t(WIDE_EACH) * run->count;
        run->bytes = meter_end().live - e.capacity() * sizeof(entity);
    }
}

// --------------------------------------------------------------------------------- parents first

struct Above {
    entity parent;
    uint32_t depth;
};

void cascade(scene_run* run)
{
    registry world;
    auto row = static_cast<wide_row>(run->variant);
    std::vector<entity> e(run->count);
    std::vector<uint32_t> depth(run->count);
    for (entity& at : e) {
        at = world.create();
    }
    for (uint32_t k = 0; k < run->count; k++) {
        uint32_t parent = wide_parent(row, k);
        depth[k] = parent == UINT32_MAX ? 0 : depth[parent] + 1;
        entity at = e[wide_place(k, run->count)];
        world.emplace<Spot>(at, Spot{0, 0, float(k % 3), 1});
        world.emplace<Above>(
            at, parent == UINT32_MAX ? entity(entt::null) : e[wide_place(parent, run->count)],
            depth[k]);
    }
    world.sort<Above>([](const Above& a, const Above& b) { return a.depth < b.depth; });
    world.sort<Spot, Above>();
    auto& spots = world.storage<Spot>();
    for (uint32_t round = 0; scene_goes_on(run, round, 50); round++) {
        if (row == WIDE_deep_moved) {
            auto& a = world.get<Above>(e[wide_place(wide_moved(0), run->count)]);
            auto& b = world.get<Above>(e[wide_place(wide_moved(1), run->count)]);
            std::swap(a.parent, b.parent); // of equal depth: the order holds
        }
        auto view = world.view<Above, Spot>();
        view.use<Above>();
        view.each([&spots](const Above& above, Spot& at) {
            if (above.parent != entt::null) {
                const Spot& over = spots.get(above.parent);
                at.x = at.local_x + over.x;
                at.y = at.local_y + over.y;
            } else {
                at.x = at.local_x;
                at.y = at.local_y;
            }
        });
    }
    run->operations = 50 * uint64_t(run->count);
    for (uint32_t k = 0; k < run->count; k++) {
        const Spot& at = world.get<Spot>(e[k]);
        run->checksum += scene_sum(k, at.x) + scene_sum(k, at.y);
    }
}

// --------------------------------------------------------------------------------------- systems

void systems(scene_run* run)
{
    registry world;
    std::vector<entt::storage_type_t<Pair>*> type(100);
    for (uint32_t k = 0; k < 100; k++) {
        type[k] = &world.storage<Pair>(k + 1);
        for (uint32_t n = 0; run->variant == WIDE_busy && n < WIDE_FEW; n++) {
            type[k]->emplace(world.create());
        }
    }
    struct system {
        void (*run)(entt::storage_type_t<Pair>& type);
        entt::storage_type_t<Pair>* type;
    };
    std::vector<system> list;
    for (uint32_t k = 0; k < run->count; k++) {
        list.push_back({[](entt::storage_type_t<Pair>& pool) {
                            entt::basic_view{pool}.each([](Pair& pair) { pair.x += 1; });
                        },
                        type[k % 100]});
    }
    for (uint32_t round = 0; scene_goes_on(run, round, 100); round++) {
        for (const system& one : list) {
            one.run(*one.type);
        }
    }
    run->operations = 100 * uint64_t(run->count);
    run->checksum = run->count;
}

void first(scene_run* run)
{
    registry world;
    std::vector<entity> e(run->count);
    world.create(e.begin(), e.end());
    world.insert<Position>(e.begin(), e.end());
    world.insert<Velocity>(e.begin(), e.end());
    scene_start(run);
    world.view<Position, const Velocity>().each(
        [](Position& p, const Velocity& v) { scene_move(&p, &v); });
    scene_stop(run);
    run->operations = run->count;
    run->checksum = run->count;
}

// ------------------------------------------------------------------------------------- observers

struct counter {
    uint64_t* called;
    void call(registry&, entity)
    {
        ++*called;
    }
};

void observers(scene_run* run)
{
    registry world;
    bool same = run->variant == WIDE_observed;
    uint64_t called = 0;
    std::vector<std::unique_ptr<counter>> list;
    for (uint32_t k = 0; k < (same ? 100u : 1000u); k++) {
        list.push_back(std::make_unique<counter>(counter{&called}));
        if (same) {
            world.on_construct<Velocity>().connect<&counter::call>(*list.back());
        } else {
            world.on_construct<Pair>(k + 1).connect<&counter::call>(*list.back());
        }
    }
    std::vector<entity> e(run->count);
    for (entity& at : e) {
        at = world.create();
        world.emplace<Position>(at);
    }
    uint32_t rounds = same ? 20 : 200;
    for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
        for (entity at : e) {
            world.emplace<Velocity>(at);
            world.erase<Velocity>(at);
        }
    }
    run->operations = uint64_t(rounds) * run->count;
    run->checksum = called;
}

// ---------------------------------------------------------------------------------------- worlds

struct A {
    float f[3];
};
struct B {
    float f[3];
};
struct C {
    float f[3];
};
struct D {
    float f[3];
};

void bytes(scene_run* run)
{
    registry world;
    for (uint32_t k = 0; k < run->count; k++) {
        entity e = world.create();
        world.emplace<A>(e).f[0] = 1;
        world.emplace<B>(e).f[0] = 1;
        world.emplace<C>(e).f[0] = 1;
        world.emplace<D>(e).f[0] = 1;
    }
    run->checksum = world.storage<D>().size();
    run->operations = run->count;
    run->bytes = meter_end().peak;
}

void worlds(scene_run* run)
{
    scene_start(run);
    {
        std::vector<std::unique_ptr<registry>> list(run->count);
        for (auto& world : list) {
            world = std::make_unique<registry>();
            for (uint32_t i = 0; i < 10; i++) {
                world->emplace<Position>(world->create(), scene_position(i));
            }
            run->checksum += world->storage<Position>().size();
        }
    }
    scene_stop(run);
    run->operations = run->count;
}

// What it has nothing for.
constexpr scene_fn twenty = nullptr, links = nullptr, prefabs = nullptr, names = nullptr,
                   json = nullptr;

} // namespace

scene_fn wide_entt(wide_row row)
{
    static const scene_fn scenes[] = {
#define WIDE_ROW_SCENE(name, title, entities, scene) scene,
        WIDE_ROW_LIST(WIDE_ROW_SCENE)
#undef WIDE_ROW_SCENE
    };
    return scenes[row];
}

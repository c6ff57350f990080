// peer_entt.cpp: the scenes for EnTT, in two columns: with views, and with a full-owning group over
// what the scene loops over. Loops use each(), as its documentation recommends; components are
// removed with erase() where they are known to be there; storages are held where entities are
// visited at random.
#include "scene.h"

#include <entt/entity/group.hpp>
#include <entt/entity/registry.hpp>
#include <entt/entity/view.hpp>

#include <type_traits>
#include <utility>

namespace
{

using entt::entity;
using entt::registry;

template <bool grouped> void prepare(registry& world)
{
    if constexpr (grouped) {
        (void)world.group<Position, Velocity>();
    }
}

struct handles {
    entity* item;
    uint32_t count;

    explicit handles(uint32_t n)
        : item(static_cast<entity*>(scene_alloc(n, sizeof(entity)))), count(n)
    {
    }
    handles(const handles&) = delete;
    handles& operator=(const handles&) = delete;
    ~handles()
    {
        scene_free(item);
    }
    entity operator[](uint32_t k) const
    {
        return item[k];
    }
    void shuffle()
    {
        scene_shuffle(item, count, sizeof(entity));
    }
};

uint64_t alive(registry& world)
{
    return world.storage<entity>().free_list();
}

// ------------------------------------------------------------------------------------- creating

void create_none(scene_run* run)
{
    uint32_t rounds = scene_rounds(run->count, 1000000);
    for (uint32_t round = 0; round < rounds; round++) {
        registry world;
        scene_start(run);
        for (uint32_t k = 0; k < run->count; k++) {
            (void)world.create();
        }
        scene_stop(run);
        run->checksum += alive(world);
    }
    run->operations = uint64_t(rounds) * run->count;
}

uint64_t sum_2(registry& world, const entity* entities, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < count; k++) {
        sum += scene_sum(k, world.get<Position>(entities[k]).x) +
               scene_sum(k, world.get<Velocity>(entities[k]).y);
    }
    return sum;
}

template <bool grouped> void create_2(scene_run* run)
{
    handles entities(run->count);
    uint32_t rounds = scene_rounds(run->count, 1000000);
    for (uint32_t round = 0; round < rounds; round++) {
        registry world;
        prepare<grouped>(world);
        scene_start(run);
        for (uint32_t k = 0; k < run->count; k++) {
            entity e = entities.item[k] = world.create();
            world.emplace<Position>(e, scene_position(k));
            world.emplace<Velocity>(e, scene_velocity(k));
        }
        scene_stop(run);
        run->checksum = sum_2(world, entities.item, run->count);
    }
    run->operations = uint64_t(rounds) * run->count;
}

template <bool grouped> void create_2_bulk(scene_run* run)
{
    handles entities(run->count);
    registry world;
    prepare<grouped>(world);
    auto* p = static_cast<Position*>(scene_alloc(run->count, sizeof(Position)));
    auto* v = static_cast<Velocity*>(scene_alloc(run->count, sizeof(Velocity)));
    for (uint32_t k = 0; k < run->count; k++) {
        p[k] = scene_position(k);
        v[k] = scene_velocity(k);
    }
    scene_start(run);
    world.create(entities.item, entities.item + run->count);
    world.insert<Position>(entities.item, entities.item + run->count, p);
    world.insert<Velocity>(entities.item, entities.item + run->count, v);
    scene_stop(run);
    run->operations = run->count;
    run->checksum = sum_2(world, entities.item, run->count);
    scene_free(p);
    scene_free(v);
}

template <int number> struct numbered : Pair {
    numbered() = default;
    numbered(float a, float b) : Pair{a, b}
    {
    }
};

template <bool grouped> void create_4(scene_run* run)
{
    handles entities(run->count);
    registry world;
    if constexpr (grouped) {
        (void)world.group<Position, Velocity, numbered<0>, numbered<1>>();
    }
    scene_start(run);
    for (uint32_t k = 0; k < run->count; k++) {
        entity e = entities.item[k] = world.create();
        world.emplace<Position>(e, scene_position(k));
        world.emplace<Velocity>(e, scene_velocity(k));
        world.emplace<numbered<0>>(e, 1.0f, 1.0f);
        world.emplace<numbered<1>>(e, 2.0f, 2.0f);
    }
    scene_stop(run);
    run->operations = run->count;
    for (uint32_t k = 0; k < run->count; k++) {
        entity e = entities[k];
        run->checksum += scene_sum(k, world.get<Position>(e).x + world.get<numbered<0>>(e).x) +
                         scene_sum(k, world.get<Velocity>(e).y + world.get<numbered<1>>(e).y);
    }
}

// --------------------------------------------------------------- destroying, adding and removing

template <bool grouped> void destroy(scene_run* run)
{
    handles entities(run->count);
    registry world;
    prepare<grouped>(world);
    for (uint32_t k = 0; k < run->count; k++) {
        entity e = entities.item[k] = world.create();
        world.emplace<Position>(e);
        world.emplace<Velocity>(e);
    }
    if (run->row == SCENE_destroy_random) {
        entities.shuffle();
    }
    scene_start(run);
    for (uint32_t k = 0; k < run->count; k++) {
        world.destroy(entities[k]);
    }
    scene_stop(run);
    run->operations = run->count;
    run->checksum = alive(world) + world.storage<Position>().size();
}

uint64_t called;

void count_call(registry&, entity)
{
    called++;
}

template <bool grouped> void toggle(scene_run* run)
{
    handles entities(run->count);
    registry world;
    prepare<grouped>(world);
    called = 0;
    if (run->row == SCENE_hooks) {
        world.on_construct<Velocity>().connect<&count_call>();
        world.on_destroy<Velocity>().connect<&count_call>();
    }
    for (uint32_t k = 0; k < run->count; k++) {
        entities.item[k] = world.create();
        world.emplace<Position>(entities[k]);
    }
    if (run->row == SCENE_toggle_1m) {
        entities.shuffle();
    }
    uint32_t rounds = scene_rounds(run->count, 1000000);
    for (uint32_t round = 0; round < rounds; round++) {
        scene_start(run);
        for (uint32_t k = 0; k < run->count; k++) {
            world.emplace<Velocity>(entities[k]);
        }
        scene_stop(run);
        run->checksum += world.storage<Velocity>().size();
        scene_start(run);
        for (uint32_t k = 0; k < run->count; k++) {
            world.erase<Velocity>(entities[k]);
        }
        scene_stop(run);
    }
    run->operations = uint64_t(rounds) * run->count;
    run->checksum += 3 * called + 7 * uint64_t(world.storage<Velocity>().size());
}

// ------------------------------------------------------------------------- by handle and in loops

template <bool grouped> struct population {
    registry world;
    handles entities;
    uint32_t* movers;
    uint32_t mover_count;

    explicit population(const scene_run* run) : entities(run->count)
    {
        prepare<grouped>(world);
        movers = scene_movers(run, &mover_count);
        for (uint32_t k = 0; k < run->count; k++) {
            entities.item[k] = world.create();
            world.emplace<Position>(entities[k], scene_position(k));
        }
        for (uint32_t k = 0; k < mover_count; k++) {
            world.emplace<Velocity>(entities[movers[k]], scene_velocity(movers[k]));
        }
    }
    ~population()
    {
        scene_free(movers);
    }
};

void get_random(scene_run* run)
{
    population<false> scene(run);
    scene.entities.shuffle();
    auto& positions = scene.world.storage<Position>();
    auto& velocities = scene.world.storage<Velocity>();
    uint32_t rounds = scene_rounds(run->count, 2000000);
    int64_t sum = 0;
    scene_start(run);
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t k = 0; k < run->count; k++) {
            entity e = scene.entities[k];
            sum += int64_t(positions.get(e).x + velocities.get(e).y);
        }
    }
    scene_stop(run);
    run->operations = uint64_t(rounds) * run->count;
    run->checksum = uint64_t(sum);
}

void has_random(scene_run* run)
{
    population<false> scene(run);
    scene.entities.shuffle();
    auto& velocities = scene.world.storage<Velocity>();
    uint32_t rounds = scene_rounds(run->count, 4000000);
    uint64_t sum = 0;
    scene_start(run);
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t k = 0; run->row == SCENE_has_random && k < run->count; k++) {
            sum += velocities.contains(scene.entities[k]);
        }
        for (uint32_t k = 0; run->row == SCENE_has_checked && k < run->count; k++) {
            entity e = scene.entities[k];
            sum += scene.world.valid(e) && scene.world.all_of<Velocity>(e);
        }
    }
    scene_stop(run);
    run->operations = uint64_t(rounds) * run->count;
    run->checksum = sum;
}

void iterate_1(scene_run* run)
{
    population<false> scene(run);
    uint32_t rounds = scene_rounds(run->count, 10000000);
    for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
        scene.world.view<Position>().each([](Position& p) {
            p.x += 1;
            p.y += 1;
        });
    }
    run->operations = uint64_t(rounds) * run->count;
    for (uint32_t k = 0; k < run->count; k++) {
        const Position& p = scene.world.get<Position>(scene.entities[k]);
        run->checksum += scene_sum(k, p.x) + scene_sum(k, p.y);
    }
}

template <bool grouped> void move(scene_run* run)
{
    population<grouped> scene(run);
    scene_swaps swaps = scene_swaps_create(run, scene.movers, scene.mover_count);
    uint32_t rounds = scene_rounds(run->count, 10000000);
    auto body = [](Position& p, const Velocity& v) {
        p.x += v.x * SCENE_DT;
        p.y += v.y * SCENE_DT;
    };
    auto view = scene.world.template view<Position, const Velocity>();
    for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
        if constexpr (grouped) {
            scene.world.template group<Position, Velocity>().each(body);
        } else {
            view.each(body);
        }
        if (swaps.half != 0) {
            scene_swap swap = scene_swaps_at(&swaps, round);
            for (uint32_t k = 0; k < swap.count; k++) {
                scene.world.template storage<Velocity>().erase(scene.entities[swap.out[k]]);
                scene.world.template emplace<Velocity>(scene.entities[swap.in[k]],
                                                       scene_velocity(swap.in[k]));
            }
        }
    }
    scene_free(swaps.list);
    run->operations = uint64_t(rounds) * scene.mover_count;
    for (uint32_t k = 0; k < scene.mover_count; k++) {
        uint32_t number = scene.movers[k];
        const Position& p = scene.world.template get<Position>(scene.entities[number]);
        run->checksum += scene_sum(number, p.x) + scene_sum(number, p.y);
    }
}

template <int number> void fill_type(registry& world, const handles& entities, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        uint32_t at = number * count + k;
        world.emplace<Single>(entities[at], float(at % 1024));
        world.emplace<numbered<number>>(entities[at]);
    }
}

void types_26(scene_run* run)
{
    uint32_t count = 26 * run->count;
    registry world;
    handles entities(count);
    for (uint32_t k = 0; k < count; k++) {
        entities.item[k] = world.create();
    }
    [&]<int... number>(std::integer_sequence<int, number...>)
    {
        (fill_type<number>(world, entities, run->count), ...);
    }
    (std::make_integer_sequence<int, 26>{});
    uint32_t rounds = scene_rounds(count, 10000000);
    for (uint32_t round = 0; scene_goes_on(run, round, rounds); round++) {
        world.view<Single>().each([](Single& s) { s.value += 1; });
    }
    run->operations = uint64_t(rounds) * count;
    for (uint32_t k = 0; k < count; k++) {
        run->checksum += scene_sum(k, world.get<Single>(entities[k]).value);
    }
}

template <int number> void fill_mixed(registry& world, entity e, uint32_t k)
{
    if ((scene_mixed(k) >> number & 1) != 0) {
        Pair pair = scene_pair(k, number);
        world.emplace<numbered<number>>(e, pair.x, pair.y);
    }
}

template <bool grouped> void mixed_10(scene_run* run)
{
    registry world;
    handles entities(run->count);
    if constexpr (grouped) {
        (void)world.group<numbered<0>, numbered<4>, numbered<8>>();
    }
    for (uint32_t k = 0; k < run->count; k++) {
        entities.item[k] = world.create();
        [&]<int... number>(std::integer_sequence<int, number...>)
        {
            (fill_mixed<number>(world, entities[k], k), ...);
        }
        (std::make_integer_sequence<int, 10>{});
    }
    uint64_t matches = 0;
    auto body = [&matches](numbered<0>& x, const numbered<4>& y, const numbered<8>& z) {
        x.x += y.x;
        x.y += z.y;
        matches++;
    };
    auto view = world.view<numbered<0>, const numbered<4>, const numbered<8>>();
    for (uint32_t round = 0; scene_goes_on(run, round, SCENE_MIXED_ROUNDS); round++) {
        if constexpr (grouped) {
            world.group<numbered<0>, numbered<4>, numbered<8>>().each(body);
        } else {
            view.each(body);
        }
    }
    run->operations = matches / (SCENE_MIXED_ROUNDS + 1) * SCENE_MIXED_ROUNDS;
    for (uint32_t k = 0; k < run->count; k++) {
        if ((scene_mixed(k) & SCENE_MIXED_QUERY) == SCENE_MIXED_QUERY) {
            const auto& x = world.get<numbered<0>>(entities[k]);
            run->checksum += scene_sum(k, x.x) + scene_sum(k, x.y);
        }
    }
}

void sort(scene_run* run)
{
    registry world;
    handles entities(run->count);
    auto less = [](const Key& a, const Key& b) { return a.key < b.key; };
    for (uint32_t k = 0; k < run->count; k++) {
        entities.item[k] = world.create();
        world.emplace<Key>(entities[k], scene_key(run->row, k, 0));
    }
    if (run->row == SCENE_sort_again) {
        world.sort<Key>(less);
    }
    for (uint32_t round = 1; round <= SCENE_SORT_ROUNDS; round++) {
        for (uint32_t k = 0; k < run->count; k++) {
            world.get<Key>(entities[k]).key = scene_key(run->row, k, round);
        }
        scene_start(run);
        world.sort<Key>(less);
        scene_stop(run);
        uint64_t rank = 0;
        world.view<const Key>().each([&](const Key& key) { run->checksum += rank++ * key.key; });
    }
    run->operations = uint64_t(SCENE_SORT_ROUNDS) * run->count;
}

void systems_7(scene_run* run)
{
    registry world;
    handles entities(run->count);
    int32_t* frame = scene_frame_create();
    for (uint32_t k = 0; k < run->count; k++) {
        entity e = entities.item[k] = world.create();
        world.emplace<Position>(e, scene_body_position(k));
        world.emplace<Velocity>(e, scene_velocity(k));
        world.emplace<Data>(e, scene_data(k));
        if (scene_has_health(k)) {
            world.emplace<Health>(e, scene_health(k));
        }
        if (scene_has_damage(k)) {
            world.emplace<Damage>(e, scene_damage(k));
        }
        if (scene_has_sprite(k)) {
            world.emplace<Sprite>(e, ' ');
        }
    }
    for (uint32_t round = 0; scene_goes_on(run, round, SCENE_SYSTEM_ROUNDS); round++) {
        world.view<Position, const Velocity>().each(
            [](Position& p, const Velocity& v) { scene_move(&p, &v); });
        world.view<Data>().each([](Data& d) { scene_age(&d); });
        world.view<const Position, Velocity, Data>().each(
            [](const Position& p, Velocity& v, Data& d) { scene_turn(&p, &v, &d); });
        world.view<Health>().each([](Health& h) { scene_heal(&h); });
        world.view<Health, const Damage>().each(
            [](Health& h, const Damage& g) { scene_hurt(&h, &g); });
        world.view<Sprite, const Health>().each(
            [](Sprite& s, const Health& h) { scene_choose(&s, &h); });
        world.view<const Position, const Sprite>().each(
            [frame](const Position& p, const Sprite& s) { scene_draw(&p, &s, frame); });
    }
    run->operations = uint64_t(SCENE_SYSTEM_ROUNDS) * run->count;
    for (uint32_t k = 0; k < run->count; k++) {
        entity e = entities[k];
        run->checksum += scene_body_sum(k, &world.get<Position>(e), &world.get<Data>(e),
                                        world.try_get<Health>(e), world.try_get<Sprite>(e));
    }
    run->checksum += scene_frame_sum(frame);
    scene_free(frame);
}

// --------------------------------------------------------------------------------- lives in full

template <bool grouped> void churn(scene_run* run)
{
    registry world;
    handles entities(run->count);
    if constexpr (grouped) {
        (void)world.group<Ca, Cb, Cc, Cd>();
    }
    scene_start(run);
    for (uint32_t round = 0; round < SCENE_CHURN_ROUNDS; round++) {
        for (uint32_t k = 0; k < run->count; k++) {
            entity e = entities.item[k] = world.create();
            world.emplace<Ca>(e);
            world.emplace<Cb>(e);
            world.emplace<Cc>(e);
            world.emplace<Cd>(e);
        }
        for (uint32_t k = 0; k < run->count; k++) {
            auto [a, b, c, d] = world.get<Ca, Cb, Cc, Cd>(entities[k]);
            scene_write_a(&a, 1);
            scene_write_b(&b, 1);
            scene_write_c(&c, 1);
            scene_write_d(&d, 1);
            run->checksum += uint64_t(a.f[0] + float(d.i));
        }
        for (uint32_t k = 0; k < run->count; k++) {
            world.destroy(entities[k]);
        }
    }
    scene_stop(run);
    run->operations = uint64_t(SCENE_CHURN_ROUNDS) * run->count;
    run->checksum += alive(world);
}

struct links {
    entity parent = entt::null;
    entity first = entt::null;
    entity next = entt::null;
};

template <typename T> entity tree_child(registry& world, entity parent)
{
    entity e = world.create();
    world.emplace<T>(e);
    auto& own = world.emplace<links>(e);
    auto& above = world.get<links>(parent);
    own.parent = parent;
    own.next = above.first;
    above.first = e;
    return e;
}

void tree_destroy(registry& world, entity e)
{
    for (entity child = world.get<links>(e).first; child != entt::null;) {
        entity next = world.get<links>(child).next;
        tree_destroy(world, child);
        child = next;
    }
    world.destroy(e);
}

void tree(scene_run* run)
{
    registry world;
    handles roots(run->count);
    scene_start(run);
    for (uint32_t round = 0; round < SCENE_TREE_ROUNDS; round++) {
        for (uint32_t k = 0; k < run->count; k++) {
            roots.item[k] = world.create();
            world.emplace<Ca>(roots[k]);
            world.emplace<Cb>(roots[k]);
            world.emplace<links>(roots[k]);
            for (uint32_t i = 0; i < SCENE_TREE_CHILDREN; i++) {
                entity child = tree_child<Cc>(world, roots[k]);
                for (uint32_t j = 0; j < SCENE_TREE_LEAVES; j++) {
                    (void)tree_child<Cd>(world, child);
                }
            }
        }
        run->checksum += alive(world);
        for (uint32_t k = 0; k < run->count; k++) {
            tree_destroy(world, roots[k]);
        }
    }
    scene_stop(run);
    run->operations = uint64_t(SCENE_TREE_ROUNDS) * SCENE_TREE_ENTITIES(run->count);
    run->checksum += 3 * alive(world);
}

// What an instance of a prefab has, by hand.
void instances(scene_run* run)
{
    registry world;
    auto& p = world.storage<Position>();
    auto& a = world.storage<Ca>();
    auto& b = world.storage<Cb>();
    auto& c = world.storage<Cc>();
    auto& d = world.storage<Cd>();
    const Position position{1, 2};
    const Ca ca{{1, 2, 3, 4, 5, 6}};
    const Cb cb{};
    const Cc cc{};
    const Cd cd{};
    entity last{entt::null};
    scene_start(run);
    for (uint32_t k = 0; k < run->count; k++) {
        last = world.create();
        p.emplace(last, position);
        a.emplace(last, ca);
        b.emplace(last, cb);
        c.emplace(last, cc);
        d.emplace(last, cd);
    }
    scene_stop(run);
    run->operations = run->count;
    run->checksum = c.size() + d.size() + 2 + uint64_t(a.get(last).f[5]);
}

template <bool grouped> void random_ops(scene_run* run)
{
    struct living {
        entity e;
        uint32_t number;
    };
    registry world;
    prepare<grouped>(world);
    auto* list = static_cast<living*>(scene_alloc(run->count, sizeof(living)));
    uint32_t size = 0;
    uint64_t state = SCENE_SEED;
    scene_start(run);
    for (uint32_t k = 0; k < run->count; k++) {
        uint64_t draw = scene_random(&state) >> 16;
        uint32_t what = draw & 7;
        if (what < 3 || size == 0) {
            entity e = world.create();
            world.emplace<Position>(e, scene_position(k));
            list[size++] = {e, k};
            continue;
        }
        uint32_t at = uint32_t((draw >> 3) % size);
        entity e = list[at].e;
        switch (what) {
        case 5:
            if (!world.all_of<Velocity>(e)) {
                world.emplace<Velocity>(e, scene_velocity(list[at].number));
            }
            break;
        case 6:
            world.remove<Velocity>(e);
            break;
        case 7:
            world.destroy(e);
            list[at] = list[--size];
            break;
        default:
            run->checksum += scene_sum(k, world.get<Position>(e).x);
            break;
        }
    }
    scene_stop(run);
    run->operations = run->count;
    run->checksum += alive(world) + 3 * uint64_t(world.storage<Velocity>().size());
    scene_free(list);
}

void empty_world(scene_run* run)
{
    scene_start(run);
    for (uint32_t k = 0; k < run->count; k++) {
        registry world;
        run->checksum += alive(world) == 0;
    }
    scene_stop(run);
    run->operations = run->count;
}

// The rows that both columns have.
template <bool grouped> scene_fn find(scene_row row)
{
    switch (row) {
    case SCENE_create_2:
        return create_2<grouped>;
    case SCENE_create_2_bulk:
        return create_2_bulk<grouped>;
    case SCENE_create_4:
        return create_4<grouped>;
    case SCENE_destroy_order:
    case SCENE_destroy_random:
        return destroy<grouped>;
    case SCENE_toggle_10k:
    case SCENE_toggle_1m:
    case SCENE_toggle_1m_order:
    case SCENE_hooks:
        return toggle<grouped>;
    case SCENE_move_16:
    case SCENE_move_10k:
    case SCENE_move_1m:
    case SCENE_move_second:
    case SCENE_move_random_1:
    case SCENE_move_random_50:
    case SCENE_move_toggled:
        return move<grouped>;
    case SCENE_mixed_10:
        return mixed_10<grouped>;
    case SCENE_churn:
        return churn<grouped>;
    case SCENE_random_ops:
        return random_ops<grouped>;
    default:
        return nullptr;
    }
}

} // namespace

scene_fn scene_entt(scene_row row)
{
    switch (row) {
    case SCENE_create_none:
        return create_none;
    case SCENE_get_random:
    case SCENE_get_typed:
    case SCENE_get_list:
        return get_random;
    case SCENE_has_checked:
    case SCENE_has_random:
        return has_random;
    case SCENE_iterate_1:
        return iterate_1;
    case SCENE_types_26:
        return types_26;
    case SCENE_systems_7:
        return systems_7;
    case SCENE_tree:
        return tree;
    case SCENE_instance:
        return instances;
    case SCENE_sort:
    case SCENE_sort_again:
        return sort;
    case SCENE_empty_world:
        return empty_world;
    default:
        return find<false>(row); // it has no queue of commands
    }
}

scene_fn scene_entt_group(scene_row row)
{
    return find<true>(row);
}

/* loops.cpp: twelve loops by sett.hpp, and by the macros of C. tools/test_cpp.sh counts their
 * instructions: those of sett.hpp may be at most 2 % more, except in number 10, a range-for. */
#include "sett/sett.hpp"

#include "check.hpp"

#define LOOP extern "C" __attribute__((noinline)) void
#define ENTITIES 50000
#define ROUNDS 20

struct Position {
    float x, y;
};
struct Velocity {
    float x, y;
};
struct Weight {
    float kg;
};
struct Count {
    int32_t value;
};
struct Target {
    sett_entity entity;
};
struct Frozen {
};

/* Of the C macros: enumerators, as a list of components makes them. */
enum {
    Position_id = 1,
    Velocity_id,
    Weight_id,
    Count_id,
    Target_id,
    Frozen_id
};

/* 1: all entities match, the body becomes vector code. 2: every seventh does not. */
using moving = sett::query<Position, const Velocity>;
LOOP cpp_1(const moving& q, float dt)
{
    q.each([dt](Position& p, const Velocity& v) {
        p.x += v.x * dt;
        p.y += v.y * dt;
    });
}
LOOP c_1(sett_query* q, float dt)
{
    SETT_FOR(q, b, i) {
        Position* p = &SETT_FIELD_MUT(b, 0, Position)[i];
        const Velocity* v = &SETT_FIELD(b, 1, Velocity)[i];
        p->x += v->x * dt;
        p->y += v->y * dt;
    }
}
LOOP cpp_2(const moving& q, float dt)
{
    q.each([dt](Position& p, const Velocity& v) {
        p.x += v.x * dt;
        p.y += v.y * dt;
    });
}
LOOP c_2(sett_query* q, float dt)
{
    SETT_FOR(q, b, i) {
        Position* p = &SETT_FIELD_MUT(b, 0, Position)[i];
        const Velocity* v = &SETT_FIELD(b, 1, Velocity)[i];
        p->x += v->x * dt;
        p->y += v->y * dt;
    }
}

/* 3: an optional component. */
using falling = sett::query<Velocity, const Weight*>;
LOOP cpp_3(const falling& q, float dt)
{
    q.each([dt](Velocity& v, const Weight* m) { v.y -= m != nullptr ? m->kg * dt : dt; });
}
LOOP c_3(sett_query* q, float dt)
{
    SETT_FOR(q, b, i) {
        Velocity* v = &SETT_FIELD_MUT(b, 0, Velocity)[i];
        const Weight* m = SETT_FIELD(b, 1, Weight);
        v->y -= m != nullptr ? m[i].kg * dt : dt;
    }
}

/* 4: integers, which may lie where the batch lies, and the entity. */
using counting = sett::query<Count>;
LOOP cpp_4(const counting& q, uint64_t* sum)
{
    q.each([sum](sett::entity e, Count& c) {
        c.value++;
        *sum += sett_entity(e).index + static_cast<uint32_t>(c.value);
    });
}
LOOP c_4(sett_query* q, uint64_t* sum)
{
    SETT_FOR(q, b, i) {
        Count* c = &SETT_FIELD_MUT(b, 0, Count)[i];
        c->value++;
        *sum += sett_batch_entity(b, i).index + static_cast<uint32_t>(c->value);
    }
}

/* A component of another entity: 9, 11, 12 by get, find and has of its handle; 5, 6 through
 * sett::lookup, to write and to read. */
using aiming = sett::query<const Target, Count>;
LOOP cpp_9(const aiming& q, sett::world_ref w)
{
    q.each([w](const Target& t, Count& c) {
        c.value += static_cast<int32_t>(w.of(t.entity).get<Position>().x);
    });
}
LOOP c_9(sett_query* q, sett_world* w)
{
    SETT_FOR(q, b, i) {
        const Target* t = &SETT_FIELD(b, 0, Target)[i];
        Count* c = &SETT_FIELD_MUT(b, 1, Count)[i];
        c->value += static_cast<int32_t>(SETT_GET(w, t->entity, Position)->x);
    }
}
LOOP cpp_11(const aiming& q)
{
    q.each([](sett::entity e, const Target& t, Count& c) {
        if (const Weight* m = e.world().of(t.entity).find<Weight>()) {
            c.value += static_cast<int32_t>(m->kg);
        }
    });
}
LOOP c_11(sett_query* q, sett_world* w)
{
    SETT_FOR(q, b, i) {
        const Target* t = &SETT_FIELD(b, 0, Target)[i];
        Count* c = &SETT_FIELD_MUT(b, 1, Count)[i];
        const Weight* m = SETT_FIND(w, t->entity, Weight);
        if (m != nullptr) {
            c->value += static_cast<int32_t>(m->kg);
        }
    }
}
LOOP cpp_12(const aiming& q, sett::world_ref w)
{
    q.each([w](const Target& t, Count& c) { c.value += w.of(t.entity).has<Weight>(); });
}
LOOP c_12(sett_query* q, sett_world* w)
{
    SETT_FOR(q, b, i) {
        const Target* t = &SETT_FIELD(b, 0, Target)[i];
        SETT_FIELD_MUT(b, 1, Count)[i].value += SETT_HAS(w, t->entity, Weight);
    }
}
LOOP cpp_5(const aiming& q, sett::world_ref w)
{
    sett::lookup<Position> positions(w.c());
    q.each([&positions](const Target& t, Count&) {
        if (Position* p = positions.find(t.entity)) {
            p->y += 1;
        }
    });
}
LOOP c_5(sett_query* q, sett_world* w)
{
    SETT_FOR(q, b, i) {
        const Target* t = &SETT_FIELD(b, 0, Target)[i];
        Position* p = SETT_FIND_MUT(w, t->entity, Position);
        if (p != nullptr) {
            p->y += 1;
        }
    }
}
LOOP cpp_6(const aiming& q, sett::world_ref w)
{
    sett::lookup<const Position> positions(w.c());
    q.each([&positions](const Target& t, Count& c) {
        if (const Position* p = positions.find(t.entity)) {
            c.value += static_cast<int32_t>(p->x);
        }
    });
}
LOOP c_6(sett_query* q, sett_world* w)
{
    sett_accessor positions = sett_accessor_make(w, Position_id);
    SETT_FOR(q, b, i) {
        const Target* t = &SETT_FIELD(b, 0, Target)[i];
        Count* c = &SETT_FIELD_MUT(b, 1, Count)[i];
        const void* at = sett_accessor_find(&positions, t->entity);
        if (at != nullptr) {
            c->value += static_cast<int32_t>(static_cast<const Position*>(at)->x);
        }
    }
}

/* 7: a branch, and the entity in it. 10: range-for, with a body that leaves it. */
LOOP cpp_7(const moving& q, float* most)
{
    q.each([most](sett::entity e, const Position& p, const Velocity& v) {
        const float speed = p.x * v.y;
        if (speed > *most) {
            *most = speed + static_cast<float>(sett_entity(e).index & 1);
        }
    });
}
LOOP c_7(sett_query* q, float* most)
{
    SETT_FOR(q, b, i) {
        const Position* p = &SETT_FIELD(b, 0, Position)[i];
        const Velocity* v = &SETT_FIELD(b, 1, Velocity)[i];
        const float speed = p->x * v->y;
        if (speed > *most) {
            *most = speed + static_cast<float>(sett_batch_entity(b, i).index & 1);
        }
    }
}
LOOP cpp_10(const moving& q, float limit, uint32_t* found)
{
    for (auto [e, p, v] : q) {
        if (p.x * v.y > limit) {
            *found = sett_entity(e).index;
            break;
        }
    }
}
LOOP c_10(sett_query* q, float limit, uint32_t* found)
{
    SETT_FOR(q, b, i) {
        Position* p = &SETT_FIELD_MUT(b, 0, Position)[i];
        const Velocity* v = &SETT_FIELD(b, 1, Velocity)[i];
        if (p->x * v->y > limit) {
            *found = sett_batch_entity(b, i).index;
            break;
        }
    }
}

/* 8: a system. */
static void move(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        SETT_FIELD_MUT(b, 0, Position)[i].x += SETT_FIELD(b, 1, Velocity)[i].x * context->dt;
    }
}
LOOP cpp_8(sett_system* system)
{
    CHECK(sett_system_run(system, 1) == SETT_OK);
}
LOOP c_8(sett_system* system)
{
    CHECK(sett_system_run(system, 1) == SETT_OK);
}

int main()
{
    sett::world world;
    CHECK((world.component<Position, Velocity, Weight, Count, Target, Frozen>()));
    CHECK(world.id<Frozen>() == Frozen_id);
    sett_entity first = {0, 1};
    for (uint32_t k = 0; k < ENTITIES; k++) {
        auto e = world.create(Position{float(k), 0}, Count{0},
                              Target{{(k * 7919u) % ENTITIES, first.generation}});
        if (k < ENTITIES / 2 || k % 7 != 6) {
            e.set(Velocity{1, 2});
        }
        if (k % 1000 < 500) {
            e.set(Weight{2});
        }
        if (k >= ENTITIES / 2) {
            e.add<Frozen>();
        }
    }
    moving all(world);
    falling falls(world);
    counting counts(world);
    aiming aims(world);
    sett_query* c_all = all.c();
    sett_system* cpp_system = world.system("cpp").each(
        [](sett::frame f, Position& p, const Velocity& v) { p.x += v.x * f.dt; });
    sett_system_desc desc = {};
    desc.name = "c";
    desc.run = move;
    desc.terms[0] = SETT_INOUT(Position);
    desc.terms[1] = SETT_IN(Velocity);
    sett_system* c_system = sett_system_create(world.c(), &desc);
    uint64_t sum = 0;
    uint32_t found = 0;
    float most = 1e30f;
    for (int round = 0; round < ROUNDS; round++) {
        cpp_2(all, 0.1f);
        c_2(c_all, 0.1f);
        cpp_3(falls, 0.1f);
        c_3(falls.c(), 0.1f);
        cpp_4(counts, &sum);
        c_4(counts.c(), &sum);
        cpp_9(aims, world);
        c_9(aims.c(), world.c());
        cpp_11(aims);
        c_11(aims.c(), world.c());
        cpp_12(aims, world);
        c_12(aims.c(), world.c());
        cpp_5(aims, world);
        c_5(aims.c(), world.c());
        cpp_7(all, &most);
        c_7(c_all, &most);
        cpp_6(aims, world);
        c_6(aims.c(), world.c());
        cpp_10(all, 1e30f, &found);
        c_10(c_all, 1e30f, &found);
        cpp_8(cpp_system);
        c_8(c_system);
    }
    world.query<sett::with<Frozen>>().each([](sett::entity e) { e.later().destroy(); });
    CHECK(world.apply() && world.count() == ENTITIES / 2);
    for (int round = 0; round < ROUNDS; round++) {
        cpp_1(all, 0.1f);
        c_1(c_all, 0.1f);
    }
    std::printf("%llu %u\n", static_cast<unsigned long long>(sum), found);
    return 0;
}

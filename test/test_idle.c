/* test_idle.c: systems that match nothing are skipped without a look at them, and come back with
 * the first entity that has the type. The same random frames go to two worlds; in one of them all
 * systems are looked at each frame. Both call the same systems, with the same entities and dt, and
 * hold the same. */
#include "chance.h"
#include "worlds.h"

#include "run/run.h"

#define SYSTEMS 10u
#define ENTITIES 6u
#define LOG 4096u

enum {
    A = 1,
    B,
    C,
    MARK,
    TYPES
};

typedef struct call {
    uint32_t system;
    uint32_t index;
    float dt;
} call;

typedef struct side {
    sett_world* world;
    sett_system* system[SYSTEMS];
    sett_snapshot held;
    bool holds;
    call log[LOG];
    uint32_t count;
    uint32_t asked; /* calls of a condition */
} side;

typedef struct actor {
    side* of;
    uint32_t number;
} actor;

static side sides[2];
static actor actors[2][SYSTEMS];

static void note(side* of, uint32_t system, uint32_t index, float dt)
{
    CHECK(of->count < LOG);
    of->log[of->count++] = (call){system, index, dt};
}

/* Passes a type on by commands, which depend on nothing but the system and the entity. */
static void run_actor(sett_context* context)
{
    const actor* a = context->user;
    note(a->of, a->number, UINT32_MAX, context->dt);
    SETT_SYSTEM_EACH(context, b) {
        SETT_EACH(b, i) {
            sett_entity e = sett_batch_entity(b, i);
            note(a->of, a->number, e.index, context->dt);
            if (a->number % 3 == 1) {
                (void)sett_cmd_add(context->commands, e, 1 + (a->number + e.index) % MARK);
            } else if (a->number % 3 == 2) {
                (void)sett_cmd_remove(context->commands, e, 1 + (a->number + e.index) % MARK);
            }
        }
    }
}

static bool ask(const sett_world* world, void* user)
{
    side* of = ((const actor*)user)->of;
    CHECK(of->world == world);
    return of->asked++ % 2 == 0;
}

static void side_begin(side* of, uint32_t which)
{
    static const char* const names[SYSTEMS] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    static const sett_component_desc types[] = {
        {.name = "a", .size = 4},
        {.name = "b", .size = 4, .storage = SETT_STORAGE_SPARSE_SET},
        {.name = "c", .size = 4},
        {.name = "mark"}};
    of->world = quiet_world();
    for (uint32_t k = 0; k + 1 < TYPES; k++) {
        CHECK_EQ(sett_component_register(of->world, &types[k]), k + 1);
    }
    for (uint32_t k = 0; k < SYSTEMS; k++) {
        actors[which][k] = (actor){of, k};
        sett_system_desc desc = {.name = names[k], .run = run_actor, .user = &actors[which][k]};
        desc.phase = k < 5 ? 0 : 1;
        desc.terms[0] = (sett_term){.component = 1 + k % MARK, .access = SETT_IN};
        desc.terms[1] = (sett_term){.component = 1 + (k * 7 + 1) % MARK, .access = SETT_INOUT};
        desc.terms[1].kind = k % 4 == 3 ? SETT_OPTIONAL : SETT_WITH;
        desc.terms[0].changed = k == 4;
        desc.run_if = k == 6 ? ask : NULL;
        desc.interval = k == 7 ? 0.25f : 0;
        desc.run_once = k == 8;
        if (desc.terms[0].component == desc.terms[1].component) {
            desc.terms[1] = (sett_term){.component = 0};
        }
        for (sett_component id = A; k % 3 != 0 && id < TYPES - 1; id++) {
            desc.records[id - 1] = id;
        }
        of->system[k] = sett_system_create(of->world, &desc);
        CHECK_MSG(of->system[k] != NULL, "%s", sett_world_message(of->world));
    }
    for (uint32_t k = 0; k < ENTITIES; k++) {
        CHECK(!sett_is_null(sett_entity_create(of->world)));
    }
}

static void side_hold(side* of, bool restores)
{
    if (of->holds && restores) {
        CHECK_EQ(sett_snapshot_restore(of->world, of->held), SETT_OK);
    } else if (of->holds) {
        CHECK_EQ(sett_snapshot_drop(of->world, of->held), SETT_OK);
        of->holds = false;
    } else {
        of->holds = sett_snapshot_take(of->world, &of->held) == SETT_OK;
        CHECK(of->holds);
    }
}

static void side_change(side* of, uint64_t chance)
{
    uint32_t how = chance_below(&chance, 12);
    sett_component id = A + chance_below(&chance, TYPES - 1);
    sett_entity e = sett_entity_at(of->world, chance_below(&chance, ENTITIES));
    if (how < 3) {
        (void)sett_add(of->world, e, id);
    } else if (how < 7) {
        (void)sett_remove(of->world, e, id);
    } else if (how == 7) {
        CHECK_EQ(sett_component_clear(of->world, id), SETT_OK);
    } else if (how == 8) {
        side_hold(of, chance_below(&chance, 2) != 0);
    } else if (how == 9) {
        sett_system_enable(of->system[chance_below(&chance, SYSTEMS)],
                           chance_below(&chance, 3) != 0);
    } else if (how == 10) {
        (void)sett_component_convert(of->world, id,
                                     chance_below(&chance, 2) != 0 ? SETT_STORAGE_ARRAY
                                                                   : SETT_STORAGE_SPARSE_SET);
    } else {
        (void)sett_system_run(of->system[chance_below(&chance, SYSTEMS)], 0.5f);
    }
}

static void idle_systems_come_back(void)
{
    uint64_t chance = check_setting("SETT_SEED", 1);
    uint32_t skipped = 0;
    for (uint32_t k = 0; k < 2; k++) {
        side_begin(&sides[k], k);
    }
    for (int frame = 0; frame < CHECK_ROUNDS(20000); frame++) {
        for (uint32_t times = chance_below(&chance, 3); times != 0; times--) {
            uint64_t drawn = chance_draw(&chance);
            side_change(&sides[0], drawn);
            side_change(&sides[1], drawn);
        }
        float dt = (float)chance_below(&chance, 4) / 16;
        for (uint32_t k = 0; k < 2; k++) {
            setti_run* run = setti_run_of(sides[k].world);
            for (uint32_t place = 0; run->scheduled && place < run->sorted_count; place++) {
                skipped += k == 0 && run->empty[place] != NULL;
                run->empty[place] = k == 0 ? run->empty[place] : NULL;
            }
            sides[k].count = 0;
            CHECK_EQ(sett_progress(sides[k].world, dt), SETT_OK);
        }
        CHECK_EQ(sides[0].count, sides[1].count);
        for (uint32_t k = 0; k < sides[0].count; k++) {
            const call* a = &sides[0].log[k];
            const call* b = &sides[1].log[k];
            CHECK_EQ(a->system, b->system);
            CHECK_EQ(a->index, b->index);
            CHECK(a->dt == b->dt);
        }
        CHECK_EQ(sides[0].asked, sides[1].asked);
        CHECK_EQ(sett_world_hash(sides[0].world), sett_world_hash(sides[1].world));
    }
    CHECK(skipped > 1000);
    for (uint32_t k = 0; k < 2; k++) {
        if (sides[k].holds) {
            CHECK_EQ(sett_snapshot_drop(sides[k].world, sides[k].held), SETT_OK);
        }
        CHECK_END(sides[k].world);
    }
}

static void count_call(sett_context* context)
{
    ++*(uint32_t*)context->user;
}

/* A term of a singleton or of a fixed entity is a gate: while it does not hold, the system does not
 * run, whatever entities there are. */
static void a_state_of_the_game_is_a_gate(void)
{
    enum {
        GATED = 10
    };
    sett_world* world = quiet_world();
    static const sett_component_desc types[] = {
        {.name = "a", .size = 4}, {.name = "paused"}, {.name = "c", .size = 4}};
    for (uint32_t k = 0; k < 3; k++) {
        CHECK_EQ(sett_component_register(world, &types[k]), k + 1);
    }
    sett_component a = A;
    CHECK_EQ(sett_entity_create_many(world, 5000, &a, 1, NULL, NULL), SETT_OK);
    sett_entity level = sett_entity_create(world);
    const sett_term on = {.component = B, .access = SETT_NONE, .singleton = true};
    const sett_term off = {
        .component = B, .access = SETT_NONE, .singleton = true, .kind = SETT_WITHOUT};
    const sett_term unlike = {
        .component = B, .access = SETT_NONE, .singleton = true, .kind = SETT_OPTIONAL};
    const sett_term loaded = {.component = C, .access = SETT_IN, .entity = level};
    const sett_term below = {.component = A, .access = SETT_IN, .walk = SETT_WALK_ONE};
    const sett_term rows = {.component = A, .access = SETT_IN};
    uint32_t calls[GATED] = {0};
    static char text[4000];
    const sett_system_desc systems[GATED] = {
        {.name = "on", .terms = {on}},
        {.name = "off", .terms = {off}},
        {.name = "either", .terms = {unlike}},
        {.name = "on, one job", .terms = {rows, on}, .single_job = true},
        {.name = "off, alone", .terms = {rows, off}, .exclusive = true},
        {.name = "on, split", .terms = {rows, on}},
        {.name = "loaded", .terms = {loaded}},
        {.name = "below", .terms = {below}},
        {.name = "timed", .terms = {on}, .interval = 0.25f},
        {.name = "once", .terms = {rows, on}, .run_once = true, .single_job = true}};
    sett_system* once = NULL;
    for (uint32_t k = 0; k < GATED; k++) {
        sett_system_desc desc = systems[k];
        desc.run = count_call;
        desc.user = &calls[k];
        once = sett_system_create(world, &desc);
        CHECK_MSG(once != NULL, "%s", sett_world_message(world));
    }
    /* No singleton at all, one of another type, the state, and no state again. */
    for (uint32_t frame = 0; frame < 4; frame++) {
        bool is_on = frame == 2;
        if (frame == 1) {
            CHECK(sett_singleton_ensure(world, C) != NULL);
        } else if (is_on) {
            CHECK(sett_singleton_ensure(world, B) != NULL);
            CHECK(sett_add(world, level, C) != NULL);
        } else if (frame == 3) {
            CHECK_EQ(sett_singleton_remove(world, B), SETT_OK);
            CHECK_EQ(sett_remove(world, level, C), SETT_OK);
        }
        sett_schedule_describe(world, text, sizeof(text));
        CHECK_MSG(strstr(text, "off: touches no values; called once") != NULL, "%s", text);
        CHECK_MSG(strstr(text, "below: reads a; up to") != NULL, "%s",
                  text); /* it loops over children */
        memset(calls, 0, sizeof(calls));
        CHECK_EQ(sett_progress(world, 0.125f), SETT_OK);
        CHECK_EQ(calls[0], is_on);
        CHECK_EQ(calls[1], !is_on);
        CHECK_EQ(calls[2], 1);
        CHECK_EQ(calls[3], is_on);
        CHECK_EQ(calls[4], !is_on);
        CHECK((calls[5] != 0) == is_on);
        CHECK_EQ(calls[6], is_on);
        CHECK(calls[7] > 1);
        CHECK_EQ(calls[8], 0); /* the time until its first run passes while it may run */
        CHECK_EQ(calls[9], is_on);
        CHECK_EQ(sett_system_is_enabled(once), frame < 2);
        CHECK_EQ(sett_system_run(once, 0.125f), SETT_OK);
        CHECK_EQ(calls[9], is_on ? 2 : 0);
    }
    CHECK_END(world);
}

TEST_MAIN(TEST(idle_systems_come_back), TEST(a_state_of_the_game_is_a_gate))

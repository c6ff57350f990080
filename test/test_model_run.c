/* test_model_run.c: random systems over all kinds of storage. The same systems run in three worlds:
 * job after job, on task callbacks that do the jobs last to first, and on some that shuffle them.
 * After every frame all three have to hold the same, to the byte, order and free slots included.
 *
 * What a system does to an entity depends on the frame, the system and the entity alone, and stays
 * within what the system declares: if results differ, two jobs met. */
#include "chance.h"
#include "sett/system.h"
#include "worlds.h"

#include "run/run.h"

#define WORLDS 3
#define SYSTEMS 12

enum {
    PLAIN,   /* array */
    TRACKED, /* array, a tick a row */
    WIDE,    /* array, 200 bytes: 64 rows a page */
    SPARSE,
    KEPT,  /* sparse-set, keeps its order */
    LEFT,  /* sparse-set, arranged by a group with: */
    RIGHT, /* this */
    TAG,
    DONT_FRAGMENT, /* a tag */
    TYPES
};

typedef struct arena_world {
    sett_world* world;
    sett_component type[TYPES];
    struct scene* scene;
    uint32_t which;
} arena_world;

typedef struct actor {
    char name[16];
    uint32_t number;
    sett_system_desc desc;
    bool creates, destroys, toggles;
} actor;

typedef struct scene {
    arena_world at[WORLDS];
    actor actors[SYSTEMS];
    uint32_t made; /* actors so far */
    uint64_t state;
    uint32_t most;
    bool random_loop[SYSTEMS];
} scene;

static uint64_t draw(uint64_t* state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* ---- What a system does ---------------------------------------------------------------------- */

static void act_by_handle(sett_context* c, const arena_world* at, const actor* a, sett_entity e,
                          uint32_t* sum)
{
    sett_entity other =
        sett_entity_at(c->world, chance_of(c->frame, e.index, a->number) % at->scene->most);
    for (uint32_t k = 0; k < SETT_SYSTEM_ACCESS && a->desc.access_any_in[k] != 0; k++) {
        const uint32_t* value = sett_find(c->world, other, a->desc.access_any_in[k]);
        *sum += value != NULL ? *value : 1;
    }
    for (uint32_t k = 0; k < SETT_SYSTEM_ACCESS && a->desc.access_inout[k] != 0; k++) {
        uint32_t* value = sett_find_mut(c->world, e, a->desc.access_inout[k]);
        if (value != NULL) {
            *value = *value * 3 + *sum;
        }
    }
    for (uint32_t k = 0; k < SETT_SYSTEM_ACCESS && a->desc.access_any_inout[k] != 0; k++) {
        uint32_t* value = sett_find_mut(c->world, other, a->desc.access_any_inout[k]);
        if (value != NULL) {
            *value = *value * 5 + *sum;
        }
    }
}

static void act_by_command(sett_context* c, const arena_world* at, const actor* a, sett_entity e,
                           uint32_t sum)
{
    uint32_t dice = chance_of(c->frame, e.index, a->number + 100);
    sett_component type = at->type[dice / 64 % TYPES];
    uint32_t value[64] = {sum};
    if (a->creates && dice % 64 == 0 && sett_entity_count(c->world) < at->scene->most) {
        sett_entity made = sett_cmd_create(c->commands);
        CHECK(!sett_is_null(made));
        value[0] = made.index;
        CHECK_EQ(sett_cmd_set(c->commands, made, at->type[PLAIN], value), SETT_OK);
        CHECK_EQ(sett_cmd_set(c->commands, made, type, value), SETT_OK);
    } else if (a->destroys && dice % 64 == 1) {
        CHECK_EQ(sett_cmd_destroy(c->commands, e), SETT_OK);
    } else if (a->toggles && dice % 32 == 2) {
        CHECK_EQ(sett_cmd_remove(c->commands, e, type), SETT_OK);
    } else if (a->toggles && dice % 32 == 3) {
        CHECK_EQ(sett_cmd_set(c->commands, e, type, value), SETT_OK);
    }
}

static void act(sett_context* c)
{
    const arena_world* at = c->user;
    const actor* a = NULL;
    for (uint32_t k = 0; k < SYSTEMS; k++) {
        if (strcmp(at->scene->actors[k].name, sett_system_name(c->system)) == 0) {
            a = &at->scene->actors[k];
        }
    }
    CHECK(a != NULL);
    SETT_SYSTEM_EACH(c, b) {
        SETT_EACH(b, i) {
            sett_entity e = sett_batch_entity(b, i);
            uint32_t sum = chance_of(c->frame, e.index, a->number);
            CHECK(sett_entity_valid(c->world, e));
            for (uint32_t k = 0; k < b->field_count; k++) {
                const setti_type* type = setti_world_type(c->world, a->desc.terms[k].component);
                const unsigned char* field = sett_batch_field(b, k);
                if (field != NULL && a->desc.terms[k].access != SETT_OUT) {
                    uint32_t value;
                    memcpy(&value, field + (size_t)i * type->storage.size, sizeof(value));
                    sum = sum * 7 + value;
                }
            }
            act_by_handle(c, at, a, e, &sum);
            for (uint32_t k = 0; k < b->field_count; k++) {
                const setti_type* type = setti_world_type(c->world, a->desc.terms[k].component);
                unsigned char* field = sett_batch_field(b, k);
                uint32_t size = type->storage.size; /* OUT wants all of the value written */
                for (uint32_t at_byte = 0; field != NULL && at_byte < size; at_byte += 4) {
                    if (a->desc.terms[k].access != SETT_IN) {
                        memcpy(field + (size_t)i * size + at_byte, &sum, sizeof(sum));
                    }
                }
            }
            act_by_command(c, at, a, e, sum);
        }
    }
}

/* ---- Worlds ---------------------------------------------------------------------------------- */

static void jobs_backwards(sett_task_fn task, uint32_t count, void* context)
{
    for (uint32_t k = count; k-- > 0;) {
        task(k, k + 1, context);
    }
}

static void jobs_shuffled(sett_task_fn task, uint32_t count, void* context)
{
    uint32_t step = 1 + count / 2 + count / 7; /* prime to count, or as good */
    uint32_t done = 0;
    static bool did[SYSTEMS * 64];
    memset(did, 0, sizeof(did));
    for (uint32_t at = count / 3; done < count; at = (at + step) % count) {
        while (did[at]) {
            at = (at + 1) % count;
        }
        did[at] = true;
        done++;
        task(at, at + 1, context);
    }
}

static void* run_jobs(sett_task_fn task, uint32_t count, uint32_t min_range, void* context,
                      void* user)
{
    (void)min_range;
    (*(uint32_t*)user == 1 ? jobs_backwards : jobs_shuffled)(task, count, context);
    return NULL;
}

static void nothing_to_finish(void* handle, void* user)
{
    (void)user;
    CHECK_MSG(false, "finish of %p", handle);
}

static void world_begin(arena_world* at, scene* s, uint32_t which)
{
    static const sett_component_desc types[TYPES] = {
        [PLAIN] = {.name = "Plain", .size = 4},
        [TRACKED] = {.name = "Tracked", .size = 8, .track_rows = true},
        [WIDE] = {.name = "Wide", .size = 200},
        [SPARSE] = {.name = "Sparse-set", .size = 4, .storage = SETT_STORAGE_SPARSE_SET},
        [KEPT] = {.name = "Kept",
                  .size = 12,
                  .storage = SETT_STORAGE_SPARSE_SET,
                  .keep_order = true},
        [LEFT] = {.name = "Left", .size = 4, .storage = SETT_STORAGE_SPARSE_SET},
        [RIGHT] = {.name = "Right", .size = 16, .storage = SETT_STORAGE_SPARSE_SET},
        [TAG] = {.name = "Tag"},
        [DONT_FRAGMENT] = {.name = "Dont_fragment", .dont_fragment = true},
    };
    at->scene = s;
    at->which = which;
    at->world = quiet_world();
    for (uint32_t k = 0; k < TYPES; k++) {
        at->type[k] = sett_component_register(at->world, &types[k]);
        CHECK_EQ(at->type[k], k + 1); /* in all worlds: descriptors are shared */
    }
    CHECK(sett_group_create(
              at->world, &(sett_group_desc){.owned = {at->type[LEFT], at->type[RIGHT]}}) != NULL);
    sett_schedule_desc desc = {.no_times = true, .job_limit = 7, .guard = SETT_GUARD_OFF};
    if (which != 0) {
        desc.tasks = (sett_tasks){run_jobs, nothing_to_finish, &at->which};
    }
    CHECK_EQ(sett_schedule_configure(at->world, &desc), SETT_OK);
    for (uint32_t k = 0; k < s->most; k++) {
        sett_entity e = sett_entity_create(at->world);
        for (uint32_t type = 0; type < TYPES; type++) {
            uint32_t value[64] = {k * 10 + type};
            if (chance_of(k, type, 1) % (type % 4 + 1) == 0) {
                CHECK(sett_set(at->world, e, at->type[type], value) != NULL);
            }
        }
    }
}

/* Everything, in its order; ticks say that what counts as changed is the same too. */
static uint64_t world_hash(const sett_world* world)
{
    uint64_t hash = world->entities.count;
    for (uint32_t index = 0; index < setti_entity_capacity(&world->entities); index++) {
        hash = hash * 31 + setti_entity_generation(&world->entities, index);
    }
    for (uint32_t k = 0; k < world->registered.count; k++) {
        const setti_storage* storage = &world->registered.item[k]->storage;
        uint32_t cursor = 0;
        for (uint32_t index = setti_storage_next(storage, &cursor); index != SETTI_NONE;
             index = setti_storage_next(storage, &cursor)) {
            const unsigned char* value = setti_storage_find(storage, index);
            hash = hash * 31 + index;
            hash = hash * 31 + setti_storage_changed(storage, index);
            for (uint32_t byte = 0; byte < storage->size; byte++) {
                hash = hash * 31 + value[byte];
            }
        }
    }
    return hash;
}

/* ---- Systems --------------------------------------------------------------------------------- */

/* Types with values, many of them among the terms. */
static void choose_types(scene* s, const sett_system_desc* desc, sett_component* list,
                         uint32_t most)
{
    uint32_t count = 0;
    while (count < most && draw(&s->state) % 2 == 0) {
        sett_component type = desc->terms[draw(&s->state) % 4].component;
        bool other = type == 0 || type > TAG || draw(&s->state) % 2 == 0;
        list[count++] = other ? (sett_component)(1 + draw(&s->state) % TAG) : type;
    }
}

static void choose_terms(scene* s, sett_system_desc* desc)
{
    uint32_t count = 1 + (uint32_t)(draw(&s->state) % 4);
    uint32_t used = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t type = (uint32_t)(draw(&s->state) % TYPES);
        if ((used >> type & 1) != 0) {
            count--;
            k--;
            continue;
        }
        used |= (uint32_t)1 << type;
        desc->terms[k].component = type + 1;
        desc->terms[k].access = (sett_access)(draw(&s->state) % 4);
        uint64_t kind = draw(&s->state) % 8;
        if (k != 0) {
            desc->terms[k].kind = kind == 0   ? SETT_WITHOUT
                                  : kind <= 2 ? SETT_OPTIONAL
                                  : kind == 3 ? SETT_ANY
                                              : SETT_WITH;
        }
        desc->terms[k].changed = desc->terms[k].kind == SETT_WITH && draw(&s->state) % 8 == 0;
    }
}

static void make_actor(scene* s, uint32_t k)
{
    actor* a = &s->actors[k];
    memset(a, 0, sizeof(*a));
    a->number = s->made++;
    snprintf(a->name, sizeof(a->name), "act%u", (unsigned)a->number);
    a->desc.name = a->name;
    a->desc.run = act;
    a->desc.phase = (int)(draw(&s->state) % 3);
    choose_terms(s, &a->desc);
    choose_types(s, &a->desc, a->desc.access_any_in, 2);
    choose_types(s, &a->desc, a->desc.access_inout, 2);
    choose_types(s, &a->desc, a->desc.access_any_inout, draw(&s->state) % 4 == 0 ? 2 : 0);
    a->desc.single_job = draw(&s->state) % 8 == 0;
    a->desc.exclusive = draw(&s->state) % 16 == 0;
    choose_types(s, &a->desc, a->desc.records, 3);
    a->creates = draw(&s->state) % 2 == 0;
    a->destroys = draw(&s->state) % 3 == 0;
    a->toggles = draw(&s->state) % 2 == 0;
    for (uint32_t w = 0; w < WORLDS; w++) {
        a->desc.user = &s->at[w];
        CHECK(sett_system_create(s->at[w].world, &a->desc) != NULL);
    }
}

static void systems_do_the_same_in_any_order(void)
{
    static scene s;
    uint64_t seed = check_setting("SETT_SEED", 1);
    uint64_t frames = check_setting("SETT_OPERATIONS", 20000) / 500;
    printf("  SETT_SEED=%llu\n", (unsigned long long)seed);
    memset(&s, 0, sizeof(s));
    s.state = seed * 0x9E3779B97F4A7C15u + 7;
    s.most = 6000;
    for (uint32_t w = 0; w < WORLDS; w++) {
        world_begin(&s.at[w], &s, w);
    }
    for (uint32_t k = 0; k < SYSTEMS; k++) {
        make_actor(&s, k);
    }
    uint32_t split = 0;
    uint32_t applied = 0; /* stages before which commands are applied, inside of a phase */
    for (uint64_t frame = 0; frame < frames; frame++) {
        uint32_t again = (uint32_t)(draw(&s.state) % SYSTEMS);
        for (uint32_t w = 0; w < WORLDS; w++) {
            sett_world* world = s.at[w].world;
            CHECK_EQ(sett_system_destroy(sett_system_find(world, s.actors[again].name)), SETT_OK);
        }
        make_actor(&s, again);
        for (uint32_t w = 0; w < WORLDS; w++) {
            CHECK_EQ(sett_progress(s.at[w].world, 1), SETT_OK);
        }
        uint64_t hash = world_hash(s.at[0].world);
        for (uint32_t w = 1; w < WORLDS; w++) {
            CHECK_MSG(world_hash(s.at[w].world) == hash, "frame %llu: world %u differs",
                      (unsigned long long)frame, (unsigned)w);
        }
        CHECK_VALID(s.at[frame % WORLDS].world);
        for (uint32_t k = 0; k < SYSTEMS; k++) {
            sett_system_stats stats;
            sett_system_stats_get(sett_system_find(s.at[0].world, s.actors[k].name), &stats);
            split += stats.jobs > 2;
        }
        const setti_run* run = setti_run_of(s.at[0].world);
        for (uint32_t k = 0; k < run->stage_count; k++) {
            applied += run->stages[k].applies && !run->stages[k].exclusive;
        }
        check_print((frame + 1) * 500, frames * 500);
    }
    CHECK(split > frames);
    CHECK(applied > frames);
    for (uint32_t w = 0; w < WORLDS; w++) {
        CHECK(sett_entity_count(s.at[w].world) > s.most / 4);
        sett_world_destroy(s.at[w].world);
    }
}

TEST_MAIN(TEST(systems_do_the_same_in_any_order))

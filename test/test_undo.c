/* test_undo.c: histories of editors, against copies of the world.
 *
 * SPDX-License-Identifier: MIT
 */
#include "chance.h"
#include "scarce.h"
#include "sett/sett.h"
#include "worlds.h"

#include "state/undo.h"

typedef struct Place {
    float x, y;
} Place;

typedef struct Label {
    sett_string text;
} Label;

typedef struct Rounded { /* steps have all of it */
    float x;
} Rounded;

typedef struct Speed { /* of the simulation */
    float x;
} Speed;

#define KINDS(COMPONENT, TAG)                                                                      \
    COMPONENT(Place)                                                                               \
    COMPONENT(Label, .members = SETT_STRUCT(Label, text))                                          \
    COMPONENT(Rounded, .storage = SETT_STORAGE_SPARSE_SET,                                         \
              .members = SETT_STRUCT(Rounded, (x, .send = {.scale = 8, .bits = 10})))              \
    COMPONENT(Speed)                                                                               \
    TAG(Edited)                                                                                    \
    TAG(Marked, .dont_fragment = true)
SETT_COMPONENTS(KINDS)

#define ENTITIES 40u /* that are edited */
#define COPIES 64u   /* of the world, for the last steps */

typedef struct scene {
    sett_world* world;
    sett_undo* undo;
    sett_query* query;
    sett_component owes;  /* exclusive, with data */
    sett_component likes; /* to many */
    bool part;            /* only edited entities are selected */
    uint64_t chance;
    uint32_t generation;      /* of the latest entity */
    sett_world* copy[COPIES]; /* of the world at a step, */
    uint32_t step[COPIES];    /* by its number; 0: none */
} scene;

static uint32_t below(scene* s, uint32_t limit)
{
    return chance_below(&s->chance, limit);
}

static void prepare(scene* s, sett_world* world)
{
    CHECK_EQ(SETT_REGISTER_ALL(world, KINDS), SETT_OK);
    s->owes = sett_relationship_register(
        world, &(sett_relationship_desc){.name = "Owes", .size = sizeof(uint32_t)});
    s->likes = sett_relationship_register(
        world, &(sett_relationship_desc){.name = "Likes", .size = sizeof(uint32_t), .many = true});
    CHECK(s->owes != 0 && s->likes != 0);
    CHECK(sett_name_register(world) != 0 && sett_hierarchy_register(world, NULL) != 0);
}

/* An entity that the editor changes; null: none there. */
static sett_entity edited(scene* s)
{
    sett_entity e = sett_entity_at(s->world, below(s, ENTITIES));
    return !sett_is_null(e) && SETT_HAS(s->world, e, Edited) ? e : sett_null();
}

/* Any entity: links lead to those that are not selected, too. */
static sett_entity any(scene* s)
{
    return sett_entity_at(s->world, below(s, 2 * ENTITIES));
}

static void write_values(scene* s, sett_entity e, uint32_t n)
{
    char text[24];
    if (n < 4) {
        SETT_SET(s->world, e, Place, .x = (float)below(s, 5), .y = (float)below(s, 5));
    } else if (n < 6) {
        snprintf(text, sizeof(text), "label %u", (unsigned)below(s, 1000));
        Label* label = sett_ensure(s->world, e, Label_id);
        CHECK(label != NULL);
        CHECK_EQ(sett_string_set(s->world, &label->text, text), SETT_OK);
    } else if (n < 7) {
        SETT_SET(s->world, e, Rounded, .x = 0.01f * (float)below(s, 100));
    } else if (n < 8) {
        CHECK(sett_ensure(s->world, e, Marked_id) != NULL);
    } else {
        const sett_component types[] = {Place_id, Label_id, Rounded_id, Marked_id};
        (void)sett_remove(s->world, e, types[below(s, 4)]);
    }
}

static void write_links(scene* s, sett_entity e, uint32_t n)
{
    sett_entity other = any(s);
    char name[16];
    snprintf(name, sizeof(name), "n%u", (unsigned)below(s, ENTITIES));
    if (n == 0) {
        (void)sett_name_set(s->world, e, below(s, 3) == 0 ? NULL : name);
    } else if (n == 1) {
        (void)sett_hierarchy_detach(s->world, e);
    } else if (sett_is_null(other)) {
        return;
    } else if (n < 5) {
        (void)sett_hierarchy_attach(s->world, e, other); /* may be a circle */
    } else if (n < 8) {
        uint32_t* data = sett_relate(s->world, e, n < 6 ? s->owes : s->likes, other);
        if (data != NULL) {
            *data = below(s, 3);
        }
    } else {
        (void)sett_unrelate(s->world, e, n < 9 ? s->owes : s->likes, other);
    }
}

/* What the user does. */
static void edit(scene* s)
{
    sett_entity e = edited(s);
    uint32_t n = below(s, 24);
    if (n < 3 || sett_is_null(e)) {
        e = (sett_entity){below(s, ENTITIES), ++s->generation};
        if (sett_entity_create_handle(s->world, e) == SETT_OK) {
            CHECK(sett_ensure(s->world, e, Edited_id) != NULL);
        }
    } else if (n < 5) {
        (void)sett_entity_destroy(s->world, e);
    } else if (n < 15) {
        write_values(s, e, n - 5);
    } else if (n < 24) {
        write_links(s, e, below(s, 10));
    }
}

/* What the simulation does, to entities that are not selected. */
static void simulate(scene* s)
{
    for (uint32_t k = ENTITIES; k < 2 * ENTITIES; k += 1 + below(s, 8)) {
        sett_entity e = sett_entity_at(s->world, k);
        SETT_SET(s->world, e, Speed, .x = (float)below(s, 100));
        SETT_SET(s->world, e, Place, .x = (float)below(s, 100));
    }
}

static scene begin(sett_world* world, bool part, size_t limit)
{
    scene s = {.world = world, .part = part, .chance = check_setting("SETT_SEED", 1)};
    prepare(&s, world);
    for (uint32_t k = ENTITIES; k < 2 * ENTITIES; k++) {
        CHECK_EQ(sett_entity_create_handle(world, (sett_entity){k, 1}), SETT_OK);
    }
    s.query = SETT_QUERY_CREATE(world, SETT_WITH(Edited));
    sett_undo_desc desc = {.memory_limit = limit};
    desc.selection.query = part ? s.query : NULL;
    s.undo = sett_undo_create(world, &desc);
    CHECK_MSG(s.undo != NULL, "%s", sett_world_message(world));
    for (uint32_t k = 0; k < COPIES; k++) {
        s.copy[k] = quiet_world();
        prepare(&s, s.copy[k]);
    }
    return s;
}

static void end(scene* s)
{
    CHECK_EQ(sett_undo_destroy(s->undo), SETT_OK);
    for (uint32_t k = 0; k < COPIES; k++) {
        CHECK_END(s->copy[k]);
    }
}

/* Copies the world as it is at the present step. */
static void note(scene* s)
{
    uint32_t step = sett_undo_now(s->undo);
    if (s->step[step % COPIES] != step) {
        s->step[step % COPIES] = step;
        CHECK_MSG(sett_world_clone(s->world, s->copy[step % COPIES]) == SETT_OK, "%s",
                  sett_world_message(s->copy[step % COPIES]));
    }
}

static uint64_t sum_of(sett_world* world, const sett_selection* part)
{
    uint64_t sum;
    CHECK_EQ(sett_selection_hash(world, part, true, &sum), SETT_OK);
    return sum;
}

/* The sum over the entities that are not selected. */
static uint64_t sum_of_rest(scene* s)
{
    sett_entity list[2 * ENTITIES];
    sett_selection rest = {.entities = list};
    sett_component types[] = {Place_id, Speed_id, Marked_id};
    rest.types = types;
    rest.type_count = 3;
    for (uint32_t k = 0; k < 2 * ENTITIES; k++) {
        sett_entity e = sett_entity_at(s->world, k);
        if (!sett_is_null(e) && !SETT_HAS(s->world, e, Edited)) {
            list[rest.entity_count++] = e;
        }
    }
    return sum_of(s->world, &rest);
}

/* The selection is what it was in the copy. That an entity was the target of a link is left out:
 * the component that says so stays when it has no sources any more. */
static void check_copy(scene* s, sett_world* copy)
{
    const sett_component types[] = {Place_id,
                                    Label_id,
                                    Rounded_id,
                                    Speed_id,
                                    Edited_id,
                                    Marked_id,
                                    s->owes,
                                    s->likes,
                                    sett_name_register(copy),
                                    sett_hierarchy_register(copy, NULL)};
    sett_entity list[2 * ENTITIES];
    /* Of a part, siblings that are not selected have a place in the order, too. */
    sett_selection part = {.entities = list, .types = types, .type_count = s->part ? 9 : 10};
    char text[300];
    for (uint32_t k = 0; k < 2 * ENTITIES; k++) {
        sett_entity e = sett_entity_at(copy, k);
        if (!sett_is_null(e) && (!s->part || SETT_HAS(copy, e, Edited))) {
            sett_entity parent = sett_hierarchy_parent(copy, e);
            CHECK_ENTITY_EQ(sett_hierarchy_parent(s->world, e), parent);
            list[part.entity_count++] = e;
        }
    }
    text[0] = '\0';
    sett_selection_difference(copy, s->world, &part, text, sizeof(text));
    CHECK_MSG(sum_of(copy, &part) == sum_of(s->world, &part), "%s", text);
    if (s->part) {
        CHECK_EQ(sett_query_count(s->query), part.entity_count);
    } else {
        CHECK_EQ(sett_entity_count(s->world), part.entity_count);
    }
}

/* A step of which there is a copy; 0: none was drawn. */
static uint32_t some_step(scene* s)
{
    uint32_t step = s->step[below(s, COPIES)];
    return step != 0 && sett_undo_name(s->undo, step) != NULL ? step : 0;
}

/* Goes somewhere, and compares. Returns whether there was a way. */
static bool move(scene* s)
{
    uint32_t n = below(s, 8);
    uint32_t now = sett_undo_now(s->undo);
    uint32_t to = n < 4   ? sett_undo_before(s->undo, now)
                  : n < 6 ? sett_undo_after(s->undo, now)
                          : some_step(s);
    uint64_t rest = sum_of_rest(s);
    if (to == 0) {
        return false;
    }
    sett_status status = n < 4   ? sett_undo_back(s->undo)
                         : n < 6 ? sett_undo_forward(s->undo)
                                 : sett_undo_go(s->undo, to);
    CHECK_MSG(status == SETT_OK, "%s", sett_world_message(s->world));
    CHECK_EQ(sett_undo_now(s->undo), to);
    if (s->part) {
        CHECK_EQ(sum_of_rest(s), rest);
    }
    if (s->step[to % COPIES] == to) {
        check_copy(s, s->copy[to % COPIES]);
    }
    return true;
}

static void play(bool part, uint32_t rounds)
{
    const size_t limit = 40000;
    sett_world* world = quiet_world();
    scene s = begin(world, part, limit);
    uint32_t taken = 0;
    uint32_t moved = 0;
    note(&s);
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t k = 1 + below(&s, 4); k > 0; k--) {
            edit(&s);
        }
        if (part) {
            simulate(&s);
        }
        if (below(&s, 3) != 0) {
            uint32_t last = sett_undo_now(s.undo);
            CHECK_MSG(sett_undo_step(s.undo, "edit") == SETT_OK, "%s", sett_world_message(world));
            taken += sett_undo_now(s.undo) != last;
            note(&s);
        } else {
            moved += move(&s); /* what was edited is lost */
        }
        CHECK(sett_undo_size(s.undo, NULL) <= limit);
        if (round % 512 == 0) {
            CHECK_VALID(world);
            CHECK_VALID(setti_undo_mirror(s.undo));
        }
    }
    CHECK_MSG(taken > rounds / 3 && moved > rounds / 10, "%u %u", (unsigned)taken, (unsigned)moved);
    end(&s);
    CHECK_END(world);
}

static void all_against_copies(void)
{
    play(false, CHECK_ROUNDS(100000));
}

/* A simulation goes on beside the editor. */
static void part_against_copies(void)
{
    play(true, CHECK_ROUNDS(100000));
}

/* ------------------------------------------------------------------------------------------ */

static void steps_have_names_and_branches(void)
{
    sett_world* world = quiet_world();
    scene s = begin(world, false, 0);
    CHECK_EQ(sett_undo_now(s.undo), 1);
    CHECK_STR_EQ(sett_undo_name(s.undo, 1), "");
    CHECK_EQ(sett_undo_back(s.undo), SETT_STATUS_ABSENT);
    CHECK_EQ(sett_undo_forward(s.undo), SETT_STATUS_ABSENT);
    CHECK_EQ(sett_undo_go(s.undo, 7), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_undo_step(s.undo, "nothing"), SETT_OK);
    CHECK_EQ(sett_undo_now(s.undo), 1); /* nothing changed */

    sett_entity e = SETT_CREATE(world, SETT_VALUE(Place, 1, 1));
    CHECK_EQ(sett_undo_step(s.undo, "create"), SETT_OK);
    SETT_SET(world, e, Place, 2, 2);
    CHECK_EQ(sett_undo_step(s.undo, NULL), SETT_OK);
    CHECK_EQ(sett_undo_back(s.undo), SETT_OK);
    CHECK_EQ(sett_undo_now(s.undo), 2);
    CHECK_EQ(sett_undo_after(s.undo, 2), 3);
    CHECK(SETT_GET(world, e, Place)->x == 1.0f);
    SETT_SET(world, e, Place, 3, 3);
    CHECK_EQ(sett_undo_step(s.undo, "other"), SETT_OK);
    CHECK_EQ(sett_undo_now(s.undo), 4);
    CHECK_EQ(sett_undo_before(s.undo, 4), 2);
    CHECK_EQ(sett_undo_before(s.undo, 3), 2);
    CHECK_EQ(sett_undo_after(s.undo, 2), 4);
    CHECK_EQ(sett_undo_next(s.undo, 0), 1);
    CHECK_EQ(sett_undo_next(s.undo, 3), 4);
    CHECK_EQ(sett_undo_next(s.undo, 4), 0);
    CHECK_STR_EQ(sett_undo_name(s.undo, 4), "other");
    CHECK(sett_undo_name(s.undo, 5) == NULL);
    CHECK_EQ(sett_undo_go(s.undo, 3), SETT_OK); /* over to the other branch */
    CHECK(SETT_GET(world, e, Place)->x == 2.0f);
    CHECK_EQ(sett_undo_after(s.undo, 2), 3);
    CHECK_EQ(sett_undo_go(s.undo, 1), SETT_OK);
    CHECK(!sett_entity_valid(world, e));
    CHECK_EQ(sett_undo_forward(s.undo), SETT_OK);
    CHECK(sett_entity_valid(world, e));

    CHECK_EQ(sett_undo_clear(s.undo), SETT_OK);
    CHECK_EQ(sett_undo_now(s.undo), 1);
    CHECK_EQ(sett_undo_next(s.undo, 1), 0);
    end(&s);
    CHECK_END(world);
}

/* The memory of a history does not grow, and one step that is too large changes nothing. */
static void memory_is_bounded(void)
{
    static scarce_memory memory;
    sett_world* world = scarce_world(&memory);
    scene s = begin(world, true, 2000);
    uint64_t held = 0;
    for (uint32_t k = 0; k < 20000; k++) {
        if (k % 2 == 0) {
            edit(&s);
        } else {
            simulate(&s);
        }
        CHECK_EQ(sett_undo_step(s.undo, "step"), SETT_OK);
        CHECK(sett_undo_size(s.undo, NULL) <= 2000);
        if (k == 5000) { /* the pages of the world are there */
            held = memory.held;
        }
    }
    CHECK(memory.held <= held + held / 4);
    size_t copy;
    CHECK(sett_undo_size(s.undo, &copy) > 0 && copy > 0 && copy < memory.held);

    uint32_t now = sett_undo_now(s.undo);
    size_t size = sett_undo_size(s.undo, NULL);
    for (uint32_t k = 0; k < 1000; k++) {
        sett_entity e = SETT_CREATE(world, SETT_VALUE(Place, (float)k, 1));
        CHECK(SETT_ADD_TAG(world, e, Edited));
    }
    CHECK_EQ(sett_undo_step(s.undo, "too much"), SETT_STATUS_LIMIT);
    CHECK(strstr(sett_world_message(world), " bytes - create the history with a higher limit, or "
                                            "begin again from the present state") != NULL);
    CHECK_EQ(sett_undo_now(s.undo), now);
    CHECK_EQ(sett_undo_size(s.undo, NULL), size);
    CHECK_EQ(sett_undo_clear(s.undo), SETT_OK);
    end(&s);
    scarce_end(&memory, world);
}

/* Ended entities come back with their handle, unless another one has the index. */
static void an_index_in_use_is_reported(void)
{
    sett_world* world = quiet_world();
    scene s = begin(world, true, 0);
    sett_entity e = SETT_CREATE(world, SETT_VALUE(Place, 1, 1));
    CHECK(SETT_ADD_TAG(world, e, Edited));
    CHECK_EQ(sett_undo_step(s.undo, "create"), SETT_OK);
    CHECK_EQ(sett_entity_destroy(world, e), SETT_OK);
    CHECK_EQ(sett_undo_step(s.undo, "destroy"), SETT_OK);
    sett_entity other = SETT_CREATE(world, SETT_VALUE(Place, 7, 7)); /* not selected */
    CHECK_EQ(other.index, e.index);
    CHECK_EQ(sett_undo_back(s.undo), SETT_STATUS_INVALID);
    CHECK_MSG(
        strstr(sett_world_message(world),
               "sett_undo_back: the selection has entity 0:1, and entity 0:2 of this world has "
               "the same index - destroy") == sett_world_message(world),
        "%s", sett_world_message(world));
    CHECK_EQ(sett_undo_now(s.undo), 3);
    CHECK(sett_entity_valid(world, other) && SETT_GET(world, other, Place)->x == 7.0f);
    CHECK_EQ(sett_entity_destroy(world, other), SETT_OK);
    CHECK_EQ(sett_undo_back(s.undo), SETT_OK);
    CHECK(sett_entity_valid(world, e) && SETT_GET(world, e, Place)->x == 1.0f);
    end(&s);
    CHECK_END(world);
}

/* The history has the layout with which it began. */
static void a_type_with_another_layout_is_named(void)
{
    sett_world* world = quiet_world();
    sett_component_desc desc = {.name = "Note", .size = 4};
    sett_component note = sett_component_register(world, &desc);
    sett_undo* undo = sett_undo_create(world, NULL);
    CHECK(undo != NULL);
    CHECK_EQ(sett_component_unregister(world, note), SETT_OK);
    desc.size = 8;
    note = sett_component_register(world, &desc);
    CHECK(sett_add(world, sett_entity_create(world), note) != NULL);
    CHECK_EQ(sett_undo_step(undo, "note"), SETT_STATUS_CONFLICT);
    CHECK_MSG(
        strstr(sett_world_message(world),
               "sett_undo_step: \"Note\" has another layout than when the history began - ") !=
            NULL,
        "%s", sett_world_message(world));
    CHECK_EQ(sett_undo_destroy(undo), SETT_OK);
    undo = sett_undo_create(world, NULL);
    CHECK(undo != NULL);
    CHECK_END(world);
}

/* An entity that the user takes into the selection stays when this is undone; types that are not
 * selected stay too. */
static void what_enters_stays(void)
{
    sett_world* world = quiet_world();
    scene s = begin(world, true, 0);
    sett_entity e = sett_entity_at(world, ENTITIES);
    SETT_SET(world, e, Place, 1, 1);
    CHECK_EQ(sett_undo_step(s.undo, "nothing"), SETT_OK);
    CHECK(SETT_ADD_TAG(world, e, Edited));
    CHECK_EQ(sett_undo_step(s.undo, "enter"), SETT_OK);
    CHECK_EQ(sett_undo_back(s.undo), SETT_OK);
    CHECK(sett_entity_valid(world, e) && SETT_GET(world, e, Place)->x == 1.0f);
    CHECK_EQ(sett_undo_forward(s.undo), SETT_OK);
    CHECK(SETT_HAS(world, e, Edited));
    SETT_REMOVE(world, e, Edited); /* leaves */
    SETT_SET(world, e, Place, 5, 5);
    CHECK_EQ(sett_undo_step(s.undo, "leave"), SETT_OK);
    SETT_SET(world, e, Place, 6, 6);
    CHECK_EQ(sett_undo_back(s.undo), SETT_OK);
    CHECK(SETT_HAS(world, e, Edited) && SETT_GET(world, e, Place)->x == 1.0f);

    const sett_component types[] = {Place_id};
    sett_undo_desc desc = {.selection = {.types = types, .type_count = 1}};
    sett_undo* places = sett_undo_create(world, &desc);
    CHECK(places != NULL);
    SETT_SET(world, e, Place, 8, 8);
    SETT_SET(world, e, Speed, 8);
    CHECK_EQ(sett_undo_step(places, "move"), SETT_OK);
    SETT_SET(world, e, Speed, 9);
    CHECK_EQ(sett_undo_back(places), SETT_OK);
    CHECK(SETT_GET(world, e, Place)->x == 1.0f && SETT_GET(world, e, Speed)->x == 9.0f);
    end(&s);
    CHECK_END(world); /* ends the other one */
}

/* ------------------------------------------------------------------------------ scarce memory */

typedef struct scarce_state {
    scene* s;
    uint64_t sum;
    uint32_t now;
    bool back;
} scarce_state;

static bool try_step(void* user)
{
    scarce_state* state = user;
    return (state->back ? sett_undo_back(state->s->undo) : sett_undo_step(state->s->undo, "try")) ==
           SETT_OK;
}

static void unchanged(void* user)
{
    scarce_state* state = user;
    const sett_selection all = {0};
    CHECK_EQ(sum_of(state->s->world, &all), state->sum);
    CHECK_EQ(sett_undo_now(state->s->undo), state->now);
    CHECK_VALID(setti_undo_mirror(state->s->undo));
}

/* Each allocation fails once, in the world or in the mirror. */
static void memory_runs_out(void)
{
    static scarce_memory memory;
    static scarce_memory mirror; /* of its pool; the allocator is the world's */
    sett_world* world = scarce_world(&memory);
    scene s = begin(world, true, 0);
    for (uint32_t round = 0; round < CHECK_ROUNDS(40); round++) {
        const sett_selection all = {0};
        for (uint32_t k = 0; k < 12; k++) {
            edit(&s);
        }
        simulate(&s);
        scarce_state state = {&s, sum_of(world, &all), sett_undo_now(s.undo), round % 3 == 2};
        bool done = false; /* ever more bytes of both pools, and requests of the allocator */
        for (uint32_t k = 0; !done; k++) {
            scarce_squeeze(&setti_undo_mirror(s.undo)->pool, &mirror, round % 2 != 0 ? 64 * k : 0);
            scarce_squeeze(&world->pool, &memory, round % 2 == 0 ? 64 * k : 0);
            memory.strict = true;
            memory.allowed = k / 4;
            done = try_step(&state);
            memory.allowed = 0;
            scarce_give_back(&world->pool, &memory);
            scarce_give_back(&setti_undo_mirror(s.undo)->pool, &mirror);
            CHECK_VALID(world);
            if (!done) {
                CHECK_EQ(sett_world_error(world), SETT_STATUS_OUT_OF_MEMORY);
                memory.failures++;
                unchanged(&state);
            }
            CHECK(k < 4000);
        }
    }
    CHECK(memory.failures > 10 * CHECK_ROUNDS(40));
    end(&s);
    scarce_end(&memory, world);
}

/* So do those of the beginning. */
static void memory_runs_out_at_first(void)
{
    static scarce_memory memory;
    sett_world* world = scarce_world(&memory);
    sett_undo* undo = NULL;
    uint32_t failed = 0;
    CHECK_EQ(SETT_REGISTER_ALL(world, KINDS), SETT_OK);
    CHECK(!sett_is_null(SETT_CREATE(world, SETT_VALUE(Place, 1, 1))));
    const sett_component types[] = {Place_id, Label_id};
    sett_undo_desc desc = {.selection = {.types = types, .type_count = 2}};
    for (uint32_t n = 0; undo == NULL; n++) {
        memory.closed = true;
        memory.strict = true;
        memory.allowed = n;
        undo = sett_undo_create(world, &desc);
        memory.closed = false;
        failed += undo == NULL;
    }
    memory.allowed = 0;
    CHECK(failed > 1);
    scarce_end(&memory, world);
}

#define WIDE_ENTITIES 4000u

typedef struct Wide {
    unsigned char byte[512];
} Wide;

static scarce_memory closing;
static sett_component wide;
static bool armed; /* on_set writes */

/* Writes to many pages without memory for copies: the world's snapshots are lost. */
static void write_pages(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)entity;
    (void)value;
    (void)user;
    if (armed && !closing.closed) {
        scarce_squeeze(&world->pool, &closing, 0);
        closing.strict = true;
        for (uint32_t k = 0; k < WIDE_ENTITIES; k++) {
            memset(sett_find_mut(world, sett_entity_at(world, k), wide), 7, sizeof(Wide));
        }
    }
}

static void a_move_that_cannot_be_undone_says_so(void)
{
    sett_world* world = scarce_world(&closing);
    wide = SETT_REGISTER(world, Wide);
    sett_component_desc desc = {.name = "Set", .size = 4, .on_set = write_pages};
    const sett_component set = sett_component_register(world, &desc);
    for (uint32_t k = 0; k < WIDE_ENTITIES; k++) {
        CHECK(sett_add(world, sett_entity_create(world), wide) != NULL);
    }
    sett_undo_desc part = {.selection = {.types = &set, .type_count = 1}};
    sett_undo* undo = NULL;
    for (int32_t value = 1; value <= 2; value++) {
        for (uint32_t k = 0; k < WIDE_ENTITIES; k++) {
            CHECK(sett_set(world, sett_entity_at(world, k), set, &value) != NULL);
        }
        undo = value == 1 ? sett_undo_create(world, &part) : undo;
    }
    CHECK_EQ(sett_undo_step(undo, "set"), SETT_OK);
    armed = true;
    sett_status status = sett_undo_back(undo);
    CHECK_MSG(status == SETT_STATUS_LOST, "%s", sett_world_message(world));
    armed = false;
    scarce_give_back(&world->pool, &closing);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_LOST);
    CHECK_MSG(strstr(sett_world_message(world), "sett_undo_back: the move failed, and memory ran "
                                                "out before it was undone") != NULL,
              "%s", sett_world_message(world));
    CHECK_VALID(world);
    CHECK_EQ(sett_undo_clear(undo), SETT_OK);
    scarce_end(&closing, world);
}

static void count_line(void* user, sett_log_level level, const char* message)
{
    (void)level;
    (void)message;
    ++*(uint32_t*)user;
}

/* A child that a step takes away with its parent is a root for a moment, where another root has
 * its name: no call of the program was wrong, and nothing is reported. */
static void trees_end_beside_roots_of_the_same_names(void)
{
    uint32_t lines = 0;
    sett_world* world =
        sett_world_create(&(sett_world_desc){.log_fn = count_line, .hook_user = &lines});
    CHECK(!sett_is_null(sett_name_ensure(world, sett_null(), "barrel")));
    sett_undo* undo = sett_undo_create(world, NULL);
    sett_entity barrel = sett_name_ensure(world, sett_null(), "tank/barrel");
    CHECK_EQ(sett_undo_step(undo, "build"), SETT_OK);
    const uint32_t before = lines; /* the library warns of a program with asserts, and so on */
    CHECK_EQ(sett_undo_back(undo), SETT_OK);
    CHECK(!sett_entity_valid(world, barrel));
    CHECK_EQ(sett_world_error(world), SETT_OK);
    CHECK_EQ(sett_undo_forward(undo), SETT_OK);
    CHECK_ENTITY_EQ(sett_name_lookup(world, sett_null(), "tank/barrel"), barrel);
    CHECK_EQ(lines, before);
    CHECK_END(world);
}

static void wrong_calls_are_reported(void)
{
    sett_world* world = quiet_world();
    CHECK(sett_undo_create(world, NULL) == NULL); /* no types */
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    scene s = begin(world, false, 0);
    const sett_entity list[] = {{0, 1}};
    sett_undo_desc both = {.selection = {.entities = list, .entity_count = 1, .query = s.query}};
    CHECK(sett_undo_create(world, &both) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_undo_destroy(NULL), SETT_OK);
    CHECK(!sett_is_null(SETT_CREATE(world, SETT_VALUE_TAG(Edited))));
    SETT_QUERY_EACH(s.query, b) {
        (void)b;
        CHECK_EQ(sett_undo_step(s.undo, "in a loop"), SETT_STATUS_LOCKED);
    }
    end(&s);
    CHECK_END(world);
}

/* Also beside other jobs, whose failures the world does not keep. */
static void calls_beside_jobs(sett_context* context)
{
    const scene* s = context->user;
    sett_selection part = {.query = s->query};
    unsigned char bytes[64] = {0};
    size_t size = 0;
    uint64_t hash = 0;
    sett_entity e = sett_entity_at(context->world, 0);
    CHECK_EQ(sett_undo_step(s->undo, "step"), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_undo_go(s->undo, sett_undo_before(s->undo, sett_undo_now(s->undo))),
             SETT_STATUS_LOCKED);
    CHECK_EQ(sett_undo_back(s->undo), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_undo_forward(s->undo), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_undo_clear(s->undo), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_selection_encode(context->world, &part, (sett_snapshot){0}, bytes, sizeof(bytes),
                                   &size),
             SETT_STATUS_LOCKED);
    CHECK_EQ(sett_selection_apply(context->world, bytes, sizeof(bytes), NULL), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_selection_copy(context->world, &part, 0, s->copy[0]), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_selection_hash(context->world, &part, true, &hash), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_hierarchy_set_policy(context->world, e, SETT_CHILDREN_DETACH),
             SETT_STATUS_LOCKED);
}

static void calls_beside_jobs_are_locked(void)
{
    sett_world* world = quiet_world();
    scene s = begin(world, true, 0);
    sett_entity e = SETT_CREATE(world, SETT_VALUE_TAG(Edited), SETT_VALUE(Place, .x = 0));
    for (uint32_t k = 0; k < 3; k++) {
        SETT_GET_MUT(world, e, Place)->x = (float)k;
        CHECK_EQ(sett_undo_step(s.undo, "step"), SETT_OK);
    }
    CHECK_EQ(sett_undo_back(s.undo), SETT_OK);
    const sett_component place = Place_id;
    CHECK_EQ(sett_entity_create_many(world, 20000, &place, 1, NULL, NULL), SETT_OK);
    sett_threads* threads = sett_threads_create(2, NULL);
    sett_schedule_desc schedule = {.tasks = sett_threads_tasks(threads), .no_times = true};
    CHECK_EQ(sett_schedule_configure(world, &schedule), SETT_OK);
    CHECK(SETT_SYSTEM(world, calls_beside_jobs, .user = &s, .terms = {SETT_INOUT(Place)}) != NULL);
    (void)sett_progress(world, 1);
    end(&s);
    CHECK_END(world);
    CHECK_EQ(sett_threads_destroy(threads), SETT_OK);
}

TEST_MAIN(TEST(all_against_copies), TEST(part_against_copies), TEST(steps_have_names_and_branches),
          TEST(memory_is_bounded), TEST(an_index_in_use_is_reported),
          TEST(a_type_with_another_layout_is_named), TEST(what_enters_stays), TEST(memory_runs_out),
          TEST(memory_runs_out_at_first), TEST(a_move_that_cannot_be_undone_says_so),
          TEST(trees_end_beside_roots_of_the_same_names), TEST(wrong_calls_are_reported),
          TEST(calls_beside_jobs_are_locked))

/* test_change.c: the order of what happens when structure changes: requirements, hooks, values;
 * and what hooks may do. */
#include "sett/sett.h"
#include "sett/state.h"
#include "world/world.h"
#include "worlds.h"

/* A journal of all hooks that run: "+a" added, "=a" set, "-a" to be removed, "ia" init, "da"
 * deinit, "ca" copy. */
static char journal[4096];

static void note(char what, const char* name)
{
    size_t length = strlen(journal);
    CHECK(length + strlen(name) + 3 < sizeof(journal));
    snprintf(journal + length, sizeof(journal) - length, "%s%c%s", length != 0 ? " " : "", what,
             name);
}

/* The journal must read like this, and begins anew. */
static void expect_journal(int line, const char* expected)
{
    CHECK_MSG(strcmp(journal, expected) == 0, "line %d: \"%s\" and not \"%s\"", line, journal,
              expected);
    journal[0] = '\0';
}

#define EXPECT_JOURNAL(expected) expect_journal(__LINE__, expected)

typedef struct kind {
    const char* name;
    sett_component id;
} kind;

static void note_init(void* values, uint32_t count, void* user)
{
    note('i', ((kind*)user)->name);
    memset(values, 0x11, (size_t)count * 8);
}

static void note_deinit(void* values, uint32_t count, void* user)
{
    (void)values;
    CHECK_EQ(count, 1);
    note('d', ((kind*)user)->name);
}

static void note_copy(void* to, const void* from, uint32_t count, void* user)
{
    note('c', ((kind*)user)->name);
    memcpy(to, from, (size_t)count * 8);
}

static void note_add(sett_world* world, sett_entity entity, void* value, void* user)
{
    const kind* k = user;
    CHECK_PTR_EQ(sett_find(world, entity, k->id), value);
    note('+', k->name);
}

static void note_set(sett_world* world, sett_entity entity, void* value, void* user)
{
    const kind* k = user;
    CHECK_PTR_EQ(sett_find(world, entity, k->id), value);
    note('=', k->name);
}

static void note_remove(sett_world* world, sett_entity entity, void* value, void* user)
{
    const kind* k = user;
    CHECK(sett_entity_valid(world, entity));
    CHECK_PTR_EQ(sett_find(world, entity, k->id), value);
    note('-', k->name);
}

/* a, b requires a, c requires b, d requires c and a; x stands alone. All with hooks. */
typedef struct scene {
    sett_world* world;
    kind a, b, c, d, x;
    sett_entity e;
} scene;

static void scene_register(scene* s, kind* k, const char* name, const kind* first,
                           const kind* second)
{
    sett_component needed[2] = {first != NULL ? first->id : 0, second != NULL ? second->id : 0};
    k->name = name;
    sett_component_desc desc = {.name = name,
                                .size = 8,
                                .required = needed,
                                .required_count = first == NULL    ? 0
                                                  : second == NULL ? 1
                                                                   : 2,
                                .init = note_init,
                                .deinit = note_deinit,
                                .copy = note_copy,
                                .on_add = note_add,
                                .on_set = note_set,
                                .on_remove = note_remove,
                                .user = k};
    k->id = sett_component_register(s->world, &desc);
    CHECK(k->id != 0);
}

static void scene_begin(scene* s)
{
    s->world = quiet_world();
    scene_register(s, &s->a, "a", NULL, NULL);
    scene_register(s, &s->b, "b", &s->a, NULL);
    scene_register(s, &s->c, "c", &s->b, NULL);
    scene_register(s, &s->d, "d", &s->c, &s->a);
    scene_register(s, &s->x, "x", NULL, NULL);
    s->e = sett_entity_create(s->world);
    journal[0] = '\0';
}

static void scene_end(scene* s)
{
    CHECK_END(s->world);
    journal[0] = '\0';
}

static void adding_initialises_and_notifies(void)
{
    scene s;
    scene_begin(&s);
    const unsigned char* value = sett_add(s.world, s.e, s.a.id);
    CHECK_EQ(value[7], 0x11);
    EXPECT_JOURNAL("ia +a");
    CHECK(sett_add(s.world, s.e, s.a.id) == NULL);
    CHECK_EQ(sett_world_error(s.world), SETT_STATUS_PRESENT);
    EXPECT_JOURNAL("");
    CHECK_PTR_EQ(sett_ensure(s.world, s.e, s.a.id), value);
    EXPECT_JOURNAL("");
    CHECK(sett_ensure(s.world, s.e, s.x.id) != NULL);
    EXPECT_JOURNAL("ix +x");
    scene_end(&s);
}

/* The way back is known, and starts where this entity is. */
static void adding_what_is_there_changes_nothing(void)
{
    const sett_storage_kind kinds[] = {SETT_STORAGE_ARRAY, SETT_STORAGE_SPARSE_SET,
                                       SETT_STORAGE_DEFAULT};
    for (uint32_t k = 0; k < 3; k++) {
        sett_world* world = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent});
        sett_component id = sett_component_register(
            world, &(sett_component_desc){.name = "v", .size = k < 2 ? 8 : 0, .storage = kinds[k]});
        sett_entity entity[2] = {sett_entity_create(world), sett_entity_create(world)};
        CHECK(sett_add(world, entity[0], id) != NULL);
        CHECK_EQ(sett_remove(world, entity[0], id), SETT_OK);
        CHECK(sett_add(world, entity[0], id) != NULL);
        for (uint32_t n = 0; n < 2; n++) {
            CHECK(sett_add(world, entity[0], id) == NULL);
            CHECK_EQ(sett_world_error(world), SETT_STATUS_PRESENT);
        }
        CHECK(sett_add(world, entity[1], id) != NULL);
        CHECK_EQ(sett_component_count(world, id), 2);
        const char* reason = "";
        CHECK_MSG(sett_world_validate(world, &reason) == SETT_OK, "%s", reason);
        sett_world_destroy(world);
    }
}

static void setting_copies_and_notifies(void)
{
    scene s;
    scene_begin(&s);
    uint64_t five = 5;
    const uint64_t* value = sett_set(s.world, s.e, s.a.id, &five);
    CHECK_EQ(*value, 5);
    EXPECT_JOURNAL("ia ca +a =a");
    five = 55;
    CHECK_PTR_EQ(sett_set(s.world, s.e, s.a.id, &five), value);
    CHECK_EQ(*value, 55);
    EXPECT_JOURNAL("ca =a");
    CHECK(sett_get_mut(s.world, s.e, s.a.id) != NULL);
    EXPECT_JOURNAL("");
    scene_end(&s);
}

static void what_is_required_comes_first_and_once(void)
{
    scene s;
    scene_begin(&s);
    CHECK(sett_add(s.world, s.e, s.d.id) != NULL);
    EXPECT_JOURNAL("ia +a ib +b ic +c id +d");
    sett_entity other = sett_entity_create(s.world);
    uint64_t value = 9;
    sett_set(s.world, other, s.b.id, &value);
    EXPECT_JOURNAL("ia +a ib cb +b =b");
    sett_add(s.world, other, s.d.id);
    EXPECT_JOURNAL("ic +c id +d");
    CHECK_EQ(*(const uint64_t*)sett_get(s.world, other, s.b.id), 9);
    scene_end(&s);
}

/* Transitions that were taken before go a fast path. It must not be taken for an entity that lacks
 * what is required: it cannot see it where that is dont_fragment, or where only a copy of the
 * world went
 * from set to set, in order of ids. */
static void what_is_required_comes_every_time(void)
{
    static const sett_storage_kind kinds[] = {SETT_STORAGE_ARRAY, SETT_STORAGE_SPARSE_SET};
    for (uint32_t k = 0; k < 6; k++) {
        sett_component base = 50;
        bool dont_fragment = k >= 3;
        bool tag = k % 3 == 2;
        sett_component_desc descs[] = {
            {.name = "base", .id = base, .size = 4, .dont_fragment = dont_fragment},
            {.name = "other", .id = 60, .size = 4},
            {.name = "needy",
             .id = 3,
             .size = tag ? 0 : 4,
             .storage = tag ? SETT_STORAGE_DEFAULT : kinds[k % 3],
             .required = &base,
             .required_count = 1}};
        sett_world* worlds[2];
        for (uint32_t w = 0; w < 2; w++) {
            worlds[w] = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent});
            for (uint32_t d = 0; d < 3; d++) {
                CHECK(sett_component_register(worlds[w], &descs[d]) != 0);
            }
        }
        for (uint32_t n = 0; n < 4; n++) {
            sett_entity e = sett_entity_create(worlds[0]);
            CHECK(n < 2 || sett_add(worlds[0], e, 60) != NULL);
            CHECK(n % 2 == 0 || sett_add(worlds[0], e, base) != NULL);
            CHECK(sett_add(worlds[0], e, 3) != NULL);
            CHECK(sett_has(worlds[0], e, base));
        }
        CHECK_EQ(sett_world_clone(worlds[0], worlds[1]), SETT_OK);
        for (uint32_t n = 0; n < 8; n++) {
            sett_world* world = worlds[n % 2];
            sett_entity e = sett_entity_create(world);
            CHECK(n < 4 || sett_add(world, e, 60) != NULL);
            CHECK(sett_add(world, e, 3) != NULL);
            CHECK(sett_has(world, e, base));
            CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
        }
        sett_world_destroy(worlds[0]);
        sett_world_destroy(worlds[1]);
    }
}

static void what_requires_goes_first(void)
{
    scene s;
    scene_begin(&s);
    sett_add(s.world, s.e, s.d.id);
    sett_add(s.world, s.e, s.x.id);
    journal[0] = '\0';
    CHECK_EQ(sett_remove(s.world, s.e, s.c.id), SETT_OK);
    EXPECT_JOURNAL("-d dd -c dc");
    CHECK(sett_has(s.world, s.e, s.a.id) && sett_has(s.world, s.e, s.b.id));
    CHECK_EQ(sett_remove(s.world, s.e, s.c.id), SETT_STATUS_ABSENT);
    CHECK_EQ(sett_remove(s.world, s.e, s.a.id), SETT_OK);
    EXPECT_JOURNAL("-b db -a da");
    CHECK(sett_has(s.world, s.e, s.x.id));
    scene_end(&s);
}

static void destroying_notifies_of_all_before_the_first_goes(void)
{
    scene s;
    scene_begin(&s);
    sett_add(s.world, s.e, s.b.id);
    sett_add(s.world, s.e, s.x.id);
    journal[0] = '\0';
    CHECK_EQ(sett_entity_destroy(s.world, s.e), SETT_OK);
    CHECK(strstr(journal, "-a") && strstr(journal, "-b") && strstr(journal, "-x"));
    CHECK(strstr(journal, "da") && strstr(journal, "db") && strstr(journal, "dx"));
    CHECK_EQ(strlen(journal), 6 * 2 + 5);
    CHECK_MSG(strchr(journal, 'd') > strrchr(journal, '-'), "%s", journal);
    scene_end(&s);
}

static void clearing_an_entity_is_the_same_without_its_end(void)
{
    scene s;
    scene_begin(&s);
    sett_add(s.world, s.e, s.b.id);
    journal[0] = '\0';
    CHECK_EQ(sett_entity_clear(s.world, s.e), SETT_OK);
    CHECK_EQ(strlen(journal), 4 * 2 + 3);
    CHECK_MSG(strchr(journal, 'd') > strrchr(journal, '-'), "%s", journal);
    CHECK(sett_entity_valid(s.world, s.e));
    CHECK_EQ(sett_entity_components(s.world, s.e, NULL, 0), 0);
    CHECK_EQ(sett_entity_clear(s.world, s.e), SETT_OK);
    scene_end(&s);
}

static void ending_the_world_ends_every_value(void)
{
    scene s;
    scene_begin(&s);
    sett_add(s.world, s.e, s.a.id);
    journal[0] = '\0';
    sett_world_destroy(s.world);
    EXPECT_JOURNAL("-a da");
    sett_world_destroy(NULL);
}

static void clearing_a_type_takes_what_requires_it(void)
{
    scene s;
    scene_begin(&s);
    sett_entity e[5];
    sett_entity_create_many(s.world, 5, NULL, 0, NULL, e);
    for (uint32_t k = 0; k < 5; k++) {
        sett_add(s.world, e[k], k % 2 == 0 ? s.b.id : s.a.id);
    }
    CHECK_EQ(sett_component_clear(s.world, s.a.id), SETT_OK);
    CHECK_EQ(sett_component_count(s.world, s.a.id), 0);
    CHECK_EQ(sett_component_count(s.world, s.b.id), 0);
    CHECK_EQ(sett_entity_count(s.world), 6);
    scene_end(&s);
}

/* ---- Many at once ---------------------------------------------------------------------------- */

static uint32_t alive_at_first_hook;
static uint32_t hooks_before_values;

static void count_add(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)user;
    if (alive_at_first_hook == 0) {
        alive_at_first_hook = sett_entity_count(world);
    }
    hooks_before_values += *(uint64_t*)value != entity.index + 1000u;
    CHECK(!sett_is_null(sett_cmd_create(sett_commands_here(world))));
}

/* The free indices lie scattered, and hooks take further ones: no entity gets what another was
 * reserved. */
static void hooks_run_when_all_of_many_are_there(void)
{
    enum {
        OLD = 5000,
        NEW = 3000
    };
    static sett_entity e[OLD];
    static sett_entity made[NEW];
    static uint64_t values[NEW];
    sett_world* world = quiet_world();
    sett_component id = sett_component_register(
        world, &(sett_component_desc){.name = "v", .size = 8, .on_add = count_add});
    sett_entity_create_many(world, OLD, NULL, 0, NULL, e);
    for (uint32_t k = OLD; k-- > 0;) {
        CHECK(k % 2 != 0 || sett_entity_destroy(world, e[k]) == SETT_OK);
    }
    for (uint32_t k = 0; k < NEW; k++) {
        values[k] = (k < OLD / 2 ? 2 * k : OLD + k - OLD / 2) + 1000u;
    }
    const void* arrays[] = {values};
    CHECK_EQ(sett_entity_create_many(world, NEW, &id, 1, arrays, made), SETT_OK);
    CHECK_EQ(alive_at_first_hook, OLD / 2 + NEW);
    CHECK_EQ(hooks_before_values, 0);
    CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
    CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_OK);
    CHECK_EQ(sett_entity_count(world), OLD / 2 + NEW + NEW);
    CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
    sett_world_destroy(world);
}

enum {
    AGAIN = 5000
};

/* A world in which `AGAIN` entities of three types, of 8, 3 and 20 bytes, ended in some order. */
static sett_world* world_with_freed(uint32_t order, sett_component* ids)
{
    static sett_entity e[AGAIN];
    sett_world* world = quiet_world();
    ids[0] = sett_component_register(world, &(sett_component_desc){.name = "a", .size = 8});
    ids[1] = sett_component_register(
        world, &(sett_component_desc){.name = "b", .size = 3, .storage = SETT_STORAGE_SPARSE_SET});
    ids[2] = sett_component_register(world, &(sett_component_desc){.name = "c", .size = 20});
    CHECK_EQ(sett_entity_create_many(world, AGAIN, ids, 3, NULL, e), SETT_OK);
    for (uint32_t k = 0; k < AGAIN; k++) {
        uint32_t at = order == 0 ? k : order == 1 ? AGAIN - 1 - k : order == 2 ? k * 77 % AGAIN : k;
        CHECK((order == 3 && k % 100 == 7) || sett_entity_destroy(world, e[at]) == SETT_OK);
    }
    return world;
}

/* What lies in the rows of a type, in the order in which a loop meets it. */
static uint32_t list_of(sett_world* world, sett_component id, sett_entity* out)
{
    uint32_t count = 0;
    sett_query* query = sett_query_create(world, &(sett_query_desc){.terms = {{.component = id}}});
    SETT_QUERY_EACH(query, b) {
        SETT_EACH(b, i) {
            out[count++] = sett_batch_entity(b, i);
        }
    }
    return count;
}

/* Freed indices lie in runs upwards, downwards, or in none. */
static void many_are_those_that_come_one_by_one(void)
{
    static unsigned char values[3][AGAIN * 20];
    static const size_t size[] = {8, 3, 20};
    static sett_entity many[AGAIN];
    static sett_entity rows[2][AGAIN + 100];
    for (uint32_t k = 0; k < sizeof(values); k++) {
        ((unsigned char*)values)[k] = (unsigned char)(k * 31 + k / 251);
    }
    for (uint32_t order = 0; order < 4; order++) {
        sett_component ids[3];
        sett_world* world = world_with_freed(order, ids);
        sett_world* twin = world_with_freed(order, ids);
        const void* arrays[] = {values[0], values[1], values[2]};
        uint32_t count = AGAIN - 60;
        CHECK_EQ(sett_entity_create_many(world, count, ids, 3, arrays, many), SETT_OK);
        for (uint32_t k = 0; k < count; k++) {
            sett_entity one = sett_entity_create(twin);
            CHECK(one.index == many[k].index && one.generation == many[k].generation);
            for (uint32_t t = 0; t < 3; t++) {
                const unsigned char* value = values[t] + k * size[t];
                CHECK(sett_set(twin, one, ids[t], value) != NULL);
                CHECK(memcmp(sett_get(world, one, ids[t]), value, size[t]) == 0);
                CHECK(memcmp(sett_get(twin, one, ids[t]), value, size[t]) == 0);
            }
        }
        CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
        CHECK_EQ(list_of(world, ids[1], rows[0]), list_of(twin, ids[1], rows[1]));
        CHECK(memcmp(rows[0], rows[1], sizeof(rows[0])) == 0);
        sett_world_destroy(world);
        sett_world_destroy(twin);
    }
}

static void many_get_their_values_and_requirements(void)
{
    scene s;
    scene_begin(&s);
    uint64_t values[] = {70, 71};
    const sett_component ids[] = {s.b.id, s.x.id};
    const void* arrays[] = {values, NULL};
    sett_entity made[2];
    CHECK_EQ(sett_entity_create_many(s.world, 2, ids, 2, arrays, made), SETT_OK);
    CHECK(strstr(journal, "=b") != NULL && strstr(journal, "=x") == NULL);
    CHECK(strstr(journal, "=a") == NULL && strstr(journal, "+a") != NULL);
    CHECK(strstr(journal, "+a") < strstr(journal, "+b"));
    for (uint32_t k = 0; k < 2; k++) {
        CHECK_EQ(*(const uint64_t*)sett_get(s.world, made[k], s.b.id), 70 + k);
        CHECK(sett_has(s.world, made[k], s.a.id) && sett_has(s.world, made[k], s.x.id));
    }
    const sett_component twice[] = {s.a.id, s.a.id};
    CHECK_EQ(sett_entity_create_many(s.world, 2, twice, 2, NULL, made), SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(s.world), "\" is listed twice") != NULL);
    CHECK_EQ(sett_entity_create_many(s.world, 0, ids, 2, NULL, NULL), SETT_OK);
    CHECK_EQ(sett_entity_count(s.world), 3);
    scene_end(&s);
}

/* ---- What hooks may do ----------------------------------------------------------------------- */

static sett_component meddled; /* the type whose hook meddles */
static uint32_t meddled_count;

static void meddle(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)value;
    (void)user;
    meddled_count++;
    CHECK(sett_is_null(sett_entity_create(world)));
    CHECK_EQ(sett_world_error(world), SETT_STATUS_LOCKED);
    CHECK(strstr(sett_world_message(world), "\"meddled\"") != NULL);
    CHECK(strstr(sett_world_message(world), "sett_cmd_") != NULL);
    CHECK_EQ(sett_remove(world, entity, meddled), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_entity_clear(world, entity), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_world_clear(world), SETT_STATUS_LOCKED);
    CHECK_EQ(sett_world_trim(world), SETT_STATUS_LOCKED);
    CHECK(sett_get_mut(world, entity, meddled) != NULL); /* values may be written */
    CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
    CHECK_EQ(sett_cmd_destroy(sett_commands_here(world), entity), SETT_OK);
}

static void hooks_must_not_change_structure(void)
{
    sett_world* world = quiet_world();
    meddled_count = 0;
    meddled = sett_component_register(
        world,
        &(sett_component_desc){
            .name = "meddled", .size = 4, .on_add = meddle, .on_set = meddle, .on_remove = meddle});
    sett_entity e = sett_entity_create(world);
    uint32_t value = 1;
    CHECK(sett_set(world, e, meddled, &value) != NULL);
    CHECK_EQ(meddled_count, 2);
    CHECK_EQ(sett_remove(world, e, meddled), SETT_OK);
    CHECK(sett_add(world, e, meddled) != NULL);
    CHECK_EQ(sett_entity_clear(world, e), SETT_OK);
    CHECK_EQ(meddled_count, 5);
    CHECK(!sett_is_null(sett_entity_create(world))); /* unlocked again */
    CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_OK);
    CHECK(!sett_entity_valid(world, e));
    sett_world_destroy(world);
}

static uint32_t dying_destroyed;

static void destroy_self(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)value;
    (void)user;
    CHECK(sett_entity_valid(world, entity));
    CHECK_EQ(sett_entity_destroy(world, entity), SETT_OK); /* it is being destroyed already */
    CHECK(sett_entity_valid(world, entity));
    CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
    dying_destroyed++;
}

static void destroying_inside_of_the_hook_is_harmless(void)
{
    sett_world* world = quiet_world();
    sett_component plain = sett_component_register(world, &(sett_component_desc){.name = "plain"});
    sett_component self = sett_component_register(
        world, &(sett_component_desc){.name = "self", .on_remove = destroy_self});
    sett_component dont_fragment = sett_component_register(
        world, &(sett_component_desc){
                   .name = "dont_fragment", .dont_fragment = true, .on_remove = destroy_self});
    sett_entity e[3];
    sett_entity_create_many(world, 3, &plain, 1, NULL, e);
    for (uint32_t k = 0; k < 3; k++) {
        sett_add(world, e[k], self);
        sett_add(world, e[k], dont_fragment);
    }
    dying_destroyed = 0;
    CHECK_EQ(sett_entity_destroy(world, e[0]), SETT_OK);
    CHECK_EQ(dying_destroyed, 2);
    CHECK_EQ(sett_entity_destroy_with(world, plain), SETT_OK);
    CHECK_EQ(dying_destroyed, 6);
    CHECK_EQ(sett_entity_count(world), 0);
    CHECK_EQ(sett_component_count(world, plain), 0);
    CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
    sett_world_destroy(world);
}

/* ---- Addresses and values -------------------------------------------------------------------- */

static void a_value_may_come_from_the_same_storage(void)
{
    typedef struct Big {
        unsigned char bytes[40000];
    } Big;
    static Big big;
    sett_world* world = quiet_world();
    for (int kept = 0; kept < 2; kept++) {
        sett_component id = sett_component_register(
            world, &(sett_component_desc){.name = kept != 0 ? "kept" : "big",
                                          .size = sizeof(Big),
                                          .keep_order = kept != 0,
                                          .storage = SETT_STORAGE_SPARSE_SET});
        sett_entity e[40];
        sett_entity_create_many(world, 40, NULL, 0, NULL, e);
        for (uint32_t k = 0; k < 24; k++) {
            memset(&big, (int)k + 1, sizeof(big));
            CHECK(sett_set(world, e[k], id, &big) != NULL);
        }
        for (uint32_t k = 0; k < 12; k++) {
            CHECK_EQ(sett_remove(world, e[k], id), SETT_OK);
        }
        for (uint32_t k = 24; k < 40; k++) { /* one of these compacts */
            const Big* to = sett_set(world, e[k], id, sett_get(world, e[22], id));
            CHECK(to != NULL && to->bytes[0] == 23 && to->bytes[39999] == 23);
        }
        const Big* from = sett_get(world, e[22], id);
        CHECK_PTR_EQ(sett_set(world, e[22], id, from), from); /* onto itself */
        CHECK_EQ(from->bytes[100], 23);
    }
    CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
    sett_world_destroy(world);
}

static void array_addresses_hold(void)
{
    sett_world* world = quiet_world();
    sett_component id =
        sett_component_register(world, &(sett_component_desc){.name = "v", .size = 8});
    sett_entity first = sett_entity_create(world);
    uint64_t* address = sett_add(world, first, id);
    *address = 42;
    static sett_entity e[20000];
    CHECK_EQ(sett_entity_create_many(world, 20000, &id, 1, NULL, e), SETT_OK);
    CHECK_EQ(sett_entity_destroy_many(world, e, 20000), SETT_OK);
    CHECK_EQ(sett_world_trim(world), SETT_OK);
    CHECK_PTR_EQ(sett_get(world, first, id), address);
    CHECK_EQ(*address, 42);
    CHECK(sett_equals(sett_component_owner(world, id, address), first));
    CHECK(sett_equals(sett_component_owner(world, id, (char*)address + 7), first));
    CHECK(sett_is_null(sett_component_owner(world, id, address + 1)));
    CHECK(sett_is_null(sett_component_owner(world, id, &address)));
    CHECK(sett_is_null(sett_component_owner(world, 99, address)));
    sett_world_destroy(world);
}

static void reserved_additions_need_no_memory(void)
{
    static const sett_storage_kind kinds[] = {SETT_STORAGE_ARRAY, SETT_STORAGE_SPARSE_SET};
    for (uint32_t k = 0; k < 2; k++) {
        sett_world* world = quiet_world();
        sett_component id = sett_component_register(
            world, &(sett_component_desc){.name = "v", .size = 24, .storage = kinds[k]});
        sett_add(world, sett_entity_create(world), id); /* the transition is known */
        CHECK_EQ(sett_entity_reserve(world, 20000), SETT_OK);
        CHECK_EQ(sett_component_reserve(world, id, 20000), SETT_OK);
        sett_stats before;
        sett_stats after;
        sett_world_stats(world, &before);
        for (uint32_t n = 0; n < 20000; n++) {
            CHECK(sett_add(world, sett_entity_create(world), id) != NULL);
        }
        sett_world_stats(world, &after);
        CHECK_EQ(after.allocations, before.allocations);
        sett_world_destroy(world);
    }
}

/* Entities come at one end and go at the other: without closing the gaps rows would never end. */
static void gaps_are_closed_by_additions(void)
{
    for (uint32_t heard = 0; heard < 2; heard++) {
        sett_world* world = quiet_world();
        sett_component id = sett_component_register(
            world,
            &(sett_component_desc){
                .name = "v", .size = 8, .storage = SETT_STORAGE_SPARSE_SET, .keep_order = true});
        if (heard != 0) {
            CHECK(sett_group_create(world, &(sett_group_desc){.name = "g", .with = {id}}) != NULL);
        }
        sett_entity entity[2] = {sett_entity_create(world), sett_entity_create(world)};
        CHECK(sett_add(world, entity[0], id) != NULL);
        for (uint32_t k = 0; k < 20000; k++) {
            CHECK(sett_add(world, entity[(k + 1) % 2], id) != NULL);
            CHECK_EQ(sett_remove(world, entity[k % 2], id), SETT_OK);
        }
        CHECK(world->types[id]->storage.extent < 10000);
        CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
        sett_world_destroy(world);
    }
}

static void reserving_nothing_or_for_nobody(void)
{
    sett_world* world = quiet_world();
    sett_component id = sett_component_register(
        world, &(sett_component_desc){
                   .name = "v", .size = (size_t)1 << 26, .storage = SETT_STORAGE_SPARSE_SET});
    CHECK_EQ(sett_component_reserve(world, id, 0), SETT_OK);
    CHECK_EQ(sett_component_reserve(world, 77, 10), SETT_STATUS_UNREGISTERED);
    CHECK_EQ(sett_component_count(world, id), 0);
    CHECK_EQ(sett_world_validate(world, NULL), SETT_OK);
    sett_world_destroy(world);
}

TEST_MAIN(TEST(adding_initialises_and_notifies), TEST(adding_what_is_there_changes_nothing),
          TEST(setting_copies_and_notifies), TEST(what_is_required_comes_first_and_once),
          TEST(what_is_required_comes_every_time), TEST(what_requires_goes_first),
          TEST(destroying_notifies_of_all_before_the_first_goes),
          TEST(clearing_an_entity_is_the_same_without_its_end),
          TEST(ending_the_world_ends_every_value), TEST(clearing_a_type_takes_what_requires_it),
          TEST(hooks_run_when_all_of_many_are_there), TEST(many_are_those_that_come_one_by_one),
          TEST(many_get_their_values_and_requirements), TEST(hooks_must_not_change_structure),
          TEST(destroying_inside_of_the_hook_is_harmless),
          TEST(a_value_may_come_from_the_same_storage), TEST(array_addresses_hold),
          TEST(reserved_additions_need_no_memory), TEST(gaps_are_closed_by_additions),
          TEST(reserving_nothing_or_for_nobody))

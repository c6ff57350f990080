/* test_schedule.c: the order in which systems run, what runs side by side, and what is said about
 * it; random systems against a naive reading of the rules. */
#include "sett/system.h"
#include "worlds.h"

#include "run/run.h"

#define TYPES 6

typedef struct scene {
    sett_world* world;
    sett_component type[TYPES];
    char text[4000];
} scene;

static void scene_begin(scene* s)
{
    static const char* const names[TYPES] = {"A", "B", "C", "D", "E", "F"};
    memset(s, 0, sizeof(*s));
    s->world = quiet_world();
    for (uint32_t k = 0; k < TYPES; k++) {
        s->type[k] =
            sett_component_register(s->world, &(sett_component_desc){.name = names[k], .size = 4});
        CHECK(s->type[k] != 0);
    }
    for (uint32_t k = 0; k < 10; k++) {
        sett_entity e = sett_entity_create(s->world);
        for (uint32_t t = 0; t < TYPES; t++) {
            CHECK(sett_add(s->world, e, s->type[t]) != NULL);
        }
    }
}

static void scene_end(scene* s)
{
    CHECK_END(s->world);
}

static void write_name(sett_context* c)
{
    scene* s = c->user;
    strcat(s->text, sett_system_name(c->system));
    strcat(s->text, " ");
}

/* A system over what `terms` says: "Ab" writes A and reads B. */
static sett_system* make(scene* s, const char* name, const char* terms, sett_system_desc desc)
{
    desc.name = name;
    desc.run = write_name;
    desc.user = s;
    for (uint32_t k = 0; terms[k] != '\0'; k++) {
        bool reads = terms[k] >= 'a';
        desc.terms[k].component = s->type[terms[k] - (reads ? 'a' : 'A')];
        desc.terms[k].access = reads ? SETT_IN : SETT_INOUT;
    }
    return sett_system_create(s->world, &desc);
}

#define MAKE(s, name, terms, ...)                                                                  \
    CHECK(make((s), (name), (terms), (sett_system_desc){__VA_ARGS__}) != NULL)

static const char* order_of(scene* s)
{
    s->text[0] = '\0';
    CHECK_EQ(sett_progress(s->world, 1), SETT_OK);
    return s->text;
}

/* The stages, as "move age | turn". */
static const char* stages_of(scene* s)
{
    const setti_run* run = setti_run_of(s->world);
    CHECK(setti_schedule_update(s->world));
    s->text[0] = '\0';
    for (uint32_t k = 0; k < run->stage_count; k++) {
        strcat(s->text, k == 0 ? "" : " |");
        for (uint32_t j = 0; j < run->stages[k].count; j++) {
            strcat(s->text, k == 0 && j == 0 ? "" : " ");
            strcat(s->text, run->sorted[run->stages[k].first + j]->name);
        }
    }
    return s->text;
}

/* ---- Order ----------------------------------------------------------------------------------- */

static void conflicts_keep_the_order_of_creation(void)
{
    scene s;
    scene_begin(&s);
    MAKE(&s, "move", "Ab", .phase = 0);
    MAKE(&s, "age", "C", .phase = 0);
    MAKE(&s, "turn", "aB", .phase = 0);
    MAKE(&s, "look", "a", .phase = 0);
    MAKE(&s, "see", "a", .phase = 0);
    MAKE(&s, "heal", "D", .phase = 0);
    CHECK_STR_EQ(stages_of(&s), "move age heal | turn look see");
    CHECK_STR_EQ(order_of(&s), "move age heal turn look see ");
    scene_end(&s);
}

static void said_order_wins_over_creation(void)
{
    scene s;
    scene_begin(&s);
    MAKE(&s, "one", "A", .after = {"two"});
    MAKE(&s, "two", "A", .after = {"three", "ghost"});
    MAKE(&s, "three", "A", .phase = 0);
    MAKE(&s, "apart", "B", .before = {"three"});
    MAKE(&s, "free", "C", .phase = 0);
    CHECK_STR_EQ(stages_of(&s), "apart free | three | two | one");
    sett_system* apart = sett_system_find(s.world, "apart");
    sett_system* freed = sett_system_find(s.world, "free");
    CHECK_EQ(sett_system_order(freed, apart), SETT_OK);
    CHECK_STR_EQ(stages_of(&s), "free | apart | three | two | one");
    CHECK_EQ(sett_system_destroy(apart), SETT_OK);
    CHECK_STR_EQ(stages_of(&s), "three free | two | one");
    /* A name means the system that has it. */
    MAKE(&s, "apart", "B", .phase = 0);
    CHECK_STR_EQ(stages_of(&s), "three free | two apart | one");
    scene_end(&s);
}

static void who_says_nothing_keeps_its_order(void)
{
    scene s;
    scene_begin(&s);
    MAKE(&s, "B", "A", .phase = 0);
    MAKE(&s, "C", "A", .phase = 0);
    MAKE(&s, "A", "A", .before = {"B"}); /* goes ahead of B, which need not wait behind C */
    CHECK_STR_EQ(stages_of(&s), "A | B | C");
    MAKE(&s, "a", "A", .before = {"A"});
    CHECK_STR_EQ(stages_of(&s), "a | A | B | C");
    scene_end(&s);

    scene_begin(&s);
    MAKE(&s, "A", "A", .after = {"C"}); /* waits for C, which need not go ahead of B */
    MAKE(&s, "B", "A", .phase = 0);
    MAKE(&s, "C", "A", .phase = 0);
    MAKE(&s, "D", "A", .phase = 0);
    CHECK_STR_EQ(stages_of(&s), "B | C | A | D");
    MAKE(&s, "E", "A", .phase = 0);
    CHECK_EQ(sett_system_order(sett_system_find(s.world, "E"), sett_system_find(s.world, "C")),
             SETT_OK);
    CHECK_STR_EQ(stages_of(&s), "B | E | C | A | D");
    scene_end(&s);
}

static char warned[2000];

static void keep_warnings(void* user, sett_log_level level, const char* message)
{
    (void)user;
    if (level == SETT_LOG_WARNING) {
        strcat(strcat(warned, message), "\n");
    }
}

static void unknown_names_are_reported_once(void)
{
    scene s;
    memset(&s, 0, sizeof(s));
    warned[0] = '\0';
    s.world = sett_world_create(&(sett_world_desc){.log_fn = keep_warnings});
    MAKE(&s, "turn", "", .after = {"mvoe"}, .before = {"draw"});
    CHECK_STR_EQ(warned, ""); /* it may still come */
    MAKE(&s, "draw", "", .phase = 0);
    CHECK_STR_EQ(order_of(&s), "turn draw ");
    CHECK_STR_EQ(warned,
                 "sett_progress: system \"turn\" is to run after \"mvoe\", but no system has "
                 "this name - correct the name, or create the system\n");
    warned[0] = '\0';
    CHECK_EQ(sett_system_destroy(sett_system_find(s.world, "draw")), SETT_OK);
    CHECK_STR_EQ(order_of(&s), "turn ");
    CHECK_STR_EQ(warned, ""); /* reported already; and there was a system "draw" */
    scene_end(&s);
}

/* Steps to create so many systems, each after the next one (or before the last one), and to order
 * them. */
static uint64_t work_of(uint32_t count, bool after, bool shuffled)
{
    scene s;
    memset(&s, 0, sizeof(s));
    s.world = quiet_world();
    sett_component type =
        sett_component_register(s.world, &(sett_component_desc){.name = "A", .size = 4});
    for (uint32_t k = 0; k < count; k++) {
        char name[16];
        char other[16];
        uint32_t number = shuffled ? (uint32_t)((uint64_t)k * 7919 % count) : k;
        snprintf(name, sizeof(name), "s%u", (unsigned)number);
        snprintf(other, sizeof(other), "s%u", (unsigned)(after ? number + 1 : number - 1));
        sett_system_desc desc = {.name = name, .run = write_name, .user = &s};
        desc.terms[0].component = type;
        bool says = after ? number + 1 < count : number != 0;
        *(after ? &desc.after[0] : &desc.before[0]) = says ? other : NULL;
        CHECK(sett_system_create(s.world, &desc) != NULL);
    }
    CHECK(setti_schedule_update(s.world));
    const setti_run* run = setti_run_of(s.world);
    CHECK_EQ(run->stage_count, count);
    char name[16];
    for (uint32_t k = 0; k < count; k++) {
        snprintf(name, sizeof(name), "s%u", (unsigned)(count - 1 - k));
        CHECK_STR_EQ(run->sorted[k]->name, name);
    }
    uint64_t work = run->work;
    sett_world_destroy(s.world);
    return work;
}

static void thousands_of_systems_are_ordered_in_good_time(void)
{
    for (uint32_t after = 0; after < 2; after++) {
        uint64_t few = work_of(500, after != 0, false);
        uint64_t many = work_of(5000, after != 0, false);
        CHECK_MSG(many < 15 * few && many < 100 * 5000, "%u steps for 500 systems, %u for 5,000",
                  (unsigned)few, (unsigned)many);
    }
    uint64_t shuffled = work_of(5000, true, true);
    CHECK_MSG(shuffled < 200 * 5000, "%u steps", (unsigned)shuffled);
}

static void presence_conflicts_with_nothing(void)
{
    scene s;
    scene_begin(&s);
    sett_system_desc desc = {.name = "has", .run = write_name, .user = &s};
    desc.terms[0] = (sett_term){.component = s.type[0], .access = SETT_NONE};
    desc.terms[1] = (sett_term){.component = s.type[1], .kind = SETT_WITHOUT};
    MAKE(&s, "writes", "AB", .phase = 0);
    CHECK(sett_system_create(s.world, &desc) != NULL);
    desc.name = "changed";
    desc.terms[0].changed = true;
    CHECK(sett_system_create(s.world, &desc) != NULL);
    sett_component tag = sett_component_register(s.world, &(sett_component_desc){.name = "Tag"});
    desc = (sett_system_desc){.name = "tag", .run = write_name, .user = &s};
    desc.terms[0] = (sett_term){.component = tag}; /* nothing to write */
    CHECK(sett_system_create(s.world, &desc) != NULL);
    desc.name = "tag too";
    CHECK(sett_system_create(s.world, &desc) != NULL);
    CHECK_STR_EQ(stages_of(&s), "writes has tag tag too | changed");
    scene_end(&s);
}

static void extra_access_conflicts(void)
{
    scene s;
    scene_begin(&s);
    MAKE(&s, "writes", "A", .phase = 0);
    MAKE(&s, "reads", "b", .access_any_in = {s.type[0]});
    MAKE(&s, "random", "c", .access_any_inout = {s.type[0]});
    MAKE(&s, "more", "d", .access_inout = {s.type[0]});
    MAKE(&s, "apart", "e", .access_any_in = {s.type[5]});
    CHECK_STR_EQ(stages_of(&s), "writes apart | reads | random | more");
    scene_end(&s);
}

static void who_declares_nothing_runs_alone(void)
{
    scene s;
    scene_begin(&s);
    MAKE(&s, "a", "A", .phase = 0);
    MAKE(&s, "nothing", "", .phase = 0);
    MAKE(&s, "b", "B", .phase = 0);
    MAKE(&s, "declared", "", .access_any_in = {s.type[0]});
    MAKE(&s, "alone", "c", .exclusive = true);
    CHECK_STR_EQ(stages_of(&s), "a | nothing | b declared | alone");
    sett_system_desc set = {.name = "set", .terms = {{.component = s.type[0]}}};
    CHECK(sett_system_create(s.world, &set) != NULL); /* without a function: conflicts with none */
    CHECK_STR_EQ(stages_of(&s), "a set | nothing | b declared | alone");
    scene_end(&s);
}

static void stages_end_with_their_phase(void)
{
    scene s;
    scene_begin(&s);
    MAKE(&s, "late", "A", .phase = 5);
    MAKE(&s, "a", "A", .phase = 0);
    MAKE(&s, "b", "B", .phase = 0);
    MAKE(&s, "later", "B", .phase = 5, .after = {"a"});
    CHECK_STR_EQ(stages_of(&s), "a b | late later");
    scene_end(&s);
}

/* ---- Rejections --------------------------------------------------------------------------------
 * */

static void cycles_are_rejected_and_printed(void)
{
    scene s;
    scene_begin(&s);
    MAKE(&s, "a", "A", .before = {"b"});
    MAKE(&s, "b", "A", .before = {"c"});
    MAKE(&s, "x", "A", .before = {"b"});
    CHECK(make(&s, "c", "A", (sett_system_desc){.before = {"a"}}) == NULL);
    CHECK_EQ(sett_world_error(s.world), SETT_STATUS_CYCLE);
    CHECK_MSG(strstr(sett_world_message(s.world), "c -> a -> b -> c") != NULL, "%s",
              sett_world_message(s.world));
    CHECK(sett_system_find(s.world, "c") == NULL);
    CHECK(make(&s, "self", "A", (sett_system_desc){.after = {"self"}}) == NULL);
    CHECK_EQ(sett_world_error(s.world), SETT_STATUS_CYCLE);
    CHECK(strstr(sett_world_message(s.world), "self -> self") != NULL);
    MAKE(&s, "c", "A", .phase = 0);
    sett_system* a = sett_system_find(s.world, "a");
    sett_system* c = sett_system_find(s.world, "c");
    CHECK_EQ(sett_system_order(c, a), SETT_STATUS_CYCLE);
    CHECK(strstr(sett_world_message(s.world), "c -> a -> b -> c") != NULL);
    CHECK_STR_EQ(stages_of(&s), "a | x | b | c");
    char name[201] = {0}; /* the message has the end of a long name */
    memset(name, 'n', 200);
    CHECK(make(&s, name, "A", (sett_system_desc){.before = {"a"}, .after = {"c"}}) == NULL);
    CHECK(strstr(sett_world_message(s.world), "wait for each other: ... nnn") != NULL);
    CHECK(strstr(sett_world_message(s.world), "nnn -> a -> b -> c -> nnn") != NULL);
    scene_end(&s);
}

static void phases_are_not_contradicted(void)
{
    scene s;
    scene_begin(&s);
    MAKE(&s, "late", "A", .phase = 5);
    CHECK(make(&s, "early", "A", (sett_system_desc){.after = {"late"}}) == NULL);
    CHECK_EQ(sett_world_error(s.world), SETT_STATUS_CONFLICT);
    MAKE(&s, "waits", "A", .phase = 5, .before = {"comes"});
    CHECK(make(&s, "comes", "A", (sett_system_desc){.phase = 0}) == NULL);
    CHECK_EQ(sett_world_error(s.world), SETT_STATUS_CONFLICT);
    MAKE(&s, "fine", "A", .before = {"late"});
    CHECK_EQ(
        sett_system_order(sett_system_find(s.world, "late"), sett_system_find(s.world, "fine")),
        SETT_STATUS_CONFLICT);
    CHECK_STR_EQ(stages_of(&s), "fine | late | waits");
    scene_end(&s);
}

/* ---- In words -------------------------------------------------------------------------------- */

static void schedule_is_printed_in_words(void)
{
    scene s;
    scene_begin(&s);
    char text[2000];
    CHECK(sett_schedule_describe(s.world, text, sizeof(text)) == strlen(text));
    CHECK_STR_EQ(text, "no systems\n");
    MAKE(&s, "load", "", .phase = SETT_PHASE_LOAD);
    MAKE(&s, "move", "Ab", .phase = 0);
    MAKE(&s, "turn", "aB", .after = {"ghost"});
    MAKE(&s, "age", "C", .after = {"move"}, .disabled = true);
    MAKE(&s, "hit", "d", .access_any_inout = {s.type[4]});
    MAKE(&s, "clean", "f", .exclusive = true);
    static const char expected[] =
        "phase LOAD -300\n"
        "  stage 0\n"
        "    load: declares nothing; alone; called once\n"
        "  commands are applied\n"
        "phase UPDATE 0\n"
        "  stage 0, side by side\n"
        "    move: writes A reads B; up to 16 jobs\n"
        "    hit: writes anywhere E reads D; one job: it reads or writes elsewhere what it or "
        "another job writes\n"
        "  stage 1, side by side\n"
        "    turn: writes B reads A; up to 16 jobs; behind move, which writes A\n"
        "      is to run after ghost, which does not exist\n"
        "    age: writes C; up to 16 jobs; behind move, as was said; off\n"
        "  commands are applied\n"
        "  stage 2\n"
        "    clean: reads F; alone; one job; behind turn, because one of them runs alone\n"
        "  commands are applied\n";
    size_t length = sett_schedule_describe(s.world, text, sizeof(text));
    CHECK_STR_EQ(text, expected);
    CHECK_EQ(length, strlen(expected));
    CHECK_EQ(sett_schedule_describe(s.world, text, 10), length);
    CHECK_STR_EQ(text, "phase LOA");
    CHECK_EQ(sett_schedule_describe(s.world, NULL, 0), length);
    scene_end(&s);
}

/* ---- The guard ------------------------------------------------------------------------------- */

typedef struct guarded {
    scene s;
    sett_component more[2];
    sett_query* over_f;
    sett_query* over_a;
    char log[4000];
    uint32_t lines;
} guarded;

static void keep_log(void* user, sett_log_level level, const char* message)
{
    guarded* g = user;
    strcat(g->log, message);
    strcat(g->log, "\n");
    g->lines += level == SETT_LOG_ERROR;
}

/* Declares that it writes A and reads B. */
static void trespasses(sett_context* c)
{
    guarded* g = c->user;
    const sett_component* type = g->s.type;
    for (uint32_t round = 0; round < 3; round++) {
        SETT_SYSTEM_EACH(c, b) {
            SETT_EACH(b, i) {
                sett_entity e = sett_batch_entity(b, i);
                CHECK(sett_get_mut(c->world, e, type[0]) != NULL); /* declared */
                CHECK(sett_get(c->world, e, type[0]) != NULL);
                CHECK(sett_get(c->world, e, type[1]) != NULL);
                CHECK(sett_has(c->world, e, type[1]));
                CHECK(sett_get(c->world, e, type[2]) != NULL);     /* not declared */
                CHECK(sett_get_mut(c->world, e, type[3]) != NULL); /* not declared */
                CHECK(sett_get(c->world, e, type[3]) != NULL);     /* reported already */
                CHECK(sett_get_mut(c->world, e, type[1]) != NULL); /* declared to be read */
                CHECK(sett_has(c->world, e, type[4]));             /* not declared */
                CHECK(sett_set(c->world, e, g->more[0], &(uint32_t){1}) != NULL); /* nor this */
                CHECK(sett_ensure(c->world, e, g->more[1]) != NULL);              /* nor this */
            }
        }
        sett_batch batch;
        CHECK(sett_context_query(c, g->over_f, &batch) != NULL);
        sett_batch_end(&batch);
        CHECK(sett_context_query(c, g->over_a, &batch) != NULL); /* another job may write A */
        sett_batch_end(&batch);
    }
}

/* A system that could be split says why it has one job. */
static void one_job_has_a_reason(void)
{
    scene s;
    scene_begin(&s);
    char text[2000];
    sett_component few = sett_component_register(
        s.world,
        &(sett_component_desc){.name = "Few", .size = 4, .storage = SETT_STORAGE_SPARSE_SET});
    for (uint32_t k = 5000; k-- > 0;) { /* in another order than the indices */
        sett_entity e = sett_entity_create(s.world);
        CHECK(sett_add(s.world, e, s.type[0]) != NULL);
        CHECK(sett_add(s.world, e, few) != NULL);
    }
    sett_system_desc desc = {.name = "gathers", .run = write_name, .user = &s};
    desc.terms[0] = (sett_term){.component = s.type[0], .access = SETT_IN, .drives = true};
    desc.terms[1] = (sett_term){.component = few, .access = SETT_INOUT};
    sett_system* gathers = sett_system_create(s.world, &desc);
    CHECK(gathers != NULL);
    MAKE(&s, "hits", "b", .access_inout = {few});
    CHECK(sett_schedule_describe(s.world, text, sizeof(text)) < sizeof(text));
    CHECK_MSG(strstr(text, "one job: it writes Few, a gathered field") != NULL, "%s", text);
    CHECK_MSG(strstr(text, "one job: it writes Few, in a sparse set, by handle") != NULL, "%s",
              text);
    CHECK(strstr(text, "up to") == NULL);
    scene_end(&s);
}

static void the_guard_names_system_and_component(void)
{
    static guarded g;
    memset(&g, 0, sizeof(g));
    g.s.world = sett_world_create(&(sett_world_desc){.log_fn = keep_log, .hook_user = &g});
    sett_world* world = g.s.world;
    static const char* const names[TYPES] = {"A", "B", "C", "D", "E", "F"};
    for (uint32_t k = 0; k < TYPES; k++) {
        g.s.type[k] =
            sett_component_register(world, &(sett_component_desc){.name = names[k], .size = 4});
    }
    sett_entity e = sett_entity_create(world);
    for (uint32_t k = 0; k < TYPES; k++) {
        sett_add(world, e, g.s.type[k]);
    }
    g.more[0] = sett_component_register(world, &(sett_component_desc){.name = "G", .size = 4});
    g.more[1] = sett_component_register(world, &(sett_component_desc){.name = "H", .size = 4});
    sett_add(world, e, g.more[0]);
    sett_add(world, e, g.more[1]);
    g.over_f = sett_query_create(world, &(sett_query_desc){.terms = {{.component = g.s.type[5]}}});
    g.over_a = sett_query_create(
        world, &(sett_query_desc){.terms = {{.component = g.s.type[0], .access = SETT_IN}}});
    sett_system_desc desc = {.name = "trespasses", .run = trespasses, .user = &g};
    desc.terms[0] = (sett_term){.component = g.s.type[0]};
    desc.terms[1] = (sett_term){.component = g.s.type[1], .access = SETT_IN};
    CHECK(sett_system_create(world, &desc) != NULL);
    sett_schedule_configure(world, &(sett_schedule_desc){.guard = SETT_GUARD_OFF});
    CHECK_EQ(sett_progress(world, 1), SETT_OK);
    CHECK_EQ(g.lines, 0);
    sett_schedule_configure(world, &(sett_schedule_desc){.guard = SETT_GUARD_ON});
    CHECK_EQ(sett_progress(world, 1), SETT_OK);
    CHECK_EQ(g.lines, 7);
    CHECK(strstr(g.log, "sett_get: system \"trespasses\" reads \"C\"") != NULL);
    CHECK(strstr(g.log, "sett_get_mut: system \"trespasses\" writes \"D\"") != NULL);
    CHECK(strstr(g.log, "sett_get_mut: system \"trespasses\" writes \"B\"") != NULL);
    CHECK(strstr(g.log, "\"E\"") == NULL); /* sett_has: presence cannot change meanwhile */
    CHECK(strstr(g.log, "sett_set: system \"trespasses\" writes \"G\"") != NULL);
    CHECK(strstr(g.log, "sett_ensure: system \"trespasses\" writes \"H\"") != NULL);
    CHECK(strstr(g.log, "sett_context_query: system \"trespasses\" writes \"F\"") != NULL);
    CHECK(strstr(g.log,
                 "reads \"A\" of all entities, while another job of the system may write it") !=
          NULL);
    const char* lists =
        "system \"trespasses\" needs these access lists in its descriptor "
        "(sett_schedule_suggest writes all): "
        ".access_any_in = {A_id, C_id}, .access_any_inout = {B_id, D_id, G_id, H_id, F_id},\n";
    CHECK_MSG(strstr(g.log, lists) != NULL, "%s", g.log);
    size_t length = strlen(g.log);
    CHECK_EQ(sett_progress(world, 1), SETT_OK); /* once each */
    CHECK_EQ(g.lines, 7);
    CHECK_EQ(strlen(g.log), length);
    CHECK(sett_get(world, e, g.s.type[2]) != NULL); /* outside nothing is watched */
    CHECK_EQ(g.lines, 7);
    CHECK_EQ(world->hot_capacity, world->type_capacity);
    desc.name = "alone";
    desc.exclusive = true;
    CHECK(sett_system_create(world, &desc) != NULL);
    sett_system_enable(sett_system_find(world, "trespasses"), false);
    CHECK_EQ(sett_progress(world, 1), SETT_OK);
    CHECK_EQ(g.lines, 7);
    sett_world_destroy(world);
}

typedef struct Hull {
    int32_t points;
} Hull;
typedef struct Fuel {
    int32_t litres;
} Fuel;
typedef struct Crew {
    int32_t heads;
} Crew;

typedef struct lookout {
    sett_search* by_hull;
    sett_search* by_fuel;
    sett_query* up;
    sett_entity e;
    sett_entity other;
    uint32_t way;
    char text[200];
} lookout;

/* Declares nothing but that it writes Fuel. */
static void looks(sett_context* c)
{
    lookout* l = c->user;
    sett_component hull = sett_component_find(c->world, "Hull");
    sett_batch batch;
    switch (l->way) {
    case 0:
        CHECK_EQ(sett_search_count(l->by_hull), 1);
        break;
    case 1:
        CHECK_EQ(sett_search_count(l->by_fuel), 1);
        break;
    case 2:
        CHECK(sett_value_describe(c->world, l->e, hull, l->text, sizeof(l->text)) != 0);
        break;
    case 3:
        CHECK(sett_entity_describe_values(c->world, l->e, l->text, sizeof(l->text)) != 0);
        break;
    case 4:
        CHECK(sett_json_format_value(c->world, l->e, hull, l->text, sizeof(l->text)) != 0);
        break;
    case 5:
        CHECK_EQ(sett_world_difference(c->world, c->world, NULL, 0), 0);
        break;
    default:
        CHECK(sett_context_query(c, l->up, &batch) != NULL);
        sett_batch_end(&batch);
        break;
    }
}

static void the_guard_sees_searches_and_texts(void)
{
    static const char* const expected[] = {
        "sett_search_begin: system \"looks\" reads \"Hull\"",
        "sett_search_begin: system \"looks\" reads \"Fuel\" of all entities",
        "sett_value_describe: system \"looks\" reads \"Hull\"",
        "sett_entity_describe_values: system \"looks\" reads \"Hull\"",
        "sett_json_format_value: system \"looks\" reads \"Hull\"",
        "sett_world_difference: system \"looks\" reads \"Hull\"",
        "sett_context_query: system \"looks\" reads \"Hull\"",
    };
    for (uint32_t way = 0; way < sizeof(expected) / sizeof(expected[0]); way++) {
        static guarded g;
        memset(&g, 0, sizeof(g));
        sett_world* world =
            sett_world_create(&(sett_world_desc){.log_fn = keep_log, .hook_user = &g});
        sett_component Hull_id = SETT_REGISTER(world, Hull);
        sett_component Fuel_id = SETT_REGISTER(world, Fuel);
        sett_component Crew_id = SETT_REGISTER(world, Crew);
        CHECK_EQ(SETT_MEMBERS(world, Hull, points), SETT_OK);
        CHECK_EQ(SETT_MEMBERS(world, Fuel, litres), SETT_OK);
        CHECK_EQ(SETT_MEMBERS(world, Crew, heads), SETT_OK);
        lookout l = {.way = way, .e = sett_entity_create(world)};
        SETT_SET(world, l.e, Hull, .points = 1);
        SETT_SET(world, l.e, Fuel, .litres = 1);
        /* links, names and who has Crew cannot change meanwhile */
        CHECK_EQ(sett_name_set(world, l.e, "e"), SETT_OK);
        CHECK(sett_hierarchy_register(world, NULL) != 0);
        l.by_hull = sett_search_create(world, ".name == \"e\", !ChildOf($this, _), !Crew, Hull "
                                              "order_by Hull.points");
        l.by_fuel = sett_search_create(world, "Fuel.litres > 0, Hull");
        l.up = SETT_QUERY_CREATE(world, SETT_WITH(Crew), SETT_PARENT(Hull));
        CHECK(l.by_hull != NULL && l.by_fuel != NULL && l.up != NULL);
        sett_system_desc desc = {.name = "looks", .run = looks, .user = &l};
        desc.terms[0] = (sett_term){.component = Fuel_id};
        CHECK(sett_system_create(world, &desc) != NULL);
        sett_schedule_configure(world, &(sett_schedule_desc){.guard = SETT_GUARD_ON});
        CHECK_EQ(sett_progress(world, 1), SETT_OK);
        CHECK_EQ(sett_progress(world, 1), SETT_OK);
        CHECK_EQ(g.lines, 1);
        CHECK_MSG(strstr(g.log, expected[way]) != NULL, "%s", g.log);
        CHECK_EQ(sett_system_destroy(sett_system_find(world, "looks")), SETT_OK);
        desc.access_any_in[0] = Hull_id;
        desc.access_any_in[1] = way == 1 ? Fuel_id : 0;
        desc.terms[0].access = way == 1 ? SETT_IN : SETT_INOUT;
        CHECK(sett_system_create(world, &desc) != NULL);
        CHECK_EQ(sett_progress(world, 1), SETT_OK);
        CHECK_MSG(g.lines == 1, "%s", g.log);
        sett_world_destroy(world);
    }
}

/* By its input, for the first and the last entity, which two jobs visit: reads Fuel, writes it, or
 * reads it by an accessor. */
static void reaches(sett_context* c)
{
    const lookout* l = c->user;
    sett_component fuel = sett_component_find(c->world, "Fuel");
    SETT_SYSTEM_EACH(c, b) {
        sett_entity own = sett_batch_entity(b, 0);
        CHECK(sett_get_mut(c->world, own, fuel) != NULL && sett_get(c->world, own, fuel) != NULL);
    }
    sett_accessor all;
    switch (l->way) {
    case 0:
        CHECK(sett_get(c->world, l->e, fuel) != NULL);
        break;
    case 1:
        CHECK(sett_get_mut(c->world, l->e, fuel) != NULL);
        break;
    case 2:
        CHECK(sett_set(c->world, l->e, fuel, &(Fuel){1}) != NULL);
        break;
    case 3:
        all = sett_accessor_make(c->world, fuel);
        CHECK(sett_accessor_find(&all, l->e) != NULL);
        break;
    default: /* no job writes it: the query does not match */
        CHECK(sett_get(c->world, l->other, fuel) != NULL);
        break;
    }
}

static void the_guard_sees_entities_of_other_jobs(void)
{
    static const char* const expected[] = {
        "sett_get: system \"reaches\" reads \"Fuel\" of entity 0:1, while another job of the "
        "system may write it",
        "sett_get_mut: system \"reaches\" writes \"Fuel\" of entity 0:1, while another",
        "sett_set: system \"reaches\" writes \"Fuel\" of entity 0:1, while another",
        "sett_accessor_make: system \"reaches\" reads \"Fuel\" of all entities, while another",
        NULL,
    };
    for (uint32_t round = 0; round < 2 * sizeof(expected) / sizeof(expected[0]); round++) {
        static guarded g;
        memset(&g, 0, sizeof(g));
        sett_world* world =
            sett_world_create(&(sett_world_desc){.log_fn = keep_log, .hook_user = &g});
        lookout l = {.way = round / 2};
        const char* text = expected[l.way];
        sett_component fuel = sett_component_register(
            world, &(sett_component_desc){.name = "Fuel",
                                          .size = sizeof(Fuel),
                                          .storage = round % 2 == 0 ? SETT_STORAGE_ARRAY
                                                                    : SETT_STORAGE_SPARSE_SET});
        sett_component Crew_id = SETT_REGISTER(world, Crew);
        for (uint32_t k = 0; k < 5000; k++) {
            l.other = sett_entity_create(world);
            CHECK(sett_add(world, l.other, fuel) != NULL);
            l.e = k == 0 ? l.other : l.e;
        }
        CHECK(SETT_ADD(world, l.other, Crew) != NULL);
        sett_system_desc desc = {.name = "reaches", .run = reaches, .user = &l};
        desc.terms[0] = (sett_term){.component = fuel};
        desc.terms[1] = (sett_term){.component = Crew_id, .kind = SETT_WITHOUT};
        CHECK(sett_system_create(world, &desc) != NULL);
        sett_schedule_configure(world, &(sett_schedule_desc){.guard = SETT_GUARD_ON});
        CHECK_EQ(sett_progress(world, 1), SETT_OK);
        CHECK_EQ(sett_progress(world, 1), SETT_OK);
        CHECK_MSG(g.lines == (text != NULL), "%s", g.log);
        CHECK_MSG(text == NULL || strstr(g.log, text) != NULL, "%s", g.log);
        CHECK_EQ(sett_system_destroy(sett_system_find(world, "reaches")), SETT_OK);
        desc.single_job = true;
        CHECK(sett_system_create(world, &desc) != NULL);
        CHECK_EQ(sett_progress(world, 1), SETT_OK);
        CHECK_MSG(g.lines == (text != NULL), "%s", g.log);
        sett_world_destroy(world);
    }
}

/* By its input: reads Hull of any entity, or writes it; reads Crew, or nothing. */
static void wanders(sett_context* c)
{
    const lookout* l = c->user;
    sett_component hull = sett_component_find(c->world, "Hull");
    if ((l->way & 1) != 0) {
        CHECK(sett_get(c->world, l->e, hull) != NULL);
    }
    if ((l->way & 2) != 0) {
        CHECK(sett_get_mut(c->world, l->e, hull) != NULL);
    }
    if ((l->way & 4) != 0) {
        CHECK(sett_get(c->world, l->e, sett_component_find(c->world, "Crew")) != NULL);
    }
}

static void access_lists_are_suggested(void)
{
    static guarded g;
    memset(&g, 0, sizeof(g));
    char text[400];
    sett_world* world = sett_world_create(&(sett_world_desc){.log_fn = keep_log, .hook_user = &g});
    sett_component Hull_id = SETT_REGISTER(world, Hull);
    sett_component Fuel_id = SETT_REGISTER(world, Fuel);
    sett_component Crew_id = SETT_REGISTER(world, Crew);
    lookout l = {.e = sett_entity_create(world)};
    SETT_SET(world, l.e, Hull, .points = 1);
    SETT_SET(world, l.e, Fuel, .litres = 1);
    SETT_SET(world, l.e, Crew, .heads = 1);
    sett_system_desc desc = {.name = "wanders", .run = wanders, .user = &l};
    desc.terms[0] = (sett_term){.component = Fuel_id};
    CHECK(sett_system_create(world, &desc) != NULL);
    CHECK_EQ(sett_schedule_suggest(world, text, sizeof(text)), 0); /* it did not run */
    sett_schedule_configure(world, &(sett_schedule_desc){.guard = SETT_GUARD_ON});
    static const struct {
        uint32_t way;
        const char* text; /* what the lists are then; uses are remembered */
    } step[] = {
        {0, ""},
        {1, "    wanders: .access_any_in = {Hull_id},\n"},
        {4, "    wanders: .access_any_in = {Hull_id, Crew_id},\n"},
        {2, "    wanders: .access_any_in = {Crew_id}, .access_any_inout = {Hull_id},\n"},
        {7, "    wanders: .access_any_in = {Crew_id}, .access_any_inout = {Hull_id},\n"},
    };
    for (uint32_t k = 0; k < sizeof(step) / sizeof(step[0]); k++) {
        l.way = step[k].way;
        CHECK_EQ(sett_progress(world, 1), SETT_OK);
        CHECK_EQ(sett_schedule_suggest(world, text, sizeof(text)), strlen(step[k].text));
        CHECK_MSG(strcmp(text, step[k].text) == 0, "%u: %s", k, text);
    }
    const char* logged = "sett_progress: system \"wanders\" needs these access lists in its "
                         "descriptor (sett_schedule_suggest writes all): "
                         ".access_any_in = {Crew_id}, .access_any_inout = {Hull_id},\n";
    CHECK_MSG(strstr(g.log, logged) != NULL, "%s", g.log);
    CHECK_EQ(g.lines, 2); /* Hull and Crew, once each */

    CHECK_EQ(sett_system_destroy(sett_system_find(world, "wanders")), SETT_OK);
    desc.access_any_in[0] = Crew_id; /* pasted, and something that is not used */
    desc.access_any_inout[0] = Hull_id;
    desc.access_inout[0] = SETT_ID_NAME;
    CHECK(sett_name_register(world) != 0);
    CHECK(sett_system_create(world, &desc) != NULL);
    l.way = 3;
    CHECK_EQ(sett_progress(world, 1), SETT_OK);
    CHECK_EQ(g.lines, 2);
    const char* pasted = "    wanders: .access_any_in = {Crew_id}, .access_inout = {SETT_ID_NAME}, "
                         ".access_any_inout = {Hull_id},\n"
                         "    wanders: has not read Crew_id\n"
                         "    wanders: has not written SETT_ID_NAME\n";
    CHECK_EQ(sett_schedule_suggest(world, text, sizeof(text)), strlen(pasted));
    CHECK_MSG(strcmp(text, pasted) == 0, "%s", text);
    CHECK_EQ(sett_schedule_suggest(world, text, 9), strlen(pasted)); /* cut off, as snprintf does */
    CHECK(strcmp(text, "    wand") == 0);

    /* A plain term of a singleton would ask the visited entities. */
    CHECK_EQ(sett_system_destroy(sett_system_find(world, "wanders")), SETT_OK);
    desc.access_any_in[0] = desc.access_any_inout[0] = desc.access_inout[0] = 0;
    SETT_SINGLETON_ENSURE(world, Crew);
    SETT_SINGLETON_ENSURE(world, Hull);
    CHECK(sett_system_create(world, &desc) != NULL);
    l.way = 4 | 2;
    CHECK_EQ(sett_progress(world, 1), SETT_OK);
    CHECK_MSG(strstr(g.log,
                     "\"Crew\" without declaring it, and a system that runs at the same time may "
                     "write it - declare a last term SETT_SINGLETON, or list the component in "
                     "`access_any_in`") != NULL,
              "%s", g.log);
    CHECK(strstr(g.log,
                 "\"Hull\" without declaring it, and a system that runs at the same time may use "
                 "it - list the component in `access_any_inout`\n") != NULL);
    sett_world_destroy(world);
}

/* ---- At random ------------------------------------------------------------------------------- */

static uint64_t draw(uint64_t* state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* What a naive reader of the rules knows about a system. */
typedef struct naive {
    char name[16];
    int phase;
    bool exclusive;
    uint8_t uses[TYPES]; /* 0 nothing, 1 reads, 2 writes */
    bool records[TYPES];
    char before[16];
    char after[16];
    sett_system* system;
} naive;

#define NAIVE_MAX 24

typedef struct naive_world {
    naive at[NAIVE_MAX];
    uint32_t count;
} naive_world;

static bool naive_said(const naive* a, const naive* b)
{
    return strcmp(a->before, b->name) == 0 || strcmp(b->after, a->name) == 0;
}

static bool naive_conflicts(const naive* a, const naive* b)
{
    bool conflicts = a->exclusive || b->exclusive;
    for (uint32_t k = 0; k < TYPES; k++) {
        conflicts =
            conflicts || (a->uses[k] != 0 && b->uses[k] != 0 && a->uses[k] + b->uses[k] > 2);
    }
    return conflicts;
}

/* Whether b, which comes later in the phase, needs what a recorded. */
static bool naive_awaits(const naive* a, const naive* b)
{
    bool awaits = false;
    for (uint32_t k = 0; k < TYPES; k++) {
        awaits = awaits || (a->records[k] && b->uses[k] != 0);
    }
    return awaits && a->phase == b->phase && a->system->place < b->system->place;
}

/* Whether b comes, by what is said, somewhere behind a. */
static bool naive_leads(const naive_world* w, uint32_t a, uint32_t b)
{
    bool reached[NAIVE_MAX] = {false};
    reached[a] = true;
    for (uint32_t round = 0; round < w->count; round++) {
        for (uint32_t j = 0; j < w->count; j++) {
            for (uint32_t k = 0; k < w->count; k++) {
                if (reached[j] && naive_said(&w->at[j], &w->at[k])) {
                    if (k == b) {
                        return true;
                    }
                    reached[k] = true;
                }
            }
        }
    }
    return false;
}

static sett_status naive_expects(const naive_world* w)
{
    for (uint32_t j = 0; j < w->count; j++) {
        for (uint32_t k = 0; k < w->count; k++) {
            if (naive_said(&w->at[j], &w->at[k]) && w->at[j].phase > w->at[k].phase) {
                return SETT_STATUS_CONFLICT;
            }
        }
    }
    for (uint32_t k = 0; k < w->count; k++) {
        if (naive_leads(w, k, k)) {
            return SETT_STATUS_CYCLE;
        }
    }
    return SETT_OK;
}

/* Its number in the order of creation, or the lowest of those that it goes ahead of. */
static uint32_t naive_rank(const naive_world* w, uint32_t k)
{
    uint32_t rank = k;
    for (uint32_t j = 0; j < w->count; j++) {
        if (strcmp(w->at[k].before, w->at[j].name) == 0 && w->at[j].phase == w->at[k].phase) {
            uint32_t other = naive_rank(w, j);
            rank = other < rank ? other : rank;
        }
    }
    return rank;
}

/* The places: always the first of those that wait for none of the rest. */
static void naive_check_places(const naive_world* w)
{
    bool placed[NAIVE_MAX] = {false};
    for (uint32_t place = 0; place < w->count; place++) {
        uint32_t best = UINT32_MAX;
        for (uint32_t k = 0; k < w->count; k++) {
            bool waits = placed[k];
            for (uint32_t j = 0; j < w->count; j++) {
                waits = waits || (!placed[j] && naive_said(&w->at[j], &w->at[k]));
            }
            if (waits) {
                continue;
            }
            const naive* a = &w->at[k];
            const naive* b = best != UINT32_MAX ? &w->at[best] : NULL;
            if (b == NULL || a->phase < b->phase ||
                (a->phase == b->phase && naive_rank(w, k) < naive_rank(w, best))) {
                best = k;
            }
        }
        CHECK(best != UINT32_MAX);
        placed[best] = true;
        CHECK_EQ(w->at[best].system->place, place);
    }
}

/* Commands are applied before the stages that begin a phase, or in which some system is exclusive
 * or awaits them. */
static void naive_check_commands(const setti_run* run, const naive_world* w)
{
    for (uint32_t n = 0; n < run->stage_count; n++) {
        const setti_stage* stage = &run->stages[n];
        const sett_system* first = run->sorted[stage->first];
        bool applies = n == 0 || run->sorted[stage->first - 1]->desc.phase != first->desc.phase;
        for (uint32_t k = 0; k < w->count; k++) {
            for (uint32_t at = 0; at < stage->count; at++) {
                const naive* b = &w->at[k];
                bool in = run->sorted[stage->first + at] == b->system;
                applies = applies || (in && b->exclusive);
                for (uint32_t j = 0; in && j < w->count; j++) {
                    applies = applies || naive_awaits(&w->at[j], b);
                }
            }
        }
        CHECK_EQ(stage->applies, applies);
    }
}

/* Every rule of the header, for every pair. */
static void naive_check(scene* s, const naive_world* w)
{
    CHECK(setti_schedule_update(s->world));
    const setti_run* run = setti_run_of(s->world);
    uint32_t at[NAIVE_MAX];
    for (uint32_t k = 0; k < w->count; k++) {
        at[k] = 0;
        while (run->sorted[at[k]] != w->at[k].system) {
            at[k]++;
            CHECK(at[k] < run->sorted_count);
        }
    }
    for (uint32_t j = 0; j < w->count; j++) {
        bool waits = false;
        for (uint32_t k = 0; k < w->count; k++) {
            const naive* a = &w->at[j];
            const naive* b = &w->at[k];
            if (j == k) {
                continue;
            }
            if (a->phase < b->phase || (a->phase == b->phase && naive_said(a, b))) {
                CHECK(at[j] < at[k]);
            }
            if (a->phase != b->phase) {
                continue;
            }
            bool awaits = naive_awaits(b, a);
            bool apart = naive_said(a, b) || naive_said(b, a) || naive_conflicts(a, b) || awaits;
            CHECK(!apart || a->system->stage != b->system->stage);
            CHECK(!awaits || a->system->stage > b->system->stage);
            waits = waits || (apart && b->system->stage + 1 == a->system->stage);
            /* Order of creation, where nothing else is said, directly or by others. */
            bool notified = false;
            for (uint32_t m = 0; m < w->count; m++) {
                notified = notified || w->at[m].before[0] != '\0' || w->at[m].after[0] != '\0';
            }
            CHECK(notified || j > k || !naive_conflicts(a, b) || at[j] < at[k]);
        }
        CHECK_MSG(waits || w->at[j].system->stage == 0, "nothing keeps %s from an earlier stage",
                  w->at[j].name);
    }
    naive_check_places(w);
    naive_check_commands(run, w);
}

static void random_systems_keep_the_rules(void)
{
    uint64_t seed = check_setting("SETT_SEED", 20);
    uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
    uint64_t operations = check_setting("SETT_SCHEDULES", 3000);
    printf("  SETT_SEED=%llu\n", (unsigned long long)seed);
    scene s;
    scene_begin(&s);
    naive_world w = {.count = 0};
    uint32_t rejected = 0;
    for (uint64_t n = 0; n < operations; n++) {
        if (w.count == NAIVE_MAX || (w.count != 0 && draw(&state) % 3 == 0)) {
            uint32_t k = (uint32_t)(draw(&state) % w.count);
            CHECK_EQ(sett_system_destroy(w.at[k].system), SETT_OK);
            memmove(&w.at[k], &w.at[k + 1], (w.count - k - 1) * sizeof(naive));
            w.count--;
        } else {
            naive* made = &w.at[w.count];
            memset(made, 0, sizeof(*made));
            sett_system_desc desc = {.name = made->name, .run = write_name, .user = &s};
            snprintf(made->name, sizeof(made->name), "s%u", (unsigned)(draw(&state) % 40));
            if (sett_system_find(s.world, made->name) != NULL) {
                continue;
            }
            made->phase = desc.phase = (int)(draw(&state) % 2);
            uint32_t terms = 0;
            for (uint32_t t = 0; t < TYPES; t++) {
                uint32_t use = (uint32_t)(draw(&state) % 6);
                made->uses[t] = (uint8_t)(use > 2 ? 0 : use);
                if (made->uses[t] != 0) {
                    desc.terms[terms].component = s.type[t];
                    desc.terms[terms++].access = made->uses[t] == 1 ? SETT_IN : SETT_INOUT;
                }
            }
            made->exclusive = terms == 0;
            for (uint32_t t = 0, records = 0; t < TYPES && !made->exclusive; t++) {
                made->records[t] = draw(&state) % 8 == 0;
                if (made->records[t]) {
                    desc.records[records++] = s.type[t];
                }
            }
            if (draw(&state) % 3 == 0) {
                snprintf(made->before, sizeof(made->before), "s%u", (unsigned)(draw(&state) % 40));
                desc.before[0] = made->before;
            }
            if (draw(&state) % 3 == 0) {
                snprintf(made->after, sizeof(made->after), "s%u", (unsigned)(draw(&state) % 40));
                desc.after[0] = made->after;
            }
            made->system = sett_system_create(s.world, &desc);
            w.count++;
            sett_status expected = naive_expects(&w);
            if (expected == SETT_OK) {
                CHECK(made->system != NULL);
            } else {
                CHECK(made->system == NULL);
                CHECK_EQ(sett_world_error(s.world), expected);
                w.count--;
                rejected++;
            }
        }
        naive_check(&s, &w);
        if (n % 50 == 0) {
            CHECK_VALID(s.world);
        }
    }
    CHECK(rejected > operations / 100);
    scene_end(&s);
}

static void validation_sees_a_wrong_schedule(void)
{
    scene s;
    scene_begin(&s);
    const char* reason = "";
    MAKE(&s, "a", "A", .phase = 0);
    MAKE(&s, "b", "A", .phase = 0);
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    CHECK_EQ(sett_world_validate(s.world, &reason), SETT_OK);
    setti_run* run = setti_run_of(s.world);
    run->sorted[1]->stage = 0;
    run->stages[0].count = 2;
    run->stage_count = 1;
    CHECK_EQ(sett_world_validate(s.world, &reason), SETT_STATUS_INVALID);
    run->scheduled = false;
    scene_end(&s);
}

/* C records A; who follows it and asks for A runs after its commands, others do not wait. */
static void recorded_components_wait_for_commands(void)
{
    scene s;
    scene_begin(&s);
    MAKE(&s, "early", "a", .phase = 0);
    MAKE(&s, "c", "c", .records = {s.type[0], s.type[4]});
    MAKE(&s, "d", "d", .phase = 0);
    MAKE(&s, "late", "a", .phase = 0);
    MAKE(&s, "last", "b", .phase = 1);
    CHECK_STR_EQ(stages_of(&s), "early c d | late | last");
    const setti_run* run = setti_run_of(s.world);
    CHECK(run->stages[0].applies && run->stages[1].applies && run->stages[2].applies);
    sett_system_stats stats;
    sett_system_stats_get(sett_system_find(s.world, "late"), &stats);
    CHECK_PTR_EQ(stats.waits_for, sett_system_find(s.world, "c"));
    CHECK_EQ(stats.waits_on, s.type[0]);
    sett_schedule_describe(s.world, s.text, sizeof(s.text));
    CHECK(strstr(s.text, "behind c, which records A") != NULL);
    CHECK(sett_system_create(s.world, &(sett_system_desc){.name = "x", .records = {999}}) == NULL);
    CHECK_EQ(sett_world_error(s.world), SETT_STATUS_UNREGISTERED);
    scene_end(&s);
}

TEST_MAIN(TEST(recorded_components_wait_for_commands), TEST(conflicts_keep_the_order_of_creation),
          TEST(said_order_wins_over_creation), TEST(who_says_nothing_keeps_its_order),
          TEST(unknown_names_are_reported_once),
          TEST(thousands_of_systems_are_ordered_in_good_time),
          TEST(presence_conflicts_with_nothing), TEST(extra_access_conflicts),
          TEST(who_declares_nothing_runs_alone), TEST(stages_end_with_their_phase),
          TEST(cycles_are_rejected_and_printed), TEST(phases_are_not_contradicted),
          TEST(schedule_is_printed_in_words), TEST(one_job_has_a_reason),
          TEST(the_guard_names_system_and_component), TEST(the_guard_sees_searches_and_texts),
          TEST(the_guard_sees_entities_of_other_jobs), TEST(access_lists_are_suggested),
          TEST(random_systems_keep_the_rules), TEST(validation_sees_a_wrong_schedule))

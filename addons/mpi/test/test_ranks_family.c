/* test_ranks_family.c: trees and links that cross the borders of ranks. Without arguments it runs
 * itself by mpirun, on several numbers of ranks, and compares the hashes; tools/ranks.sh does so at
 * length.
 *
 * Heads of families walk about with their children, who are below them in the hierarchy in an order
 * that changes, go over to other families, and remember by a handle to whom they were born. Heads
 * like a head near them, and owe to one, wherever these go. If a head ends that is owed to, its
 * debtors end too.
 */
#include "check.h"
#include "run.h"

enum {
    CELL = 100,
    STEP = 60,
    SEED = 3
};
enum {
    USE_PLACE,
    USE_STEP,
    USE_CHILD,
    USE_LIKE,
    USE_OWE,
    USE_END,
    USE_GO,
    USE_ORDER
};

typedef struct Place {
    int32_t x, y;
} Place;

typedef struct Child {
    sett_entity born_to;
    uint32_t age;
} Child;

typedef struct Likes {
    uint32_t since;
} Likes;

#define FAMILY(COMPONENT, TAG) COMPONENT(Place) COMPONENT(Child) TAG(Grown)
SETT_COMPONENTS(FAMILY)

enum {
    Likes_id = 900,
    Owes_id
};

static sett_query* own;
static sett_query* all;
static sett_query* children;
static sett_query* ghosts;
static int32_t span;
static run_cells lists;
static sett_entity* heads; /* of each row of `lists` */
static uint32_t capacity;

static uint32_t cell_at(Place p)
{
    return (uint32_t)(p.y / CELL) * options.width + (uint32_t)(p.x / CELL);
}

static uint32_t cell_of(const void* position, void* user)
{
    (void)user;
    return cell_at(*(const Place*)position);
}

static uint32_t dice(sett_entity who, uint64_t tick, uint32_t use, uint32_t sides)
{
    return sett_random_range(sett_random(SEED, who, tick, use), sides);
}

static sett_entity child_of(sett_entity head, uint32_t home)
{
    const sett_entity child = sett_ranks_create_entity(ranks, home);
    if (!sett_is_null(child)) {
        SETT_ADD(world, child, Child)->born_to = head;
        sett_hierarchy_attach(world, child, head);
    }
    return child;
}

static void populate(uint32_t cell, uint32_t count)
{
    for (uint32_t k = 0; k < count / 4; k++) {
        const sett_entity head = sett_ranks_create_entity(ranks, cell);
        const uint64_t at = sett_random(SEED, head, 0, USE_PLACE);
        SETT_SET(world, head, Place, .x = (int32_t)(cell % options.width * CELL + at % CELL),
                 .y = (int32_t)(cell / options.width * CELL + (at >> 32) % CELL));
        for (uint32_t n = 0; n < at % 4; n++) {
            child_of(head, cell);
        }
    }
}

static void look(void)
{
    run_cells_clear(&lists, options.width * options.width);
    if (sett_component_count(world, Place_id) > capacity) {
        capacity = sett_component_count(world, Place_id) * 2;
        heads = realloc(heads, capacity * sizeof(*heads));
    }
    SETT_FOR(all, b, i) {
        heads[lists.count] = sett_batch_entity(b, i);
        run_cells_add(&lists, cell_at(SETT_FIELD(b, 0, Place)[i]));
    }
    run_cells_sort(&lists);
}

/* A head in the nine cells around, null if a dice says so. */
static sett_entity near(sett_entity who, uint32_t cell, uint64_t tick, uint32_t use)
{
    const uint32_t width = options.width;
    const uint32_t n = dice(who, tick, use, 9);
    const uint32_t x = (cell % width + width + n % 3 - 1) % width;
    const uint32_t y = (cell / width + width + n / 3 - 1) % width;
    const uint32_t at = y * width + x;
    const uint32_t count = lists.begin[at + 1] - lists.begin[at];
    const uint32_t k = count != 0 ? dice(who, tick, use + 50, count) : 0;
    return count != 0 ? heads[lists.item[lists.begin[at] + k]] : sett_null();
}

static void grow(sett_entity head, uint32_t cell, uint64_t tick)
{
    if (dice(head, tick, USE_CHILD, 20) == 0) {
        child_of(head, cell);
    }
    const sett_entity last = sett_hierarchy_last(world, head);
    if (!sett_is_null(last) && dice(head, tick, USE_ORDER, 8) == 0) {
        sett_hierarchy_order(world, head, &last, 1);
    }
    const sett_entity liked = near(head, cell, tick, USE_LIKE);
    if (!sett_is_null(liked) && dice(head, tick, USE_LIKE + 100, 10) == 0) {
        Likes* likes = sett_relate(world, head, Likes_id, liked);
        if (likes != NULL) {
            likes->since = (uint32_t)tick;
        }
    }
    const sett_entity owed = near(head, cell, tick, USE_OWE);
    if (!sett_is_null(owed) && !sett_equals(owed, head) && !sett_has(world, head, Owes_id) &&
        dice(head, tick, USE_OWE + 100, 200) == 0) {
        sett_relate(world, head, Owes_id, owed);
    }
}

/* A child goes to the first head of its cell, or founds a family there. */
static void leave(sett_entity child, uint32_t cell, Place place, uint64_t tick)
{
    const sett_entity first = heads[lists.item[lists.begin[cell]]];
    if (dice(child, tick, USE_GO + 1, 3) != 0) {
        if (!sett_equals(first, sett_hierarchy_parent(world, child))) {
            sett_hierarchy_attach(world, child, first);
        }
        return;
    }
    sett_hierarchy_detach(world, child);
    SETT_SET(world, child, Place, .x = place.x, .y = place.y);
    sett_ensure(world, child, Grown_id);
}

static bool spoils; /* a ghost is destroyed: a mistake, which must be reported */

static void spoil(void)
{
    const sett_entity ghost = sett_query_first(ghosts);
    if (spoils && sett_ranks_rank(ranks) == 1 && !sett_is_null(ghost)) {
        sett_entity_destroy(world, ghost);
    }
}

static void tick(uint64_t now)
{
    static sett_entity* item;
    static uint32_t* cell;
    static Place* place;
    static uint32_t room;
    uint32_t count = 0;
    sett_ranks_begin(ranks);
    spoil();
    look();
    if (sett_entity_count(world) > room) {
        room = sett_entity_count(world) * 2;
        item = realloc(item, room * sizeof(*item));
        cell = realloc(cell, room * sizeof(*cell));
        place = realloc(place, room * sizeof(*place));
    }
    SETT_FOR(children, b, i) { /* as the tick begins: below a head of this rank */
        const sett_entity child = sett_batch_entity(b, i);
        const Place* at = SETT_FIND(world, sett_hierarchy_parent(world, child), Place);
        SETT_FIELD_MUT(b, 0, Child)[i].age++;
        if (at != NULL && dice(child, now, USE_GO, 25) == 0) {
            place[count] = *at;
            cell[count] = cell_at(*at);
            item[count++] = child;
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        leave(item[k], cell[k], place[k], now);
    }
    count = 0;
    SETT_FOR(own, b, i) {
        cell[count] = cell_at(SETT_FIELD(b, 0, Place)[i]);
        item[count++] = sett_batch_entity(b, i);
    }
    for (uint32_t k = 0; k < count; k++) {
        grow(item[k], cell[k], now);
        Place* p = SETT_GET_MUT(world, item[k], Place);
        const uint64_t step = sett_random(SEED, item[k], now, USE_STEP);
        p->x = (p->x + (int32_t)(step % (2 * STEP + 1)) - STEP + span) % span;
        p->y = (p->y + (int32_t)((step >> 32) % (2 * STEP + 1)) - STEP + span) % span;
    }
    for (uint32_t k = 0; k < count; k++) { /* last: an end can end others, on other ranks later */
        if (dice(item[k], now, USE_END, 1000) < 11) {
            sett_entity_destroy(world, item[k]);
        }
    }
}

static int family_run(int argc, char** argv)
{
    static const run_model family = {"family", populate, tick, true};
    MPI_Init(&argc, &argv);
    options.width = 16;
    options.each = 16;
    run_read(argc, argv);
    span = (int32_t)options.width * CELL;
    world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, FAMILY);
    sett_hierarchy_register(world, NULL);
    sett_relationship_register(
        world, &(sett_relationship_desc){.name = "Likes", SETT_LINK_DATA(Likes), .id = Likes_id});
    sett_relationship_register(
        world, &(sett_relationship_desc){
                   .name = "Owes", .id = Owes_id, .on_target_destroyed = SETT_CLEANUP_DESTROY});
    const sett_component seen[] = {Place_id};
    const sett_component links[] = {Likes_id, Owes_id};
    ranks = sett_ranks_create(world, MPI_COMM_WORLD,
                              &(sett_ranks_desc){.position = Place_id,
                                                 .cell_of = cell_of,
                                                 .cells = options.width * options.width,
                                                 .width = options.width,
                                                 .ghosts = seen,
                                                 .ghost_count = 1,
                                                 .relations = links,
                                                 .relation_count = 2});
    if (ranks == NULL) {
        run_fail("sett_ranks_create");
    }
    const sett_term elsewhere = {.component = sett_ranks_ghost(ranks), .kind = SETT_WITHOUT};
    own = sett_query_create(world, &(sett_query_desc){.terms = {SETT_IN(Place), elsewhere}});
    all = SETT_QUERY_CREATE(world, SETT_IN(Place));
    ghosts = sett_query_create(
        world,
        &(sett_query_desc){.terms = {{.component = sett_ranks_ghost(ranks), .access = SETT_NONE}}});
    children = SETT_QUERY_CREATE(world, SETT_INOUT(Child), SETT_WITHOUT(Place));
    return run(&family);
}

/* ------------------------------------------------------------------------------------ the tests */

static const char* program;
static char line[400];

/* The last line of a run; "" if it failed. */
static const char* on_ranks(uint32_t count, const char* arguments)
{
    char command[1000];
    char text[400];
    snprintf(command, sizeof(command), "%s -n %u %s --width 8 %s 2>&1", RANKS_MPIRUN,
             (unsigned)count, program, arguments);
    FILE* run = popen(command, "r");
    CHECK(run != NULL);
    line[0] = '\0';
    while (fgets(text, sizeof(text), run) != NULL) {
        if (strstr(text, " chain ") != NULL) {
            snprintf(line, sizeof(line), "%s", text);
        } else if (strncmp(text, "family", 6) != 0 && strncmp(text, "checkpoint", 10) != 0 &&
                   text[0] != ' ') {
            printf("%s", text); /* why it failed */
        }
    }
    CHECK_EQ(pclose(run), 0);
    CHECK(line[0] != '\0');
    return line;
}

static void results_do_not_depend_on_ranks(void)
{
    char one[400];
    snprintf(one, sizeof(one), "%s", on_ranks(1, "--ticks 60"));
    CHECK_STR_EQ(on_ranks(2, "--ticks 60"), one);
    CHECK_STR_EQ(on_ranks(3, "--ticks 60 --balance 7"), one);
}

/* What three ranks saved, two go on with, and one. */
static void checkpoints_fit_other_ranks(void)
{
    char three[400];
    const char* text = on_ranks(3, "--ticks 60 --balance 13 --save ranks_family --every 35");
    snprintf(three, sizeof(three), "%s", strstr(text, " hash "));
    CHECK_STR_EQ(strstr(on_ranks(2, "--ticks 60 --load ranks_family"), " hash "), three);
    CHECK_STR_EQ(strstr(on_ranks(1, "--ticks 60 --load ranks_family"), " hash "), three);
    CHECK_STR_EQ(strstr(on_ranks(4, "--ticks 60 --load ranks_family"), " hash "), three);
}

/* What is done to another rank's entity ends the run, with its handle. */
static void ghosts_are_not_ours(void)
{
    char command[1000];
    char text[400];
    bool said = false;
    snprintf(command, sizeof(command), "%s -n 2 %s --spoil --ticks 9 2>&1", RANKS_MPIRUN, program);
    FILE* run = popen(command, "r");
    CHECK(run != NULL);
    while (fgets(text, sizeof(text), run) != NULL) {
        said = said || (strstr(text, "rank 1: sett_ranks_begin: ghost ") != NULL &&
                        strstr(text, "was destroyed") != NULL &&
                        strstr(text, "there is no checkpoint") != NULL);
    }
    CHECK(pclose(run) != 0);
    CHECK(said);
}

static const check_test tests[] = {
    TEST(ghosts_are_not_ours),
    TEST(results_do_not_depend_on_ranks),
    TEST(checkpoints_fit_other_ranks),
};

check_state check_progress;

int main(int argc, char** argv)
{
    if (argc > 1 && strcmp(argv[1], "--list") != 0 && strncmp(argv[1], "--", 2) == 0) {
        spoils = strcmp(argv[1], "--spoil") == 0;
        return family_run(argc - spoils, argv + spoils);
    }
    /* more ranks than cores, as root too */
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
    setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 1);
    program = argv[0];
    if (system("command -v " RANKS_MPIRUN " >/dev/null") != 0) {
        printf("skipped: " RANKS_MPIRUN " is missing\n0 passed, 0 failed\n");
        return 0;
    }
    return check_run(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}

/* test_sync_test.c: nothing is found in a right game, and each of twelve faults is named. */
#include "sett_net.h"
#include "worlds.h"

#include <time.h>

typedef enum fault {
    FAULT_NONE,
    FAULT_STATIC_VARIABLE,
    FAULT_ADDRESS_AS_VALUE,
    FAULT_PADDING,
    FAULT_UNSORTED_LIST,
    FAULT_CLOCK,
    FAULT_SKIPPED_TYPE,
    FAULT_RANDOM_STATE,
    FAULT_CACHED_HANDLE,
    FAULT_STRAY_WRITE,
    FAULT_COUNTING_OBSERVER,
    FAULT_REMEMBERED_TICK,
    FAULT_SHALLOW_COPY,
    FAULT_COUNT
} fault;

typedef struct Unit {
    int32_t x, gold;
} Unit;
typedef struct Padded {
    uint8_t kind;
    uint32_t number;
} Padded;
typedef struct Temper {
    int32_t anger;
} Temper;
typedef struct Owned {
    int32_t* count;
} Owned;

#define GAME(COMPONENT, TAG)                                                                       \
    COMPONENT(Unit, .members = SETT_STRUCT(Unit, x, gold))                                         \
    COMPONENT(Temper, .save = SETT_SAVE_SKIP) TAG(Shot)
SETT_COMPONENTS(GAME)

enum {
    UNITS = 50,
    RICH = 7, /* the unit that a fault changes */
    FROM = 20 /* the first frame with a fault */
};

typedef struct game {
    fault has;
    sett_entity unit[UNITS];
    sett_query* units;
    sett_component padded, owned;
    /* state outside of the world */
    int32_t counter;
    sett_entity list[UNITS];
    uint32_t listed;
    sett_entity cached;
    uint64_t tick;
    void* blocks[4096];
    uint32_t block_count;
} game;

static int32_t owned_counts[4096]; /* of all values that ever were: none is freed */
static uint32_t owned_used;

static void owned_init(void* values, uint32_t count, void* user)
{
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        CHECK(owned_used < 4096);
        ((Owned*)values)[k].count = &owned_counts[owned_used++];
    }
}

/* The fault: both values have one block. */
static void owned_copy(void* to, const void* from, uint32_t count, void* user)
{
    (void)user;
    memcpy(to, from, count * sizeof(Owned));
}

static void game_count_shot(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world, (void)entity, (void)value;
    ((game*)user)->counter++;
}

static sett_world* game_begin(game* of, fault has)
{
    sett_world* world = quiet_world();
    *of = (game){.has = has};
    CHECK_EQ(SETT_REGISTER_ALL(world, GAME), SETT_OK);
    of->padded = sett_component_register(
        world, &(sett_component_desc){.name = "Padded", .size = sizeof(Padded), .align = 4});
    of->owned = sett_component_register(
        world, &(sett_component_desc){SETT_TYPE(Owned), .save = SETT_SAVE_CLONE, .init = owned_init,
                                      .copy = owned_copy});
    CHECK(of->padded != 0 && of->owned != 0);
    CHECK(sett_observer_create(world, &(sett_observer_desc){.component = Shot_id,
                                                            .on_add = game_count_shot,
                                                            .user = of}) != NULL);
    for (int32_t k = 0; k < UNITS; k++) {
        of->unit[k] = SETT_CREATE(world, SETT_VALUE(Unit, .x = k), SETT_VALUE(Temper, 0));
        of->list[of->listed++] = of->unit[k];
    }
    Padded padded;
    memset(&padded, 0, sizeof(padded)); /* its padding is hashed */
    padded.number = 2;
    sett_set(world, of->unit[RICH], of->padded, &padded);
    sett_add(world, of->unit[RICH], of->owned);
    of->units = SETT_QUERY_CREATE(world, SETT_INOUT(Unit));
    CHECK(of->units != NULL);
    return world;
}

/* What the fault adds to the gold of a unit. */
static int32_t game_fault(game* of, sett_world* world, uint64_t frame)
{
    sett_entity rich = of->unit[RICH];
    switch (of->has) {
    case FAULT_STATIC_VARIABLE:
        return of->counter++;
    case FAULT_ADDRESS_AS_VALUE:
        CHECK(of->block_count < 4096);
        of->blocks[of->block_count] = malloc(16);
        return (int32_t)((uintptr_t)of->blocks[of->block_count++] >> 4);
    case FAULT_PADDING: {
        Padded value;
        memset(&value, of->counter++, sizeof(value)); /* what was in that memory before */
        value.kind = 1;
        value.number = 2;
        sett_set(world, rich, of->padded, &value);
        return 0;
    }
    case FAULT_UNSORTED_LIST:
        of->list[frame % UNITS] = of->list[--of->listed % UNITS];
        of->listed += of->listed < 2 ? UNITS : 0;
        return (int32_t)of->list[frame * 7 % UNITS].index;
    case FAULT_CLOCK: {
        struct timespec now;
        timespec_get(&now, TIME_UTC);
        for (struct timespec then = now; then.tv_nsec == now.tv_nsec;) {
            timespec_get(&now, TIME_UTC);
        }
        return (int32_t)now.tv_nsec;
    }
    case FAULT_SKIPPED_TYPE:
        return SETT_GET_MUT(world, rich, Temper)->anger++;
    case FAULT_RANDOM_STATE:
        of->counter = (int32_t)((uint32_t)of->counter * 1103515245u + 12345u);
        return of->counter >> 16;
    case FAULT_CACHED_HANDLE: {
        sett_entity target = of->cached;
        of->cached = of->unit[frame / 4 % UNITS];
        return (int32_t)target.index;
    }
    case FAULT_STRAY_WRITE: {
        const Padded* value = sett_get(world, rich, of->padded);
        uint32_t* number = (uint32_t*)((uintptr_t)value + offsetof(Padded, number));
        return (int32_t)++ * number;
    }
    case FAULT_COUNTING_OBSERVER:
        sett_entity_destroy(world, SETT_CREATE(world, SETT_VALUE_TAG(Shot)));
        return of->counter;
    case FAULT_REMEMBERED_TICK: {
        uint64_t changed = sett_changed_tick(world, of->unit[0], Unit_id);
        int32_t rise = (int32_t)(changed - of->tick);
        of->tick = changed;
        return rise;
    }
    case FAULT_SHALLOW_COPY:
        return (*((Owned*)sett_get_mut(world, rich, of->owned))->count)++;
    case FAULT_NONE:
    case FAULT_COUNT:
        break;
    }
    return 0;
}

static void game_play(sett_world* world, uint64_t frame, void* user)
{
    game* of = user;
    SETT_FOR(of->units, b, i) {
        SETT_FIELD_MUT(b, 0, Unit)[i].x += (int32_t)(frame % 5) - 2;
    }
    if (frame % 4 == 0) {
        SETT_CREATE(world, SETT_VALUE(Unit, .x = (int32_t)frame));
    }
    if (frame >= FROM) {
        SETT_GET_MUT(world, of->unit[RICH], Unit)->gold += game_fault(of, world, frame);
    }
}

static void game_end(game* of, sett_world* world)
{
    for (uint32_t k = 0; k < of->block_count; k++) {
        free(of->blocks[k]);
    }
    sett_world_destroy(world);
}

static void a_right_game_has_no_difference(void)
{
    game of, alone;
    sett_desync first;
    sett_world* world = game_begin(&of, FAULT_NONE);
    CHECK_EQ(sett_sync_test(world, 200, 8, game_play, &of, &first), SETT_OK);
    CHECK_STR_EQ(first.text, "");
    CHECK_EQ(sett_sync_test(world, 0, 1, game_play, &of, NULL), SETT_OK);
    sett_snapshot_stats stats;
    sett_snapshot_stats_get(world, &stats);
    CHECK_EQ(stats.snapshots, 0);
    /* It was played as without a test. */
    sett_world* other = game_begin(&alone, FAULT_NONE);
    for (uint64_t frame = 0; frame < 200; frame++) {
        game_play(other, frame, &alone);
    }
    CHECK_EQ(sett_world_hash(world), sett_world_hash(other));
    game_end(&of, world);
    game_end(&alone, other);
}

static void twelve_faults_are_named(void)
{
    uint32_t named = 0;
    for (fault has = FAULT_STATIC_VARIABLE; has < FAULT_COUNT; has++) {
        for (uint32_t distance = 1; distance <= 8; distance += 7) {
            game of;
            sett_desync first;
            sett_world* world = game_begin(&of, has);
            sett_status status = sett_sync_test(world, 60, distance, game_play, &of, &first);
            CHECK_MSG(status == SETT_STATUS_INVALID, "fault %d was not found", (int)has);
            CHECK_ENTITY_EQ(first.entity, of.unit[RICH]);
            const char* member = has == FAULT_PADDING ? "\"Padded\" differs from byte 1 on"
                                                      : "\"Unit\" differs: gold";
            CHECK_MSG(strstr(first.text, member) != NULL, "fault %d: %s", (int)has, first.text);
            /* A cache, a list and a tick do harm only some frames later. */
            bool later = has == FAULT_CACHED_HANDLE || has == FAULT_UNSORTED_LIST ||
                         has == FAULT_REMEMBERED_TICK;
            CHECK_MSG(first.frame >= FROM && first.frame <= FROM + (later ? 20u : 0u),
                      "fault %d, frame %llu", (int)has, (unsigned long long)first.frame);
            named += distance == 8;
            game_end(&of, world);
        }
    }
    printf("  %u of %d faults named\n", named, (int)FAULT_COUNT - 1);
}

static void misuse_is_rejected(void)
{
    game of;
    sett_desync first;
    sett_world* world = game_begin(&of, FAULT_NONE);
    uint64_t before = sett_world_hash(world);
    CHECK_EQ(sett_sync_test(world, 5, 0, game_play, &of, &first), SETT_STATUS_ARGUMENT);
    SETT_FOR(of.units, b, i) {
        CHECK_EQ(sett_sync_test(world, 5, 2, game_play, &of, &first), SETT_STATUS_LOCKED);
    }
    CHECK_EQ(sett_world_hash(world), before);
    game_end(&of, world);
}

TEST_MAIN(TEST(a_right_game_has_no_difference), TEST(twelve_faults_are_named),
          TEST(misuse_is_rejected))

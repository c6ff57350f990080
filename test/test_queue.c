/* test_queue.c: queues of changes. Each stands beside an observer with callbacks, which notes what
 * the queue has to say. */
#include "chance.h"
#include "scarce.h"
#include "sett/sett.h"

#define NOTES 8192u
#define CROWD 50u

typedef struct Health {
    int32_t points;
} Health;

typedef struct notes {
    sett_queued_change item[NOTES];
    uint32_t count;
    sett_component component;
} notes;

static notes of_health, of_living;

static void note(notes* to, sett_entity entity, sett_change change)
{
    CHECK(to->count < NOTES);
    to->item[to->count++] = (sett_queued_change){entity, to->component, change};
}

static void on_add(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world, (void)value;
    note(user, entity, SETT_CHANGE_ADD);
}

static void on_set(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world, (void)value;
    note(user, entity, SETT_CHANGE_SET);
}

static void on_remove(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world, (void)value;
    note(user, entity, SETT_CHANGE_REMOVE);
}

static void note_enter(sett_world* world, sett_entity entity, void* user)
{
    (void)world;
    note(user, entity, SETT_CHANGE_ADD);
}

static void note_exit(sett_world* world, sett_entity entity, void* user)
{
    (void)world;
    note(user, entity, SETT_CHANGE_REMOVE);
}

/* Takes up to `most` changes: they are those that were noted. */
static void take(sett_queue* queue, notes* noted, uint32_t most)
{
    static sett_queued_change taken[NOTES];
    uint32_t count = sett_queue_take(queue, taken, most);
    CHECK_EQ(count, most < noted->count ? most : noted->count);
    for (uint32_t k = 0; k < count; k++) {
        CHECK_ENTITY_EQ(taken[k].entity, noted->item[k].entity);
        CHECK_EQ(taken[k].component, noted->item[k].component);
        CHECK_EQ(taken[k].change, noted->item[k].change);
    }
    noted->count -= count;
    memmove(noted->item, noted->item + count, noted->count * sizeof(*noted->item));
}

static void change_one(sett_world* world, uint64_t* random, sett_component health,
                       sett_component dead)
{
    sett_entity entity = entity_from(world, chance_below(random, CROWD));
    switch (chance_below(random, 7)) {
    case 0:
        CHECK(sett_entity_count(world) >= CROWD || !sett_is_null(sett_entity_create(world)));
        break;
    case 1:
        (void)(sett_entity_count(world) > CROWD / 2 && sett_entity_destroy(world, entity));
        break;
    case 2:
        (void)sett_remove(world, entity, health);
        break;
    case 3:
        CHECK(sett_ensure(world, entity, dead) != NULL || sett_is_null(entity));
        break;
    case 4:
        (void)sett_remove(world, entity, dead);
        break;
    default:
        CHECK(sett_set(world, entity, health, &(Health){3}) != NULL || sett_is_null(entity));
    }
}

static void says_what_callbacks_see(void)
{
    sett_world* world = quiet_world();
    sett_component health =
        sett_component_register(world, &(sett_component_desc){SETT_TYPE(Health)});
    sett_component dead = sett_component_register(world, &(sett_component_desc){.name = "Dead"});
    sett_entity first = sett_entity_create(world);
    CHECK(sett_set(world, first, health, &(Health){1}) != NULL);
    of_health.component = health;
    sett_observer_desc seen = {.component = health,
                               .on_add = on_add,
                               .on_set = on_set,
                               .on_remove = on_remove,
                               .user = &of_health,
                               .replay = true};
    sett_observer_desc living = {
        .terms = {{.component = health}, {.component = dead, .kind = SETT_WITHOUT}},
        .on_enter = note_enter,
        .on_exit = note_exit,
        .user = &of_living};
    CHECK(sett_observer_create(world, &seen) && sett_observer_create(world, &living));
    sett_queue* changes =
        sett_queue_create(world, &(sett_observer_desc){.component = health, .replay = true});
    sett_observer_desc without = {.terms = {living.terms[0], living.terms[1]}};
    sett_queue* matches = sett_queue_create(world, &without);
    CHECK(changes != NULL && matches != NULL);
    CHECK_EQ(of_health.count, 1);
    uint64_t random = check_setting("SETT_SEED", 1);
    uint64_t rounds = check_setting("SETT_OPERATIONS", 3000);
    for (uint64_t round = 0; round < rounds; round++) {
        change_one(world, &random, health, dead);
        if (chance_below(&random, 40) == 0 || of_health.count + 2 > NOTES) {
            take(changes, &of_health, chance_below(&random, of_health.count + 9));
        }
        if (chance_below(&random, 40) == 0 || of_living.count + 2 > NOTES) {
            take(matches, &of_living, chance_below(&random, of_living.count + 9));
        }
    }
    CHECK_EQ(sett_world_clear(world), SETT_OK);
    take(changes, &of_health, NOTES);
    CHECK_EQ(of_health.count, 0);
    take(matches, &of_living, NOTES);
    CHECK_EQ(of_living.count, 0);
    CHECK_END(world); /* with both queues */
}

/* More changes than a queue holds: it keeps the oldest, and says how many it has lost, once. */
static void a_full_queue_says_what_it_lost(void)
{
    sett_world* world = quiet_world();
    sett_component health =
        sett_component_register(world, &(sett_component_desc){SETT_TYPE(Health)});
    sett_entity entity = sett_entity_create(world);
    sett_queue* queue = sett_queue_create(world, &(sett_observer_desc){.component = health});
    for (uint32_t k = 0; k < SETT_QUEUE_LIMIT + 4; k++) { /* the first one adds as well */
        CHECK(sett_set(world, entity, health, &(Health){1}) != NULL);
    }
    static sett_queued_change taken[SETT_QUEUE_LIMIT];
    CHECK_EQ(sett_queue_take(queue, taken, SETT_QUEUE_LIMIT - 1), SETT_QUEUE_LIMIT - 1);
    CHECK_EQ(taken[0].change, SETT_CHANGE_ADD);
    CHECK_EQ(sett_world_error(world), SETT_OK);
    CHECK(sett_remove(world, entity, health) == SETT_OK); /* lost too: others before it are */
    CHECK_EQ(sett_queue_take(queue, taken, 2), 1);
    CHECK_EQ(taken[0].change, SETT_CHANGE_SET);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_LIMIT);
    CHECK_STR_EQ(
        sett_world_message(world),
        "sett_queue_take: a queue was full, so 6 changes are lost - take changes each frame");
    CHECK(sett_add(world, entity, health) != NULL);
    CHECK_EQ(sett_queue_take(queue, taken, 2), 1);
    CHECK_EQ(taken[0].change, SETT_CHANGE_ADD);
    CHECK(sett_set(world, entity, health, &(Health){1}) &&
          sett_remove(world, entity, health) == SETT_OK);
    CHECK_EQ(sett_queue_take(queue, NULL, 0), 2);
    CHECK_EQ(sett_queue_take(queue, taken, 2), 2);
    CHECK_EQ(sett_queue_destroy(queue), SETT_OK);
    CHECK_END(world);
}

static void rejects_what_an_observer_would_do(void)
{
    sett_world* world = quiet_world();
    sett_component health =
        sett_component_register(world, &(sett_component_desc){SETT_TYPE(Health)});
    sett_observer_desc wrong[] = {{.component = health, .on_add = on_add},
                                  {.component = health, .user = world},
                                  {.component = health, .disabled = true},
                                  {.on_enter = note_enter}};
    for (uint32_t k = 0; k < 4; k++) {
        CHECK(sett_queue_create(world, &wrong[k]) == NULL);
        CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
        CHECK(strstr(sett_world_message(world),
                     "a queue has no callbacks, `user`, `free_user` or `disabled` - leave them out "
                     "of the descriptor") != NULL);
    }
    CHECK(sett_queue_create(world, &(sett_observer_desc){.component = health + 100}) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_UNREGISTERED);
    CHECK_EQ(sett_queue_destroy(NULL), SETT_OK);
    sett_queue* queue = sett_queue_create(world, &(sett_observer_desc){.component = health});
    sett_query* all =
        sett_query_create(world, &(sett_query_desc){.terms = {{.component = health}}});
    sett_entity entity = sett_entity_create(world);
    CHECK(sett_add(world, entity, health) != NULL);
    sett_batch batch;
    CHECK(sett_query_begin(all, &batch) != NULL);
    CHECK_EQ(sett_queue_destroy(queue), SETT_OK); /* it is freed when the loop has ended */
    sett_batch_end(&batch);
    CHECK_EQ(sett_remove(world, entity, health), SETT_OK);
    CHECK_END(world);
}

static scarce_memory memory;
typedef struct scarce_step {
    sett_world* world;
    sett_component health;
    sett_queue* queue;
} scarce_step;

static bool create_queue(void* user)
{
    scarce_step* s = user;
    s->queue = sett_queue_create(s->world, &(sett_observer_desc){.component = s->health});
    return s->queue != NULL;
}

static void is_created_whole_or_not_at_all(void)
{
    scarce_step s = {.world = scarce_world(&memory)};
    s.health = sett_component_register(s.world, &(sett_component_desc){SETT_TYPE(Health)});
    for (uint32_t pieces = 0; s.queue == NULL; pieces++) {
        CHECK(pieces < 100);
        memory.closed = memory.strict = true;
        memory.allowed = pieces;
        bool done = create_queue(&s);
        memory.closed = false;
        CHECK(done || sett_world_error(s.world) == SETT_STATUS_OUT_OF_MEMORY);
        CHECK_VALID(s.world);
    }
    /* a change for which the queue has no memory happens, and is counted */
    sett_entity entity = sett_entity_create(s.world);
    CHECK(sett_add(s.world, entity, s.health) != NULL);
    sett_queued_change one;
    CHECK_EQ(sett_queue_take(s.queue, &one, 1), 1);
    CHECK_EQ(sett_remove(s.world, entity, s.health), SETT_OK);
    memory.closed = memory.strict = true;
    memory.allowed = 0;
    for (uint32_t k = 0; k < 100; k++) { /* memory for 64 is there */
        CHECK(sett_add(s.world, entity, s.health) != NULL);
        CHECK_EQ(sett_remove(s.world, entity, s.health), SETT_OK);
    }
    memory.closed = false;
    uint32_t count = 0;
    while (sett_queue_take(s.queue, &one, 1) != 0) {
        CHECK_EQ(one.change, count % 2 == 0 ? SETT_CHANGE_REMOVE : SETT_CHANGE_ADD);
        count++;
    }
    CHECK_EQ(count, 64);
    CHECK(strstr(sett_world_message(s.world), "memory for a queue ran out, so 137 changes are "
                                              "lost") != NULL);
    CHECK_EQ(sett_world_error(s.world), SETT_STATUS_OUT_OF_MEMORY);
    scarce_end(&memory, s.world);
}

TEST_MAIN(TEST(says_what_callbacks_see), TEST(a_full_queue_says_what_it_lost),
          TEST(rejects_what_an_observer_would_do), TEST(is_created_whole_or_not_at_all))

/* test_bind.c: what bindings for other languages need of a world: numbers of component types,
 * memory, and an end for what callbacks use. */
#include "chance.h"
#include "scarce.h"
#include "sett/advise.h"
#include "sett/observer.h"
#include "sett/system.h"

/* A hundred types under numbers that collide in their low bits, some of them unregistered. */
static void numbers_lead_to_types(void)
{
    sett_world* world = quiet_world();
    sett_component ids[100];
    CHECK_EQ(sett_component_bound(world, 7), 0);
    CHECK_EQ(sett_component_bound(world, 0), 0);
    for (uint32_t k = 0; k < 100; k++) {
        char name[16];
        snprintf(name, sizeof(name), "T%u", k);
        ids[k] = sett_component_register(world, &(sett_component_desc){.name = name, .size = 4});
        uint64_t number = (uint64_t)(k + 1) << (k % 3 * 20);
        CHECK_EQ(sett_component_bound(world, number), 0);
        CHECK_EQ(sett_component_bind(world, number, ids[k]), SETT_OK);
        CHECK_EQ(sett_component_bind(world, number, ids[k]), SETT_OK);
        for (uint32_t j = 0; j <= k; j++) {
            CHECK_EQ(sett_component_bound(world, (uint64_t)(j + 1) << (j % 3 * 20)), ids[j]);
        }
    }
    for (uint32_t k = 0; k < 100; k += 2) {
        CHECK_EQ(sett_component_unregister(world, ids[k]), SETT_OK);
    }
    for (uint32_t k = 0; k < 100; k++) {
        uint64_t number = (uint64_t)(k + 1) << (k % 3 * 20);
        CHECK_EQ(sett_component_bound(world, number), k % 2 == 0 ? 0 : ids[k]);
        CHECK_EQ(sett_component_bind(world, number, ids[1]),
                 k % 2 == 0 || k == 1 ? SETT_OK : SETT_STATUS_CONFLICT);
        CHECK_EQ(sett_component_bound(world, number), k % 2 == 0 ? ids[1] : ids[k]);
    }
    CHECK_EQ(sett_component_bind(world, 0, ids[1]), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_component_bind(world, UINT64_MAX, ids[1]), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_component_bound(world, UINT64_MAX), 0);
    CHECK_EQ(sett_component_bind(world, 12345, 777), SETT_STATUS_UNREGISTERED);
    CHECK_EQ(sett_component_bound(world, 12345), 0);
    CHECK_END(world);
}

/* Whether reading in line finds the number: it is in one of its two slots. */
static bool is_in_front(const sett_world* world, uint64_t number)
{
    const sett_bound_* slots = sett_read_header_(world)->bound;
    const uint32_t at = sett_bound_first_(number);
    return slots[at].number == number || slots[sett_bound_other_(number, at)].number == number;
}

static uint32_t front_slots_in_use(const sett_world* world)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < SETT_BOUND_FRONT_; k++) {
        count += sett_read_header_(world)->bound[k].number != 0;
    }
    return count;
}

/* Numbers like hashes: a hundred of them are all found in line, though many begin at one slot.
 * Numbers from 2^63 on take no slot of theirs. */
static void hashes_are_found_in_line(void)
{
    uint64_t random = check_setting("SETT_SEED", 1);
    for (uint32_t round = 0; round < 100; round++) {
        sett_world* world = quiet_world();
        uint64_t numbers[100];
        sett_component ids[100];
        for (uint32_t k = 0; k < 100; k++) {
            char name[16];
            snprintf(name, sizeof(name), "T%u", k);
            ids[k] =
                sett_component_register(world, &(sett_component_desc){.name = name, .size = 4});
            numbers[k] = chance_draw(&random) >> 1 | 1;
            CHECK_EQ(sett_component_bind(world, numbers[k], ids[k]), SETT_OK);
            CHECK_EQ(sett_component_bind(world, chance_draw(&random) | (uint64_t)1 << 63, ids[k]),
                     SETT_OK);
        }
        CHECK_EQ(front_slots_in_use(world), 100);
        CHECK_EQ(sett_component_unregister(world, ids[50]), SETT_OK);
        for (uint32_t k = 0; k < 100; k++) {
            CHECK_EQ(is_in_front(world, numbers[k]), k != 50);
            CHECK_EQ(sett_component_bound(world, numbers[k]), k != 50 ? ids[k] : 0);
        }
        CHECK_EQ(sett_profile_begin(world), SETT_OK); /* nothing is read in line */
        CHECK_EQ(front_slots_in_use(world), 0);
        CHECK_EQ(sett_component_bound(world, numbers[0]), ids[0]);
        CHECK_EQ(sett_profile_end(world), SETT_OK);
        CHECK_EQ(front_slots_in_use(world), 99);
        CHECK_END(world);
    }
}

/* Numbers that begin at one slot have another each; of those that share both, the third is looked
 * up by a call. */
static void collisions_are_forced(void)
{
    sett_world* world = quiet_world();
    sett_component id = sett_component_register(world, &(sett_component_desc){.name = "A"});
    for (uint64_t k = 1; k < 200; k++) {
        CHECK_EQ(sett_component_bind(world, (2 * k << 9) + 7, id), SETT_OK);
        CHECK(is_in_front(world, (2 * k << 9) + 7));
    }
    CHECK_EQ(front_slots_in_use(world), 199);
    for (uint64_t k = 1; k < 9; k++) {
        CHECK_EQ(sett_component_bind(world, (k << 18) + 8, id), SETT_OK);
    }
    CHECK_EQ(front_slots_in_use(world), 201);
    for (uint64_t k = 1; k < 9; k++) {
        CHECK_EQ(sett_component_bound(world, (k << 18) + 8), id);
    }
    CHECK_EQ(sett_component_unregister(world, id), SETT_OK);
    CHECK_EQ(front_slots_in_use(world), 0);
    CHECK_EQ(sett_component_bound(world, (1 << 18) + 8), 0);
    CHECK_END(world);
}

typedef struct binding {
    sett_world* world;
    sett_component id;
    uint64_t count; /* bound so far */
} binding;

static bool bind_next(void* user)
{
    binding* b = user;
    bool done = sett_component_bind(b->world, b->count + 1, b->id) == SETT_OK;
    b->count += done;
    return done;
}

static void bind_unchanged(void* user)
{
    const binding* b = user;
    for (uint64_t number = 1; number <= b->count + 1; number++) {
        CHECK_EQ(sett_component_bound(b->world, number), number <= b->count ? b->id : 0);
    }
}

static void memory_may_run_out(void)
{
    static scarce_memory memory;
    binding b = {scarce_world(&memory), 0, 0};
    b.id = sett_component_register(b.world, &(sett_component_desc){.name = "A"});
    for (uint32_t k = 0; k < 200; k++) {
        scarce_run(b.world, &memory, bind_next, bind_unchanged, &b);
    }
    CHECK(memory.failures > 2);
    scarce_end(&memory, b.world);
}

static void memory_of_the_world(void)
{
    sett_world* world = quiet_world();
    size_t sizes[] = {1, 40, 1000, 100000};
    void* pieces[4];
    for (uint32_t k = 0; k < 4; k++) {
        pieces[k] = sett_world_alloc(world, sizes[k], (size_t)16 << k);
        CHECK(pieces[k] != NULL && (uintptr_t)pieces[k] % ((uintptr_t)16 << k) == 0);
        memset(pieces[k], 1, sizes[k]);
    }
    CHECK(sett_world_alloc(world, 0, 8) == NULL);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    CHECK(sett_world_alloc(world, 8, 24) == NULL);
    CHECK(sett_world_alloc(world, 8, 8192) == NULL);
    CHECK_EQ(sett_world_release(world, NULL, 0, 0), SETT_OK);
    for (uint32_t k = 0; k < 3; k++) { /* the fourth goes with the world */
        CHECK_EQ(sett_world_release(world, pieces[k], sizes[k], (size_t)16 << k), SETT_OK);
    }
    CHECK_END(world);
}

/* What callbacks of one system or observer use. */
typedef struct user {
    uint32_t calls;
    uint32_t frees;
    sett_observer* self; /* destroyed by its own callback */
} user;

static void run(sett_context* context)
{
    user* u = context->user;
    CHECK_EQ(u->frees, 0);
    u->calls++;
}

static void observe(sett_world* world, sett_entity entity, void* value, void* data)
{
    user* u = data;
    (void)world;
    (void)entity;
    (void)value;
    CHECK_EQ(u->frees, 0);
    u->calls++;
    if (u->self != NULL) {
        CHECK_EQ(sett_observer_destroy(u->self), SETT_OK);
        CHECK_EQ(u->frees, 0); /* its callback runs */
    }
}

static void free_user(void* data)
{
    user* u = data;
    u->frees++;
}

static void users_end_once_after_the_last_call(void)
{
    sett_world* world = quiet_world();
    sett_component tag = sett_component_register(world, &(sett_component_desc){.name = "T"});
    user users[6] = {{0, 0, NULL}};
    sett_system_desc system = {.name = "a", .run = run, .free_user = free_user};
    sett_observer_desc observer = {.component = tag, .free_user = free_user};
    observer.on_add = observe;
    observer.on_remove = observe;

    system.user = &users[0]; /* destroyed */
    sett_system* first = sett_system_create(world, &system);
    system.name = "b"; /* ends with the world */
    system.user = &users[1];
    CHECK(sett_system_create(world, &system) != NULL);
    system.user = &users[2]; /* cannot be created: the name is taken */
    CHECK(sett_system_create(world, &system) == NULL);

    observer.user = &users[3]; /* ends with the world, after on_remove */
    CHECK(sett_observer_create(world, &observer) != NULL);
    observer.user = &users[4]; /* destroys itself */
    users[4].self = sett_observer_create(world, &observer);
    observer.user = &users[5]; /* cannot be created */
    observer.component = 999;
    CHECK(sett_observer_create(world, &observer) == NULL);

    CHECK(sett_add_tag(world, sett_entity_create(world), tag));
    CHECK_EQ(sett_progress(world, 0), SETT_OK);
    CHECK_EQ(users[0].frees, 0);
    CHECK_EQ(sett_system_destroy(first), SETT_OK);
    CHECK_EQ(users[0].frees, 1);
    CHECK_EQ(sett_world_destroy(world), SETT_OK);
    const uint32_t calls[] = {1, 1, 0, 2, 1, 0};
    const uint32_t frees[] = {1, 1, 0, 1, 1, 0};
    for (uint32_t k = 0; k < 6; k++) {
        CHECK_EQ(users[k].calls, calls[k]);
        CHECK_EQ(users[k].frees, frees[k]);
    }
}

TEST_MAIN(TEST(numbers_lead_to_types), TEST(hashes_are_found_in_line), TEST(collisions_are_forced),
          TEST(memory_may_run_out), TEST(memory_of_the_world),
          TEST(users_end_once_after_the_last_call))

/* test_space_null.c: NULL in each place where a function of sett_space.h takes an address: the call
 * does nothing. */
#include "null_calls.h"
#include "sett_space.h"
#include "worlds.h"

#define CALLS(NAMED, FINE)                                                                         \
    NAMED(sett_space_create, sett_space_create(NULL, &desc) == NULL)                               \
    NAMED(sett_space_create, sett_space_create(world, NULL) == NULL)                               \
    FINE(sett_space_destroy, sett_space_destroy(NULL) == SETT_OK)                                  \
    NAMED(sett_space_update, sett_space_update(NULL) == SETT_STATUS_ARGUMENT)                      \
    NAMED(sett_space_refresh, sett_space_refresh(NULL, sett_null()) == SETT_STATUS_ARGUMENT)       \
    NAMED(sett_space_move, sett_space_move(NULL, sett_null()) == SETT_STATUS_ARGUMENT)             \
    NAMED(sett_space_near_begin,                                                                   \
          sett_space_near_next(sett_space_near_begin(NULL, sett_null(), 1, &near)) == NULL)        \
    NAMED(sett_space_near_begin, sett_space_near_begin(NULL, sett_null(), 1, NULL) == NULL)        \
    NAMED(sett_space_near_begin_at,                                                                \
          sett_space_near_next(sett_space_near_begin_at(NULL, at, 1, &near)) == NULL)              \
    NAMED(sett_space_near_begin_at, sett_space_near_begin_at(NULL, at, 1, NULL) == NULL)           \
    NAMED(sett_space_nearest, sett_space_nearest(NULL, at, 1, sett_null(), &hit, 1) == 0)          \
    NAMED(sett_space_near_count, sett_space_near_count(NULL, sett_null(), 1) == 0)                 \
    NAMED(sett_space_near_count_at, sett_space_near_count_at(NULL, at, 1) == 0)                    \
    NAMED(sett_space_cell_count, sett_space_cell_count(NULL) == 0)                                 \
    NAMED(sett_space_cell_at, sett_space_cell_at(NULL, at) == SETT_SPACE_OUTSIDE)                  \
    NAMED(sett_space_find, sett_space_find(NULL, sett_null(), NULL) == SETT_SPACE_OUTSIDE)         \
    NAMED(sett_space_cell, sett_space_cell(NULL, 0, NULL) == NULL)                                 \
    NAMED(sett_space_count, sett_space_count(NULL, NULL) == 0)                                     \
    NAMED(sett_space_random_place, (sett_space_random_place(NULL, 0, 1, at), true))                \
    NAMED(sett_space_random_entity, sett_is_null(sett_space_random_entity(NULL, 0, 1)))            \
    NAMED(sett_space_random_empty, sett_space_random_empty(NULL, at, 1, 1) == SETT_SPACE_OUTSIDE)

static void null_is_harmless(void)
{
    sett_world* world = quiet_world();
    static sett_space_desc desc;
    double at[3] = {0, 0, 0};
    sett_space_near near;
    sett_space_hit hit;
    CALLS(NULL_NAMED, NULL_FINE)
    CHECK_END(world);
}

static void no_function_is_left_out(void)
{
    static const char* const names[] = {CALLS(NULL_NAME, NULL_NAME)};
    null_check_header("addons/space/sett_space.h", names, sizeof(names) / sizeof(names[0]));
}

TEST_MAIN(TEST(null_is_harmless), TEST(no_function_is_left_out))

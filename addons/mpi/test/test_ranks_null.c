/* test_mpi_null.c: NULL in each place where a function of sett_mpi.h takes an address: the call
 * does nothing. */
#include "null_calls.h"
#include "sett_mpi.h"
#include "worlds.h"

#define CALLS(NAMED, FINE)                                                                         \
    NAMED(sett_ranks_create, sett_ranks_create(NULL, MPI_COMM_SELF, &desc) == NULL)                \
    NAMED(sett_ranks_create, sett_ranks_create(world, MPI_COMM_SELF, NULL) == NULL)                \
    FINE(sett_ranks_destroy, (sett_ranks_destroy(NULL), true))                                     \
    NAMED(sett_ranks_rank, sett_ranks_rank(NULL) == 0)                                             \
    NAMED(sett_ranks_count, sett_ranks_count(NULL) == 0)                                           \
    NAMED(sett_ranks_tick, sett_ranks_tick(NULL) == 0)                                             \
    NAMED(sett_ranks_ghost, sett_ranks_ghost(NULL) == 0)                                           \
    NAMED(sett_ranks_owns, !sett_ranks_owns(NULL, 0))                                              \
    NAMED(sett_ranks_is_inner, !sett_ranks_is_inner(NULL, 0))                                      \
    NAMED(sett_ranks_create_entity, sett_is_null(sett_ranks_create_entity(NULL, 0)))               \
    NAMED(sett_ranks_begin, sett_ranks_begin(NULL) == SETT_STATUS_ARGUMENT)                        \
    NAMED(sett_ranks_begin_start, sett_ranks_begin_start(NULL) == SETT_STATUS_ARGUMENT)            \
    NAMED(sett_ranks_begin_wait, sett_ranks_begin_wait(NULL) == SETT_STATUS_ARGUMENT)              \
    NAMED(sett_ranks_end, sett_ranks_end(NULL) == SETT_STATUS_ARGUMENT)                            \
    NAMED(sett_ranks_hash, sett_ranks_hash(NULL, &hash) == SETT_STATUS_ARGUMENT)                   \
    NAMED(sett_ranks_balance, sett_ranks_balance(NULL) == SETT_STATUS_ARGUMENT)                    \
    NAMED(sett_ranks_save, sett_ranks_save(NULL, "x") == SETT_STATUS_ARGUMENT)                     \
    NAMED(sett_ranks_load, sett_ranks_load(NULL, "x") == SETT_STATUS_ARGUMENT)                     \
    NAMED(sett_ranks_stats_get, (sett_ranks_stats_get(NULL, &stats), stats.cells == 0))            \
    NAMED(sett_ranks_stats_get, (sett_ranks_stats_get(NULL, NULL), true))

static void null_is_harmless(void)
{
    sett_world* world = quiet_world();
    static sett_ranks_desc desc;
    sett_ranks_stats stats;
    uint64_t hash;
    CALLS(NULL_NAMED, NULL_FINE)
    CHECK_END(world);
}

static void no_function_is_left_out(void)
{
    static const char* const names[] = {CALLS(NULL_NAME, NULL_NAME)};
    null_check_header("addons/mpi/sett_mpi.h", names, sizeof(names) / sizeof(names[0]));
}

TEST_MAIN(TEST(null_is_harmless), TEST(no_function_is_left_out))

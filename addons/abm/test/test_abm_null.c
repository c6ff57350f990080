/* test_abm_null.c: NULL in each place where a function of sett_abm.h takes an address: the call
 * does nothing. */
#include "null_calls.h"
#include "sett_abm.h"
#include "worlds.h"

#define CALLS(NAMED, FINE)                                                                         \
    NAMED(sett_abm_order_create, sett_abm_order_create(NULL, query) == NULL)                       \
    NAMED(sett_abm_order_create, sett_abm_order_create(world, NULL) == NULL)                       \
    FINE(sett_abm_order_destroy, sett_abm_order_destroy(NULL) == SETT_OK)                          \
    NAMED(sett_abm_order_begin, sett_is_null(sett_abm_order_begin(NULL, 1, 1)))                    \
    NAMED(sett_abm_order_next, sett_is_null(sett_abm_order_next(NULL)))                            \
    NAMED(sett_abm_table_create, sett_abm_table_create(NULL, columns, NULL) == NULL)               \
    NAMED(sett_abm_table_create, sett_abm_table_create(world, NULL, NULL) == NULL)                 \
    FINE(sett_abm_table_destroy, (sett_abm_table_destroy(NULL), true))                             \
    NAMED(sett_abm_table_collect, sett_abm_table_collect(NULL, 1) == SETT_STATUS_ARGUMENT)         \
    NAMED(sett_abm_table_rows, sett_abm_table_rows(NULL) == 0)                                     \
    NAMED(sett_abm_table_value, sett_abm_table_value(NULL, 0, 0) != 0)                             \
    NAMED(sett_abm_table_write, sett_abm_table_write(NULL, "x", NULL) == SETT_STATUS_ARGUMENT)     \
    NAMED(sett_abm_picture_write,                                                                  \
          sett_abm_picture_write(NULL, &picture, "x") == SETT_STATUS_ARGUMENT)                     \
    NAMED(sett_abm_picture_write,                                                                  \
          sett_abm_picture_write(world, NULL, "x") == SETT_STATUS_ARGUMENT)                        \
    NAMED(sett_abm_picture_write,                                                                  \
          sett_abm_picture_write(world, &picture, NULL) == SETT_STATUS_ARGUMENT)                   \
    NAMED(sett_abm_run, sett_abm_run(NULL, 1, NULL, NULL, NULL) == SETT_STATUS_ARGUMENT)           \
    NAMED(sett_abm_scan, sett_abm_scan(NULL, &scan, NULL) == SETT_STATUS_ARGUMENT)                 \
    NAMED(sett_abm_scan, sett_abm_scan(&model, NULL, NULL) == SETT_STATUS_ARGUMENT)                \
    NAMED(sett_abm_main, sett_abm_main(NULL, 0, NULL) != 0)

static void null_is_harmless(void)
{
    sett_world* world = quiet_world();
    static sett_query_desc all;
    sett_query* query = sett_query_create(world, &all);
    static sett_abm_column columns[1];
    static sett_abm_picture picture;
    static sett_abm_scan_desc scan;
    static sett_abm_model model;
    CALLS(NULL_NAMED, NULL_FINE)
    sett_query_destroy(query);
    CHECK_END(world);
}

static void no_function_is_left_out(void)
{
    static const char* const names[] = {CALLS(NULL_NAME, NULL_NAME)};
    null_check_header("addons/abm/sett_abm.h", names, sizeof(names) / sizeof(names[0]));
}

TEST_MAIN(TEST(null_is_harmless), TEST(no_function_is_left_out))

/* build_main.c: a few rows of the table, once each, for comparing builds with one another: other
 * compilers, levels of optimisation, instruction sets, and with or without huge pages.
 *
 *     sett_builds [--small-pages] [--quick] <name of the build>
 *
 * One line of CSV for each row: build,pages,row,ns. tools/bench_builds.sh makes the builds, runs
 * them in turns, and does so several times. */
#include "meter.h"
#include "scene_sett.h"

#include <stdio.h>
#include <string.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

typedef struct build_row {
    const char* name;
    scene_row row;
    uint32_t count;
} build_row;

static const build_row build_rows[] = {
    {"create_2", SCENE_create_2, 1000000},   {"destroy_order", SCENE_destroy_order, 1000000},
    {"toggle_10k", SCENE_toggle_10k, 10000}, {"get_random", SCENE_get_random, 1000000},
    {"move_10k", SCENE_move_10k, 10000},     {"move_1m", SCENE_move_1m, 1000000},
};

/* Turns huge pages off for this process, for every allocation. */
static bool build_small_pages(void)
{
#if defined(__linux__) && defined(PR_SET_THP_DISABLE)
    return prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0;
#else
    return false;
#endif
}

int main(int argc, char** argv)
{
    bool quick = false;
    bool small = false;
    const char* name = "this";
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--quick") == 0) {
            quick = true;
        } else if (strcmp(argv[k], "--small-pages") == 0) {
            small = true;
        } else {
            name = argv[k];
        }
    }
    if (small && !build_small_pages()) {
        fputs("sett_builds: huge pages cannot be turned off here\n", stderr);
        return 0;
    }
    scene_divisor = quick ? 100 : 1;
    for (size_t k = 0; k < sizeof(build_rows) / sizeof(build_rows[0]); k++) {
        scene_run run = {.row = build_rows[k].row, .count = quick ? 1000 : build_rows[k].count};
        meter_settle((size_t)(quick ? 1 : 128) << 20);
        scene_sett(build_rows[k].row)(&run);
        printf("%s,%s,%s,%.4g\n", name, small ? "small" : "huge", build_rows[k].name,
               run.seconds * 1e9 / (double)run.operations);
    }
    return 0;
}

/* wide_main.c: the rows of wide.h.
 *
 *     sett_wide [--csv] [--quick] [--repetitions=<n>] [part of a row's name]...
 *
 * Columns run in turns, `n` times each (default 9), and must compute the same. Prints minima and
 * medians of nanoseconds an operation; bytes where a row counts them. --csv: a line a figure, with
 * the quartiles. --quick does all once, small. */
#include "meter.h"
#include "wide.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPETITIONS 99

enum {
    COLUMN_ENTT,
    COLUMN_FLECS,
    COLUMN_SETT,
    COLUMN_AUTO,
    COLUMN_TUNED,
    COLUMNS
};

static const char* const column_name[COLUMNS] = {"entt", "flecs", "sett", "auto", "tuned"};

static const struct {
    const char* name;
    const char* title;
    uint32_t count;
} rows[WIDE_ROWS] = {
#define WIDE_ROW_TEXT(name, title, entities, scene) {#name, title, entities},
    WIDE_ROW_LIST(WIDE_ROW_TEXT)
#undef WIDE_ROW_TEXT
};

static scene_fn wide_function(uint32_t column, wide_row row)
{
    switch (column) {
#if defined(BENCH_WITH_ENTT)
    case COLUMN_ENTT:
        return wide_entt(row);
#endif
#if defined(BENCH_WITH_FLECS)
    case COLUMN_FLECS:
        return wide_flecs(row);
#endif
    case COLUMN_SETT:
        return wide_sett(row);
    case COLUMN_AUTO:
        return wide_sett_auto(row);
    case COLUMN_TUNED:
        return wide_sett_tuned(row);
    default:
        return NULL;
    }
}

/* One repetition: nanoseconds, or bytes, an operation. */
static double wide_measure(scene_fn fn, uint32_t column, wide_row row, uint32_t count,
                           uint64_t* checksum)
{
    scene_run run = {.count = count, .variant = row};
    run.tuned = column == COLUMN_TUNED;
    run.finds = column == COLUMN_AUTO ? SCENE_FINDS_AUTO : SCENE_FINDS_NONE;
    meter_settle((size_t)count * 400);
    bool bytes = row == WIDE_bytes || row == WIDE_types_bytes;
    if (bytes) {
        meter_begin();
    }
    fn(&run);
    *checksum = run.checksum;
    return (bytes ? (double)run.bytes : run.seconds * 1e9) / (double)run.operations;
}

static void wide_print(wide_row row, uint32_t repetitions, uint32_t count, bool csv)
{
    static double times[COLUMNS][REPETITIONS];
    scene_fn fn[COLUMNS];
    uint64_t expected = 0;
    bool known = false;
    for (uint32_t k = 0; k < COLUMNS; k++) {
        fn[k] = wide_function(k, row);
    }
    for (uint32_t n = 0; n < repetitions; n++) {
        for (uint32_t k = 0; k < COLUMNS; k++) {
            uint64_t checksum;
            if (fn[k] == NULL) {
                continue;
            }
            times[k][n] = wide_measure(fn[k], k, row, count, &checksum);
            if (known && checksum != expected) {
                fprintf(stderr, "sett_wide: %s of %s: a sum of %" PRIu64 ", not %" PRIu64 "\n",
                        rows[row].name, column_name[k], checksum, expected);
                exit(1);
            }
            expected = known ? expected : checksum;
            known = true;
        }
    }
    if (!csv) {
        printf("%-50s", rows[row].title);
    }
    for (uint32_t k = 0; k < COLUMNS; k++) {
        if (fn[k] == NULL) {
            printf(csv ? "" : " %9s %9s", "-", "");
            continue;
        }
        qsort(times[k], repetitions, sizeof(double), scene_compare);
        double median = times[k][repetitions / 2];
        if (csv) {
            printf("%s,\"%s\",%s,%.4g,%.4g,%.4g,%.4g\n", rows[row].name, rows[row].title,
                   column_name[k], times[k][0], times[k][repetitions / 4], median,
                   times[k][repetitions * 3 / 4]);
        } else {
            printf(" %9.4g %9.4g", times[k][0], median);
        }
    }
    printf(csv ? "" : "\n");
    (void)fflush(stdout);
}

int main(int argc, char** argv)
{
    uint32_t repetitions = 9;
    bool csv = false;
    bool quick = false;
    bool chosen = false;
    for (int k = 1; k < argc; k++) {
        csv |= strcmp(argv[k], "--csv") == 0;
        quick |= strcmp(argv[k], "--quick") == 0;
        chosen |= argv[k][0] != '-';
        if (strncmp(argv[k], "--repetitions=", 14) == 0) {
            repetitions = (uint32_t)strtoul(argv[k] + 14, NULL, 10);
        }
    }
    if (quick) {
        repetitions = 1;
        scene_divisor = 100;
    }
    if (repetitions == 0 || repetitions > REPETITIONS) {
        fprintf(stderr, "sett_wide: 1 to %d repetitions\n", REPETITIONS);
        return 1;
    }
    if (csv) {
        printf("row,title,column,minimum,low,median,high\n");
    } else {
        printf("%-50s", "ns an operation: minimum, median");
        for (uint32_t k = 0; k < COLUMNS; k++) {
            printf(" %9s %9s", column_name[k], "");
        }
        printf("\n");
    }
    for (uint32_t row = 0; row < WIDE_ROWS; row++) {
        bool wanted = !chosen;
        for (int k = 1; k < argc; k++) {
            wanted |= argv[k][0] != '-' && strstr(rows[row].name, argv[k]) != NULL;
        }
        uint32_t count = rows[row].count;
        if (wanted) {
            wide_print((wide_row)row, repetitions, quick && count > 20000 ? 20000 : count, csv);
        }
    }
    return 0;
}

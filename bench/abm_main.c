/* abm_main.c: models of a public comparison of frameworks, beside MASON.
 *
 *     sett_abm_bench            Sett's times and end statistics alone
 *     sett_abm_bench <jar>      and MASON's, in the same run; needs java
 *     SETT_BENCH_MODEL=small    only rows with this in their name
 *     SETT_BENCH_SEEDS=100      runs of each model
 *
 * The models are those of examples/abm, in the small and the large form that
 * ABMFrameworksComparison declares. Times are medians, with the creation of the world. The jar is
 * not a part of Sett; `java -cp <jar> AbmBench <model> <first seed> <seeds>` prints a line a seed:
 *
 *     flocking_small 1 11.83 0.274     the model, the seed, milliseconds, and the end statistics
 *
 * The time is that of the comparison's own source for MASON; the statistics (sheep and wolves,
 * order, happy share) are of the model as it is declared. */
#include "sett_abm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    STATISTICS = 2,
    SEEDS_MOST = 1000
};

/* Which the examples pass to sett_abm_main, by another name. */
int flocking_main(int argc, char** argv);
int schelling_main(int argc, char** argv);
int wolf_sheep_main(int argc, char** argv);
int bench_take_model(const sett_abm_model* model, int argc, char** argv);

static const sett_abm_model* taken;

int bench_take_model(const sett_abm_model* model, int argc, char** argv)
{
    (void)argc, (void)argv;
    taken = model;
    return 0;
}

/* A row of the comparison, and what it published: times as shares of Agents.jl 6.2.10's. */
typedef struct row {
    const char* name;
    int (*main)(int argc, char** argv);
    double parameters[SETT_ABM_PARAMETERS];
    double mason;
    double ark;
} row;

static const row rows[] = {
    {"wolf_sheep_small", wolf_sheep_main, {25, 60, 40, 20, 0.2, 0.1}, 5.29, 0.34},
    {"wolf_sheep_large", wolf_sheep_main, {100, 1000, 500, 10, 0.4, 0.2}, 7.8, 0.14},
    {"flocking_small", flocking_main, {100, 200, 5, 0.03, 0.015, 0.05, 1}, 1.42, 0.73},
    {"flocking_large", flocking_main, {150, 400, 15, 0.03, 0.015, 0.05, 1}, 0.61, 0.36},
    {"schelling_small", schelling_main, {40, 1000, 1, 3}, 1.19, 0.61},
    {"schelling_large", schelling_main, {100, 8000, 2, 8}, 1.51, 0.59},
};

typedef struct sample {
    double ms[SEEDS_MOST];
    double values[STATISTICS][SEEDS_MOST];
    int count;
} sample;

static double now_ms(void)
{
    struct timespec t;
    return timespec_get(&t, TIME_UTC) != 0 ? (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6 : 0;
}

static bool run_sett(const row* r, int seeds, sample* out)
{
    r->main(0, NULL);
    for (out->count = 0; out->count < seeds; out->count++) {
        sett_abm_result result;
        double begin = now_ms();
        sett_status status =
            sett_abm_run(taken, (uint64_t)out->count + 1, r->parameters, NULL, &result);
        out->ms[out->count] = now_ms() - begin;
        for (int k = 0; k < STATISTICS; k++) {
            out->values[k][out->count] = result.values[k];
        }
        if (status != SETT_OK) {
            return false;
        }
    }
    return true;
}

static bool run_mason(const row* r, const char* jar, int seeds, sample* out)
{
    char command[1024];
    char line[256];
    snprintf(command, sizeof(command), "java -cp '%s' AbmBench %s 1 %d", jar, r->name, seeds);
    FILE* pipe = popen(command, "r");
    out->count = 0;
    while (pipe != NULL && out->count < seeds && fgets(line, sizeof(line), pipe) != NULL) {
        char name[64];
        int seed;
        int n = out->count;
        out->values[1][n] = 0;
        if (sscanf(line, "%63s %d %lf %lf %lf", name, &seed, &out->ms[n], &out->values[0][n],
                   &out->values[1][n]) >= 4 &&
            strcmp(name, r->name) == 0) {
            out->count++;
        }
    }
    return pipe != NULL && pclose(pipe) == 0 && out->count == seeds;
}

static int compare(const void* a, const void* b)
{
    double x = *(const double*)a;
    double y = *(const double*)b;
    return (x > y) - (x < y);
}

static double median(const sample* s)
{
    static double sorted[SEEDS_MOST];
    memcpy(sorted, s->ms, sizeof(sorted));
    qsort(sorted, (size_t)s->count, sizeof(double), compare);
    return sorted[s->count / 2];
}

/* Mean, and the square of its standard error. */
static double mean(const sample* s, int k, double* error2)
{
    double sum = 0;
    double square = 0;
    for (int n = 0; n < s->count; n++) {
        sum += s->values[k][n];
    }
    for (int n = 0; n < s->count; n++) {
        double d = s->values[k][n] - sum / s->count;
        square += d * d;
    }
    *error2 = square / (s->count - 1.0) / s->count;
    return sum / s->count;
}

static bool print_statistics(const row* r, const sample* sett, const sample* mason)
{
    bool good = true;
    const char* names[] = {taken->columns[0].name, taken->columns[1].name};
    for (int k = 0; k < STATISTICS && names[k] != NULL; k++) {
        double a2;
        double b2 = 0;
        double a = mean(sett, k, &a2);
        printf("    %s %s %.4g", r->name, names[k], a);
        if (mason->count != 0) {
            double b = mean(mason, k, &b2);
            double errors = fabs(a - b) / sqrt(a2 + b2);
            good = good && errors <= 3;
            printf(", MASON %.4g: %.1f standard errors%s", b, errors,
                   errors <= 3 ? "" : " TOO FAR");
        }
        printf("\n");
    }
    return good;
}

int main(int argc, char** argv)
{
    static sample sett, mason;
    const char* setting = getenv("SETT_BENCH_SEEDS");
    const char* only = getenv("SETT_BENCH_MODEL");
    int seeds = setting != NULL ? atoi(setting) : 100;
    bool runs = seeds > 1 && seeds <= SEEDS_MOST;
    bool good = runs;
    printf("%-18s %9s %9s %8s %8s %8s\n", "", "Sett, ms", "MASON, ms", "Sett /", "Sett /",
           "Ark.jl /");
    printf("%-18s %9s %9s %8s %8s %8s\n", "", "", "", "MASON", "Agents", "Agents");
    for (size_t k = 0; runs && k < sizeof(rows) / sizeof(rows[0]); k++) {
        const row* r = &rows[k];
        if (only != NULL && strstr(r->name, only) == NULL) {
            continue;
        }
        mason.count = 0;
        runs = run_sett(r, seeds, &sett);
        printf("%-18s %9.3f", r->name, median(&sett));
        fflush(stdout);
        if (argc > 1 && runs) {
            runs = run_mason(r, argv[1], seeds, &mason);
        }
        if (mason.count != 0) {
            double ratio = median(&sett) / median(&mason);
            printf(" %9.3f %8.3f %8.3f", median(&mason), ratio, ratio * r->mason);
        } else {
            printf(" %9s %8s %8s", "-", "-", "-");
        }
        printf(" %8.2f\n", r->ark);
        good = print_statistics(r, &sett, &mason) && good;
    }
    return runs && good ? 0 : 1;
}

/* advise_main.c: is the advised layout as fast as the best that a person would find by trying all?
 *
 *     sett_advised [--check|--quick]
 *
 * For each workload of the table that loops: the queries are measured under every layout that their
 * types can have (each type in an array or a sparse set, owning groups over any part of a query,
 * tracked sets). Then a world in its default layout is profiled, asked with sett_advise, put into
 * the layout that it says; another one finds a layout by itself (auto_layout); and both are
 * measured beside the best one found, in turns. With --check the program fails if one of them costs
 * more than a tenth above the best. With --quick it measures next to nothing: for a test. */
#include "scene_sett.h"

#include "sett/advise.h"
#include "sett/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ADVISE_TYPES 6
#define ADVISE_QUERIES 7
#define ADVISE_ALLOWED 1.1
#define ADVISE_FEW 1000 /* entities in a quick run */

static double advise_round = 2e-3;   /* seconds of one measurement */
static uint32_t advise_frames = 400; /* that a world has to find its layout, at least */

/* Types are named by letters, and a query by those that it asks for; the first is written. */
typedef struct advise_row {
    const char* name;
    uint32_t count;
    const char* queries[ADVISE_QUERIES];
    scene_row movers; /* which entities have B; SCENE_ROWS: see advise_has */
} advise_row;

static const advise_row advise_rows[] = {
    {"iterate 1 component, 1M", 1000000, {"A"}, SCENE_move_1m},
    {"P += V dt, 16", 16, {"AB"}, SCENE_move_16},
    {"P += V dt, 10k", 10000, {"AB"}, SCENE_move_10k},
    {"P += V dt, 1M", 1000000, {"AB"}, SCENE_move_1m},
    {"every second has V", 1000000, {"AB"}, SCENE_move_second},
    {"random 1 % has V", 1000000, {"AB"}, SCENE_move_random_1},
    {"random 50 % has V", 1000000, {"AB"}, SCENE_move_random_50},
    {"10 components at p = 1/2, query 3", 200000, {"ABC"}, SCENE_mixed_10},
    {"7 systems, mixed entities",
     65536,
     {"AB", "C", "CAB", "D", "DE", "FD", "FA"},
     SCENE_systems_7},
};

enum {
    ADVISE_ROWS = sizeof(advise_rows) / sizeof(advise_rows[0])
};

/* What a layout is: sets of types. */
typedef struct advise_layout {
    uint32_t sparse_set;
    uint32_t owned[2];
    uint32_t tracked;
} advise_layout;

typedef struct advise_world {
    sett_world* world;
    sett_component id[ADVISE_TYPES];
    sett_query* query[ADVISE_QUERIES];
    uint32_t loops; /* of all queries, in one measurement */
} advise_world;

static uint32_t advise_set(const char* letters)
{
    uint32_t set = 0;
    for (; letters != NULL && *letters != '\0'; letters++) {
        set |= 1u << (*letters - 'A');
    }
    return set;
}

static uint32_t advise_types(const advise_row* row)
{
    uint32_t set = 0;
    for (uint32_t q = 0; q < ADVISE_QUERIES; q++) {
        set |= advise_set(row->queries[q]);
    }
    return set;
}

static bool advise_has(const advise_row* row, uint32_t type, uint32_t number)
{
    if (row->movers == SCENE_mixed_10) {
        return (scene_mixed(number) >> (4 * type) & 1) != 0;
    }
    switch (row->movers == SCENE_systems_7 ? type : 0) {
    case 3:
        return scene_has_health(number);
    case 4:
        return scene_has_damage(number);
    case 5:
        return scene_has_sprite(number);
    default:
        return true;
    }
}

static void advise_fill(const advise_row* row, advise_world* made, const sett_entity* entities)
{
    for (uint32_t type = 0; type < ADVISE_TYPES; type++) {
        bool moves = row->movers != SCENE_mixed_10 && row->movers != SCENE_systems_7 && type == 1;
        if ((advise_types(row) >> type & 1) == 0) {
            continue;
        }
        for (uint32_t k = 0; !moves && k < row->count; k++) {
            if (advise_has(row, type, k)) {
                *(Pair*)sett_add(made->world, entities[k], made->id[type]) = scene_pair(k, type);
            }
        }
        if (moves) {
            uint32_t count;
            uint32_t* movers = scene_movers(row->movers, row->count, &count);
            for (uint32_t k = 0; k < count; k++) {
                *(Pair*)sett_add(made->world, entities[movers[k]], made->id[type]) =
                    scene_pair(movers[k], type);
            }
            scene_free(movers);
        }
    }
}

static advise_world advise_world_create(const advise_row* row)
{
    advise_world made = {0};
    scene_run run = {0};
    made.world = scene_world(&run, false);
    for (uint32_t type = 0; type < ADVISE_TYPES; type++) {
        char name[2] = {(char)('A' + type), '\0'};
        made.id[type] =
            scene_type(made.world, name, sizeof(Pair), SETT_ALIGNOF(Pair), SETT_STORAGE_DEFAULT);
    }
    sett_entity* entities = scene_entities(made.world, row->count);
    advise_fill(row, &made, entities);
    scene_free(entities);
    for (uint32_t q = 0; q < ADVISE_QUERIES && row->queries[q] != NULL; q++) {
        sett_query_desc desc = {.name = row->queries[q]};
        for (uint32_t k = 0; row->queries[q][k] != '\0'; k++) {
            desc.terms[k].component = made.id[row->queries[q][k] - 'A'];
            desc.terms[k].access = k == 0 ? SETT_INOUT : SETT_IN;
        }
        made.query[q] = sett_query_create(made.world, &desc);
        scene_check(made.query[q] != NULL, "sett_query_create");
    }
    return made;
}

static void advise_group(advise_world* made, uint32_t types, bool owns)
{
    sett_group_desc desc = {0};
    sett_component* list = owns ? desc.owned : desc.with;
    for (uint32_t type = 0; type < ADVISE_TYPES; type++) {
        if ((types >> type & 1) != 0) {
            *list++ = made->id[type];
        }
    }
    if (types != 0) {
        scene_check(sett_group_create(made->world, &desc) != NULL, "sett_group_create");
    }
}

static void advise_convert(advise_world* made, uint32_t types, sett_storage_kind kind)
{
    for (uint32_t type = 0; type < ADVISE_TYPES; type++) {
        if ((types >> type & 1) != 0) {
            sett_status status = sett_component_convert(made->world, made->id[type], kind);
            scene_check(status == SETT_OK, "sett_component_convert");
        }
    }
}

/* Brings a world in its default layout into another. */
static void advise_apply(advise_world* made, const advise_layout* layout)
{
    advise_convert(made, layout->sparse_set, SETT_STORAGE_SPARSE_SET);
    advise_group(made, layout->owned[0], true);
    advise_group(made, layout->owned[1], true);
    advise_group(made, layout->tracked, false);
}

/* ------------------------------------------------------------------------------------ measuring */

static void advise_run(const advise_row* row, const advise_world* made)
{
    for (uint32_t q = 0; q < ADVISE_QUERIES && row->queries[q] != NULL; q++) {
        size_t terms = strlen(row->queries[q]);
        SETT_QUERY_EACH(made->query[q], b) {
            Pair* a = sett_batch_field(b, 0);
            const Pair* x = terms > 1 ? sett_batch_field(b, 1) : NULL;
            const Pair* y = terms > 2 ? sett_batch_field(b, 2) : NULL;
            if (terms == 1) {
                SETT_EACH(b, i) {
                    a[i].x += 1;
                    a[i].y += 1;
                }
            } else if (terms == 2) {
                SETT_EACH(b, i) {
                    a[i].x += x[i].x * SCENE_DT;
                    a[i].y += x[i].y * SCENE_DT;
                }
            } else {
                SETT_EACH(b, i) {
                    a[i].x += x[i].x + y[i].x;
                    a[i].y += x[i].y + y[i].y;
                }
            }
        }
    }
}

/* Seconds of one run of all queries. */
static double advise_measure(const advise_row* row, advise_world* made)
{
    scene_run run = {0};
    uint32_t loops = made->loops != 0 ? made->loops : 1;
    scene_start(&run);
    for (uint32_t k = 0; k < loops; k++) {
        advise_run(row, made);
    }
    scene_stop(&run);
    if (made->loops == 0) {
        made->loops = 1 + (uint32_t)(advise_round / run.seconds);
    }
    return run.seconds / loops;
}

static double advise_least(const advise_row* row, advise_world* made, uint32_t repetitions)
{
    double least = advise_measure(row, made);
    for (uint32_t k = 0; k < repetitions; k++) {
        double seconds = advise_measure(row, made);
        least = seconds < least ? seconds : least;
    }
    return least;
}

/* ------------------------------------------------------------------------------------- by hand */

typedef struct advise_search {
    const advise_row* row;
    advise_layout best;
    double least;
    uint32_t tried;
} advise_search;

static void advise_try(advise_search* search, const advise_layout* layout)
{
    advise_world made = advise_world_create(search->row);
    advise_apply(&made, layout);
    double least = advise_least(search->row, &made, 7);
    if (search->tried++ == 0 || least < search->least) {
        search->least = least;
        search->best = *layout;
    }
    sett_world_destroy(made.world);
}

static bool advise_is_pair(uint32_t set)
{
    return (set & (set - 1)) != 0;
}

/* All parts of two types and more of some query. */
static bool advise_is_part(const advise_row* row, uint32_t set)
{
    bool part = false;
    for (uint32_t q = 0; q < ADVISE_QUERIES; q++) {
        part = part || (set & ~advise_set(row->queries[q])) == 0;
    }
    return part && advise_is_pair(set);
}

/* Every choice of sparse-set types; under each, with no group, one or two that own some of them,
 * and
 * tracked sets where all of a query are arrays. */
static void advise_search_all(advise_search* search)
{
    const advise_row* row = search->row;
    uint32_t types = advise_types(row);
    for (uint32_t sparse_set = 0; sparse_set <= types; sparse_set++) {
        if ((sparse_set & ~types) != 0) {
            continue;
        }
        advise_layout layout = {sparse_set, {0, 0}, 0};
        advise_try(search, &layout);
        for (uint32_t q = 0; q < ADVISE_QUERIES; q++) {
            layout.tracked = advise_set(row->queries[q]);
            if ((layout.tracked & sparse_set) == 0 && advise_is_pair(layout.tracked)) {
                advise_try(search, &layout);
            }
        }
        layout.tracked = 0;
        for (uint32_t a = sparse_set; a != 0; a = (a - 1) & sparse_set) {
            if (!advise_is_part(row, a)) {
                continue;
            }
            layout.owned[0] = a;
            layout.owned[1] = 0;
            advise_try(search, &layout);
            for (uint32_t b = sparse_set & ~a; b != 0; b = (b - 1) & sparse_set & ~a) {
                layout.owned[1] = b;
                if (b < a && advise_is_part(row, b)) {
                    advise_try(search, &layout);
                }
            }
        }
    }
}

/* ----------------------------------------------------------------------------------- as advised */

/* Profiles, does what is advised, and asks again, until there is no more advice. */
static void advise_follow(const advise_row* row, advise_world* made)
{
    for (uint32_t round = 0; round < 6; round++) {
        sett_advice advice[ADVISE_TYPES + ADVISE_QUERIES];
        scene_check(sett_profile_begin(made->world) == SETT_OK, "sett_profile_begin");
        for (uint32_t k = 0; k < 20; k++) {
            advise_run(row, made);
        }
        scene_check(sett_profile_end(made->world) == SETT_OK, "sett_profile_end");
        uint32_t count = sett_advise(made->world, advice, ADVISE_TYPES + ADVISE_QUERIES);
        for (uint32_t k = 0; k < count; k++) {
            scene_check(sett_advice_apply(made->world, &advice[k]) == SETT_OK, "advice");
        }
        if (count == 0) {
            break;
        }
    }
}

/* Lets a world find its layout. Returns the frame of the last change. */
static uint32_t advise_wait(const advise_row* row, advise_world* made)
{
    uint32_t last = 0;
    scene_check(sett_layout_auto(made->world, UINT32_MAX) == SETT_OK, "sett_layout_auto");
    for (uint32_t frame = 1; frame < 64 + 2 * last || frame < advise_frames; frame++) {
        advise_run(row, made);
        last = sett_layout_step(made->world, UINT32_MAX) != 0 ? frame : last;
    }
    return last;
}

/* A layout's text on one line: "array A; group { B C }". */
static void advise_text(const sett_world* world, char* out, size_t size)
{
    (void)sett_layout_describe(world, out, size);
    for (char* at = out; *at != '\0'; at++) {
        *at = *at != '\n' ? *at : at[1] != '\0' ? ' ' : '\0';
    }
}

static void advise_describe(const advise_layout* layout, char* out, size_t size)
{
    const uint32_t sets[4] = {layout->sparse_set & ~(layout->owned[0] | layout->owned[1]),
                              layout->owned[0], layout->owned[1], layout->tracked};
    static const char* const words[4] = {"sparse-set ", "group ", "group ", "tracked "};
    size_t at = 0;
    for (uint32_t k = 0; k < 4; k++) {
        for (uint32_t type = 0, begun = 0; type < ADVISE_TYPES && at + 12 < size; type++) {
            if ((sets[k] >> type & 1) != 0) {
                at += (size_t)snprintf(out + at, size - at, "%s%s%c", at != 0 && !begun ? ", " : "",
                                       begun ? "" : words[k], 'A' + type);
                begun = 1;
            }
        }
    }
    if (at == 0) {
        (void)snprintf(out, size, "arrays");
    }
}

/* Returns what the worse of the advised and the automatic layout costs, divided by the best. */
static double advise_compare(const advise_row* row)
{
    char best_name[64];
    char names[2][256];
    advise_search search = {.row = row};
    advise_search_all(&search);
    /* the best found, as advised, and as found by itself */
    advise_world made[3] = {advise_world_create(row), advise_world_create(row),
                            advise_world_create(row)};
    advise_apply(&made[0], &search.best);
    advise_follow(row, &made[1]);
    uint32_t frames = advise_wait(row, &made[2]);
    double least[3];
    for (uint32_t k = 0; k < 3; k++) {
        least[k] = advise_least(row, &made[k], 1);
    }
    for (uint32_t k = 0; k < 75; k++) {
        double taken = advise_measure(row, &made[k % 3]);
        least[k % 3] = taken < least[k % 3] ? taken : least[k % 3];
    }
    advise_describe(&search.best, best_name, sizeof(best_name));
    advise_text(made[1].world, names[0], sizeof(names[0]));
    advise_text(made[2].world, names[1], sizeof(names[1]));
    printf("%-34s %4u %10.3f  %-20s %10.3f %6.2f  %-30s %10.3f %6.2f %6u  %s\n", row->name,
           search.tried, least[0] * 1e6, best_name, least[1] * 1e6, least[1] / least[0], names[0],
           least[2] * 1e6, least[2] / least[0], frames, names[1]);
    fflush(stdout);
    double worst = least[1] > least[2] ? least[1] : least[2];
    for (uint32_t k = 0; k < 3; k++) {
        sett_world_destroy(made[k].world);
    }
    return worst / least[0];
}

int main(int argc, char** argv)
{
    bool check = argc > 1 && strcmp(argv[1], "--check") == 0;
    bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    double worst = 0;
    advise_round = quick ? 1e-6 : advise_round;
    advise_frames = quick ? 10 : advise_frames;
    printf("%-34s %4s %10s  %-20s %10s %6s  %-30s %10s %6s %6s  %s\n", "us a round of all queries",
           "of", "best", "layout", "advised", "ratio", "layout", "auto", "ratio", "frames",
           "layout");
    for (uint32_t k = 0; k < ADVISE_ROWS; k++) {
        advise_row row = advise_rows[k];
        row.count = quick && row.count > ADVISE_FEW ? ADVISE_FEW : row.count;
        double ratio = advise_compare(&row);
        worst = ratio > worst ? ratio : worst;
    }
    printf("advised or auto / best, at worst: %.2f\n", worst);
    return check && worst > ADVISE_ALLOWED ? 1 : 0;
}

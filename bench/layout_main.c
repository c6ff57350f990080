/* layout_main.c: is the layout that a world finds as fast as the best that a person would find by
 * trying all, and as fast as the libraries beside it; and what does finding it cost?
 *
 *     sett_layouts [--check] [--quick] [--save=<folder>]
 *     sett_layouts [--quick] --load=<folder>
 *
 * For each row of the table that loops: every layout that its types can have is tried (each type
 * in an array or a sparse set, owning groups over any part of a query). The fastest three, the
 * default, auto_layout, what sett_advise proposes, and the peers then run nine times each, in
 * turns, and must compute the same. Then what frames cost while layouts are found, without a limit
 * of the values that move in one and with a low one, and a world whose work changes
 * half-way. --save writes the text of each layout that auto_layout found; another process applies
 * them at start with --load. With --check the program fails if one that was found costs more than
 * a tenth above the best. With --quick it measures next to nothing: for a test. */
#include "scene_sett.h"

#include "sett/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAYOUT_TYPES 6
#define LAYOUT_QUERIES 7
#define LAYOUT_BEST 1.10 /* above the best layout, and above a peer, at most */
#define LAYOUT_PEER 1.05
#define LAYOUT_FEW 1000          /* entities in a quick run */
#define LAYOUT_MOVES_MOST 131072 /* values a frame, of programs in which no frame may be long */
#define LAYOUT_REPETITIONS 9
#define LAYOUT_TEXT SCENE_LAYOUT_SIZE

static bool layout_quick;
static uint32_t layout_repetitions = LAYOUT_REPETITIONS;

/* The queries of a row, as letters that stand for its types. */
typedef struct layout_row {
    scene_row row;
    const char* types[LAYOUT_TYPES]; /* A, B, ... */
    const char* queries[LAYOUT_QUERIES];
} layout_row;

#define LAYOUT_MOVES(row)                                                                          \
    {                                                                                              \
        row, {"Position", "Velocity"},                                                             \
        {                                                                                          \
            "AB"                                                                                   \
        }                                                                                          \
    }

static const layout_row layout_rows[] = {
    {SCENE_iterate_1, {"Position"}, {"A"}},
    LAYOUT_MOVES(SCENE_move_16),
    LAYOUT_MOVES(SCENE_move_10k),
    LAYOUT_MOVES(SCENE_move_1m),
    LAYOUT_MOVES(SCENE_move_second),
    LAYOUT_MOVES(SCENE_move_random_50),
    LAYOUT_MOVES(SCENE_move_random_1),
    LAYOUT_MOVES(SCENE_move_toggled),
    {SCENE_types_26, {"Single"}, {"A"}},
    {SCENE_mixed_10, {"Mixed0", "Mixed4", "Mixed8"}, {"ABC"}},
    {SCENE_systems_7,
     {"Position", "Velocity", "Data", "Health", "Damage", "Sprite"},
     {"AB", "C", "ABC", "D", "DE", "FD", "AF"}},
};

enum {
    LAYOUT_ROWS = sizeof(layout_rows) / sizeof(layout_rows[0])
};

static const struct {
    const char* title;
    uint32_t count;
} layout_info[SCENE_ROWS] = {
#define LAYOUT_INFO(name, title, entities, untuned, tuned) {title, entities},
    SCENE_ROW_LIST(LAYOUT_INFO)
#undef LAYOUT_INFO
};

/* What runs in turns. */
enum {
    LAYOUT_DEFAULT,
    LAYOUT_FIRST, /* three layouts by hand */
    LAYOUT_SECOND,
    LAYOUT_THIRD,
    LAYOUT_AUTO,
    LAYOUT_ADVISED,
    LAYOUT_LIMITED, /* auto_layout with LAYOUT_MOVES_MOST */
    LAYOUT_ENTT,    /* peers, with owning groups where they have them */
    LAYOUT_FLECS,
    LAYOUT_COLUMNS
};

static scene_fn layout_column_run(uint32_t column, scene_row row)
{
    switch (column) {
#if defined(BENCH_WITH_ENTT)
    case LAYOUT_ENTT:
        return scene_entt_group(row) != NULL ? scene_entt_group(row) : scene_entt(row);
#endif
#if defined(BENCH_WITH_FLECS)
    case LAYOUT_FLECS:
        return scene_flecs(row);
#endif
    default:
        return column < LAYOUT_ENTT ? scene_sett(row) : NULL;
    }
}

/* ------------------------------------------------------------------------------------- figures */

/* Sorts the values. Returns the one below which this share of them lies. */
static double layout_quantile(double* values, uint32_t count, double share)
{
    if (count == 0) {
        return 0;
    }
    qsort(values, count, sizeof(*values), scene_compare);
    return values[(uint32_t)(share * (count - 1) + 0.5)];
}

/* ns an operation of each repetition. */
typedef struct layout_samples {
    double ns[LAYOUT_REPETITIONS];
    uint32_t count;
} layout_samples;

static double layout_median(layout_samples* samples)
{
    return layout_quantile(samples->ns, samples->count, 0.5);
}

static double layout_spread(layout_samples* samples)
{
    double half = layout_quantile(samples->ns, samples->count, 0.75) -
                  layout_quantile(samples->ns, samples->count, 0.25);
    double median = layout_median(samples);
    return median > 0 ? half / 2 / median : 0;
}

static void layout_number(double value, const char* end)
{
    if (value > 0) {
        printf(" %8.*f%s", value < 10 ? 3 : value < 100 ? 2 : 1, value, end);
    } else {
        printf(" %8s%s", "-", *end != '\0' ? " " : "");
    }
}

/* ns an operation. All runs of a row have to compute the same: *checksum, 0 before the first. */
static double layout_run(scene_fn run, scene_run* asked, uint64_t* checksum)
{
    uint32_t count = layout_info[asked->row].count;
    asked->count = layout_quick && count > LAYOUT_FEW ? LAYOUT_FEW : count;
    run(asked);
    *checksum = *checksum == 0 ? asked->checksum : *checksum;
    scene_check(*checksum == asked->checksum, "a layout changed the result");
    return asked->seconds * 1e9 / (double)asked->operations;
}

/* ------------------------------------------------------------------------------------- by hand */

/* What a layout is: sets of types. */
typedef struct layout_sets {
    uint32_t sparse_set;
    uint32_t owned[2];
} layout_sets;

typedef struct layout_search {
    const layout_row* row;
    uint64_t checksum;
    uint32_t tried;
    char text[3][LAYOUT_TEXT]; /* of the fastest */
    double ns[3];
} layout_search;

static uint32_t layout_set(const char* letters)
{
    uint32_t set = 0;
    for (; letters != NULL && *letters != '\0'; letters++) {
        set |= 1u << (*letters - 'A');
    }
    return set;
}

static void layout_add(char* text, const char* word)
{
    scene_check(strlen(text) + strlen(word) < LAYOUT_TEXT, "a layout's text fits");
    memcpy(text + strlen(text), word, strlen(word) + 1);
}

static void layout_add_types(char* text, const layout_row* row, const char* before, uint32_t set,
                             const char* behind)
{
    if (set == 0) {
        return;
    }
    layout_add(text, before);
    for (uint32_t type = 0; type < LAYOUT_TYPES; type++) {
        if ((set >> type & 1) != 0) {
            layout_add(text, " ");
            layout_add(text, row->types[type]);
        }
    }
    layout_add(text, behind);
}

static void layout_try(layout_search* search, const layout_sets* sets)
{
    char text[LAYOUT_TEXT] = "";
    uint32_t all = 0;
    uint32_t owned = sets->owned[0] | sets->owned[1];
    for (uint32_t q = 0; q < LAYOUT_QUERIES; q++) {
        all |= layout_set(search->row->queries[q]);
    }
    layout_add_types(text, search->row, "array", all & ~sets->sparse_set, "; ");
    layout_add_types(text, search->row, "sparse_set", sets->sparse_set & ~owned, "; ");
    layout_add_types(text, search->row, "group {", sets->owned[0], " }; ");
    layout_add_types(text, search->row, "group {", sets->owned[1], " }; ");
    double least = 0;
    for (uint32_t k = 0; k < 2; k++) {
        scene_run run = {.row = search->row->row, .layout = text};
        double ns = layout_run(scene_sett(run.row), &run, &search->checksum);
        least = k == 0 || ns < least ? ns : least;
    }
    search->tried++;
    for (uint32_t k = 0; k < 3; k++) {
        if (search->ns[k] <= 0 || least < search->ns[k]) {
            memmove(&search->ns[k + 1], &search->ns[k], (2 - k) * sizeof(search->ns[0]));
            memmove(&search->text[k + 1], &search->text[k], (2 - k) * sizeof(search->text[0]));
            search->ns[k] = least;
            memcpy(search->text[k], text, sizeof(text));
            return;
        }
    }
}

/* All parts of two types and more of some query. */
static bool layout_is_part(const layout_row* row, uint32_t set)
{
    bool part = false;
    for (uint32_t q = 0; q < LAYOUT_QUERIES; q++) {
        part = part || (set & ~layout_set(row->queries[q])) == 0;
    }
    return part && (set & (set - 1)) != 0;
}

/* Every choice of sparse-set types; under each, with no group, one or two that own some of them. */
static void layout_try_all(layout_search* search)
{
    const layout_row* row = search->row;
    uint32_t types = 0;
    for (uint32_t type = 0; type < LAYOUT_TYPES; type++) {
        types |= (uint32_t)(row->types[type] != NULL) << type;
    }
    for (uint32_t sparse_set = 0; sparse_set <= types; sparse_set++) {
        layout_sets sets = {sparse_set, {0, 0}};
        layout_try(search, &sets);
        for (uint32_t a = sparse_set; a != 0; a = (a - 1) & sparse_set) {
            if (!layout_is_part(row, a)) {
                continue;
            }
            sets.owned[0] = a;
            sets.owned[1] = 0;
            layout_try(search, &sets);
            for (uint32_t b = sparse_set & ~a; b != 0; b = (b - 1) & sparse_set & ~a) {
                sets.owned[1] = b;
                if (b < a && layout_is_part(row, b)) {
                    layout_try(search, &sets);
                }
            }
        }
    }
}

/* ---------------------------------------------------------------------------------------- a row */

/* What the frames cost in which worlds found their layout, of all repetitions. */
typedef struct layout_frames {
    double seconds[LAYOUT_REPETITIONS * SCENE_FRAMES];
    uint32_t count;
    double sampled; /* seconds of steps that moved nothing */
    uint32_t steps; /* of these */
    double moved;   /* seconds of steps that did, of one repetition */
    uint64_t values;
    uint32_t last_change; /* the latest */
} layout_frames;

static void layout_note(layout_frames* frames, const scene_run* run)
{
    frames->moved = 0;
    frames->values = 0;
    for (uint32_t k = 0; k < run->frames && k < SCENE_FRAMES; k++) {
        const scene_frame* frame = &run->frame[k];
        frames->seconds[frames->count++] = frame->loops + frame->step;
        frames->sampled += frame->moved == 0 ? frame->step : 0;
        frames->steps += frame->moved == 0;
        frames->moved += frame->moved != 0 ? frame->step : 0;
        frames->values += frame->moved;
    }
    frames->last_change =
        run->last_change > frames->last_change ? run->last_change : frames->last_change;
}

/* A layout's text on one line. */
static char* layout_line(char* text)
{
    for (char* at = text; *at != '\0'; at++) {
        *at = *at != '\n' ? *at : at[1] != '\0' ? ' ' : '\0';
    }
    return text;
}

static void layout_file(char* out, size_t size, const char* folder, scene_row row)
{
    static const char* const names[SCENE_ROWS] = {
#define LAYOUT_NAME(name, title, entities, untuned, tuned) #name,
        SCENE_ROW_LIST(LAYOUT_NAME)
#undef LAYOUT_NAME
    };
    (void)snprintf(out, size, "%s/%s.layout", folder, names[row]);
}

/* Beside the text, as comments: what it is to be compared with. */
static void layout_save(const char* folder, scene_row row, const char* text, uint64_t checksum,
                        double ns)
{
    char path[512];
    layout_file(path, sizeof(path), folder, row);
    FILE* file = fopen(path, "w");
    scene_check(file != NULL, path);
    fprintf(file, "# %llu %.6f\n%s\n", (unsigned long long)checksum, ns, text);
    scene_check(fclose(file) == 0, path);
}

typedef struct layout_result {
    const char* title;
    layout_frames frames[2]; /* of auto_layout: without a limit of values, and with one */
    double ns[2];
    double best;
    double ratio; /* the worse of advised and auto, by the best */
} layout_result;

static void layout_measure(const layout_row* row, const char* folder, layout_result* result)
{
    layout_samples samples[LAYOUT_COLUMNS] = {{{0}, 0}};
    char found[3][LAYOUT_TEXT] = {"", "", ""};
    scene_frame* frame = scene_alloc(SCENE_FRAMES, sizeof(scene_frame));
    layout_search search = {.row = row};
    layout_try_all(&search);
    for (uint32_t turn = 0; turn < layout_repetitions * LAYOUT_COLUMNS; turn++) {
        uint32_t column = turn % LAYOUT_COLUMNS;
        scene_fn fn = layout_column_run(column, row->row);
        scene_run run = {.row = row->row};
        if (fn == NULL) {
            continue;
        }
        if (column >= LAYOUT_FIRST && column <= LAYOUT_THIRD) {
            if (search.tried <= column - LAYOUT_FIRST) {
                continue;
            }
            run.layout = search.text[column - LAYOUT_FIRST];
        } else if (column >= LAYOUT_AUTO && column <= LAYOUT_LIMITED) {
            run.finds = column == LAYOUT_ADVISED ? SCENE_FINDS_ADVISED : SCENE_FINDS_AUTO;
            run.frame = column == LAYOUT_ADVISED ? NULL : frame;
            run.found = found[column - LAYOUT_AUTO];
            run.moves = column == LAYOUT_LIMITED ? LAYOUT_MOVES_MOST : 0;
        }
        layout_samples* of = &samples[column];
        of->ns[of->count++] = layout_run(fn, &run, &search.checksum);
        if (column == LAYOUT_LIMITED) {
            layout_note(&result->frames[1], &run);
        } else if (column == LAYOUT_AUTO) {
            layout_note(&result->frames[0], &run);
        }
    }
    scene_free(frame);
    double ns[LAYOUT_COLUMNS];
    for (uint32_t column = 0; column < LAYOUT_COLUMNS; column++) {
        ns[column] = layout_median(&samples[column]);
    }
    uint32_t best = LAYOUT_DEFAULT;
    for (uint32_t column = LAYOUT_FIRST; column <= LAYOUT_THIRD; column++) {
        best = ns[column] > 0 && ns[column] < ns[best] ? column : best;
    }
    double peer = ns[LAYOUT_FLECS];
    peer = ns[LAYOUT_ENTT] > 0 && (peer <= 0 || ns[LAYOUT_ENTT] < peer) ? ns[LAYOUT_ENTT] : peer;
    double to_best = ns[LAYOUT_AUTO] / ns[best];
    double to_peer = peer > 0 ? ns[LAYOUT_AUTO] / peer : 0;
    double advised = ns[LAYOUT_ADVISED] / ns[best];
    result->title = layout_info[row->row].title;
    result->ns[0] = ns[LAYOUT_AUTO];
    result->ns[1] = ns[LAYOUT_LIMITED];
    result->best = ns[best];
    result->ratio = advised > to_best ? advised : to_best;
    printf("%-42s", result->title);
    layout_number(ns[LAYOUT_DEFAULT], "");
    layout_number(ns[best], "");
    layout_number(ns[LAYOUT_AUTO], "");
    layout_number(ns[LAYOUT_ADVISED], "");
    layout_number(ns[LAYOUT_ENTT], "");
    layout_number(ns[LAYOUT_FLECS], "");
    layout_number(to_best, to_best > LAYOUT_BEST ? "!" : " ");
    layout_number(to_peer, to_peer > LAYOUT_PEER ? "!" : " ");
    printf(" %5.1f%% %6u\n", 100 * layout_spread(&samples[LAYOUT_AUTO]),
           (unsigned)result->frames[0].last_change);
    printf("    best of %u: %s\n", (unsigned)search.tried + 1,
           best == LAYOUT_DEFAULT ? "default" : search.text[best - LAYOUT_FIRST]);
    printf("    auto:    %s\n    advised: %s\n", layout_line(found[0]), layout_line(found[1]));
    if (folder != NULL) {
        layout_save(folder, row->row, found[0], search.checksum, ns[LAYOUT_AUTO]);
    }
    fflush(stdout);
}

static void layout_print_frames(layout_result* results, uint32_t limited)
{
    printf("\n%-42s %9s %9s %8s %9s %9s %9s %9s %9s\n",
           limited != 0 ? "the same, 131,072 values a frame at most"
                        : "frames of auto until the layout is found",
           "values", "moved in", "sampling", "median", "99 %", "99.9 %", "longest", "to best");
    printf("%-42s %9s %9s %8s %9s %9s %9s %9s\n", "", "moved", "us", "ns/frame", "us", "us", "us",
           "us");
    for (uint32_t k = 0; k < LAYOUT_ROWS; k++) {
        layout_frames* frames = &results[k].frames[limited];
        double* seconds = frames->seconds;
        uint32_t count = frames->count;
        double sampled = frames->steps != 0 ? frames->sampled / frames->steps : 0;
        printf("%-42s %9llu %9.0f %8.0f %9.1f %9.1f %9.1f %9.1f %9.3f\n", results[k].title,
               (unsigned long long)frames->values, frames->moved * 1e6, sampled * 1e9,
               layout_quantile(seconds, count, 0.5) * 1e6,
               layout_quantile(seconds, count, 0.99) * 1e6,
               layout_quantile(seconds, count, 0.999) * 1e6,
               layout_quantile(seconds, count, 1) * 1e6, results[k].ns[limited] / results[k].best);
    }
}

/* ------------------------------------------------------------------------- work that changes */

/* Positions and two more types, of every second entity and of every third; one loop a frame, over
 * one of them, and later over the other: no layout is the best for both. */
typedef struct changing_world {
    sett_world* world;
    sett_query* query[2];
} changing_world;

#define CHANGING_FRAMES 400 /* of each half */
#define CHANGING_LAST 64    /* of them, that count as settled */

static changing_world changing_create(bool automatic, const char* layout, uint32_t count)
{
    scene_run run = {.finds = automatic ? SCENE_FINDS_AUTO : SCENE_FINDS_NONE, .layout = layout};
    changing_world made = {.world = scene_world(&run, true)};
    sett_component id[3];
    static const char* const names[3] = {"Position", "Velocity", "Force"};
    scene_arrange(&run, made.world, NULL);
    for (uint32_t type = 0; type < 3; type++) {
        id[type] = scene_type(made.world, names[type], sizeof(Pair), SETT_ALIGNOF(Pair),
                              SETT_STORAGE_DEFAULT);
    }
    for (uint32_t k = 0; k < count; k++) {
        sett_entity entity = sett_entity_create(made.world);
        for (uint32_t type = 0; type < 3; type++) {
            if (k % (type + 1) == 0) {
                *(Pair*)sett_add(made.world, entity, id[type]) = scene_pair(k, type);
            }
        }
    }
    for (uint32_t half = 0; half < 2; half++) {
        made.query[half] =
            scene_query(made.world, (sett_term[]){{.component = id[0]},
                                                  {.component = id[1 + half], .access = SETT_IN},
                                                  {0}});
    }
    return made;
}

/* Runs one half's frames. Returns the frame of the last change; seconds of each. */
static uint32_t changing_run(const changing_world* made, uint32_t half, double* seconds)
{
    uint32_t last = 0;
    for (uint32_t frame = 0; frame < CHANGING_FRAMES; frame++) {
        double began = scene_clock();
        SETT_QUERY_EACH(made->query[half], b) {
            Pair* p = sett_batch_field(b, 0);
            const Pair* v = sett_batch_field(b, 1);
            SETT_EACH(b, i) {
                p[i].x += v[i].x * SCENE_DT;
                p[i].y += v[i].y * SCENE_DT;
            }
        }
        last = sett_layout_step(made->world, UINT32_MAX) != 0 ? frame + 1 : last;
        seconds[frame] = scene_clock() - began;
    }
    return last;
}

static double changing_settled(double* seconds)
{
    return layout_quantile(seconds + CHANGING_FRAMES - CHANGING_LAST, CHANGING_LAST, 0.5);
}

static void layout_change(void)
{
    static const char* const best[2] = {"group { Position Velocity }; array Force",
                                        "group { Position Force }; array Velocity"};
    static double all[2][LAYOUT_REPETITIONS * CHANGING_FRAMES];
    layout_samples samples[2][2] = {{{{0}, 0}}}; /* us a frame: auto, and the best by hand */
    uint32_t last[2] = {0, 0};
    uint32_t count = layout_quick ? LAYOUT_FEW : 1000000;
    for (uint32_t k = 0; k < layout_repetitions; k++) {
        changing_world automatic = changing_create(true, NULL, count);
        for (uint32_t half = 0; half < 2; half++) {
            double hand[CHANGING_FRAMES];
            double seconds[CHANGING_FRAMES];
            uint32_t change = changing_run(&automatic, half, seconds);
            last[half] = change > last[half] ? change : last[half];
            memcpy(&all[half][k * CHANGING_FRAMES], seconds, sizeof(seconds));
            samples[half][0].ns[samples[half][0].count++] = changing_settled(seconds) * 1e6;
            changing_world by_hand = changing_create(false, best[half], count);
            (void)changing_run(&by_hand, half, hand);
            samples[half][1].ns[samples[half][1].count++] = changing_settled(hand) * 1e6;
            sett_world_destroy(by_hand.world);
        }
        sett_world_destroy(automatic.world);
    }
    printf("\n%-42s %9s %9s %8s %6s %9s %9s %9s\n", "work that changes: us a frame, at the end",
           "auto", "by hand", "ratio", "frames", "99 %", "99.9 %", "longest");
    for (uint32_t half = 0; half < 2; half++) {
        uint32_t frames = layout_repetitions * CHANGING_FRAMES;
        double found = layout_median(&samples[half][0]);
        double hand = layout_median(&samples[half][1]);
        printf("%-42s %9.1f %9.1f %8.3f %6u %9.1f %9.1f %9.1f\n",
               half == 0 ? "loops over every second entity" : "then over every third", found, hand,
               found / hand, (unsigned)last[half], layout_quantile(all[half], frames, 0.99) * 1e6,
               layout_quantile(all[half], frames, 0.999) * 1e6,
               layout_quantile(all[half], frames, 1) * 1e6);
    }
}

/* ------------------------------------------------------------------------ saved, and shipped */

/* Applies the layouts that another process saved. */
static void layout_load(const char* folder)
{
    printf("\n%-42s %9s %9s %8s\n", "shipped: ns an operation", "found", "applied", "ratio");
    for (uint32_t k = 0; k < LAYOUT_ROWS; k++) {
        scene_row row = layout_rows[k].row;
        char path[512];
        char text[LAYOUT_TEXT + 64];
        char found[LAYOUT_TEXT];
        unsigned long long sum = 0;
        double ns = 0;
        layout_file(path, sizeof(path), folder, row);
        FILE* file = fopen(path, "r");
        scene_check(file != NULL, path);
        size_t size = fread(text, 1, sizeof(text) - 1, file);
        text[size] = '\0';
        scene_check(sscanf(text, "# %llu %lf", &sum, &ns) == 2, path);
        (void)fclose(file);
        uint64_t checksum = sum;
        layout_samples samples = {{0}, 0};
        for (uint32_t turn = 0; turn < layout_repetitions; turn++) {
            scene_run run = {.row = row, .layout = text, .found = found};
            samples.ns[samples.count++] = layout_run(scene_sett(row), &run, &checksum);
        }
        scene_check(strcmp(layout_line(found), layout_line(strchr(text, '\n') + 1)) == 0,
                    "a world has the layout that it was given");
        double applied = layout_median(&samples);
        printf("%-42s %9.3f %9.3f %8.3f\n", layout_info[row].title, ns, applied, applied / ns);
        fflush(stdout);
    }
}

/* What follows an option's name; NULL if it is not there. */
static const char* layout_option(int argc, char** argv, const char* option)
{
    for (int k = 1; k < argc; k++) {
        if (strncmp(argv[k], option, strlen(option)) == 0) {
            return argv[k] + strlen(option);
        }
    }
    return NULL;
}

int main(int argc, char** argv)
{
    static layout_result results[LAYOUT_ROWS];
    double worst = 0;
    layout_quick = layout_option(argc, argv, "--quick") != NULL;
    layout_repetitions = layout_quick ? 1 : LAYOUT_REPETITIONS;
    scene_divisor = layout_quick ? 100 : 1;
    const char* load = layout_option(argc, argv, "--load=");
    if (load != NULL) {
        layout_load(load);
        return 0;
    }
    printf("%-42s %8s %8s %8s %8s %8s %8s %9s %9s %6s %6s\n", "ns an operation", "default", "best",
           "auto", "advised", "EnTT", "flecs", "to best", "to peer", "spread", "frames");
    for (uint32_t k = 0; k < LAYOUT_ROWS; k++) {
        layout_measure(&layout_rows[k], layout_option(argc, argv, "--save="), &results[k]);
        worst = results[k].ratio > worst ? results[k].ratio : worst;
    }
    printf("advised or auto / best, at worst: %.2f\n", worst);
    layout_print_frames(results, 0);
    layout_print_frames(results, 1);
    layout_change();
    return layout_option(argc, argv, "--check") != NULL && worst > LAYOUT_BEST ? 1 : 0;
}

/* test_abm.c: orders, tables, runs, scans and pictures of a small model: agents that walk on a
 * line, multiply and end. */
#include "chance.h"
#include "sett/members.h"
#include "sett/random.h"
#include "sett_abm.h"
#include "worlds.h"

#include <math.h>

typedef struct Spot {
    int32_t x, y;
    float weight;
    bool marked;
} Spot;

#define KINDS(COMPONENT, TAG)                                                                      \
    COMPONENT(Spot, .members = SETT_STRUCT(Spot, x, y, weight, marked)) TAG(Old)
SETT_COMPONENTS(KINDS)

/* -------------------------------------------------------------------------------------- orders */

static void orders_have_each_entity_once(void)
{
    sett_world* world = quiet_world();
    SETT_REGISTER_ALL(world, KINDS);
    sett_query* query = SETT_QUERY_CREATE(world, SETT_IN(Spot));
    sett_abm_order* order = sett_abm_order_create(world, query);
    static sett_entity made[3000];
    static uint32_t times[3000];
    SETT_ABM_ACTIVATE(order, 1, 0, e) {
        CHECK_MSG(false, "none is there: %u", (unsigned)e.index);
    }
    for (uint32_t k = 0; k < 3000; k++) {
        made[k] = SETT_CREATE(world, SETT_VALUE(Spot, .x = (int32_t)k, .y = 0));
    }
    uint64_t chance = 5;
    for (uint64_t step = 0; step < 20; step++) {
        uint32_t count = 0;
        uint32_t ended = 0;
        uint32_t born = 0;
        SETT_ABM_ACTIVATE(order, 7, step, e) {
            CHECK(e.index < 3000);
            times[e.index]++;
            CHECK_EQ(times[e.index], 1);
            count++;
            uint32_t other = chance_below(&chance, 3000);
            if (times[other] == 0 && sett_entity_valid(world, made[other])) {
                CHECK_EQ(sett_entity_destroy(world, made[other]), SETT_OK);
                times[other] = 100; /* it must not come any more */
                ended++;
            } else if (chance_below(&chance, 10) == 0) {
                SETT_CREATE(world, SETT_VALUE(Spot, .x = 0, .y = 0));
                born++;
            }
        }
        CHECK_EQ(count + ended, 3000);
        sett_world_clear(world);
        memset(times, 0, sizeof(times));
        for (uint32_t k = 0; k < 3000; k++) {
            made[k] = SETT_CREATE(world, SETT_VALUE(Spot, .x = (int32_t)k, .y = 0));
        }
    }
    uint32_t turns = 0;
    SETT_ABM_ACTIVATE(order, 7, 1, e) {
        turns += !sett_is_null(e);
        break;
    }
    CHECK_EQ(turns, 1);
    CHECK_EQ(sett_abm_order_destroy(order), SETT_OK);
    CHECK_EQ(sett_abm_order_destroy(NULL), SETT_OK);
    CHECK(sett_abm_order_create(world, NULL) == NULL);
    CHECK(sett_is_null(sett_abm_order_begin(NULL, 1, 1)));
    CHECK_END(world);
}

/* All 120 orders of five entities, about as often; the same one for the same seed and step. */
static void orders_are_uniform(void)
{
    sett_world* world = quiet_world();
    SETT_REGISTER_ALL(world, KINDS);
    sett_abm_order* order = sett_abm_order_create(world, SETT_QUERY_CREATE(world, SETT_IN(Spot)));
    for (uint32_t k = 0; k < 5; k++) {
        SETT_CREATE(world, SETT_VALUE(Spot, .x = (int32_t)k, .y = 0));
    }
    static uint32_t times[5 * 5 * 5 * 5 * 5];
    const uint32_t rounds = 120 * 200;
    for (uint32_t round = 0; round < rounds; round++) {
        uint32_t code[2] = {0, 0};
        for (uint32_t k = 0; k < 2; k++) {
            SETT_ABM_ACTIVATE(order, round % 7, round / 7, e) {
                code[k] = code[k] * 5 + e.index;
            }
        }
        CHECK_EQ(code[0], code[1]);
        times[code[0]]++;
    }
    double square = 0;
    uint32_t met = 0;
    for (uint32_t k = 0; k < 5 * 5 * 5 * 5 * 5; k++) {
        met += times[k] != 0;
        square += times[k] != 0 ? (times[k] - 200.0) * (times[k] - 200.0) / 200 : 0;
    }
    CHECK_EQ(met, 120);
    CHECK_MSG(square < 119 + 5 * sqrt(2 * 119.0), "%g", square);
    CHECK_END(world);
}

/* -------------------------------------------------------------------------------------- tables */

static double number_of_all(sett_world* world, void* data)
{
    return sett_entity_count(world) + *(double*)data;
}

static const sett_abm_column columns[] = {
    {"count", .query = "Spot, !Old"},
    {"sum", SETT_ABM_SUM, .query = "Spot", .member = "Spot.x"},
    {"mean", SETT_ABM_MEAN, .query = "Old", .member = "Spot.weight"},
    {"least", SETT_ABM_MIN, .query = "Spot, Old", .member = "Spot.x"},
    {"most", SETT_ABM_MAX, .query = "Spot", .member = "Spot.marked"},
    {"all", .value = number_of_all},
    {NULL, .query = "Old"}};

static size_t read_file(const char* path, char* out, size_t size)
{
    FILE* file = fopen(path, "rb");
    CHECK_MSG(file != NULL, "%s", path);
    size_t got = fread(out, 1, size - 1, file);
    out[got] = '\0';
    fclose(file);
    return got;
}

static void write_file(const char* path, const char* bytes, size_t size)
{
    FILE* file = fopen(path, "wb");
    CHECK(file != NULL);
    CHECK_EQ(fwrite(bytes, 1, size, file), size);
    CHECK_EQ(fclose(file), 0);
}

static void tables_reduce_members(void)
{
    sett_world* world = quiet_world();
    SETT_REGISTER_ALL(world, KINDS);
    double more = 1000;
    sett_abm_table* table = sett_abm_table_create(world, columns, &more);
    CHECK_MSG(table != NULL, "%s", sett_world_message(world));
    CHECK_EQ(sett_abm_table_collect(table, 0), SETT_OK);
    for (uint32_t row = 1; row < 200; row++) {
        sett_entity e = sett_entity_create(world);
        sett_set(world, e, Spot_id,
                 &(Spot){(int32_t)row, -(int32_t)row, (float)row / 2, row % 2 == 0});
        if (row % 3 == 0) {
            sett_add(world, e, Old_id);
        }
        CHECK_EQ(sett_abm_table_collect(table, row * 10), SETT_OK);
    }
    CHECK_EQ(sett_abm_table_rows(table), 200);
    for (uint32_t row = 0; row < 200; row++) {
        double old = row / 3;
        CHECK(sett_abm_table_value(table, row, 0) == row - old);
        CHECK(sett_abm_table_value(table, row, 1) == row * (row + 1.0) / 2);
        double mean = sett_abm_table_value(table, row, 2);
        CHECK(old == 0 ? isnan(mean) : mean == 3 * (old + 1) / 4);
        double least = sett_abm_table_value(table, row, 3);
        CHECK(old == 0 ? isnan(least) : least == 3);
        double most = sett_abm_table_value(table, row, 4);
        CHECK(row == 0 ? isnan(most) : most == (row > 1));
        CHECK(sett_abm_table_value(table, row, 5) == 1000 + row);
    }
    CHECK(isnan(sett_abm_table_value(table, 200, 0)));
    CHECK(isnan(sett_abm_table_value(table, 0, 6)));
    static char text[100000];
    CHECK_EQ(sett_abm_table_write(table, "abm.csv", "seed 5\nx"), SETT_OK);
    read_file("abm.csv", text, sizeof(text));
    CHECK(strncmp(text, "# seed 5?x, Sett ", 17) == 0);
    CHECK(strstr(text, "\nstep,count,sum,mean,least,most,all\n0,0,0,nan,nan,nan,1000\n"
                       "10,1,1,nan,nan,0,1001\n") != NULL);
    CHECK(strstr(text, "\n30,2,6,1.5,3,1,1003\n") != NULL);
    CHECK_EQ(sett_abm_table_write(table, "abm.npy", "seed 5"), SETT_OK);
    size_t size = read_file("abm.npy", text, sizeof(text));
    CHECK_EQ(memcmp(text, "\x93NUMPY\1\0", 8), 0);
    size_t head = 10 + (unsigned char)text[8] + 256u * (unsigned char)text[9];
    CHECK_EQ(head % 64, 0);
    CHECK_EQ(size, head + 200 * 7 * 8);
    CHECK(text[head - 1] == '\n' &&
          strstr(text + 10, "'shape': (200,), } # seed 5, Sett ") != NULL);
    CHECK(strstr(text + 10, "{'descr': [('step', '<f8'), ('count', '<f8'), ") != NULL);
    CHECK_EQ(memcmp(text + head + 7 * 8, "\0\0\0\0\0\0\x24\x40", 8), 0); /* 10: row 1's step */
    CHECK_EQ(sett_abm_table_write(table, "no/such/folder.csv", NULL), SETT_STATUS_FILE);
    CHECK(strstr(sett_world_message(world), "no/such/folder.csv") != NULL);
    sett_abm_table_destroy(table);
    sett_abm_table_destroy(NULL);
    const sett_abm_column wrong[][2] = {
        {{"a", .query = "None"}},
        {{"a", SETT_ABM_SUM, .query = "Spot"}},
        {{"a", .query = "Spot", .member = "Spot.x"}},
        {{"a", SETT_ABM_SUM, .query = "Spot", .member = "Spot.none"}},
        {{"a", SETT_ABM_SUM, .query = NULL, .member = "Spot.x"}}};
    for (uint32_t k = 0; k < sizeof(wrong) / sizeof(wrong[0]); k++) {
        CHECK(sett_abm_table_create(world, wrong[k], NULL) == NULL);
        CHECK(sett_world_error(world) != SETT_OK);
    }
    CHECK_END(world);
}

/* ---------------------------------------------------------------------------------------- runs */

typedef struct Walk {
    sett_abm_order* order;
    sett_query* all;
} Walk;

static bool walk_begin(sett_abm* run)
{
    Walk* w = run->data;
    SETT_REGISTER_ALL(run->world, KINDS);
    w->all = SETT_QUERY_CREATE(run->world, SETT_IN(Spot));
    w->order = sett_abm_order_create(run->world, w->all);
    for (uint32_t k = 0; k < run->parameters[0]; k++) {
        SETT_CREATE(run->world, SETT_VALUE(Spot, .x = (int32_t)k, .y = (int32_t)k));
    }
    return run->parameters[0] < 1000;
}

static void walk_step(sett_abm* run)
{
    Walk* w = run->data;
    SETT_ABM_ACTIVATE(w->order, run->seed, run->step, e) {
        uint64_t bits = sett_random(run->seed, e, run->step, 0);
        for (uint32_t use = 0; use < 20; use++) { /* also those whose keys are not kept */
            CHECK_EQ(sett_abm_bits(run, e, use), sett_random(run->seed, e, run->step, use));
        }
        Spot* spot = SETT_GET_MUT(run->world, e, Spot);
        spot->x += (int32_t)sett_random_range(bits, 3) - 1;
        spot->weight += (float)spot->x;
        double draw = sett_random_uniform(sett_random(run->seed, e, run->step, 1));
        if (draw < run->parameters[1]) {
            sett_entity_destroy(run->world, e);
        } else if (draw < 2 * run->parameters[1]) {
            SETT_CREATE(run->world, SETT_VALUE(Spot, .x = spot->x, .y = 0));
        }
    }
}

static const sett_abm_picture picture = {
    .x = "Spot.x",
    .y = "Spot.y",
    .size = {20, 20},
    .width = 40,
    .background = 0x000102,
    .layers = {{"Spot", .colour = 0x102030}, {"Old", .colour = 0xFF0000, .dot = 1}}};

static const sett_abm_model walk = {
    .name = "walk",
    .version = "3",
    .steps = 12,
    .data_size = sizeof(Walk),
    .parameters = {{"agents", 40}, {"end", 0.02}},
    .columns = {{"agents", .query = "Spot"},
                {"x", SETT_ABM_MEAN, .query = "Spot", .member = "Spot.x"}},
    .picture = &picture,
    .begin = walk_begin,
    .step = walk_step};

static void runs_depend_on_seed_and_parameters(void)
{
    sett_abm_result a, b, c, d;
    CHECK_EQ(sett_abm_run(&walk, 1, NULL, NULL, &a), SETT_OK);
    CHECK_EQ(sett_abm_run(&walk, 1, (double[]){40, 0.02}, NULL, &b), SETT_OK);
    CHECK_EQ(sett_abm_run(&walk, 2, NULL, NULL, &c), SETT_OK);
    CHECK_EQ(sett_abm_run(&walk, 1, (double[]){41, 0.02}, NULL, &d), SETT_OK);
    CHECK(memcmp(&a, &b, sizeof(a)) == 0);
    CHECK(a.hash != c.hash && a.hash != d.hash && a.hash != 0);
    CHECK(a.seed == 1 && a.parameters[0] == 40 && d.parameters[0] == 41);
    CHECK(a.values[0] > 10 && a.values[0] < 100);
    CHECK_EQ(sett_abm_run(&walk, 1, (double[]){1000, 0}, NULL, &d), SETT_STATUS_INVALID);
    CHECK_EQ(sett_abm_run(&(sett_abm_model){.name = "none"}, 1, NULL, NULL, NULL),
             SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_abm_run(NULL, 1, NULL, NULL, NULL), SETT_STATUS_ARGUMENT);
    static char text[20000];
    sett_abm_options options = {.table = "run.csv", .collect_every = 5, .progress = true};
    CHECK_EQ(sett_abm_run(&walk, 1, NULL, &options, &b), SETT_OK);
    CHECK(memcmp(&a, &b, sizeof(a)) == 0);
    read_file("run.csv", text, sizeof(text));
    CHECK(strncmp(text, "# walk 3, seed 1, 12 steps, agents 40, end 0.02", 47) == 0);
    CHECK(strstr(text, "\nstep,agents,x\n0,40,19.5\n5,") != NULL);
    CHECK(strstr(text, "\n10,") != NULL && strstr(text, "\n12,") != NULL);
    CHECK(strstr(text, "\n11,") == NULL);
}

static void pictures_show_the_agents(void)
{
    sett_world* world = quiet_world();
    SETT_REGISTER_ALL(world, KINDS);
    sett_entity e = SETT_CREATE(world, SETT_VALUE(Spot, .x = 3, .y = 0), SETT_VALUE_TAG(Old));
    SETT_CREATE(world, SETT_VALUE(Spot, .x = 19, .y = 19));
    SETT_CREATE(world, SETT_VALUE(Spot, .x = 20, .y = 0)); /* beyond */
    SETT_CREATE(world, SETT_VALUE(Spot, .x = -1, .y = 7));
    CHECK_EQ(sett_abm_picture_write(world, &picture, "abm.ppm"), SETT_OK);
    static char bytes[10000];
    size_t size = read_file("abm.ppm", bytes, sizeof(bytes));
    CHECK_EQ(memcmp(bytes, "P6\n40 40\n255\n", 13), 0);
    CHECK_EQ(size, 13 + 40 * 40 * 3);
    for (uint32_t k = 0; k < 1600; k++) {
        uint32_t x = k % 40;
        uint32_t y = 39 - k / 40;
        const unsigned char* at = (const unsigned char*)bytes + 13 + (size_t)k * 3;
        uint32_t colour = (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];
        uint32_t expected = x / 2 == 3 && y / 2 == 0     ? 0x102030u
                            : x / 2 == 19 && y / 2 == 19 ? 0x102030u
                                                         : 0x000102u;
        expected = x == 6 && y == 0 ? 0xFF0000u : expected;
        CHECK_MSG(colour == expected, "%u:%u", (unsigned)x, (unsigned)y);
    }
    sett_abm_picture wrong = picture;
    wrong.size[1] = 0;
    CHECK_EQ(sett_abm_picture_write(world, &wrong, "abm.ppm"), SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(world), " x 0 pixels - change them: ") != NULL);
    wrong = picture;
    wrong.x = "Spot.none";
    CHECK_EQ(sett_abm_picture_write(world, &wrong, "abm.ppm"), SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(world), "no component has a member \"Spot.none\" - ") != NULL);
    wrong = picture;
    wrong.layers[0].query = "None";
    CHECK(sett_abm_picture_write(world, &wrong, "abm.ppm") != SETT_OK);
    CHECK_EQ(sett_abm_picture_write(world, &picture, "no/such/folder.png"), SETT_STATUS_FILE);
    sett_entity_destroy(world, e);
    CHECK_END(world);
    sett_abm_options options = {.pictures = "walk%06u.png", .picture_every = 5};
    CHECK_EQ(sett_abm_run(&walk, 1, NULL, &options, NULL), SETT_OK);
    for (uint32_t step = 0; step <= 12; step += step == 10 ? 2 : 5) {
        char path[64];
        snprintf(path, sizeof(path), "walk%06u.png", (unsigned)step);
        FILE* file = fopen(path, "rb");
        snprintf(path, sizeof(path), "walk%06u.ppm", (unsigned)step);
        file = file != NULL ? file : fopen(path, "rb");
        CHECK_MSG(file != NULL, "%s", path);
        int first = fgetc(file);
        CHECK(first == 0x89 || first == 'P');
        fclose(file);
    }
    options.pictures = "walk%s.png";
    CHECK_EQ(sett_abm_run(&walk, 1, NULL, &options, NULL), SETT_STATUS_ARGUMENT);
    options.pictures = "walk%u%u.png";
    CHECK_EQ(sett_abm_run(&walk, 1, NULL, &options, NULL), SETT_STATUS_ARGUMENT);
}

/* --------------------------------------------------------------------------------------- scans */

enum {
    RUNS = 2 * 3 * 8
};

static bool stops(void* user)
{
    uint32_t* left = user;
    return (*left)-- == 0;
}

static sett_abm_scan_desc scan_of(const char* path)
{
    static const double agents[] = {30, 20};
    static const double ends[] = {0.01, 0.1 + 0.2, 0};
    return (sett_abm_scan_desc){.first_seed = 100,
                                .seeds = 8,
                                .axes = {{"end", ends, 3}, {"agents", agents, 2}},
                                .threads = 1,
                                .path = path};
}

static void scans_do_not_depend_on_threads(void)
{
    static sett_abm_result one[RUNS], other[RUNS];
    sett_abm_scan_desc desc = scan_of(NULL);
    CHECK_EQ(sett_abm_scan(&walk, &desc, one), SETT_OK);
    for (uint32_t k = 0; k < RUNS; k++) {
        sett_abm_result single;
        double expected[2] = {k / 8 % 2 == 0 ? 30 : 20, k / 16 == 0   ? 0.01
                                                        : k / 16 == 1 ? 0.1 + 0.2
                                                                      : 0};
        CHECK_EQ(sett_abm_run(&walk, 100 + k % 8, expected, NULL, &single), SETT_OK);
        CHECK(memcmp(&single, &one[k], sizeof(single)) == 0);
        for (uint32_t n = 0; n < k; n++) {
            CHECK(one[n].hash != one[k].hash || one[k].values[0] == 0);
        }
    }
    for (uint32_t threads = 0; threads < 5; threads++) {
        memset(other, 0, sizeof(other));
        desc.threads = threads;
        desc.progress = threads == 2;
        CHECK_EQ(sett_abm_scan(&walk, &desc, other), SETT_OK);
        CHECK(memcmp(one, other, sizeof(one)) == 0);
    }
    CHECK_EQ(sett_abm_scan(&walk, &desc, NULL), SETT_OK);
    desc.axes[1].parameter = "none";
    CHECK_EQ(sett_abm_scan(&walk, &desc, other), SETT_STATUS_ARGUMENT);
    desc.axes[1] = (sett_abm_axis){"agents", (double[]){5, 1000}, 2};
    CHECK_EQ(sett_abm_scan(&walk, &desc, other), SETT_STATUS_INVALID);
    CHECK_EQ(sett_abm_scan(&walk, NULL, other), SETT_STATUS_ARGUMENT);
}

/* Wherever a scan was interrupted, and whatever of its file is left or damaged. */
static void scans_go_on_where_they_were(void)
{
    static sett_abm_result all[RUNS], again[RUNS];
    static char whole[20000], bytes[20000];
    sett_abm_scan_desc desc = scan_of("scan.csv");
    remove("scan.csv");
    CHECK_EQ(sett_abm_scan(&walk, &desc, all), SETT_OK);
    size_t size = read_file("scan.csv", whole, sizeof(whole));
    for (uint32_t after = 0; after < RUNS; after += 5) {
        remove("scan.csv");
        uint32_t left = after;
        desc.threads = 1 + after % 3;
        desc.stop = stops;
        desc.user = &left;
        CHECK_EQ(sett_abm_scan(&walk, &desc, again), SETT_STATUS_REJECTED);
        desc.stop = NULL;
        memset(again, 0, sizeof(again));
        CHECK_EQ(sett_abm_scan(&walk, &desc, again), SETT_OK);
        CHECK(memcmp(all, again, sizeof(all)) == 0);
        CHECK_EQ(read_file("scan.csv", bytes, sizeof(bytes)), size);
        CHECK_EQ(memcmp(whole, bytes, size), 0);
    }
    for (size_t cut = 0; cut < size; cut += CHECK_STEP_OF(7u) * 13) {
        write_file("scan.csv", whole, cut);
        memset(again, 0, sizeof(again));
        CHECK_EQ(sett_abm_scan(&walk, &desc, again), SETT_OK);
        CHECK(memcmp(all, again, sizeof(all)) == 0);
        read_file("scan.csv", bytes, sizeof(bytes));
        CHECK_EQ(memcmp(whole, bytes, size), 0);
    }
    size_t head = (size_t)(strstr(whole, "check\n") - whole) + 6;
    for (size_t at = 0; at < size; at += CHECK_STEP_OF(3u) * 29) {
        memcpy(bytes, whole, size);
        bytes[at] = bytes[at] == '3' ? '4' : '3';
        write_file("scan.csv", bytes, size);
        sett_status status = sett_abm_scan(&walk, &desc, again);
        CHECK_EQ(status, at < head ? SETT_STATUS_CONFLICT : SETT_OK);
        CHECK(memcmp(all, again, sizeof(all)) == 0);
    }
}

static void other_scans_files_are_rejected(void)
{
    sett_abm_scan_desc desc = scan_of("other.csv");
    remove("other.csv");
    CHECK_EQ(sett_abm_scan(&walk, &desc, NULL), SETT_OK);
    sett_abm_model changed = walk;
    changed.version = "4";
    CHECK_EQ(sett_abm_scan(&changed, &desc, NULL), SETT_STATUS_CONFLICT);
    changed = walk;
    changed.steps = 13;
    CHECK_EQ(sett_abm_scan(&changed, &desc, NULL), SETT_STATUS_CONFLICT);
    changed = walk;
    changed.parameters[1].name = "ends";
    sett_abm_scan_desc one = desc;
    one.axes[0].parameter = "ends";
    CHECK_EQ(sett_abm_scan(&changed, &one, NULL), SETT_STATUS_CONFLICT);
    one = desc;
    one.first_seed++;
    CHECK_EQ(sett_abm_scan(&walk, &one, NULL), SETT_STATUS_CONFLICT);
    one = desc;
    one.axes[0].count = 2;
    CHECK_EQ(sett_abm_scan(&walk, &one, NULL), SETT_STATUS_CONFLICT);
    CHECK_EQ(sett_abm_scan(&walk, &desc, NULL), SETT_OK);
    desc.path = "no/such/folder.csv";
    CHECK_EQ(sett_abm_scan(&walk, &desc, NULL), SETT_STATUS_FILE);
}

/* -------------------------------------------------------------------------------- main function */

static int main_of(const char* options)
{
    static char text[256];
    char* words[20] = {text};
    int count = 1;
    snprintf(text, sizeof(text), "walk %s", options);
    for (char* c = text; *c != '\0'; c++) {
        if (*c == ' ') {
            *c = '\0';
            words[count++] = c + 1;
        }
    }
    return sett_abm_main(&walk, count, words);
}

static void command_lines_are_understood(void)
{
    static char a[20000], b[20000];
    remove("main.csv");
    CHECK_EQ(main_of("--quiet --seed 100 --seeds 8 --set end=0.01,0.3,0 --set agents=30,20 "
                     "--threads 2 --file main.csv"),
             0);
    sett_abm_scan_desc desc = scan_of("same.csv");
    CHECK_EQ(sett_abm_scan(&walk, &desc, NULL), SETT_OK);
    read_file("main.csv", a, sizeof(a));
    read_file("same.csv", b, sizeof(b));
    CHECK(strstr(a, "\n100,30,0.01") != NULL && strstr(b, "\n100,30,0.01") != NULL);
    remove("table.csv");
    CHECK_EQ(main_of("--quiet --table table.csv --every 6 --set agents=7"), 0);
    read_file("table.csv", a, sizeof(a));
    CHECK(strstr(a, "agents 7, ") != NULL && strstr(a, "\n6,") != NULL);
    static const char* const wrong[] = {
        "--none 1",      "--seed",         "--seed x",        "--set none=1",       "--set agents",
        "--set agents=", "--set agents=x", "--set agents=1,", "--seeds 99999999999"};
    for (uint32_t k = 0; k < sizeof(wrong) / sizeof(wrong[0]); k++) {
        CHECK_MSG(main_of(wrong[k]) == 2, "%s", wrong[k]);
    }
    CHECK_EQ(main_of("--quiet --set agents=1000"), 1);
    CHECK_EQ(sett_abm_main(NULL, 0, NULL), 1);
}

TEST_MAIN(TEST(orders_have_each_entity_once), TEST(orders_are_uniform), TEST(tables_reduce_members),
          TEST(runs_depend_on_seed_and_parameters), TEST(pictures_show_the_agents),
          TEST(scans_do_not_depend_on_threads), TEST(scans_go_on_where_they_were),
          TEST(other_scans_files_are_rejected), TEST(command_lines_are_understood))

/* test_wad.c - what is right is read as it is, what is wrong is rejected with a sentence, and
 * nothing crashes or hangs: run with the address and undefined-behaviour sanitizers. */
#include "check.h"
#include "collide.h"
#include "level.h"
#include "ray.h"
#include "wad.h"
#include "wad_cut.h"

/* Places of the lumps after a map's marker. */
enum {
    THINGS = 1,
    LINEDEFS,
    SIDEDEFS,
    VERTEXES,
    SEGS,
    SSECTORS,
    NODES,
    SECTORS,
    REJECT,
    BLOCKMAP
};

/* --- what is right ---------------------------------------------------------------------------- */

typedef struct Totals {
    uint64_t maps, things, lines, sectors;
} Totals;

static void count_maps(const char* path, uint32_t maps, Totals* totals)
{
    Wad wad;
    Fault fault;
    CHECK_MSG(wad_open(&wad, path, &fault), "%s", fault.text);
    CHECK_EQ(wad.map_count, maps);
    for (uint32_t n = 0; n < wad.map_count; n++) {
        WadMap map;
        CHECK_MSG(wad_read_map(&wad, n, &map, &fault), "%s", fault.text);
        totals->maps++;
        totals->things += map.thing_count;
        totals->lines += map.line_count;
        totals->sectors += map.sector_count;
        wad_free_map(&map);
    }
    wad_close(&wad);
}

static void reads_all_of_freedoom(void)
{
    Totals totals = {0};
    count_maps(WAD_CUT_FIRST, 36, &totals);
    count_maps(WAD_CUT_SECOND, 32, &totals);
    CHECK_EQ(totals.maps, 68);
    /* As of version 0.12.1 of the data. */
    CHECK_EQ(totals.things, 27447);
    CHECK_EQ(totals.lines, 159390);
    CHECK_EQ(totals.sectors, 25727);
}

/* One map, small enough to try thousands of damages on. */
static WadCut cut_small(void)
{
    static const char* const maps[] = {"E2M8"};
    return wad_cut_make(WAD_CUT_FIRST, maps, 1);
}

/* Opens and reads all maps. Returns whether everything was fine; otherwise `fault` says what was
 * not. */
static bool try_bytes(const void* bytes, size_t size, Fault* fault)
{
    Wad wad;
    fault->text[0] = '\0';
    if (!wad_open_memory(&wad, "damaged.wad", bytes, size, fault)) {
        return false;
    }
    bool good = true;
    for (uint32_t n = 0; good && n < wad.map_count; n++) {
        WadMap map;
        good = wad_read_map(&wad, n, &map, fault);
        if (good) {
            wad_free_map(&map);
        }
    }
    wad_close(&wad);
    return good;
}

static void reads_values(void)
{
    WadCut cut = cut_small();
    Wad wad;
    WadMap map;
    Fault fault;
    CHECK_MSG(wad_open_memory(&wad, "cut.wad", cut.bytes, cut.size, &fault), "%s", fault.text);
    CHECK_EQ(wad.map_count, 1);
    CHECK_STR_EQ(wad_map_name(&wad, 0), "E2M8");
    CHECK_MSG(wad_read_map(&wad, 0, &map, &fault), "%s", fault.text);
    CHECK_STR_EQ(map.name, "E2M8");
    CHECK_EQ(map.thing_count, 65);
    CHECK_EQ(map.line_count, 347);
    CHECK_EQ(map.sector_count, 64);
    const uint8_t* thing = wad_cut_lump(&cut, THINGS);
    CHECK_EQ((uint16_t)map.things[0].x, wad_cut_get(thing, 2));
    CHECK_EQ(map.things[0].type, wad_cut_get(thing + 6, 2));
    const uint8_t* line = wad_cut_lump(&cut, LINEDEFS) + 14 * 346;
    CHECK_EQ(map.lines[346].start, wad_cut_get(line, 2));
    CHECK_EQ(map.lines[346].side[1], wad_cut_get(line + 12, 2));
    wad_free_map(&map);
    wad_close(&wad);
    free(cut.bytes);
}

/* --- what is wrong ---------------------------------------------------------------------------- */

static void check_rejected(const void* bytes, size_t size, const char* part)
{
    Fault fault;
    CHECK_MSG(!try_bytes(bytes, size, &fault), "accepted, though %s", part);
    CHECK_MSG(strstr(fault.text, part) != NULL, "\"%s\" does not say \"%s\"", fault.text, part);
    CHECK_MSG(strncmp(fault.text, "damaged.wad: ", 13) == 0, "\"%s\"", fault.text);
    CHECK_MSG(strchr(fault.text, '\n') == NULL, "\"%s\"", fault.text);
}

static void rejects_what_is_no_wad(void)
{
    static const char lumpless[12] = "PWAD";
    Wad wad;
    Fault fault;
    check_rejected("", 0, "0 bytes");
    check_rejected("IWAD", 4, "4 bytes");
    check_rejected("\x89PNG\r\n\x1a\n\0\0\0\0", 12, "neither IWAD nor PWAD");
    check_rejected(lumpless, sizeof lumpless, "no map in it");
    CHECK(!wad_open(&wad, "no/such/file.wad", &fault));
    CHECK(strstr(fault.text, "no/such/file.wad: ") == fault.text);
    CHECK(!wad_open(&wad, "/", &fault));
    CHECK(strstr(fault.text, "/: ") == fault.text);
}

/* Writes a value somewhere in a good file, expects the rejection, and puts back what was there. */
static void check_place(const WadCut* cut, uint8_t* at, uint32_t value, size_t size,
                        const char* part)
{
    uint32_t old = wad_cut_get(at, size);
    wad_cut_put(at, value, size);
    check_rejected(cut->bytes, cut->size, part);
    wad_cut_put(at, old, size);
}

static void rejects_a_wrong_directory(void)
{
    WadCut cut = cut_small();
    Fault fault;
    CHECK_MSG(try_bytes(cut.bytes, cut.size, &fault), "%s", fault.text);
    check_place(&cut, cut.bytes + 4, 0xffffffff, 4, "directory of 4294967295 lumps");
    check_place(&cut, cut.bytes + 4, 0x10000001, 4, "directory of 268435457 lumps");
    check_place(&cut, cut.bytes + 8, (uint32_t)cut.size, 4, "directory of 11 lumps");
    check_place(&cut, cut.bytes + 8, 0xffffffff, 4, "directory of 11 lumps");
    check_place(&cut, wad_cut_entry(&cut, LINEDEFS), (uint32_t)cut.size, 4, "lump 2 (LINEDEFS)");
    check_place(&cut, wad_cut_entry(&cut, LINEDEFS), 0xffffffff, 4, "lump 2 (LINEDEFS)");
    check_place(&cut, wad_cut_entry(&cut, NODES) + 4, 0xffffffff, 4, "lump 7 (NODES)");
    check_place(&cut, wad_cut_entry(&cut, 0) + 8, 'X', 1, "no map in it");
    check_place(&cut, wad_cut_entry(&cut, SECTORS) + 8, 'X', 1, "E2M8: has no SECTORS lump");
    memcpy(wad_cut_entry(&cut, REJECT) + 8, "THINGS\0", 8);
    check_rejected(cut.bytes, cut.size, "E2M8: two THINGS lumps");
    memcpy(wad_cut_entry(&cut, REJECT) + 8, "BEHAVIOR", 8);
    check_rejected(cut.bytes, cut.size, "E2M8: has a BEHAVIOR lump");
    free(cut.bytes);
}

static void rejects_sizes_that_cannot_be(void)
{
    static const struct {
        uint32_t lump;
        const char* text;
    } cases[] = {{THINGS, "E2M8: THINGS has 649 bytes"},
                 {LINEDEFS, "E2M8: LINEDEFS has "},
                 {SIDEDEFS, "E2M8: SIDEDEFS has "},
                 {VERTEXES, "E2M8: VERTEXES has "},
                 {SEGS, "E2M8: SEGS has "},
                 {SSECTORS, "E2M8: SSECTORS has "},
                 {NODES, "E2M8: NODES has "},
                 {SECTORS, "E2M8: SECTORS has "},
                 {BLOCKMAP, "E2M8: BLOCKMAP has 2691 bytes"}};
    WadCut cut = cut_small();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t* size = wad_cut_entry(&cut, cases[i].lump) + 4;
        check_place(&cut, size, wad_cut_get(size, 4) - 1, 4, cases[i].text);
        if (cases[i].lump != THINGS && cases[i].lump != BLOCKMAP) {
            check_place(&cut, size, 0, 4, " is empty");
        }
    }
    free(cut.bytes);
}

static void rejects_references_out_of_range(void)
{
    WadCut cut = cut_small();
    uint8_t* line = wad_cut_lump(&cut, LINEDEFS) + 14 * 5;
    check_place(&cut, line, 0xffff, 2, "LINEDEFS record 5 refers to number 65535 of VERTEXES");
    check_place(&cut, line + 2, 0xfffe, 2, "LINEDEFS record 5 refers to number 65534 of VERTEXES");
    check_place(&cut, line + 10, 0xffff, 2, "LINEDEFS record 5 refers to number 65535 of SIDEDEFS");
    check_place(&cut, line + 12, 0xfffe, 2, "LINEDEFS record 5 refers to number 65534 of SIDEDEFS");
    check_place(&cut, wad_cut_lump(&cut, SIDEDEFS) + 28, 64, 2,
                "SIDEDEFS record 0 refers to number 64 of SECTORS, which has 64");
    check_place(&cut, wad_cut_lump(&cut, SEGS) + 6, 347, 2,
                "SEGS record 0 refers to number 347 of LINEDEFS, which has 347");
    check_place(&cut, wad_cut_lump(&cut, SEGS) + 8, 2, 2, "SEGS record 0 lies on side 2");
    check_place(&cut, wad_cut_lump(&cut, SEGS), 0xffff, 2, "SEGS record 0 refers to number 65535");
    check_place(&cut, wad_cut_lump(&cut, SEGS) + 2, 0xffff, 2, "SEGS record 0 refers to number");
    check_place(&cut, wad_cut_lump(&cut, SSECTORS), 0, 2, "SSECTORS record 0 has no segs");
    check_place(&cut, wad_cut_lump(&cut, SSECTORS) + 2, 0xffff, 2, "SSECTORS record 0 refers to");
    check_place(&cut, wad_cut_lump(&cut, NODES) + 24, 0xffff, 2, "NODES record 0 refers to number");
    check_place(&cut, wad_cut_lump(&cut, NODES) + 28 * 3 + 26, 3, 2,
                "NODES record 3 has node 3 as its child");
    free(cut.bytes);
}

static void rejects_a_wrong_blockmap(void)
{
    WadCut cut = cut_small();
    uint8_t* blockmap = wad_cut_lump(&cut, BLOCKMAP);
    uint32_t list = wad_cut_get(blockmap + 8, 2);
    check_place(&cut, blockmap + 4, 0xffff, 2, "BLOCKMAP has 2692 bytes and ");
    check_place(&cut, blockmap + 6, 0, 2, "BLOCKMAP has 2692 bytes and 0 blocks");
    check_place(&cut, blockmap + 8, 0xffff, 2, "BLOCKMAP list of block 0, at word 65535 of 1346");
    check_place(&cut, blockmap + list * 2, 347, 2, "BLOCKMAP list of block 0");
    check_place(&cut, blockmap + 2690, 0, 2, "BLOCKMAP list of block ");
    free(cut.bytes);
}

/* --- damage ----------------------------------------------------------------------------------- */

/* Uses a level as the simulation would, here and there. */
static void exercise_level(const Level* level, uint64_t* random)
{
    LevelHeights* heights = malloc(level->map.sector_count * sizeof *heights);
    CHECK(heights != NULL);
    for (uint32_t i = 0; i < level->map.sector_count; i++) {
        heights[i] = (LevelHeights){fixed_from_int(level->map.sectors[i].floor),
                                    fixed_from_int(level->map.sectors[i].ceiling)};
    }
    for (int i = 0; i < 4; i++) {
        Fixed x = (Fixed)wad_cut_random(random, UINT32_MAX);
        Fixed y = (Fixed)wad_cut_random(random, UINT32_MAX);
        Fixed u = fixed_from_int((int32_t)wad_cut_random(random, 0x10000) - 0x8000);
        Fixed v = fixed_from_int((int32_t)wad_cut_random(random, 0x10000) - 0x8000);
        CHECK(level_sector_at(level, x, y) < level->map.sector_count);
        collide_footing(level, heights, x, y, fixed_from_int(31), WAD_LINE_BLOCKS);
        ray_sees(level, heights, (RayPoint){x, y, 0}, u, v, 0, FIXED_ONE);
        Fixed reach = ray_reach(level, heights, (RayPoint){x, y, 0}, (RayPoint){u, v, INT32_MAX});
        CHECK(reach >= 0 && reach <= FIXED_ONE);
    }
    free(heights);
}

typedef struct Outcome {
    uint64_t accepted, rejected;
} Outcome;

static void load_damaged(const void* bytes, size_t size, uint64_t* random, Outcome* outcome)
{
    Wad wad;
    Fault fault = {""};
    bool good = wad_open_memory(&wad, "damaged.wad", bytes, size, &fault);
    bool opened = good;
    for (uint32_t n = 0; good && n < wad.map_count; n++) {
        WadMap map;
        Level level;
        good = wad_read_map(&wad, n, &map, &fault);
        if (good) {
            CHECK_MSG(level_open(&level, &map, &fault), "%s", fault.text);
            exercise_level(&level, random);
            level_close(&level);
        }
    }
    if (opened) {
        wad_close(&wad);
    }
    if (!good) {
        CHECK_MSG(strncmp(fault.text, "damaged.wad: ", 13) == 0, "\"%s\"", fault.text);
        CHECK_MSG(strchr(fault.text, '\n') == NULL, "\"%s\"", fault.text);
    }
    outcome->accepted += good ? 1 : 0;
    outcome->rejected += good ? 0 : 1;
}

static void survives_every_truncation(void)
{
    WadCut cut = cut_small();
    Outcome outcome = {0};
    uint64_t random = 1;
    size_t step = (size_t)check_setting("FREEDOOM_TRUNCATION_STEP", 7);
    for (size_t size = 0; size < cut.size; size += step) {
        load_damaged(cut.bytes, size, &random, &outcome);
    }
    /* Its lumps lie one after another to the last byte, so that none can be spared. */
    CHECK_EQ(outcome.accepted, 0);
    load_damaged(cut.bytes, cut.size, &random, &outcome);
    CHECK_EQ(outcome.accepted, 1);
    free(cut.bytes);
}

static void survives_random_damage(void)
{
    static const char* const maps[] = {"E2M8", "E1M1"};
    WadCut cut = wad_cut_make(WAD_CUT_FIRST, maps, 1);
    uint8_t* bytes = malloc(cut.size);
    CHECK(bytes != NULL);
    uint64_t seed = check_setting("SETT_SEED", 1);
    uint64_t trials = check_setting("FREEDOOM_TRIALS", 20000);
    Outcome outcome = {0};
    for (uint64_t trial = 0; trial < trials; trial++) {
        uint64_t random = seed + trial * 1000003;
        memcpy(bytes, cut.bytes, cut.size);
        wad_cut_damage(bytes, cut.size, 12, WAD_CUT_LUMPS, &random);
        load_damaged(bytes, cut.size, &random, &outcome);
    }
    printf("  seed %llu: %llu accepted, %llu rejected\n", (unsigned long long)seed,
           (unsigned long long)outcome.accepted, (unsigned long long)outcome.rejected);
    /* Damage that is always seen, or never, would be a damaged test. */
    CHECK(outcome.accepted > trials / 20);
    CHECK(outcome.rejected > trials / 20);
    free(bytes);
    free(cut.bytes);
}

/* The real file, of which all maps are read: few trials, since each takes its time. */
static void survives_damage_to_the_real_file(void)
{
    Wad wad;
    Fault fault;
    CHECK_MSG(wad_open(&wad, WAD_CUT_FIRST, &fault), "%s", fault.text);
    size_t directory = wad_cut_get(wad.bytes + 8, 4);
    uint8_t* bytes = malloc(wad.size);
    CHECK(bytes != NULL);
    uint64_t trials = check_setting("FREEDOOM_REAL_TRIALS", 40);
    Outcome outcome = {0};
    for (uint64_t trial = 0; trial < trials; trial++) {
        uint64_t random = 77 + trial * 1000003;
        memcpy(bytes, wad.bytes, wad.size);
        /* The maps are at the front of the directory and of the file. */
        wad_cut_damage(bytes, (size_t)8 << 20, directory, 36 * WAD_CUT_LUMPS, &random);
        size_t size = trial % 3 == 0 ? wad_cut_random(&random, (uint32_t)wad.size) : wad.size;
        load_damaged(bytes, size, &random, &outcome);
    }
    CHECK(outcome.rejected > 0);
    free(bytes);
    wad_close(&wad);
}

/* Every block of a grid may share one tail, or name every line: too much to copy or to walk
 * often. */
static void survives_a_blockmap_that_repeats_itself(void)
{
    WadCut cut = cut_small();
    uint8_t* blockmap = wad_cut_lump(&cut, BLOCKMAP);
    uint32_t columns = wad_cut_get(blockmap + 4, 2);
    uint32_t rows = wad_cut_get(blockmap + 6, 2);
    for (uint32_t block = 0; block < columns * rows; block++) {
        wad_cut_put(blockmap + 8 + (size_t)block * 2, 4 + columns * rows, 2);
    }
    for (uint32_t word = 4 + columns * rows; word < 1345; word++) {
        wad_cut_put(blockmap + (size_t)word * 2, word % 347, 2);
    }
    Wad wad;
    WadMap map;
    Level level;
    Fault fault;
    CHECK_MSG(wad_open_memory(&wad, "cut.wad", cut.bytes, cut.size, &fault), "%s", fault.text);
    CHECK_MSG(wad_read_map(&wad, 0, &map, &fault), "%s", fault.text);
    CHECK_MSG(level_open(&level, &map, &fault), "%s", fault.text);
    CHECK(level.grid_rebuilt);
    level_close(&level);
    wad_close(&wad);
    free(cut.bytes);
}

TEST_MAIN(TEST(reads_all_of_freedoom), TEST(reads_values), TEST(rejects_what_is_no_wad),
          TEST(rejects_a_wrong_directory), TEST(rejects_sizes_that_cannot_be),
          TEST(rejects_references_out_of_range), TEST(rejects_a_wrong_blockmap),
          TEST(survives_every_truncation), TEST(survives_random_damage),
          TEST(survives_damage_to_the_real_file), TEST(survives_a_blockmap_that_repeats_itself))

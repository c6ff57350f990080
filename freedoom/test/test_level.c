/* test_level.c - collision by the grid gives what looking at every line would give.
 *
 * The maps are real ones, E1M1 with its own blockmap and MAP01 with a rebuilt one; the places
 * random. */
#include "check.h"
#include "collide.h"
#include "crowd.h"
#include "level.h"
#include "ray.h"
#include "wad_cut.h"

static Level open_level(const char* path, const char* name)
{
    Wad wad;
    WadMap map;
    Level level;
    Fault fault;
    CHECK_MSG(wad_open(&wad, path, &fault), "%s", fault.text);
    uint32_t n = 0;
    while (n < wad.map_count && strcmp(wad_map_name(&wad, n), name) != 0) {
        n++;
    }
    CHECK(n < wad.map_count);
    CHECK_MSG(wad_read_map(&wad, n, &map, &fault), "%s", fault.text);
    CHECK_MSG(level_open(&level, &map, &fault), "%s", fault.text);
    wad_close(&wad);
    return level;
}

static LevelHeights* read_heights(const Level* level)
{
    LevelHeights* heights = malloc(level->map.sector_count * sizeof *heights);
    CHECK(heights != NULL);
    for (uint32_t i = 0; i < level->map.sector_count; i++) {
        heights[i] = (LevelHeights){fixed_from_int(level->map.sectors[i].floor),
                                    fixed_from_int(level->map.sectors[i].ceiling)};
    }
    return heights;
}

/* A place near one of the map's things, where things happen. */
static RayPoint random_place(const Level* level, uint64_t* random)
{
    const WadThing* thing = &level->map.things[wad_cut_random(random, level->map.thing_count)];
    Fixed dx = (Fixed)wad_cut_random(random, 400u << FIXED_BITS) - fixed_from_int(200);
    Fixed dy = (Fixed)wad_cut_random(random, 400u << FIXED_BITS) - fixed_from_int(200);
    return (RayPoint){fixed_from_int(thing->x) + dx, fixed_from_int(thing->y) + dy,
                      (Fixed)wad_cut_random(random, 256u << FIXED_BITS) - fixed_from_int(128)};
}

/* The same level with every line listed in every cell: nothing can be overlooked. */
static Level without_grid(const Level* level)
{
    Level all = *level;
    uint32_t cells = level_cell_count(level);
    all.cell_first = malloc(((size_t)cells + 1) * sizeof *all.cell_first);
    all.cell_lines = malloc((size_t)cells * level->map.line_count * sizeof *all.cell_lines);
    CHECK(all.cell_first != NULL && all.cell_lines != NULL);
    for (uint32_t cell = 0; cell <= cells; cell++) {
        all.cell_first[cell] = cell * level->map.line_count;
    }
    for (uint32_t i = 0; i < cells * level->map.line_count; i++) {
        all.cell_lines[i] = (uint16_t)(i % level->map.line_count);
    }
    return all;
}

static void compare_with_brute_force(const char* path, const char* name, bool rebuilt)
{
    Level level = open_level(path, name);
    Level all = without_grid(&level);
    LevelHeights* heights = read_heights(&level);
    uint64_t random = check_setting("SETT_SEED", 1);
    uint32_t seen = 0, blocked = 0, reached = 0;
    const uint32_t trials = 3000;
    CHECK_EQ(level.grid_rebuilt, rebuilt);
    for (uint32_t i = 0; i < trials; i++) {
        RayPoint a = random_place(&level, &random);
        RayPoint b = random_place(&level, &random);
        Fixed high = fixed_add(b.z, fixed_from_int(56));
        Fixed radius = fixed_from_int(8 + (int32_t)wad_cut_random(&random, 60));

        bool sees = ray_sees(&level, heights, a, b.x, b.y, b.z, high);
        CHECK_EQ(sees, ray_sees(&all, heights, a, b.x, b.y, b.z, high));
        Fixed reach = ray_reach(&level, heights, a, b);
        CHECK_EQ(reach, ray_reach(&all, heights, a, b));

        CollideFooting near = collide_footing(&level, heights, a.x, a.y, radius, WAD_LINE_BLOCKS);
        CollideFooting far = collide_footing(&all, heights, a.x, a.y, radius, WAD_LINE_BLOCKS);
        CHECK_EQ(near.blocked, far.blocked);
        if (!near.blocked) {
            CHECK_EQ(near.floor, far.floor);
            CHECK_EQ(near.ceiling, far.ceiling);
            CHECK_EQ(near.low_floor, far.low_floor);
        }
        seen += sees ? 1 : 0;
        reached += reach == FIXED_ONE ? 1 : 0;
        blocked += near.blocked ? 1 : 0;
    }
    /* All answers have to occur, or the comparison says nothing. */
    CHECK(seen > trials / 50 && seen < trials - trials / 50);
    CHECK(reached > trials / 50 && reached < trials - trials / 50);
    CHECK(blocked > trials / 50 && blocked < trials - trials / 50);
    free(heights);
    free(all.cell_first);
    free(all.cell_lines);
    level_close(&level);
}

static void grid_agrees_with_all_lines(void)
{
    compare_with_brute_force(WAD_CUT_FIRST, "E1M1", false);
}

static void rebuilt_grid_agrees_with_all_lines(void)
{
    compare_with_brute_force(WAD_CUT_SECOND, "MAP01", true);
}

/* The cells of a way, against asking every cell whether the way touches it, in steps of a
 * sixteenth. */
static void walk_visits_the_cells_of_its_way(void)
{
    Level level = open_level(WAD_CUT_FIRST, "E1M1");
    uint32_t cells = level_cell_count(&level);
    uint8_t* visited = malloc(cells);
    CHECK(visited != NULL);
    uint64_t random = 5;
    for (int trial = 0; trial < 300; trial++) {
        int32_t x0 = (level.grid_x + (int32_t)wad_cut_random(&random, 1500)) * LEVEL_WALK_UNIT;
        int32_t y0 = (level.grid_y + (int32_t)wad_cut_random(&random, 1500)) * LEVEL_WALK_UNIT;
        int32_t dx = (int32_t)wad_cut_random(&random, 9000) - 4500;
        int32_t dy = (int32_t)wad_cut_random(&random, 9000) - 4500;
        memset(visited, 0, cells);
        for (LevelWalk walk = level_walk(&level, x0, y0, x0 + dx, y0 + dy);
             level_walk_next(&walk);) {
            CHECK(walk.cell < cells);
            CHECK_EQ(visited[walk.cell], 0);
            visited[walk.cell] = 1;
        }
        for (int32_t step = 0; step <= 9000; step++) {
            /* Points with exact coordinates only: those where the division leaves nothing. */
            if ((int64_t)dx * step % 9000 != 0 || (int64_t)dy * step % 9000 != 0) {
                continue;
            }
            int32_t x = (x0 + (int32_t)((int64_t)dx * step / 9000)) / LEVEL_WALK_UNIT;
            int32_t y = (y0 + (int32_t)((int64_t)dy * step / 9000)) / LEVEL_WALK_UNIT;
            if (level_spans(&level, fixed_from_int(x), fixed_from_int(y)) && x > level.grid_x &&
                y > level.grid_y) {
                uint32_t cell = level_cell(&level, level_column(&level, fixed_from_int(x)),
                                           level_row(&level, fixed_from_int(y)));
                CHECK_EQ(visited[cell], 1);
            }
        }
    }
    free(visited);
    level_close(&level);
}

/* --- a room of our own ------------------------------------------------------------------------ */

/* A square room of 512 units with its lower left corner at the origin, cut in two at x = 256:
 * the left half has its floor at 0, the right half at `step`; both ceilings at 128. */
static Level make_room(int16_t step)
{
    static const WadVertex corners[] = {{0, 0},     {0, 512}, {256, 512},
                                        {512, 512}, {512, 0}, {256, 0}};
    WadMap map = {.name = "ROOM",
                  .vertex_count = 6,
                  .line_count = 7,
                  .side_count = 8,
                  .sector_count = 2,
                  .seg_count = 2,
                  .subsector_count = 2,
                  .node_count = 1};
    map.vertices = calloc(6, sizeof *map.vertices);
    map.lines = calloc(7, sizeof *map.lines);
    map.sides = calloc(8, sizeof *map.sides);
    map.sectors = calloc(2, sizeof *map.sectors);
    map.segs = calloc(2, sizeof *map.segs);
    map.subsectors = calloc(2, sizeof *map.subsectors);
    map.nodes = calloc(1, sizeof *map.nodes);
    memcpy(map.vertices, corners, sizeof corners);
    for (uint16_t i = 0; i < 6; i++) { /* clockwise, the inside is to the right */
        map.lines[i] =
            (WadLine){.start = i, .end = (uint16_t)((i + 1) % 6), .side = {i, WAD_NO_SIDE}};
        map.sides[i].sector = i >= 2 && i <= 4 ? 1 : 0;
    }
    map.lines[6] = (WadLine){.start = 5, .end = 2, .flags = WAD_LINE_TWO_SIDED, .side = {6, 7}};
    map.sides[6].sector = 1; /* north: its right is east */
    map.sides[7].sector = 0;
    map.sectors[0] = (WadSector){.floor = 0, .ceiling = 128};
    map.sectors[1] = (WadSector){.floor = step, .ceiling = 128};
    map.segs[0] = (WadSeg){.line = 6, .side = 1};
    map.segs[1] = (WadSeg){.line = 6, .side = 0};
    map.subsectors[0] = (WadSubsector){.seg_count = 1, .first_seg = 0};
    map.subsectors[1] = (WadSubsector){.seg_count = 1, .first_seg = 1};
    map.nodes[0] = (WadNode){.x = 256, .y = 0, .dx = 0, .dy = 512, .child = {0x8001, 0x8000}};
    Level level;
    Fault fault;
    CHECK_MSG(level_open(&level, &map, &fault), "%s", fault.text);
    CHECK(level.grid_rebuilt);
    return level;
}

static bool can_stand(const Level* level, int32_t x, int32_t y, Fixed* z)
{
    LevelHeights* heights = read_heights(level);
    CollideFooting footing = collide_footing(level, heights, fixed_from_int(x), fixed_from_int(y),
                                             fixed_from_int(20), WAD_LINE_BLOCKS);
    bool fits = collide_enter(&footing, z, fixed_from_int(56), false);
    free(heights);
    return fits;
}

static void sectors_lie_where_they_are(void)
{
    Level level = make_room(16);
    CHECK_EQ(level_sector_at(&level, fixed_from_int(100), fixed_from_int(100)), 0);
    CHECK_EQ(level_sector_at(&level, fixed_from_int(255), fixed_from_int(500)), 0);
    CHECK_EQ(level_sector_at(&level, fixed_from_int(257), fixed_from_int(100)), 1);
    CHECK(level_spans(&level, 0, 0));
    CHECK(!level_spans(&level, -1, 0));
    level_close(&level);
}

/* The search may begin below the root of the tree: it has to find what it finds from there. */
static uint32_t find_from_root(const Level* level, Fixed x, Fixed y)
{
    uint32_t at = level->map.node_count - 1;
    while ((at & WAD_SUBSECTOR_BIT) == 0) {
        const WadNode* node = &level->map.nodes[at];
        int64_t from_x = (int64_t)x - (int64_t)node->x * FIXED_ONE;
        int64_t from_y = (int64_t)y - (int64_t)node->y * FIXED_ONE;
        at = node->child[from_y * node->dx - from_x * node->dy >= 0 ? 1 : 0];
    }
    return level->subsector_sectors[at & (WAD_SUBSECTOR_BIT - 1u)];
}

static void compare_sectors(Level level)
{
    uint64_t random = check_setting("SETT_SEED", 1);
    uint32_t below = 0;
    for (uint32_t i = 0; i < 200000; i++) {
        int32_t x =
            (int32_t)wad_cut_random(&random, ((uint32_t)level.columns + 2) << LEVEL_CELL_BITS);
        int32_t y = (int32_t)wad_cut_random(&random, ((uint32_t)level.rows + 2) << LEVEL_CELL_BITS);
        if (i % 4 == 0) { /* on a corner of four cells, or as close as can be */
            x -= x % LEVEL_CELL_SIZE;
            y -= y % LEVEL_CELL_SIZE;
        }
        Fixed left = fixed_from_int(level.grid_x - LEVEL_CELL_SIZE + x) - 1;
        Fixed low = fixed_from_int(level.grid_y - LEVEL_CELL_SIZE + y) - 1;
        Fixed at_x = left + (Fixed)wad_cut_random(&random, 3);
        Fixed at_y = low + (Fixed)wad_cut_random(&random, 3);
        CHECK_EQ(level_sector_at(&level, at_x, at_y), find_from_root(&level, at_x, at_y));
    }
    for (uint32_t cell = 0; cell < level_cell_count(&level); cell++) {
        below += level.cell_nodes[cell] != level.map.node_count - 1;
    }
    CHECK(below > level_cell_count(&level) / 2); /* or nothing was tested */
    level_close(&level);
}

static void sectors_are_those_of_the_whole_tree(void)
{
    compare_sectors(open_level(WAD_CUT_FIRST, "E1M1"));
    compare_sectors(open_level(WAD_CUT_SECOND, "MAP01"));
}

static void walls_and_steps_stop(void)
{
    Level low = make_room(24), high = make_room(25), flat = make_room(100);
    Fixed z = 0;
    CHECK(can_stand(&low, 20, 100, &z)); /* touching the wall is allowed */
    CHECK(!can_stand(&low, 19, 100, &z));
    CHECK(!can_stand(&low, 100, 493, &z));
    CHECK(can_stand(&low, 240, 100, &z)); /* its edge reaches over the step */
    CHECK_EQ(z, fixed_from_int(24));
    z = 0;
    CHECK(can_stand(&low, 400, 100, &z));
    CHECK_EQ(z, fixed_from_int(24));
    z = 0;
    CHECK(!can_stand(&high, 400, 100, &z)); /* too high to climb */
    CHECK_EQ(z, 0);
    z = fixed_from_int(25);
    CHECK(!can_stand(&high, 200, 100, &z)); /* and too deep to jump */
    z = fixed_from_int(100);
    CHECK(!can_stand(&flat, 400, 100, &z)); /* 28 units of room for 56 of body */
    level_close(&low);
    level_close(&high);
    level_close(&flat);
}

static void sight_and_shots_meet_the_step(void)
{
    Level level = make_room(64);
    LevelHeights* heights = read_heights(&level);
    RayPoint low = {fixed_from_int(200), fixed_from_int(100), fixed_from_int(40)};
    RayPoint high = {fixed_from_int(200), fixed_from_int(100), fixed_from_int(80)};
    RayPoint goal = {fixed_from_int(300), fixed_from_int(100), fixed_from_int(40)};
    Fixed far = fixed_from_int(500), y = fixed_from_int(100);
    /* From below the step one sees over it only what stands tall behind it. */
    CHECK(!ray_sees(&level, heights, low, far, y, fixed_from_int(64), fixed_from_int(90)));
    CHECK(ray_sees(&level, heights, high, far, y, fixed_from_int(64), fixed_from_int(90)));
    CHECK(ray_sees(&level, heights, low, fixed_from_int(260), y, fixed_from_int(64), 120 << 16));
    /* A shot at 40 stops at the step, at 56 of 100 units; one at 80 goes on. */
    CHECK_EQ(ray_reach(&level, heights, low, goal), FIXED_ONE * 56 / 100);
    goal.z = high.z;
    CHECK_EQ(ray_reach(&level, heights, high, goal), FIXED_ONE);
    goal.x = fixed_from_int(600); /* beyond the wall */
    CHECK_EQ(ray_reach(&level, heights, high, goal), FIXED_ONE * 312 / 400);
    /* Shut: no way through at any height. */
    heights[1].ceiling = heights[1].floor;
    CHECK(!ray_sees(&level, heights, high, fixed_from_int(300), y, 0, fixed_from_int(128)));
    free(heights);
    level_close(&level);
}

/* --- the crowd -------------------------------------------------------------------------------- */

#define CROWD_SIZE 60u

static void crowd_agrees_with_all_bodies(void)
{
    Arena arena = {.level = make_room(0)};
    Crowd crowd;
    CrowdBody bodies[CROWD_SIZE];
    uint64_t random = 9;
    uint32_t obstacles = 0, hits = 0;
    CHECK(crowd_init(&crowd, level_cell_count(&arena.level)));
    crowd_begin(&crowd, &arena, 1);
    for (uint32_t i = 0; i < CROWD_SIZE; i++) {
        bodies[i] = (CrowdBody){.x = (Fixed)wad_cut_random(&random, 512u << FIXED_BITS),
                                .y = (Fixed)wad_cut_random(&random, 512u << FIXED_BITS),
                                .radius = fixed_from_int(4 + (int32_t)wad_cut_random(&random, 20)),
                                .height = fixed_from_int(56),
                                .entity = {i, 1}};
        CHECK(crowd_add(&crowd, &arena, bodies[i]));
    }
    crowd_sort(&crowd);
    for (int trial = 0; trial < 3000; trial++) {
        RayPoint from = {(Fixed)wad_cut_random(&random, 512u << FIXED_BITS),
                         (Fixed)wad_cut_random(&random, 512u << FIXED_BITS), 0};
        RayPoint to = {(Fixed)wad_cut_random(&random, 512u << FIXED_BITS),
                       (Fixed)wad_cut_random(&random, 512u << FIXED_BITS), 0};
        Fixed radius = fixed_from_int(10);
        bool overlaps = false;
        for (uint32_t i = 0; i < CROWD_SIZE; i++) {
            int64_t x = fixed_abs64((int64_t)bodies[i].x - to.x);
            int64_t y = fixed_abs64((int64_t)bodies[i].y - to.y);
            int64_t u = fixed_abs64((int64_t)bodies[i].x - from.x);
            int64_t v = fixed_abs64((int64_t)bodies[i].y - from.y);
            int64_t gap = x > y ? x : y;
            bool touches = gap < (int64_t)radius + bodies[i].radius;
            overlaps = overlaps || (touches && gap < (u > v ? u : v));
        }
        const CrowdBody* obstacle =
            crowd_obstacle(&crowd, &arena, from, to, radius, fixed_from_int(56), sett_null());
        CHECK_EQ(obstacle != NULL, overlaps);
        obstacles += obstacle != NULL ? 1 : 0;

        Fixed share = FIXED_ONE;
        const CrowdBody* hit = crowd_first_hit(&crowd, &arena, from, to, 0, sett_null(), &share);
        hits += hit != NULL ? 1 : 0;
        /* No other body is nearer: with the one hit left out, the way is longer. */
        if (hit != NULL) {
            Fixed next = FIXED_ONE;
            crowd_first_hit(&crowd, &arena, from, to, 0, hit->entity, &next);
            CHECK(next >= share);
        }
    }
    CHECK(obstacles > 100 && obstacles < 2900);
    CHECK(hits > 100 && hits < 2990);
    crowd_deinit(&crowd);
    level_close(&arena.level);
}

TEST_MAIN(TEST(grid_agrees_with_all_lines), TEST(rebuilt_grid_agrees_with_all_lines),
          TEST(walk_visits_the_cells_of_its_way), TEST(sectors_lie_where_they_are),
          TEST(sectors_are_those_of_the_whole_tree), TEST(walls_and_steps_stop),
          TEST(sight_and_shots_meet_the_step), TEST(crowd_agrees_with_all_bodies))

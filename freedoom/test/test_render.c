/* test_render.c - the picture is whole, and shows what is there: from any place on any map every
 * pixel is drawn, and where the eye's height first meets a wall is where ray.c says it does. */
#include "atlas.h"
#include "chance.h"
#include "ray.h"
#include "render.h"
#include "wad_cut.h"

#include <math.h>

#define MAGENTA 0x1ff00ffu /* no colour of a picture: these have 24 bits */
#define WIDTH 640
#define HEIGHT 400
#define VIEWS 1000
#define COLUMNS 100 /* compared in each */
#define FAR 8192.0f

/* A map as its file has it, ready to be drawn. */
typedef struct Site {
    const Level* level;
    Stage stage;
    LevelHeights* heights;
    RenderScene scene;
    float* floors;
    float* ceilings;
    uint8_t* lights;
} Site;

static Site site_open(const Level* level, Art* art)
{
    Fault fault;
    Site site = {.level = level};
    uint32_t count = level->map.sector_count;
    CHECK_MSG(stage_open(&site.stage, level, art, &fault), "%s", fault.text);
    site.heights = malloc(count * sizeof *site.heights);
    site.floors = malloc(count * sizeof *site.floors);
    site.ceilings = malloc(count * sizeof *site.ceilings);
    site.lights = malloc(count);
    for (uint32_t i = 0; i < count; i++) {
        const WadSector* sector = &level->map.sectors[i];
        site.heights[i] =
            (LevelHeights){fixed_from_int(sector->floor), fixed_from_int(sector->ceiling)};
        site.floors[i] = sector->floor;
        site.ceilings[i] = sector->ceiling;
        site.lights[i] = (uint8_t)(sector->light > 255 ? 255 : sector->light);
    }
    site.scene =
        (RenderScene){.floors = site.floors, .ceilings = site.ceilings, .lights = site.lights};
    return site;
}

static void site_close(Site* site)
{
    stage_close(&site->stage);
    free(site->heights);
    free(site->floors);
    free(site->ceilings);
    free(site->lights);
}

/* Where a player could stand: near a thing, with nothing between, in room enough. */
static bool choose_view(Site* site, uint64_t* chance)
{
    const WadMap* map = &site->level->map;
    const WadThing* thing = &map->things[chance_below(chance, map->thing_count)];
    RayPoint from = {fixed_from_int(thing->x), fixed_from_int(thing->y), 0};
    uint32_t sector = level_sector_at(site->level, from.x, from.y);
    from.z = site->heights[sector].floor + fixed_from_int(41);
    /* Sixteenths of a unit, in which ray.c reckons. */
    RayPoint at = {from.x + ((int32_t)chance_below(chance, 2048) - 1024) * (FIXED_ONE / 16),
                   from.y + ((int32_t)chance_below(chance, 2048) - 1024) * (FIXED_ONE / 16),
                   from.z};
    if (ray_reach(site->level, site->heights, from, at) != FIXED_ONE) {
        return false;
    }
    sector = level_sector_at(site->level, at.x, at.y);
    float floor = site->floors[sector], ceiling = site->ceilings[sector];
    site->scene.stage = &site->stage;
    site->scene.x = (float)at.x / FIXED_ONE;
    site->scene.y = (float)at.y / FIXED_ONE;
    site->scene.z = (float)at.z / FIXED_ONE;
    site->scene.angle = (float)chance_below(chance, 62832) * 1e-4f;
    return site->scene.z > floor + 8 && site->scene.z < ceiling - 8;
}

static uint32_t count_magenta(Render* render)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
        left += render_pixels(render)[i] == MAGENTA;
    }
    return left;
}

/* The distance to the first wall by ray.c, in the direction of a column, off by some pixels. */
static float ray_distance(const Site* site, float column)
{
    const RenderScene* scene = &site->scene;
    float slope = (column + 0.5f - WIDTH / 2) / (WIDTH / 2);
    float c = cosf(scene->angle), s = sinf(scene->angle);
    RayPoint from = {(Fixed)(scene->x * FIXED_ONE), (Fixed)(scene->y * FIXED_ONE),
                     (Fixed)(scene->z * FIXED_ONE)};
    RayPoint to = {from.x + (Fixed)(FAR * (c + slope * s) * FIXED_ONE),
                   from.y + (Fixed)(FAR * (s - slope * c) * FIXED_ONE), from.z};
    Fixed share = ray_reach(site->level, site->heights, from, to);
    return FAR * (float)share / FIXED_ONE;
}

/* Both cut the same lines. Where a column looks along a corner, its neighbour's way counts too: a
 * hundredth of a pixel decides. */
static bool same_wall(const Site* site, float drawn, float column)
{
    float least = 1e9f, most = 0;
    for (int k = -2; k <= 2; k++) {
        float distance = ray_distance(site, column + (float)k * 0.02f);
        least = fminf(least, distance);
        most = fmaxf(most, distance);
    }
    float slack = 0.5f + most * 0.002f;
    return drawn >= least - slack && drawn <= most + slack;
}

static uint32_t count_wrong_columns(const Site* site, const Render* render, uint64_t* chance)
{
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < COLUMNS; i++) {
        int column = (int)chance_below(chance, WIDTH);
        float drawn = render_reach(render, column);
        drawn = drawn == 0.0f || drawn > FAR ? FAR : drawn;
        wrong += !same_wall(site, drawn, (float)column);
    }
    return wrong;
}

/* What was wrong in all views together. */
typedef struct Faults {
    uint32_t views, pixels, columns;
} Faults;

static void check_view(const Site* site, Render* render, uint64_t* chance, Faults* faults)
{
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
        render_pixels(render)[i] = MAGENTA;
    }
    CHECK(render_draw(render, &site->scene));
    uint32_t pixels = count_magenta(render), columns = count_wrong_columns(site, render, chance);
    if (pixels + columns != 0) {
        printf("%s: at %.4f %.4f %.1f, %.4f: %u pixels not drawn, %u columns unlike ray.c\n",
               site->level->map.name, (double)site->scene.x, (double)site->scene.y,
               (double)site->scene.z, (double)site->scene.angle, pixels, columns);
    }
    faults->views++;
    faults->pixels += pixels;
    faults->columns += columns;
}

static void check_maps(const char* path, uint32_t views, uint64_t* chance, Faults* faults)
{
    Atlas atlas = {0};
    Art art;
    Fault fault;
    CHECK_MSG(atlas_add(&atlas, path, NULL, 0, &fault), "%s", fault.text);
    CHECK_MSG(art_open(&art, path, &fault), "%s", fault.text);
    Render* render = render_create(WIDTH, HEIGHT);
    CHECK(render != NULL);
    for (uint32_t m = 0; m < atlas.count; m++) {
        Site site = site_open(&atlas.levels[m], &art);
        for (uint32_t v = 0; v < views;) {
            if (!choose_view(&site, chance)) {
                continue;
            }
            check_view(&site, render, chance, faults);
            v++;
        }
        site_close(&site);
    }
    render_destroy(render);
    art_close(&art);
    atlas_deinit(&atlas);
}

static void pictures_are_whole(void)
{
    uint64_t chance = check_setting("SETT_SEED", 1);
    uint32_t views = (VIEWS + 67) / 68;
    Faults faults = {0};
    check_maps(WAD_CUT_FIRST, views, &chance, &faults);
    check_maps(WAD_CUT_SECOND, views, &chance, &faults);
    CHECK_EQ(faults.views, views * 68); /* of all maps */
    CHECK_EQ(faults.pixels, 0);
    CHECK_EQ(faults.columns, 0);
}

TEST_MAIN(TEST(pictures_are_whole))

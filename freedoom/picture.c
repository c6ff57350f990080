/* picture.c - see picture.h.
 *
 * Each kind of entity is a layer: a query that finds it, and a function that draws a batch. */
#include "picture.h"

#include "canvas.h"

#include <stdio.h>
#include <stdlib.h>

#define PICTURE_SIZE 1200.0f /* pixels, the longer side of the map */
#define PICTURE_MARGIN 28
#define PICTURE_TEXT 2 /* pixels a dot */
#define PICTURE_LEGEND_ROW 24
#define PICTURE_LEGEND_COLUMN 300

#define PICTURE_BACKGROUND 0x0b0d12
#define PICTURE_LOW_FLOOR 0x1a3242  /* of the lowest sector */
#define PICTURE_HIGH_FLOOR 0x71604a /* and of the highest */
#define PICTURE_WALL 0xd9d4c7
#define PICTURE_LEDGE 0x8a7f6c
#define PICTURE_EDGE 0x3c444d
#define PICTURE_DOOR 0xd99a2b
#define PICTURE_MOVING 0xfff0a0 /* a door or lift on its way */
#define PICTURE_LABEL 0xc8ccd2
#define PICTURE_SPARK 0xfff6d0

typedef struct Picture {
    const Simulation* sim;
    uint32_t arena;
    const Level* level;
    const LevelHeights* heights;
    Canvas canvas;
    float left, top; /* of the map, in map units */
    float scale;     /* pixels a map unit */
    int map_height;  /* pixels; the legend is below */
    uint32_t* alive; /* monsters of each type, by row of thing_table */
    uint32_t* dead;
} Picture;

static float picture_x(const Picture* picture, float x)
{
    return (float)PICTURE_MARGIN + (x - picture->left) * picture->scale;
}

static float picture_y(const Picture* picture, float y)
{
    return (float)PICTURE_MARGIN + (picture->top - y) * picture->scale;
}

static float picture_less(float a, float b)
{
    return a < b ? a : b;
}

static float picture_more(float a, float b)
{
    return a > b ? a : b;
}

static float picture_units(Fixed x)
{
    return (float)x / (float)FIXED_ONE;
}

/* --- floors ----------------------------------------------------------------------------------- */

/* Where a row of pixels crosses a line, and what begins there. */
typedef struct PictureCrossing {
    float x;
    uint16_t sector;
} PictureCrossing;

static int picture_compare_crossings(const void* a, const void* b)
{
    const PictureCrossing* left = a;
    const PictureCrossing* right = b;
    return (left->x > right->x) - (left->x < right->x);
}

static uint32_t picture_find_crossings(const Picture* picture, float y, PictureCrossing* crossings)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < picture->level->map.line_count; ++i) {
        const LevelLine* line = &picture->level->lines[i];
        float y0 = (float)line->y, y1 = (float)(line->y + line->dy);
        if ((y0 <= y) == (y1 <= y)) {
            continue;
        }
        float x = (float)line->x + (y - y0) * (float)line->dx / (float)line->dy;
        /* A line's front is to its right: east of a line that goes north. */
        crossings[count++] = (PictureCrossing){.x = picture_x(picture, x),
                                               .sector = line->dy > 0 ? line->front : line->back};
    }
    qsort(crossings, count, sizeof *crossings, picture_compare_crossings);
    return count;
}

typedef struct PictureRange {
    Fixed low, high;
} PictureRange;

static PictureRange picture_floor_range(const Picture* picture)
{
    PictureRange range = {INT32_MAX, INT32_MIN};
    for (uint32_t i = 0; i < picture->level->map.sector_count; ++i) {
        range.low = fixed_min(range.low, picture->heights[i].floor);
        range.high = fixed_max(range.high, picture->heights[i].floor);
    }
    return range;
}

/* The higher the warmer, the darker the room the darker. */
static uint32_t picture_floor_colour(const Picture* picture, uint16_t sector, PictureRange range)
{
    float span = picture_units(range.high) - picture_units(range.low);
    float above = picture_units(picture->heights[sector].floor) - picture_units(range.low);
    uint32_t colour =
        canvas_mix(PICTURE_LOW_FLOOR, PICTURE_HIGH_FLOOR, span > 0.0f ? above / span : 0.5f);
    sett_entity entity = picture->sim->arenas[picture->arena].sectors[sector];
    float light = (float)SETT_GET(picture->sim->world, entity, Light)->level / 255.0f;
    return canvas_mix(PICTURE_BACKGROUND, colour, 0.45f + 0.55f * light);
}

static bool picture_draw_floors(Picture* picture)
{
    PictureRange range = picture_floor_range(picture);
    PictureCrossing* crossings = malloc(picture->level->map.line_count * sizeof *crossings);
    if (crossings == NULL) {
        return false;
    }
    for (int row = PICTURE_MARGIN; row < picture->map_height - PICTURE_MARGIN; ++row) {
        float y = picture->top - ((float)(row - PICTURE_MARGIN) + 0.5f) / picture->scale;
        uint32_t count = picture_find_crossings(picture, y, crossings);
        for (uint32_t i = 0; i + 1 < count; ++i) {
            if (crossings[i].sector != LEVEL_NO_SECTOR) {
                canvas_span(&picture->canvas, row, crossings[i].x, crossings[i + 1].x,
                            picture_floor_colour(picture, crossings[i].sector, range), 1.0f);
            }
        }
    }
    free(crossings);
    return true;
}

/* --- lines ------------------------------------------------------------------------------------ */

static void picture_draw_line(Picture* picture, const LevelLine* line, float width, uint32_t colour,
                              float alpha)
{
    float x0 = (float)line->x, y0 = (float)line->y;
    canvas_line(&picture->canvas, picture_x(picture, x0), picture_y(picture, y0),
                picture_x(picture, x0 + (float)line->dx), picture_y(picture, y0 + (float)line->dy),
                width, colour, alpha);
}

static bool picture_moves(const Picture* picture, uint16_t sector)
{
    sett_entity entity = picture->sim->arenas[picture->arena].sectors[sector];
    return SETT_HAS(picture->sim->world, entity, Door) ||
           SETT_HAS(picture->sim->world, entity, Lift);
}

static void picture_draw_opening(Picture* picture, const LevelLine* line, bool special)
{
    LevelHeights front = picture->heights[line->front];
    LevelHeights back = picture->heights[line->back];
    int64_t step = fixed_abs64((int64_t)front.floor - back.floor);
    if (picture_moves(picture, line->front) || picture_moves(picture, line->back)) {
        picture_draw_line(picture, line, 2.2f, PICTURE_MOVING, 1.0f);
    } else if (special) {
        picture_draw_line(picture, line, 1.4f, PICTURE_DOOR, 0.9f);
    } else if (step > fixed_from_int(24)) {
        picture_draw_line(picture, line, 1.0f, PICTURE_LEDGE, 0.8f);
    } else if (step != 0) {
        picture_draw_line(picture, line, 0.8f, PICTURE_LEDGE, 0.4f);
    } else if (front.ceiling != back.ceiling) {
        picture_draw_line(picture, line, 0.8f, PICTURE_EDGE, 0.5f);
    }
}

/* Walls last: where lines meet they should be on top. */
static void picture_draw_lines(Picture* picture)
{
    const WadMap* map = &picture->level->map;
    for (uint32_t i = 0; i < map->line_count; ++i) {
        if (picture->level->lines[i].back != LEVEL_NO_SECTOR) {
            picture_draw_opening(picture, &picture->level->lines[i], map->lines[i].special != 0);
        }
    }
    for (uint32_t i = 0; i < map->line_count; ++i) {
        if (picture->level->lines[i].back == LEVEL_NO_SECTOR) {
            picture_draw_line(picture, &picture->level->lines[i], 1.5f, PICTURE_WALL, 0.95f);
        }
    }
}

/* --- entities --------------------------------------------------------------------------------- */

/* Radius on the picture: to scale, but never too small to see. */
static float picture_radius(const Picture* picture, const ThingType* type, float least)
{
    return picture_more((float)type->radius * picture->scale, least);
}

static void picture_draw_thing(Picture* picture, float x, float y, const ThingType* type)
{
    switch (type->kind) {
    case THING_ITEM:
        canvas_square(&picture->canvas, x, y, 2.0f, type->colour, 0.9f);
        break;
    case THING_START:
        canvas_ring(&picture->canvas, x, y, 3.5f, 1.2f, type->colour, 0.9f);
        break;
    case THING_BARREL:
        canvas_disc(&picture->canvas, x, y, 1.8f, type->colour, 0.9f);
        break;
    default:
        canvas_disc(&picture->canvas, x, y, 1.3f, type->colour, 0.8f);
        break;
    }
}

static void picture_draw_corpse(Picture* picture, float x, float y, const ThingType* type)
{
    uint32_t colour = canvas_mix(0x8a1c1c, type->colour, 0.35f);
    float arm = picture_radius(picture, type, 2.2f) * 0.8f;
    canvas_line(&picture->canvas, x - arm, y - arm, x + arm, y + arm, 1.1f, colour, 0.9f);
    canvas_line(&picture->canvas, x - arm, y + arm, x + arm, y - arm, 1.1f, colour, 0.9f);
}

static void picture_draw_monster(Picture* picture, float x, float y, const ThingType* type)
{
    float radius = picture_radius(picture, type, 2.6f);
    canvas_disc(&picture->canvas, x, y, radius + 1.2f, PICTURE_BACKGROUND, 0.8f);
    canvas_disc(&picture->canvas, x, y, radius, type->colour, 1.0f);
}

static void picture_draw_player(Picture* picture, float x, float y, const ThingType* type)
{
    float radius = picture_radius(picture, type, 3.0f);
    canvas_disc(&picture->canvas, x, y, radius + 3.0f, PICTURE_BACKGROUND, 0.8f);
    canvas_ring(&picture->canvas, x, y, radius + 2.0f, 1.4f, PICTURE_WALL, 1.0f);
    canvas_disc(&picture->canvas, x, y, radius, type->colour, 1.0f);
}

typedef void PictureDraw(Picture* picture, float x, float y, const ThingType* type);

/* The layers whose queries begin with Position, Place, Thing. */
static void picture_draw_batch(Picture* picture, sett_batch* b, PictureDraw* draw, uint32_t* tally)
{
    const Position* position = sett_batch_field(b, 0);
    const Place* place = sett_batch_field(b, 1);
    const Thing* thing = sett_batch_field(b, 2);
    SETT_EACH(b, i) {
        if (place[i].arena == picture->arena) {
            draw(picture, picture_x(picture, picture_units(position[i].x)),
                 picture_y(picture, picture_units(position[i].y)), &thing_table[thing[i].type]);
            if (tally != NULL) {
                ++tally[thing[i].type];
            }
        }
    }
}

static void picture_layer_things(Picture* picture, sett_batch* b)
{
    picture_draw_batch(picture, b, picture_draw_thing, NULL);
}

static void picture_layer_corpses(Picture* picture, sett_batch* b)
{
    picture_draw_batch(picture, b, picture_draw_corpse, picture->dead);
}

static void picture_layer_monsters(Picture* picture, sett_batch* b)
{
    picture_draw_batch(picture, b, picture_draw_monster, picture->alive);
}

static void picture_layer_players(Picture* picture, sett_batch* b)
{
    picture_draw_batch(picture, b, picture_draw_player, picture->alive);
}

/* With a tail, as long as the way of the last ticks. */
static void picture_layer_missiles(Picture* picture, sett_batch* b)
{
    const Position* position = sett_batch_field(b, 0);
    const Place* place = sett_batch_field(b, 1);
    const Thing* thing = sett_batch_field(b, 2);
    const Velocity* velocity = sett_batch_field(b, 3);
    SETT_EACH(b, i) {
        if (place[i].arena != picture->arena) {
            continue;
        }
        uint32_t colour = thing_table[thing[i].type].colour;
        float x = picture_x(picture, picture_units(position[i].x));
        float y = picture_y(picture, picture_units(position[i].y));
        float tail = 6.0f * picture->scale;
        canvas_line(&picture->canvas, x, y, x - picture_units(velocity[i].x) * tail,
                    y + picture_units(velocity[i].y) * tail, 1.0f, colour, 0.6f);
        canvas_disc(&picture->canvas, x, y, 5.0f, colour, 0.25f);
        canvas_disc(&picture->canvas, x, y, 2.0f, canvas_mix(colour, 0xffffff, 0.5f), 1.0f);
    }
}

static void picture_layer_sparks(Picture* picture, sett_batch* b)
{
    const Position* position = sett_batch_field(b, 0);
    const Place* place = sett_batch_field(b, 1);
    SETT_EACH(b, i) {
        if (place[i].arena == picture->arena) {
            canvas_disc(&picture->canvas, picture_x(picture, picture_units(position[i].x)),
                        picture_y(picture, picture_units(position[i].y)), 0.9f, PICTURE_SPARK,
                        0.9f);
        }
    }
}

typedef struct PictureLayer {
    void (*draw)(Picture* picture, sett_batch* batch);
    sett_query_desc query;
} PictureLayer;

/* From the ground up. */
static const PictureLayer picture_layers[] = {
    {picture_layer_things,
     {.terms = {SETT_IN(Position), SETT_IN(Place), SETT_IN(Thing), SETT_WITHOUT(Corpse),
                SETT_WITHOUT(Alive), SETT_WITHOUT(Missile)}}},
    {picture_layer_corpses,
     {.terms = {SETT_IN(Position), SETT_IN(Place), SETT_IN(Thing), SETT_WITH(Corpse)}}},
    {picture_layer_monsters,
     {.terms = {SETT_IN(Position), SETT_IN(Place), SETT_IN(Thing), SETT_WITH(Monster)}}},
    {picture_layer_players,
     {.terms = {SETT_IN(Position), SETT_IN(Place), SETT_IN(Thing), SETT_WITH(Player)}}},
    {picture_layer_missiles,
     {.terms = {SETT_IN(Position), SETT_IN(Place), SETT_IN(Thing), SETT_IN(Velocity),
                SETT_WITH(Missile)}}},
    {picture_layer_sparks, {.terms = {SETT_IN(Position), SETT_IN(Place), SETT_WITH(Spark)}}},
};

static bool picture_draw_layer(Picture* picture, const PictureLayer* layer)
{
    sett_query* query = sett_query_create(picture->sim->world, &layer->query);
    if (query == NULL) {
        return false;
    }
    SETT_QUERY_EACH(query, b) {
        layer->draw(picture, b);
    }
    sett_query_destroy(query);
    return true;
}

static bool picture_draw_entities(Picture* picture)
{
    for (size_t i = 0; i < sizeof picture_layers / sizeof picture_layers[0]; ++i) {
        if (!picture_draw_layer(picture, &picture_layers[i])) {
            return false;
        }
    }
    return true;
}

/* --- legend ----------------------------------------------------------------------------------- */

/* Who can be on the map: monsters it was made with, lost souls, which are born, and players. */
static uint32_t picture_count_kinds(const Level* level)
{
    uint32_t kinds = 2;
    for (uint16_t type = THING_LOST_SOUL + 1; type < thing_table_count; ++type) {
        uint32_t i = 0;
        while (i < level->map.thing_count &&
               level->map.things[i].type != thing_table[type].number) {
            ++i;
        }
        bool occurs = thing_table[type].kind == THING_MONSTER && i < level->map.thing_count;
        kinds += occurs ? 1 : 0;
    }
    return kinds;
}

static void picture_draw_kind(Picture* picture, uint16_t type, int x, int y)
{
    char text[64];
    snprintf(text, sizeof text, "%s %lu/%lu", thing_table[type].name,
             (unsigned long)picture->alive[type],
             (unsigned long)picture->alive[type] + picture->dead[type]);
    canvas_disc(&picture->canvas, (float)x + 6.0f, (float)y + 7.0f, 5.0f, thing_table[type].colour,
                1.0f);
    canvas_text(&picture->canvas, x + 18, y, PICTURE_TEXT, text, PICTURE_LABEL);
}

static void picture_draw_title(Picture* picture, int x, int y)
{
    char text[96];
    uint32_t alive = 0, dead = 0;
    for (uint16_t type = 0; type < thing_table_count; ++type) {
        alive += picture->alive[type];
        dead += picture->dead[type];
    }
    snprintf(text, sizeof text, "after %lu s:  %lu alive, %lu dead",
             (unsigned long)(picture->sim->dice.tick / SIMULATION_TICKS_A_SECOND),
             (unsigned long)alive, (unsigned long)dead);
    const char* name = picture->level->map.name;
    canvas_text(&picture->canvas, x, y - 7, PICTURE_TEXT + 1, name, PICTURE_WALL);
    canvas_text(&picture->canvas, x + canvas_text_width(PICTURE_TEXT + 1, name) + 14, y,
                PICTURE_TEXT, text, PICTURE_LABEL);
}

static void picture_draw_legend(Picture* picture)
{
    int x = PICTURE_MARGIN;
    int y = picture->map_height;
    picture_draw_title(picture, x, y);
    y += PICTURE_LEGEND_ROW + 8;
    for (uint16_t type = 0; type < thing_table_count; ++type) {
        if (picture->alive[type] + picture->dead[type] == 0) {
            continue;
        }
        picture_draw_kind(picture, type, x, y);
        x += PICTURE_LEGEND_COLUMN;
        if (x + PICTURE_LEGEND_COLUMN > picture->canvas.width) {
            x = PICTURE_MARGIN;
            y += PICTURE_LEGEND_ROW;
        }
    }
}

/* --- the whole -------------------------------------------------------------------------------- */

typedef struct PictureBounds {
    float left, right, bottom, top;
} PictureBounds;

static PictureBounds picture_bounds(const Level* level)
{
    float left = 1e9f, right = -1e9f, bottom = 1e9f, top = -1e9f;
    for (uint32_t i = 0; i < level->map.line_count; ++i) {
        const LevelLine* line = &level->lines[i];
        left = picture_less(left, picture_less((float)line->x, (float)(line->x + line->dx)));
        right = picture_more(right, picture_more((float)line->x, (float)(line->x + line->dx)));
        bottom = picture_less(bottom, picture_less((float)line->y, (float)(line->y + line->dy)));
        top = picture_more(top, picture_more((float)line->y, (float)(line->y + line->dy)));
    }
    return (PictureBounds){left, right, bottom, top};
}

static bool picture_init(Picture* picture, const Simulation* sim, uint32_t arena)
{
    const Level* level = &sim->arenas[arena].level;
    *picture = (Picture){.sim = sim,
                         .arena = arena,
                         .level = level,
                         .heights = simulation_heights(sim, &sim->arenas[arena])};
    PictureBounds bounds = picture_bounds(level);
    float left = bounds.left, right = bounds.right, bottom = bounds.bottom, top = bounds.top;
    picture->left = left;
    picture->top = top;
    picture->scale = PICTURE_SIZE / picture_more(picture_more(right - left, top - bottom), 1.0f);
    int width = (int)((right - left) * picture->scale) + 2 * PICTURE_MARGIN;
    int columns = (width - PICTURE_MARGIN) / PICTURE_LEGEND_COLUMN;
    columns = columns < 2 ? 2 : columns;
    width = fixed_max(width, PICTURE_MARGIN + columns * PICTURE_LEGEND_COLUMN);
    int rows = 1 + (int)picture_count_kinds(level) / columns;
    picture->map_height = (int)((top - bottom) * picture->scale) + 2 * PICTURE_MARGIN;
    picture->alive = calloc(thing_table_count, sizeof *picture->alive);
    picture->dead = calloc(thing_table_count, sizeof *picture->dead);
    return picture->alive != NULL && picture->dead != NULL &&
           canvas_init(&picture->canvas, width,
                       picture->map_height + (rows + 2) * PICTURE_LEGEND_ROW, PICTURE_BACKGROUND);
}

static void picture_deinit(Picture* picture)
{
    canvas_deinit(&picture->canvas);
    free(picture->alive);
    free(picture->dead);
}

bool picture_write(const Simulation* sim, uint32_t arena, const char* path, Fault* fault)
{
    Picture picture;
    bool good = picture_init(&picture, sim, arena) && picture_draw_floors(&picture);
    if (good) {
        picture_draw_lines(&picture);
        good = picture_draw_entities(&picture);
    }
    if (!good) {
        fault_set(fault, "%s: out of memory", path);
    } else {
        picture_draw_legend(&picture);
        good = canvas_write_png(&picture.canvas, path, fault);
    }
    picture_deinit(&picture);
    return good;
}

bool picture_draw_plan(const Simulation* sim, uint32_t arena, Canvas* canvas, PicturePlan* plan)
{
    const Level* level = &sim->arenas[arena].level;
    PictureBounds bounds = picture_bounds(level);
    float wide = picture_more(bounds.right - bounds.left, 1.0f);
    float tall = picture_more(bounds.top - bounds.bottom, 1.0f);
    float room_x = (float)(canvas->width - 2 * PICTURE_MARGIN);
    float room_y = (float)(canvas->height - 2 * PICTURE_MARGIN);
    float scale = picture_less(room_x / wide, room_y / tall);
    Picture picture = {.sim = sim,
                       .arena = arena,
                       .level = level,
                       .heights = simulation_heights(sim, &sim->arenas[arena]),
                       .canvas = *canvas,
                       .left = bounds.left - (room_x / scale - wide) * 0.5f,
                       .top = bounds.top + (room_y / scale - tall) * 0.5f,
                       .scale = scale,
                       .map_height = canvas->height};
    *plan = (PicturePlan){.left = picture.left - PICTURE_MARGIN / scale,
                          .top = picture.top + PICTURE_MARGIN / scale,
                          .scale = scale};
    if (!picture_draw_floors(&picture)) {
        return false;
    }
    picture_draw_lines(&picture);
    return true;
}

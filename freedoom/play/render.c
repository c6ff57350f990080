/* render.c - see render.h.
 *
 * The map's own tree hands out its segs from near to far. Each column keeps a window, the rows
 * that nothing has been drawn to yet. A seg draws, into the window of each column that it crosses,
 * the ceiling and the floor in front of it and its wall, and leaves what can be seen through its
 * opening. So every pixel is drawn exactly once, and what lies behind closed columns is not even
 * looked at.
 *
 * Invariant: pixels of column x in rows top[x] .. bottom[x] - 1 are the ones not drawn;
 * next_open[x] > x only if the window of x is empty.
 *
 * Rejected: to collect floors in one list for all columns and draw them in rows, as the game did in
 * 1993. It saves divisions, of which the tables by row leave none. */
#include "raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RENDER_FAR 60000.0f
#define RENDER_BIAS 131072.0f /* makes texture coordinates positive; a multiple of 64 */

/* --- making it -------------------------------------------------------------------------------- */

static void render_set_tables(Render* render)
{
    render->centre_x = (float)render->width * 0.5f;
    render->centre_y = (float)render->height * 0.5f;
    render->focus_x = render->centre_x;
    render->focus_y = render->focus_x * RASTER_ASPECT;
    for (int x = 0; x < render->width; ++x) {
        render->slope[x] = ((float)x + 0.5f - render->centre_x) / render->focus_x;
    }
    for (int y = 0; y < render->height; ++y) {
        float offset = fabsf((float)y + 0.5f - render->centre_y);
        render->row_offset[y] = offset;
        render->row_distance[y] = render->focus_y / (offset < 0.25f ? 0.25f : offset);
    }
}

Render* render_create(int width, int height)
{
    Render* render = calloc(1, sizeof *render);
    if (render == NULL) {
        return NULL;
    }
    size_t columns = (size_t)width, rows = (size_t)height;
    render->width = width;
    render->height = height;
    render->pixels = calloc(columns * rows, sizeof *render->pixels);
    render->top = calloc(columns, sizeof *render->top);
    render->bottom = calloc(columns, sizeof *render->bottom);
    render->next_open = calloc(columns + 1, sizeof *render->next_open);
    render->slope = calloc(columns, sizeof *render->slope);
    render->reach = calloc(columns, sizeof *render->reach);
    render->steps_of = calloc(columns, sizeof *render->steps_of);
    render->grates_of = calloc(columns, sizeof *render->grates_of);
    render->row_distance = calloc(rows, sizeof *render->row_distance);
    render->row_offset = calloc(rows, sizeof *render->row_offset);
    if (render->pixels == NULL || render->top == NULL || render->bottom == NULL ||
        render->next_open == NULL || render->slope == NULL || render->reach == NULL ||
        render->steps_of == NULL || render->grates_of == NULL || render->row_distance == NULL ||
        render->row_offset == NULL) {
        render_destroy(render);
        return NULL;
    }
    render_set_tables(render);
    return render;
}

void render_destroy(Render* render)
{
    if (render == NULL) {
        return;
    }
    void* all[] = {render->pixels,     render->top,   render->bottom,       render->next_open,
                   render->slope,      render->reach, render->steps_of,     render->grates_of,
                   render->row_offset, render->walls, render->row_distance, render->steps,
                   render->grates,     render->order, render->depths,       render};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        free(all[i]);
    }
}

bool raster_grow(Render* render, void** array, uint32_t* room, uint32_t count, size_t size)
{
    if (count < *room) {
        return true;
    }
    uint32_t wanted = *room == 0 ? 4096 : *room * 2;
    void* grown = realloc(*array, wanted * size);
    if (grown == NULL) {
        render->failed = true;
        return false;
    }
    *array = grown;
    *room = wanted;
    return true;
}

/* --- columns ---------------------------------------------------------------------------------- */

void raster_texture(uint32_t* column, int top, int bottom, const ArtImage* image, int u, float v,
                    float step, const uint32_t* shade)
{
    int x = u % image->width;
    const uint8_t* from =
        image->pixels + (size_t)(x < 0 ? x + image->width : x) * (size_t)image->height;
    float height = (float)image->height;
    float first = v + ((float)top + 0.5f) * step;
    first -= floorf(first / height) * height;
    uint32_t limit = (uint32_t)image->height << 16;
    uint32_t at = (uint32_t)(first * 65536.0f) % limit;
    uint32_t by = (uint32_t)(raster_clamp(step, 0.0f, 32767.0f) * 65536.0f) % limit;
    for (int y = top; y < bottom; ++y) {
        column[y] = shade[from[at >> 16]];
        at += by;
        at -= at >= limit ? limit : 0;
    }
}

/* A floor or a ceiling `height` units from the eye. */
static void render_plane(Render* render, int x, int top, int bottom, float height, uint16_t flat,
                         int light)
{
    const RenderScene* scene = render->scene;
    const Art* art = scene->stage->art;
    const uint8_t* from = art_flat(art, flat, scene->tick);
    uint32_t* column = render->pixels + (size_t)x * (size_t)render->height;
    float size = fabsf(height) < 0.01f ? 0.01f : fabsf(height);
    float along_x = render->forward_x + render->slope[x] * render->right_x;
    float along_y = -(render->forward_y + render->slope[x] * render->right_y);
    float start_x = fmodf(scene->x, 64.0f) + RENDER_BIAS;
    float start_y = fmodf(-scene->y, 64.0f) + RENDER_BIAS;
    float base = (float)(15 - light) * 4.0f;
    float nearer = 1280.0f / (size * render->focus_y);
    for (int y = top; y < bottom; ++y) {
        float distance = size * render->row_distance[y];
        distance = distance < RENDER_FAR ? distance : RENDER_FAR;
        uint32_t u = (uint32_t)(start_x + distance * along_x);
        uint32_t v = (uint32_t)(start_y + distance * along_y);
        float level = raster_clamp(base - nearer * render->row_offset[y], 0.0f, 31.0f);
        column[y] = art->shades[(int)level][from[(v & 63u) * 64u + (u & 63u)]];
    }
}

/* The sky is as far as can be: only the direction counts. */
static void render_sky(Render* render, int x, int top, int bottom)
{
    const RenderScene* scene = render->scene;
    uint32_t* column = render->pixels + (size_t)x * (size_t)render->height;
    if (scene->stage->sky == ART_NONE) {
        memset(column + top, 0, (size_t)(bottom - top) * sizeof *column);
        return;
    }
    const ArtImage* image = art_texture(scene->stage->art, scene->stage->sky, scene->tick);
    float angle = scene->angle - atanf(render->slope[x]);
    float u = angle * (1024.0f / 6.2831853f);
    float step = 200.0f / (float)render->height;
    raster_texture(column, top, bottom, image, (int)floorf(u), 0.0f, step,
                   scene->stage->art->shades[0]);
}

static void render_flat(Render* render, int x, int top, int bottom, float height, uint16_t flat,
                        int light)
{
    if (top >= bottom) {
        return;
    }
    if (flat == render->scene->stage->sky_flat) {
        render_sky(render, x, top, bottom);
    } else {
        render_plane(render, x, top, bottom, height, flat, light);
    }
}

/* --- windows ---------------------------------------------------------------------------------- */

/* The first column with a window from x on. Paths are halved on the way, so that many closed
 * columns in a row cost little. */
static int raster_open(Render* render, int x)
{
    int* next = render->next_open;
    while (next[x] != x) {
        next[x] = next[next[x]];
        x = next[x];
    }
    return x;
}

static void raster_note_step(Render* render, int x, uint32_t wall, float inverse)
{
    if (!raster_grow(render, (void**)&render->steps, &render->step_room, render->step_count,
                     sizeof *render->steps)) {
        return;
    }
    render->steps[render->step_count] = (RasterStep){.next = render->steps_of[x],
                                                     .wall = wall,
                                                     .inverse = inverse,
                                                     .top = render->top[x],
                                                     .bottom = render->bottom[x]};
    render->steps_of[x] = render->step_count++;
}

/* --- segs ------------------------------------------------------------------------------------- */

/* A seg on its way to the columns. Positions relative to the eye: forward, right. */
typedef struct RenderSeg {
    const WadSide* side;
    const StageSide* show;
    uint16_t front, back; /* sectors; back may be LEVEL_NO_SECTOR */
    uint16_t flags;
    int light;                                      /* of the wall */
    int plane_light;                                /* of floor and ceiling in front of it */
    float floor, ceiling, back_floor, back_ceiling; /* relative to the eye */
    bool sky;                                       /* on both sides: no wall between */
    bool plain;                                     /* nothing changes from one side to the other */
    float d1, s1, d2, s2, length;                   /* the whole line */
    float inverse, inverse_step;                    /* at slope 0, and by slope */
    float least, most;                              /* inverse distances of the seg's ends */
    uint32_t wall;
} RenderSeg;

/* What a wall's part shows when its texture is missing: maps rely on the floor behind to seem to go
 * on. */
static void render_missing(Render* render, const RenderSeg* seg, int x, int top, int bottom,
                           bool upper)
{
    const StageSector* behind = &render->scene->stage->sectors[seg->back];
    render_flat(render, x, top, bottom, upper ? seg->back_ceiling : seg->back_floor,
                upper ? behind->ceiling : behind->floor, render->scene->lights[seg->back] >> 4);
}

/* The rows of one column of a wall. `hang` is the height at which the texture begins. */
static void render_wall(Render* render, const RenderSeg* seg, int x, int top, int bottom,
                        uint16_t texture, float hang, float inverse, int u)
{
    const RenderScene* scene = render->scene;
    uint32_t* column = render->pixels + (size_t)x * (size_t)render->height;
    float step = 1.0f / (inverse * render->focus_y);
    float v = hang + (float)seg->side->y - render->centre_y * step;
    raster_texture(column, top, bottom, art_texture(scene->stage->art, texture, scene->tick), u, v,
                   step, raster_shade(render, seg->light, inverse));
}

static float render_texture_height(const Render* render, uint16_t texture)
{
    return (float)render->scene->stage->art->textures[texture].height;
}

static void render_note_grate(Render* render, const RenderSeg* seg, int x, float inverse, int u)
{
    if (!raster_grow(render, (void**)&render->grates, &render->grate_room, render->grate_count,
                     sizeof *render->grates)) {
        return;
    }
    uint16_t texture = seg->show->middle;
    float height = render_texture_height(render, texture);
    float floor = fmaxf(seg->floor, seg->back_floor);
    float ceiling = fminf(seg->ceiling, seg->back_ceiling);
    float hang = (seg->flags & WAD_LINE_LOWER_UNPEGGED) != 0 ? floor + height : ceiling;
    hang += (float)seg->side->y;
    float step = 1.0f / (inverse * render->focus_y);
    int top = raster_pixel(render->centre_y - hang / step, 0, render->height);
    int bottom = raster_pixel(render->centre_y - (hang - height) / step, 0, render->height);
    render->grates[render->grate_count] =
        (RasterGrate){.next = render->grates_of[x],
                      .inverse = inverse,
                      .image = art_texture(render->scene->stage->art, texture, render->scene->tick),
                      .shade = raster_shade(render, seg->light, inverse),
                      .u = u,
                      .v = hang - render->centre_y * step,
                      .step = step,
                      .top = raster_max(top, render->top[x]),
                      .bottom = raster_min(bottom, render->bottom[x])};
    render->grates_of[x] = render->grate_count++;
}

/* The wall between ceiling and floor, or above and below an opening. Leaves the window. */
static void render_walls(Render* render, const RenderSeg* seg, int x, int ceiling, int floor,
                         float inverse, int u)
{
    const StageSide* show = seg->show;
    bool unpegged = (seg->flags & WAD_LINE_LOWER_UNPEGGED) != 0;
    float scale = inverse * render->focus_y;
    if (seg->back == LEVEL_NO_SECTOR) {
        if (show->middle != ART_NONE) {
            float hang =
                unpegged ? seg->floor + render_texture_height(render, show->middle) : seg->ceiling;
            render_wall(render, seg, x, ceiling, floor, show->middle, hang, inverse, u);
        } else {
            memset(render->pixels + (size_t)x * (size_t)render->height + ceiling, 0,
                   (size_t)raster_max(floor - ceiling, 0) * sizeof(uint32_t));
        }
        render->top[x] = render->bottom[x] = floor;
        return;
    }
    int upper = raster_pixel(render->centre_y - seg->back_ceiling * scale, ceiling, floor);
    int lower = raster_pixel(render->centre_y - seg->back_floor * scale, upper, floor);
    if (ceiling < upper && show->upper != ART_NONE) {
        bool hangs = (seg->flags & WAD_LINE_UPPER_UNPEGGED) != 0;
        float hang =
            hangs ? seg->ceiling : seg->back_ceiling + render_texture_height(render, show->upper);
        render_wall(render, seg, x, ceiling, upper, show->upper, hang, inverse, u);
    } else if (ceiling < upper) {
        render_missing(render, seg, x, ceiling, upper, true);
    }
    if (lower < floor && show->lower != ART_NONE) {
        render_wall(render, seg, x, lower, floor, show->lower,
                    unpegged ? seg->ceiling : seg->back_floor, inverse, u);
    } else if (lower < floor) {
        render_missing(render, seg, x, lower, floor, false);
    }
    render->top[x] = upper;
    render->bottom[x] = lower;
}

/* Whether the ray at the eye's height ends here. */
static bool render_stops(const RenderSeg* seg)
{
    return seg->back == LEVEL_NO_SECTOR || fmaxf(seg->floor, seg->back_floor) > 0.0f ||
           fminf(seg->ceiling, seg->back_ceiling) < 0.0f;
}

static void render_column(Render* render, const RenderSeg* seg, int x)
{
    float slope = render->slope[x];
    float inverse = raster_clamp(seg->inverse + slope * seg->inverse_step, seg->least, seg->most);
    float scale = inverse * render->focus_y;
    int top = render->top[x], bottom = render->bottom[x];
    const StageSector* front = &render->scene->stage->sectors[seg->front];
    if (render->reach[x] == 0.0f && render_stops(seg)) {
        render->reach[x] = inverse;
    }
    float depth = 1.0f / inverse;
    float along = ((depth - seg->d1) * (seg->d2 - seg->d1) +
                   (depth * slope - seg->s1) * (seg->s2 - seg->s1)) /
                  seg->length;
    int u = (int)floorf(along) + seg->side->x;
    if (!seg->plain) {
        float edge = seg->sky ? seg->back_ceiling : seg->ceiling;
        int ceiling = raster_pixel(render->centre_y - edge * scale, top, bottom);
        int floor = raster_pixel(render->centre_y - seg->floor * scale, ceiling, bottom);
        render_flat(render, x, top, ceiling, seg->ceiling, front->ceiling, seg->plane_light);
        render_flat(render, x, floor, bottom, seg->floor, front->floor, seg->plane_light);
        render_walls(render, seg, x, ceiling, floor, inverse, u);
    }
    bool grate = seg->back != LEVEL_NO_SECTOR && seg->show->middle != ART_NONE;
    if (grate && render->top[x] < render->bottom[x]) {
        render_note_grate(render, seg, x, inverse, u);
    }
    if (render->top[x] != top || render->bottom[x] != bottom) {
        raster_note_step(render, x, seg->wall, inverse);
    }
    if (render->top[x] >= render->bottom[x]) {
        render->next_open[x] = x + 1;
    }
}

/* --- where a seg is --------------------------------------------------------------------------- */

typedef struct RenderPoint {
    float depth, side;
} RenderPoint;

static RenderPoint render_look_at(const Render* render, float x, float y)
{
    float dx = x - render->scene->x, dy = y - render->scene->y;
    return (RenderPoint){.depth = dx * render->forward_x + dy * render->forward_y,
                         .side = dx * render->right_x + dy * render->right_y};
}

/* Moves an end that is too near along the seg. */
static RenderPoint render_cut(RenderPoint end, RenderPoint other)
{
    if (end.depth >= RASTER_NEAR) {
        return end;
    }
    float share = (RASTER_NEAR - end.depth) / (other.depth - end.depth);
    return (RenderPoint){RASTER_NEAR, end.side + (other.side - end.side) * share};
}

static void render_set_heights(const Render* render, RenderSeg* seg)
{
    const RenderScene* scene = render->scene;
    const StageSector* sectors = scene->stage->sectors;
    seg->floor = scene->floors[seg->front] - scene->z;
    seg->ceiling = scene->ceilings[seg->front] - scene->z;
    if (seg->back == LEVEL_NO_SECTOR) {
        return;
    }
    seg->back_floor = scene->floors[seg->back] - scene->z;
    seg->back_ceiling = scene->ceilings[seg->back] - scene->z;
    uint16_t sky = scene->stage->sky_flat;
    seg->sky = sectors[seg->front].ceiling == sky && sectors[seg->back].ceiling == sky;
    seg->plain = seg->floor == seg->back_floor && seg->ceiling == seg->back_ceiling &&
                 sectors[seg->front].floor == sectors[seg->back].floor &&
                 sectors[seg->front].ceiling == sectors[seg->back].ceiling &&
                 scene->lights[seg->front] == scene->lights[seg->back];
}

/* Walls that run along an axis are a little darker or brighter than others. */
static void render_set_light(const Render* render, RenderSeg* seg, const LevelLine* line)
{
    int light = render->scene->lights[seg->front] >> 4;
    seg->plane_light = light;
    seg->light = line->dy == 0 ? light - 1 : line->dx == 0 ? light + 1 : light;
}

/* Fills in what the columns need. Returns false for a seg that is seen from its end. */
static bool render_set_line(Render* render, RenderSeg* seg, const LevelLine* line, int side)
{
    RenderPoint start = render_look_at(render, (float)line->x, (float)line->y);
    RenderPoint end =
        render_look_at(render, (float)(line->x + line->dx), (float)(line->y + line->dy));
    seg->d1 = side == 0 ? start.depth : end.depth;
    seg->s1 = side == 0 ? start.side : end.side;
    seg->d2 = side == 0 ? end.depth : start.depth;
    seg->s2 = side == 0 ? end.side : start.side;
    float dd = seg->d2 - seg->d1, ds = seg->s2 - seg->s1;
    float constant = seg->d1 * ds - seg->s1 * dd;
    seg->length = sqrtf(dd * dd + ds * ds);
    if (fabsf(constant) < 1e-4f || seg->length == 0.0f) {
        return false;
    }
    seg->inverse = ds / constant;
    seg->inverse_step = -dd / constant;
    seg->wall = render->wall_count;
    if (!raster_grow(render, (void**)&render->walls, &render->wall_room, render->wall_count,
                     sizeof *render->walls)) {
        return false;
    }
    /* The eye, at 0, 0, is where a x + b y - c has the sign of -constant. */
    float sign = constant > 0.0f ? -1.0f : 1.0f;
    render->walls[render->wall_count++] = (RasterWall){
        .a = ds * sign, .b = -dd * sign, .c = constant * sign, .farthest = 1.0f / seg->least};
    return true;
}

static void render_seg(Render* render, const WadSeg* piece)
{
    const RenderScene* scene = render->scene;
    const WadMap* map = &scene->stage->level->map;
    WadVertex v1 = map->vertices[piece->start], v2 = map->vertices[piece->end];
    RenderPoint p1 = render_look_at(render, (float)v1.x, (float)v1.y);
    RenderPoint p2 = render_look_at(render, (float)v2.x, (float)v2.y);
    if (p1.depth < RASTER_NEAR && p2.depth < RASTER_NEAR) {
        return;
    }
    RenderPoint c1 = render_cut(p1, p2), c2 = render_cut(p2, p1);
    float left = render->centre_x + c1.side / c1.depth * render->focus_x;
    float right = render->centre_x + c2.side / c2.depth * render->focus_x;
    int first = raster_pixel(left, 0, render->width);
    int last = raster_pixel(right, 0, render->width);
    if (first >= last || (first = raster_open(render, first)) >= last) {
        return;
    }
    const LevelLine* line = &scene->stage->level->lines[piece->line];
    uint16_t side = map->lines[piece->line].side[piece->side];
    RenderSeg seg = {.side = &map->sides[side],
                     .show = &scene->stage->sides[side],
                     .front = map->sides[side].sector,
                     .back = piece->side == 0 ? line->back : line->front,
                     .flags = line->flags,
                     .least = 1.0f / fmaxf(c1.depth, c2.depth),
                     .most = 1.0f / fminf(c1.depth, c2.depth)};
    render_set_heights(render, &seg);
    render_set_light(render, &seg, line);
    if ((seg.plain && seg.show->middle == ART_NONE) ||
        !render_set_line(render, &seg, line, piece->side)) {
        return;
    }
    for (int x = first; x < last; x = raster_open(render, x + 1)) {
        render_column(render, &seg, x);
    }
}

/* --- the tree --------------------------------------------------------------------------------- */

/* Whether a part of the map can be seen through any window. Errs on the side of yes. */
static bool render_sees_box(Render* render, const WadBox* box)
{
    const RenderScene* scene = render->scene;
    if (scene->x >= box->left && scene->x <= box->right && scene->y >= box->bottom &&
        scene->y <= box->top) {
        return true;
    }
    float left = 1e9f, right = -1e9f;
    bool in_front = false, behind = false, to_the_left = true, to_the_right = true;
    for (int corner = 0; corner < 4; ++corner) {
        RenderPoint at = render_look_at(render, (float)((corner & 1) != 0 ? box->left : box->right),
                                        (float)((corner & 2) != 0 ? box->top : box->bottom));
        to_the_left = to_the_left && at.side < -at.depth;
        to_the_right = to_the_right && at.side > at.depth;
        if (at.depth < 1.0f) {
            behind = true;
            continue;
        }
        in_front = true;
        left = fminf(left, at.side / at.depth);
        right = fmaxf(right, at.side / at.depth);
    }
    if (!in_front || to_the_left || to_the_right) {
        /* Corners nearer than one unit are rare enough to be taken for visible. */
        return !in_front && !to_the_left && !to_the_right && behind &&
               render_look_at(render, 0.5f * (float)(box->left + box->right),
                              0.5f * (float)(box->top + box->bottom))
                       .depth > -0.5f * (float)(box->right - box->left + box->top - box->bottom);
    }
    int first = behind ? 0
                       : raster_pixel(render->centre_x + left * render->focus_x - 1.0f, 0,
                                      render->width - 1);
    int last =
        behind ? render->width
               : raster_pixel(render->centre_x + right * render->focus_x + 1.0f, 0, render->width);
    return raster_open(render, first) < last;
}

static void render_node(Render* render, uint32_t at)
{
    const WadMap* map = &render->scene->stage->level->map;
    if ((at & WAD_SUBSECTOR_BIT) != 0) {
        const WadSubsector* part = &map->subsectors[at & (WAD_SUBSECTOR_BIT - 1u)];
        for (uint32_t i = 0; i < part->seg_count; ++i) {
            render_seg(render, &map->segs[part->first_seg + i]);
        }
        return;
    }
    const WadNode* node = &map->nodes[at];
    float x = render->scene->x - (float)node->x, y = render->scene->y - (float)node->y;
    int near = y * (float)node->dx - x * (float)node->dy >= 0.0f ? 1 : 0;
    if (render_sees_box(render, &node->box[near])) {
        render_node(render, node->child[near]);
    }
    if (render_sees_box(render, &node->box[1 - near])) {
        render_node(render, node->child[1 - near]);
    }
}

/* --- the whole -------------------------------------------------------------------------------- */

static void render_begin(Render* render, const RenderScene* scene)
{
    render->scene = scene;
    render->failed = false;
    render->forward_x = cosf(scene->angle);
    render->forward_y = sinf(scene->angle);
    render->right_x = render->forward_y;
    render->right_y = -render->forward_x;
    render->wall_count = render->step_count = render->grate_count = 0;
    for (int x = 0; x < render->width; ++x) {
        render->top[x] = 0;
        render->bottom[x] = render->height;
        render->next_open[x] = x;
        render->reach[x] = 0.0f;
        render->steps_of[x] = render->grates_of[x] = RASTER_NONE;
    }
    render->next_open[render->width] = render->width;
}

bool render_draw(Render* render, const RenderScene* scene)
{
    const WadMap* map = &scene->stage->level->map;
    render_begin(render, scene);
    render_node(render, map->node_count == 0 ? WAD_SUBSECTOR_BIT : map->node_count - 1);
    raster_things(render);
    return !render->failed;
}

int render_width(const Render* render)
{
    return render->width;
}

int render_height(const Render* render)
{
    return render->height;
}

uint32_t* render_pixels(Render* render)
{
    return render->pixels;
}

float render_reach(const Render* render, int column)
{
    float inverse = render->reach[column];
    return inverse > 0.0f ? 1.0f / inverse : 0.0f;
}

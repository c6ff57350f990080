/* billboard.c - things, and walls with holes: what does not fill its part of the picture.
 *
 * They are drawn from far to near. What hides them is found in the columns' lists of windows: the
 * last window of a wall that stands in front. */
#include "raster.h"

#include <math.h>
#include <stdlib.h>

#define BILLBOARD_NEAR 4.0f
#define BILLBOARD_TURN 0.78539816f /* an eighth of a circle */

/* --- columns ---------------------------------------------------------------------------------- */

static uint32_t billboard_pixel(uint32_t under, uint32_t colour, RenderStyle style)
{
    switch (style) {
    case RENDER_SHADOW:
        return (under >> 1) & 0x7f7f7fu;
    case RENDER_GHOST: {
        /* Half a pale blue of the same brightness, half what is behind. */
        uint32_t bright = ((colour >> 16 & 255u) + (colour >> 8 & 255u) + (colour & 255u)) / 3;
        uint32_t pale =
            (bright / 2 + 32) << 16 | (bright * 5 / 8 + 64) << 8 | (bright * 5 / 8 + 95);
        return ((under >> 1) & 0x7f7f7fu) + ((pale >> 1) & 0x7f7f7fu);
    }
    default:
        return colour;
    }
}

void raster_masked(uint32_t* column, int top, int bottom, const ArtImage* image, int u, float v,
                   float step, const uint32_t* shade, RenderStyle style)
{
    int x = u % image->width;
    size_t start = (size_t)(x < 0 ? x + image->width : x) * (size_t)image->height;
    const uint8_t* from = image->pixels + start;
    const uint8_t* solid = image->solid != NULL ? image->solid + start : NULL;
    for (int y = top; y < bottom; ++y) {
        int row = (int)(v + ((float)y + 0.5f) * step);
        row = raster_min(raster_max(row, 0), image->height - 1);
        if (solid == NULL || solid[row] != 0) {
            column[y] = billboard_pixel(column[y], shade[from[row]], style);
        }
    }
}

/* Draws the grates of a column that are farther than this. */
static void billboard_grates(Render* render, int x, float inverse)
{
    uint32_t* column = render->pixels + (size_t)x * (size_t)render->height;
    while (render->grates_of[x] != RASTER_NONE) {
        const RasterGrate* grate = &render->grates[render->grates_of[x]];
        if (grate->inverse >= inverse) {
            return;
        }
        raster_masked(column, grate->top, grate->bottom, grate->image, grate->u, grate->v,
                      grate->step, grate->shade, RENDER_SOLID);
        render->grates_of[x] = grate->next;
    }
}

/* --- a thing ---------------------------------------------------------------------------------- */

/* Where a thing is from the eye, and what it shows. */
typedef struct Billboard {
    const RenderThing* thing;
    const ArtImage* image;
    const uint32_t* shade;
    float depth, side;
    bool mirrored;
} Billboard;

/* Which of its eight sides it shows: 0 is the front. */
static uint32_t billboard_rotation(const Render* render, const RenderThing* thing)
{
    float to_eye = atan2f(render->scene->y - thing->y, render->scene->x - thing->x);
    float turn = (to_eye - thing->facing) / BILLBOARD_TURN;
    return (uint32_t)((int)floorf(turn + 0.5f) & 7);
}

/* Narrows the rows of a column by the last wall in front of the thing. */
static void billboard_window(const Render* render, const Billboard* board, int x, int* top,
                             int* bottom)
{
    float inverse = 1.0f / board->depth;
    uint32_t at = render->steps_of[x];
    for (; at != RASTER_NONE; at = render->steps[at].next) {
        const RasterStep* step = &render->steps[at];
        const RasterWall* wall = &render->walls[step->wall];
        bool in_front = wall->a * board->depth + wall->b * board->side < wall->c;
        if (step->inverse > inverse && (wall->farthest < board->depth || in_front)) {
            *top = raster_max(*top, step->top);
            *bottom = raster_min(*bottom, step->bottom);
            return;
        }
    }
}

static void billboard_draw(Render* render, const Billboard* board)
{
    const ArtImage* image = board->image;
    float scale_x = render->focus_x / board->depth, scale_y = render->focus_y / board->depth;
    int hot = board->mirrored ? image->width - image->left : image->left;
    float left = render->centre_x + (board->side - (float)hot) * scale_x;
    float head = board->thing->z + (float)image->top - render->scene->z;
    float edge = render->centre_y - head * scale_y;
    int first = raster_pixel(left, 0, render->width);
    int last = raster_pixel(left + (float)image->width * scale_x, 0, render->width);
    int high = raster_pixel(edge, 0, render->height);
    int low = raster_pixel(edge + (float)image->height * scale_y, 0, render->height);
    for (int x = first; x < last; ++x) {
        int top = high, bottom = low;
        int u = (int)(((float)x + 0.5f - left) / scale_x);
        u = raster_min(raster_max(u, 0), image->width - 1);
        billboard_window(render, board, x, &top, &bottom);
        billboard_grates(render, x, 1.0f / board->depth);
        raster_masked(render->pixels + (size_t)x * (size_t)render->height, top, bottom, image,
                      board->mirrored ? image->width - 1 - u : u, -edge / scale_y, 1.0f / scale_y,
                      board->shade, (RenderStyle)board->thing->style);
    }
}

static void billboard_thing(Render* render, const RenderThing* thing, float depth)
{
    const RenderScene* scene = render->scene;
    float dx = thing->x - scene->x, dy = thing->y - scene->y;
    const ArtView* view = &thing->sprite->views[thing->frame][billboard_rotation(render, thing)];
    int light = scene->lights[thing->sector] >> 4;
    Billboard board = {.thing = thing,
                       .image = art_image(scene->stage->art, view->lump),
                       .shade = raster_shade(render, thing->bright ? 32 : light, 1.0f / depth),
                       .depth = depth,
                       .side = dx * render->right_x + dy * render->right_y,
                       .mirrored = view->mirrored};
    billboard_draw(render, &board);
}

/* --- all -------------------------------------------------------------------------------------- */

static bool billboard_make_room(Render* render, uint32_t count)
{
    if (count <= render->order_room) {
        return true;
    }
    free(render->order);
    free(render->depths);
    render->order = malloc(count * sizeof *render->order);
    render->depths = malloc(count * sizeof *render->depths);
    render->order_room = render->order != NULL && render->depths != NULL ? count : 0;
    render->failed = render->failed || render->order_room == 0;
    return render->order_room != 0;
}

/* Heap sort, farthest first: a heap with the nearest at its root. */
static void billboard_sift(const float* depths, uint32_t* order, uint32_t at, uint32_t count)
{
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && depths[order[child + 1]] < depths[order[child]]) {
            ++child;
        }
        if (depths[order[at]] <= depths[order[child]]) {
            return;
        }
        uint32_t moved = order[at];
        order[at] = order[child];
        order[child] = moved;
    }
}

static void billboard_sort(const float* depths, uint32_t* order, uint32_t count)
{
    for (uint32_t i = count / 2; i-- > 0;) {
        billboard_sift(depths, order, i, count);
    }
    for (uint32_t i = count; i-- > 1;) {
        uint32_t moved = order[0];
        order[0] = order[i];
        order[i] = moved;
        billboard_sift(depths, order, 0, i);
    }
}

/* Things in front of the eye and not far aside. */
static uint32_t billboard_choose(Render* render)
{
    const RenderScene* scene = render->scene;
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->thing_count; ++i) {
        const RenderThing* thing = &scene->things[i];
        float dx = thing->x - scene->x, dy = thing->y - scene->y;
        float depth = dx * render->forward_x + dy * render->forward_y;
        float side = dx * render->right_x + dy * render->right_y;
        if (depth >= BILLBOARD_NEAR && fabsf(side) < depth + 256.0f && thing->sprite != NULL &&
            thing->frame < ART_FRAMES) {
            render->depths[i] = depth;
            render->order[count++] = i;
        }
    }
    return count;
}

void raster_things(Render* render)
{
    const RenderScene* scene = render->scene;
    if (billboard_make_room(render, scene->thing_count + 1)) {
        uint32_t count = billboard_choose(render);
        billboard_sort(render->depths, render->order, count);
        for (uint32_t i = 0; i < count; ++i) {
            billboard_thing(render, &scene->things[render->order[i]],
                            render->depths[render->order[i]]);
        }
    }
    for (int x = 0; x < render->width; ++x) {
        billboard_grates(render, x, 1e9f);
    }
}

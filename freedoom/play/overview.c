/* overview.c - see overview.h. */
#include "overview.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OVERVIEW_BACKGROUND 0x0b0d12
#define OVERVIEW_INTERVAL 70u /* ticks until the building is drawn again: doors have moved */
#define OVERVIEW_GHOST 0x8fb4ff
#define OVERVIEW_SELF 0xffffff

bool overview_init(Overview* overview, int width, int height)
{
    *overview = (Overview){0};
    overview->building = malloc((size_t)width * (size_t)height * sizeof *overview->building);
    return canvas_init(&overview->canvas, width, height, OVERVIEW_BACKGROUND) &&
           overview->building != NULL;
}

void overview_deinit(Overview* overview)
{
    canvas_deinit(&overview->canvas);
    free(overview->building);
}

static bool overview_draw_building(Overview* overview, const Simulation* sim, uint32_t arena)
{
    Canvas* canvas = &overview->canvas;
    for (int y = 0; y < canvas->height; ++y) {
        canvas_span(canvas, y, 0, (float)canvas->width, OVERVIEW_BACKGROUND, 1.0f);
    }
    if (!picture_draw_plan(sim, arena, canvas, &overview->plan)) {
        return false;
    }
    const float* from = canvas->rgb;
    for (int y = 0; y < canvas->height; ++y) {
        for (int x = 0; x < canvas->width; ++x, from += 3) {
            overview->building[(size_t)x * (size_t)canvas->height + (size_t)y] =
                (uint32_t)from[0] << 16 | (uint32_t)from[1] << 8 | (uint32_t)from[2];
        }
    }
    overview->arena = arena;
    overview->tick = sim->dice.tick;
    overview->drawn = true;
    return true;
}

/* A disc; share is of the colour, 0 to 256. */
static void overview_disc(Render* render, float x, float y, float radius, uint32_t colour,
                          uint32_t share)
{
    int width = render_width(render), height = render_height(render);
    for (int column = (int)(x - radius); column <= (int)(x + radius); ++column) {
        for (int row = (int)(y - radius); row <= (int)(y + radius); ++row) {
            float dx = (float)column + 0.5f - x, dy = (float)row + 0.5f - y;
            if (column < 0 || column >= width || row < 0 || row >= height ||
                dx * dx + dy * dy > radius * radius) {
                continue;
            }
            uint32_t* pixel = &render_pixels(render)[(size_t)column * (size_t)height + (size_t)row];
            uint32_t a = (*pixel & 0xff00ffu) * (256 - share) + (colour & 0xff00ffu) * share;
            uint32_t b = (*pixel & 0xff00u) * (256 - share) + (colour & 0xff00u) * share;
            *pixel = (a >> 8 & 0xff00ffu) | (b >> 8 & 0xff00u);
        }
    }
}

static float overview_mix(Fixed a, Fixed b, float share)
{
    return ((float)a + ((float)b - (float)a) * share) / (float)FIXED_ONE;
}

static void overview_actor(const Overview* overview, Render* render, const SightActor* before,
                           const SightActor* actor, float share, bool ghost)
{
    const PicturePlan* plan = &overview->plan;
    const Position* start = before != NULL ? &before->position : &actor->position;
    float x = (overview_mix(start->x, actor->position.x, share) - plan->left) * plan->scale;
    float y = (plan->top - overview_mix(start->y, actor->position.y, share)) * plan->scale;
    if (actor->look == SIGHT_PUFF) {
        overview_disc(render, x, y, 1.5f, 0xfff6d0, 256);
        return;
    }
    const ThingType* type = &thing_table[actor->look];
    float radius = fmaxf((float)type->radius * plan->scale, actor->alive ? 2.6f : 1.3f);
    if (actor->alive && !ghost) {
        overview_disc(render, x, y, radius + 1.2f, OVERVIEW_BACKGROUND, 200);
    }
    overview_disc(render, x, y, radius, ghost ? OVERVIEW_GHOST : type->colour,
                  ghost          ? 110
                  : actor->alive ? 256
                                 : 150);
}

bool overview_draw(Overview* overview, Render* render, const Simulation* sim, const Sight* from,
                   const Sight* to, float share, const Sight* ghosts, sett_entity self)
{
    bool stale = !overview->drawn || overview->arena != to->arena ||
                 sim->dice.tick - overview->tick >= OVERVIEW_INTERVAL;
    if (stale && !overview_draw_building(overview, sim, to->arena)) {
        return false;
    }
    memcpy(render_pixels(render), overview->building,
           (size_t)render_width(render) * (size_t)render_height(render) * sizeof(uint32_t));
    for (uint32_t i = 0; ghosts != NULL && i < ghosts->actor_count; ++i) {
        overview_actor(overview, render, NULL, &ghosts->actors[i], 1.0f, true);
    }
    /* Who lives lies above what does not. */
    for (int alive = 0; alive < 2; ++alive) {
        for (uint32_t i = 0; i < to->actor_count; ++i) {
            const SightActor* actor = &to->actors[i];
            if (actor->alive == (alive != 0)) {
                overview_actor(overview, render, sight_find(from, actor->entity), actor, share,
                               false);
            }
        }
    }
    const SightActor* me = sight_find(to, self);
    if (me != NULL) {
        const PicturePlan* plan = &overview->plan;
        float x = (overview_mix(me->position.x, me->position.x, 1) - plan->left) * plan->scale;
        float y = (plan->top - overview_mix(me->position.y, me->position.y, 1)) * plan->scale;
        overview_disc(render, x, y, 6.0f, OVERVIEW_SELF, 120);
        overview_disc(render, x, y, 3.0f, OVERVIEW_SELF, 256);
    }
    return true;
}

void overview_draw_legend(Render* render, bool ghosts)
{
    static const char* const words[] = {"you", "monsters, each its colour", "dead",
                                        "ghosts: what would have been"};
    const uint32_t colours[] = {OVERVIEW_SELF, thing_table[thing_table_find(3001)].colour,
                                thing_table[thing_table_find(3001)].colour, OVERVIEW_GHOST};
    static const uint32_t shares[] = {256, 256, 150, 180};
    int count = ghosts ? 4 : 3, line = 11, wide = 190;
    int x = render_width(render) - wide - 6, y = render_height(render) * 160 / 200 - count * line;
    render_shade(render, x, y, wide, count * line + 8);
    for (int i = 0; i < count; ++i) {
        overview_disc(render, (float)x + 9.0f, (float)(y + 8 + i * line), i == 2 ? 1.6f : 3.2f,
                      colours[i], shares[i]);
        render_text(render, x + 18, y + 5 + i * line, 1, words[i]);
    }
}

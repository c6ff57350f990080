/* client_smooth.c: other machines' entities between two received states; see net_client.h.
 *
 * The workload: states come in each tick, or late, or not at all. The floats of some types are
 * shown some ticks late, where mostly a state before and a state after are known. A sample has the
 * values of one state, in the order of types and handles; so two samples are merged.
 *
 * Invariant:  samples ascend by tick; what is shown is between two of them, or is one of them */
#include "../argument.h"
#include "net_client.h"

#include "sett/members.h"

#include <stdlib.h>

#define SMOOTH_JUMP 4.0 /* ticks: a greater difference is not caught up with step by step */
#define SMOOTH_PULL 0.1

static bool smooth_is_own(const sett_client* c, sett_entity entity)
{
    bool own = false;
    for (uint32_t k = 0; k < c->own.count && !own; k++) {
        own = sett_equals(c->own.item[k], entity);
    }
    return own;
}

static void smooth_free(client_sample* sample)
{
    free(sample->item);
    free(sample->values);
    *sample = (client_sample){.tick = 0};
}

void setti_client_free_samples(sett_client* c)
{
    for (uint32_t k = 0; k < c->sample_count; k++) {
        smooth_free(&c->sample[k]);
    }
}

static size_t smooth_size(const sett_client* c, uint32_t type)
{
    sett_component_desc desc;
    return sett_component_describe(c->world, c->desc.smooth[type], &desc) == SETT_OK ? desc.size
                                                                                     : 0;
}

/* Notes the values of the latest state, before anything overwrites them. */
bool setti_client_sample(sett_client* c)
{
    client_sample made = {.tick = c->tick};
    size_t size = 0, room = 0;
    for (uint32_t t = 0; t < c->desc.smooth_count; t++) {
        room += smooth_size(c, t);
    }
    if (c->desc.smooth_count == 0) {
        return true;
    }
    made.item = calloc((size_t)c->shown.count * c->desc.smooth_count + 1, sizeof(*made.item));
    made.values = malloc((size_t)c->shown.count * room + 1);
    if (made.item == NULL || made.values == NULL) {
        smooth_free(&made);
        return false;
    }
    for (uint32_t t = 0; t < c->desc.smooth_count; t++) {
        for (uint32_t k = 0; k < c->shown.count; k++) {
            const sett_entity entity = c->shown.item[k];
            const void* value = sett_find(c->received, entity, c->smooth_there[t]);
            if (value != NULL && !smooth_is_own(c, entity)) {
                made.item[made.count++] = (client_sample_item){entity, t, size};
                memcpy(made.values + size, value, smooth_size(c, t));
                size += smooth_size(c, t);
            }
        }
    }
    if (c->sample_count == CLIENT_SAMPLES) {
        smooth_free(&c->sample[0]);
        memmove(c->sample, c->sample + 1, (CLIENT_SAMPLES - 1) * sizeof(made));
        c->sample_count--;
    }
    c->sample[c->sample_count++] = made;
    return true;
}

/* -------------------------------------------------------------------------------------- showing */

static void smooth_number(const sett_member* member, const unsigned char* from,
                          const unsigned char* to, double part, unsigned char* out)
{
    const bool wide = member->kind == SETT_MEMBER_F64;
    for (uint32_t k = 0; k < member->count && (wide || member->kind == SETT_MEMBER_F32); k++) {
        const size_t at = member->offset + (size_t)k * (wide ? sizeof(double) : sizeof(float));
        double a, b;
        float x, y;
        if (wide) {
            memcpy(&a, from + at, sizeof(a));
            memcpy(&b, to + at, sizeof(b));
            a += (b - a) * part;
            memcpy(out + at, &a, sizeof(a));
        } else {
            memcpy(&x, from + at, sizeof(x));
            memcpy(&y, to + at, sizeof(y));
            x += (y - x) * (float)part;
            memcpy(out + at, &x, sizeof(x));
        }
    }
}

static void smooth_value(sett_client* c, const client_sample_item* item, const unsigned char* from,
                         const unsigned char* to, double part)
{
    const sett_component type = c->desc.smooth[item->type];
    const sett_struct* members = sett_members_get(c->world, type);
    unsigned char* out = sett_entity_valid(c->world, item->entity)
                             ? sett_find_mut(c->world, item->entity, type)
                             : NULL;
    for (uint32_t k = 0; out != NULL && members != NULL && k < members->count; k++) {
        smooth_number(&members->members[k], from, to, part, out);
    }
}

static bool smooth_is_before(const client_sample_item* a, const client_sample_item* b)
{
    return a->type != b->type ? a->type < b->type : a->entity.index < b->entity.index;
}

/* Shows the floats of `b`, or what is between them and those of `a`. */
static void smooth_merge(sett_client* c, const client_sample* a, const client_sample* b,
                         double part)
{
    uint32_t i = 0;
    for (uint32_t k = 0; k < b->count; k++) {
        const client_sample_item* item = &b->item[k];
        while (i < a->count && smooth_is_before(&a->item[i], item)) {
            i++;
        }
        const unsigned char* to = b->values + item->at;
        bool both = i < a->count && a->item[i].type == item->type &&
                    sett_equals(a->item[i].entity, item->entity);
        smooth_value(c, item, both ? a->values + a->item[i].at : to, to, part);
    }
}

static void smooth_show(sett_client* c, double tick)
{
    uint32_t k = 0;
    while (k < c->sample_count && (double)c->sample[k].tick < tick) {
        k++;
    }
    const client_sample* b = &c->sample[k < c->sample_count ? k : c->sample_count - 1];
    const client_sample* a = k > 0 && k < c->sample_count ? &c->sample[k - 1] : b;
    const double span = (double)(b->tick - a->tick);
    smooth_merge(c, a, b, span > 0 ? (tick - (double)a->tick) / span : 1);
}

/* One tick later: the tick that is shown follows the received ones, at an even pace. */
void setti_client_smooth(sett_client* c)
{
    if (c->sample_count == 0) {
        return;
    }
    const double target = (double)c->tick - c->desc.smooth_delay;
    const double apart = target - (c->shown_tick + 1);
    const bool jump = apart > SMOOTH_JUMP || apart < -SMOOTH_JUMP;
    c->shown_tick = jump ? target : c->shown_tick + 1 + apart * SMOOTH_PULL;
    smooth_show(c, c->shown_tick);
}

void sett_client_show(sett_client* c, float ahead)
{
    if (!argument_is_null(c, __func__, "client") && c->sample_count != 0) {
        smooth_show(c, c->shown_tick + (double)ahead);
    }
}

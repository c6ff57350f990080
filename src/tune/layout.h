/* layout.h: shared by the files of advice and layouts. */
#ifndef SETTI_LAYOUT_H
#define SETTI_LAYOUT_H

#include "sett/layout.h"
#include "tune/price.h"

/* The state of sett_layout_apply and sett_layout_auto in a world. */
struct setti_layout {
    char* text; /* the last text applied, or NULL */
    size_t text_size;
    bool unreported; /* names in `text` that no type has are not reported yet */

    bool automatic;      /* auto_layout is on */
    uint32_t max_values; /* a frame moves at most this many values */
    uint32_t frames;     /* since the last sample */
    uint32_t period;     /* frames between two samples */
    bool early;          /* the first frame has not ended */
    bool building;       /* a query is `wanted`, or `type` is set */
    setti_type* type;    /* a type to convert once memory is touched, or NULL */
    bool has_due_types;  /* a type is due for conversion */
    uint32_t warming;    /* frames in which memory is still touched */
    size_t warm_size;    /* bytes to touch */
    unsigned char* warm; /* memory to touch next; NULL: not begun */
};

enum {
    SETTI_SLOT_LAYOUT = 9
};

/* Returns the layout of a world, or NULL before the first use. */
static inline struct setti_layout* setti_layout_of(const sett_world* world)
{
    return world->module[SETTI_SLOT_LAYOUT];
}

/* Returns the layout of a world, created at the first use. Returns NULL if memory runs out. */
struct setti_layout* setti_layout_ensure(sett_world* world);

/* Whether a type can be converted to the other kind of storage: array or sparse set. */
bool setti_layout_can_convert(const setti_type* type);

/* Whether a group can own the types of a query.
 *   automatic  the group may replace automatic groups */
bool setti_layout_can_group(const sett_query* query, bool automatic);

/* Describes the group that would be created for a query. */
sett_group_desc setti_layout_group_desc(const sett_query* query);

/* Returns the number of values that a change moves, or a larger number. */
uint64_t setti_layout_moves(const setti_relayout* change);

/* Frees the sampling data of an unregistered type. */
void setti_auto_unregistered(sett_world* world, setti_type* type);

/* Runs auto_layout at the end of a frame. Returns the number of values moved. */
uint64_t setti_auto_layout_step(sett_world* world, uint32_t max_values);

#endif

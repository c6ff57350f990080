/* layout.h: shared by the files of advice and layouts. */
#ifndef SETTI_LAYOUT_H
#define SETTI_LAYOUT_H

#include "sett/layout.h"
#include "tune/price.h"

/* A world's layout, beside the storages of types. */
struct setti_layout {
    char* text; /* the last text applied, or NULL */
    size_t text_size;
    bool unreported; /* its unknown names are not reported yet */

    bool automatic;      /* auto_layout is on */
    uint32_t max_values; /* moved by a frame at most */
    uint32_t frames;     /* since the last sample */
    uint32_t period;     /* frames between two samples */
    bool early;          /* no frame has been sampled */
    bool building;       /* a query is `wanted`, or `type` is set */
    setti_type* type;    /* a type to convert once memory is touched, or NULL */
    bool more;           /* some type is due */
    uint32_t warming;    /* frames in which memory is still touched */
    size_t warm_size;    /* bytes to touch */
    unsigned char* warm; /* memory to touch next */
};

enum {
    SETTI_SLOT_LAYOUT = 9
};

/* The world's; NULL until it is used. */
static inline struct setti_layout* setti_layout_of(const sett_world* world)
{
    return world->module[SETTI_SLOT_LAYOUT];
}

/* The world's, created if needed; NULL when memory runs out. */
struct setti_layout* setti_layout_ensure(sett_world* world);

/* Whether a type can be stored in the other kind: it has values and no keep_order, and neither a
 * group owns it nor a module of the library relies on its storage. */
bool setti_layout_can_convert(const setti_type* type);

/* Whether a group can own the two or more types with fields in a query. `automatic`: automatic
 * groups can be dissolved for it. */
bool setti_layout_can_group(const sett_query* query, bool automatic);

/* The group for a query: owns the types of its fields, with its other conditions. */
sett_group_desc setti_layout_group_desc(const sett_query* query);

/* The number of values that a change moves. */
uint64_t setti_layout_moves(const setti_relayout* change);

/* Frees the sampling data of a type that is unregistered. */
void setti_auto_unregistered(sett_world* world, setti_type* type);

/* Ends a frame for auto_layout. Returns the number of values moved. */
uint64_t setti_auto_layout_step(sett_world* world, uint32_t max_values);

#endif

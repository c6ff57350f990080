/* layout.h: shared by the files of advice and layouts. */
#ifndef SETTI_LAYOUT_H
#define SETTI_LAYOUT_H

#include "sett/layout.h"
#include "tune/price.h"

/* A world's data about its layout, beyond the storages of its types. */
struct setti_layout {
    char* text; /* applied last, or NULL */
    size_t text_size;
    bool unreported; /* its names have not been looked for at the end of a frame */

    bool automatic;      /* auto_layout.c */
    uint32_t max_values; /* that sett_progress moves */
    uint32_t frames;     /* since the last sample */
    uint32_t period;     /* between two */
    bool early;          /* no frame was looked at */
    bool building;       /* some query is `wanted`, or `type` is set */
    setti_type* type;    /* that is stored in the other kind when memory was touched; or NULL */
    bool more;           /* some type is due */
    uint32_t warming;    /* frames in which memory is still touched: for what is being built, or */
    size_t warm_size;    /* for a query that is `expected`; bytes that it needs */
    unsigned char* warm; /* where touching goes on */
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

/* Whether a type can be stored in the other kind: it has values, no group owns it, it does not keep
 * its order, and no module of the library relies on its storage. */
bool setti_layout_can_convert(const setti_type* type);

/* Whether a group can own all types with fields in the query: two or more. `automatic`: also in
 * place of automatic groups. */
bool setti_layout_can_group(const sett_query* query, bool automatic);

/* The group for a query: owns the types of its fields, and has its other conditions. */
sett_group_desc setti_layout_group_desc(const sett_query* query);

/* The number of values that a change moves. */
uint64_t setti_layout_moves(const setti_relayout* change);

/* A type that was sampled ends. */
void setti_auto_unregistered(sett_world* world, setti_type* type);

/* The end of a frame, for auto_layout. Returns how many values it moved. */
uint64_t setti_auto_layout_step(sett_world* world, uint32_t max_values);

#endif

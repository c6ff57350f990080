/* lookups.h: what the random tests of look-ups share: a world in which one component comes, changes
 * and goes in every way, and the results of a search.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_TEST_LOOKUPS_H
#define SETT_TEST_LOOKUPS_H

#include "chance.h"
#include "scarce.h"
#include "sett/search.h"
#include "sett/sort.h"
#include "sett/state.h"
#include "worlds.h"

#include <stdio.h>

static uint64_t state;

static inline uint32_t draw(uint32_t limit)
{
    return chance_below(&state, limit);
}

typedef struct lookup_changes {
    sett_sort_desc sort; /* the component, and how it is sorted */
    void (*set)(sett_world* world, sett_entity entity, sett_component component);
    sett_snapshot snapshot[4];
    uint32_t held;
} lookup_changes;

static inline void change_presence(lookup_changes* c, sett_world* world, sett_entity e)
{
    sett_component component = c->sort.component;
    if (draw(8) == 0) {
        if (draw(2) == 0 && sett_entity_count(world) > 150) {
            sett_entity_destroy(world, e);
        } else if (sett_entity_count(world) < 400) {
            e = sett_entity_create(world);
        }
    }
    if (draw(4) == 0 && sett_has(world, e, component)) {
        sett_remove(world, e, component);
    } else if (sett_entity_valid(world, e)) {
        c->set(world, e, component);
    }
}

static inline void change_something(lookup_changes* c, sett_world* world)
{
    sett_entity e = entity_from(world, draw(300));
    switch (draw(300)) {
    case 0:
        if (c->held < 4) {
            CHECK_EQ(sett_snapshot_take(world, &c->snapshot[c->held++]), SETT_OK);
        }
        break;
    case 1:
    case 2:
        if (c->held != 0) {
            CHECK_EQ(sett_snapshot_restore(world, c->snapshot[draw(c->held)]), SETT_OK);
        }
        break;
    case 3:
        sett_snapshot_drop_all(world);
        c->held = 0;
        sett_component_convert(world, c->sort.component,
                               draw(2) == 0 ? SETT_STORAGE_ARRAY : SETT_STORAGE_SPARSE_SET);
        break;
    case 4:
        sett_sort(world, &c->sort);
        break;
    case 5:
        sett_world_trim(world);
        break;
    case 6:
        sett_world_advance_tick(world);
        break;
    case 7: /* so many that all are sorted again */
        for (uint32_t k = 0; k < 300 && sett_entity_count(world) != 0; k++) {
            c->set(world, entity_from(world, k), c->sort.component);
        }
        break;
    default:
        change_presence(c, world, e);
    }
}

/* The results of a search, and a hash of their order. */
static inline uint32_t results_of(sett_world* world, const char* text, uint64_t* hash)
{
    sett_search* search = sett_search_create(world, text);
    uint32_t count = 0;
    CHECK_MSG(search != NULL, "%s: %s", text, sett_world_message(world));
    *hash = 0;
    SETT_SEARCH(search, rows, i)
    {
        *hash = *hash * 31 + sett_entity_to_u64(sett_rows_entity(rows, 0, i));
        count++;
    }
    sett_search_destroy(search);
    return count;
}

#endif

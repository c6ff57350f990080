/* operations.h: the random operations of test_model.c. Each draws what it does, does it to
 * the world and to the model (model.h), and looks at what it concerns.
 *
 *     operations.c  what they share: the run, what it expects, what it picks
 *     op_<what>.c   the operations, listed at the end
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_TEST_OPERATIONS_H
#define SETT_TEST_OPERATIONS_H

#include "chance.h"
#include "model/model.h"

#include "store/storage.h"

#define PERIOD 1000u /* operations between checks of everything, but for the first ones */

/* ---- The run --------------------------------------------------------------------------------- */

/* How far the run is, and where it is headed. */
typedef struct model_run {
    uint64_t seed;
    uint64_t chance;    /* the state of what is drawn */
    uint64_t done;      /* operations finished */
    uint64_t closely;   /* of them, checked one by one */
    const char* name;   /* of the one that runs */
    uint32_t target;    /* entities that there should be, about */
    uint32_t reach;     /* indices in use stay below, about */
    uint32_t groups;    /* that there should be at most */
    uint32_t observers; /* likewise */
    int64_t budget;
} model_run;

extern model_run run;

/* Whether something that looks at so many entities may be done now: what costs more in a larger
 * world is paid for from a budget. */
bool afford(uint64_t cost);

/* ---- Chance ---------------------------------------------------------------------------------- */

static inline uint64_t chance(void)
{
    return chance_draw(&run.chance);
}

/* 0 to limit - 1. */
static inline uint32_t below(uint32_t limit)
{
    return chance_below(&run.chance, limit);
}

static inline bool one_in(uint32_t n)
{
    return below(n) == 0;
}

/* ---- What is expected ------------------------------------------------------------------------
 * A failure prints the line that repeats it. */

#define EXPECT(condition) ((condition) ? (void)0 : fail(__FILE__, __LINE__, #condition))

/* What model_compare and its kin say. */
#define EXPECT_SAME(difference) expect_same(__FILE__, __LINE__, (difference))

_Noreturn void fail(const char* file, int line, const char* reason);
void expect_same(const char* file, int line, const char* difference);

/* A handle that the library gave out: free until now, and in the life that follows the last. */
void expect_fresh(sett_entity entity);

/* Some entities, all around the world, are as they should be. */
void expect_samples(void);

/* Every change is rejected because a loop is open; the entity has no `absent`. */
void expect_locked(sett_entity e, uint32_t absent);

static inline bool failed_with(sett_status status)
{
    return sett_world_error(model.world) == status;
}

/* ---- What is picked -------------------------------------------------------------------------- */

/* What values are made from: often zero, never one of the init hooks' by accident. */
uint32_t some_seed(void);

/* An index; there has to be one alive. */
uint32_t some_live(void);

/* A handle that is no living entity: null, of an earlier or later life, reserved, or made up. */
sett_entity some_stale(void);

uint32_t some_type(void);

/* A type that can be switched off, mostly. */
uint32_t some_switched(void);

/* A type that the entity has, or any if it has none. */
uint32_t some_type_of(uint32_t index);

/* Any of the groups that there are, NULL if there are none. */
model_group* some_group(void);

static inline sett_component id_of(uint32_t type)
{
    return model_types[type].id;
}

/* Whether groups and observers of queries can exclude this type. */
bool can_be_excluded(uint32_t type);

/* Whether so many more may have this type. */
bool has_room(uint32_t type, uint32_t more);

const setti_storage* storage_of(uint32_t type);

/* ---- The operations -------------------------------------------------------------------------- */

/* op_entity.c */
void op_create(void);
void op_create_handle(void);
void op_forget(void);
void op_create_with(void);
void op_create_many(void);
void op_destroy(void);
void op_destroy_many(void);
void op_destroy_with(void);
void op_entity_clear(void);
void op_world_clear(void);

/* op_value.c */
void op_add(void);
void op_ensure(void);
void op_set(void);
void op_event(void);
void op_set_from_another(void);
void op_write(void);
void op_remove(void);
void op_enable(void);
void op_component_clear(void);

/* op_storage.c */
void op_compact(void);
void op_trim(void);
void op_reserve(void);
void op_advance(void);
void op_convert(void);

/* op_misuse.c */
void op_stale(void);
void op_unregistered(void);

/* op_command.c */
void op_record(void);
void op_apply(void);
void op_drop(void);
/* One command, or none; also inside of loops. */
void record_some(void);

/* op_group.c */
void op_group_create(void);
void op_group_destroy(void);

/* op_observer.c */
void op_observer_create(void);
void op_observer_destroy(void);
void op_observer_enable(void);

/* op_sort.c */
void op_sort(void);
void op_sort_as(void);
void op_group_sort(void);

/* op_query.c */
void op_query(void);
void op_keep_query(void);
void op_leave_open(void);
/* Some queries live on while groups come and go. A run begins without those of the run before. */
void forget_kept(void);
/* A group that is new shows in the plans of queries that are older. */
void explain_kept(void);

/* op_break.c */
void op_break(void);
/* The ways to break a world, and whether validation sees this one. */
#define BREAKS 31
bool scratch_is_seen(uint32_t way);

#endif

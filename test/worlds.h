/* worlds.h: what most tests do with a world: begin it without a word, ask whether it is sound, end
 * it. The checks name the line of the test.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_TEST_WORLDS_H
#define SETT_TEST_WORLDS_H

#include "check.h"
#include "sett/sett.h"

/* The world is sound; if not, the reason is printed. */
#define CHECK_VALID(world) check_valid(__FILE__, __LINE__, (world))

/* The world is sound, and ends. */
#define CHECK_END(world) check_end(__FILE__, __LINE__, (world))

/* Two handles are the same. */
#define CHECK_ENTITY_EQ(a, b) CHECK_EQ(sett_entity_to_u64(a), sett_entity_to_u64(b))

/* A world that logs nothing. */
static inline sett_world* quiet_world(void)
{
    sett_world* world = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent});
    CHECK(world != NULL);
    return world;
}

/* The first living entity that is not below an index, or else the first of all; null if there is
 * none. With an index drawn below the number of entities: some entity. */
static inline sett_entity entity_from(const sett_world* world, uint32_t index)
{
    sett_entity entity = sett_entity_next(world, &index);
    index = 0;
    return sett_is_null(entity) ? sett_entity_next(world, &index) : entity;
}

static inline void check_valid(const char* file, int line, sett_world* world)
{
    const char* reason = "";
    if (sett_world_validate(world, &reason) != SETT_OK) {
        check_failed(file, line, "%s", reason);
    }
}

static inline void check_end(const char* file, int line, sett_world* world)
{
    check_valid(file, line, world);
    sett_status status = sett_world_destroy(world);
    if (status != SETT_OK) {
        check_failed(file, line, "the world is in use: %s", sett_world_message(world));
    }
}

#endif

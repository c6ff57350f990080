/* described.h: the members from debug information equal those from macros.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_TEST_DESCRIBED_H
#define SETT_TEST_DESCRIBED_H

#include "sett/relationship.h"
#include "sett_debug_info.h"
#include "worlds.h"

/* The same component types, as far as a program says them that knows nothing of members. Of the
 * values of relationships the library says the members. */
static inline sett_world* described_bare(const sett_world* from)
{
    sett_world* world = quiet_world();
    for (sett_component id = 1; id < 1024; id++) {
        sett_component_desc desc;
        if (sett_component_name(from, id) != NULL && sett_relationship_sources(from, id) == 0) {
            CHECK_EQ(sett_component_describe(from, id, &desc), SETT_OK);
            sett_component_desc bare = {.name = desc.name, .type_name = desc.type_name};
            bare.id = id;
            bare.size = desc.size;
            bare.align = desc.size != 0 ? desc.align : 0;
            CHECK_EQ(sett_component_register(world, &bare), id);
        }
    }
    return world;
}

/* What only macros can say is not compared: units, ranges, scales, names of elements. */
static inline void described_equal(const char* path, const sett_struct* said,
                                   const sett_struct* found)
{
    CHECK_MSG(found != NULL, "%s has no members", path);
    CHECK_MSG(said->size == found->size && said->count == found->count, "%s: %u members for %u",
              path, found->count, said->count);
    for (uint32_t k = 0; k < said->count; k++) {
        const sett_member* a = &said->members[k];
        const sett_member* b = &found->members[k];
        CHECK_STR_EQ(a->name, b->name);
        CHECK_MSG(a->kind == b->kind && a->element == b->element, "%s.%s: %s for %s", path, a->name,
                  sett_member_kind_name(b->kind), sett_member_kind_name(a->kind));
        CHECK_MSG(a->offset == b->offset && a->size == b->size && a->count == b->count,
                  "%s.%s: another place or size", path, a->name);
        CHECK_EQ(a->of != NULL, b->of != NULL);
        if (a->of != NULL) {
            CHECK_STR_EQ(a->of->name, b->of->name);
            described_equal(a->name, a->of, b->of);
        }
    }
}

/* Compares all types with members. Returns how many there are. */
static inline uint32_t described_all(const sett_world* said, const sett_world* found)
{
    uint32_t count = 0;
    for (sett_component id = 1; id < 1024; id++) {
        const sett_struct* of = sett_members_get(said, id);
        if (of != NULL && sett_component_name(found, id) != NULL) {
            described_equal(sett_component_name(said, id), of, sett_members_get(found, id));
            count++;
        }
    }
    return count;
}

/* A log hook that stores the lines, in char[4096]. */
static inline void described_log(void* user, sett_log_level level, const char* message)
{
    char* text = user;
    size_t at = strlen(text);
    CHECK_EQ(level, SETT_LOG_WARNING);
    snprintf(text + at, 4096 - at, "%s\n", message);
}

#endif

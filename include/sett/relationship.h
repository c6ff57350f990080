/* relationship.h: links between entities. Opt-in.
 *
 * A relationship is a component type that leads from the entity that has it, the *source*, to
 * another entity, the *target*. An exclusive one has one target and a value that begins with a
 * sett_link; one of many has any number of targets, each with data of its own.
 *
 *     typedef struct Owes { sett_link link; int amount; } Owes;
 *     Owes_id = sett_relationship_register(world, &(sett_relationship_desc){
 *         .name = "Owes", .size = sizeof(int), .align = sizeof(int)});
 *     *(int*)sett_relate(world, bob, Owes_id, alice) = 5;
 *     sett_target(world, bob, Owes_id);                                            alice
 *
 * Queries see "has at least one target" as what it is, the component: SETT_IN(Owes) matches who
 * owes, SETT_WITHOUT(Owes) who does not. Whom they owe is a value, and splits nothing: ten thousand
 * targets cost other loops nothing. Who leads to a given target is a list that begins at the
 * target: sett_source_next.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_RELATIONSHIP_H
#define SETT_RELATIONSHIP_H

#include "sett/sett.h"

/* Neighbours in a list; the library's own. */
typedef struct sett_chain_ {
    uint32_t next;
    uint32_t previous;
} sett_chain_;

/* What the value of an exclusive relationship begins with; its data follows at the first offset
 * that suits their alignment. Only to be read: sett_relate changes it. */
typedef struct sett_link {
    sett_entity target;
    sett_chain_ chain_; /* among the target's sources */
} sett_link;

/* The value of a relationship with many targets, and of what a target has: how many, and where the
 * list begins and ends. Only to be read. */
typedef struct sett_links {
    uint32_t count;
    uint32_t first_;
    uint32_t last_;
} sett_links;

/* What the end of one side means for the other. */
typedef enum sett_cleanup {
    SETT_CLEANUP_REMOVE,  /* the link goes, the other side stays */
    SETT_CLEANUP_DESTROY, /* the other side is destroyed as well */
    SETT_CLEANUP_REJECT,  /* destroying is rejected, unless the other side goes too */
} sett_cleanup;

/* A relationship. Only `name` is needed. */
typedef struct sett_relationship_desc {
    const char* name;          /* unique among the world's component types */
    size_t size;               /* bytes of data that a link carries; default: none */
    size_t align;              /* of the data; default: what `size` allows, up to 16 */
    sett_component id;         /* default: the lowest that is free */
    sett_storage_kind storage; /* of the component on sources; default: SETT_STORAGE_DEFAULT */
    bool many;                 /* a source has any number of targets; default: one */

    sett_cleanup on_target_destroyed; /* default: the sources lose the link */
    sett_cleanup on_source_destroyed; /* default: the targets lose the link */

    /* Byte offsets of sett_entity fields inside the data, for copying. */
    const uint32_t* entity_offsets;
    uint32_t entity_offset_count;
} sett_relationship_desc;

/* Registers a relationship, which is a component type, and with it a second type, "<name>
 * sources", that targets have. Registering the same again returns the same id.
 * Data are plain bytes, zero in a fresh link.
 * Returns the id, or 0. Fails: as sett_component_register.
 * Cost: O(1).
 * Threads: writer. Since: 0.1 */
SETT_API sett_component sett_relationship_register(sett_world* world,
                                                   const sett_relationship_desc* desc);

/* Returns the type that targets of the relationship have, of value sett_links, or 0 if the id is
 * not a relationship's. An entity gets it when it becomes a target for the first time, and keeps
 * it, with a count of 0 when the last source is gone: so that ending a link never changes the
 * structure of the target.
 * Threads: reader. Since: 0.1 */
SETT_API sett_component sett_relationship_sources(const sett_world* world,
                                                  sett_component relationship);

/* Leads `source` to `target`, which may be the same entity. If it does so already nothing changes.
 * An exclusive relationship to another target is turned to this one, and keeps its data.
 * Components of relationships are added in this way only: sett_add and its kin reject them.
 * Returns the address of the link's data, to be written (without data: not to be dereferenced);
 * NULL on failure. Fails: STALE (either), ARGUMENT (not a relationship), LOCKED, OUT_OF_MEMORY.
 * Cost: O(1); of many: O(the fewer of source's targets and target's sources), and O(1) once calls
 * that relate and unrelate have looked at four times as many links as there are: the world then
 * has a table of them, 6 to 12 bytes a link, until a state is restored or memory is trimmed.
 * Invalidates: as sett_add; of many, nothing else.
 * Threads: writer. Since: 0.1 */
SETT_API void* sett_relate(sett_world* world, sett_entity source, sett_component relationship,
                           sett_entity target);

/* Ends the link from `source` to `target`. When it was the last of its source, the component goes.
 * All links of a source end with sett_remove(world, source, relationship), all those to a target
 * with sett_unrelate_sources.
 * Fails: STALE (source), ARGUMENT, ABSENT, LOCKED, OUT_OF_MEMORY.
 * Cost: as sett_relate.
 * Invalidates: as sett_remove; of many: data addresses of the relationship.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_unrelate(sett_world* world, sett_entity source,
                                   sett_component relationship, sett_entity target);

/* Ends all links that lead to `target`. None is fine.
 * Fails: STALE, ARGUMENT, LOCKED, OUT_OF_MEMORY; then nothing has changed.
 * Cost: O(sources).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_unrelate_sources(sett_world* world, sett_component relationship,
                                           sett_entity target);

/* Returns the data of the link from `source` to `target`, NULL if there is none: also the way to
 * ask whether there is one. Without data the address is not to be dereferenced.
 * Cost: as sett_relate.
 * Threads: reader; of sett_related_mut: writer. Since: 0.1 */
SETT_API const void* sett_related(const sett_world* world, sett_entity source,
                                  sett_component relationship, sett_entity target);
SETT_API void* sett_related_mut(sett_world* world, sett_entity source, sett_component relationship,
                                sett_entity target);

/* Returns the target; of many, the one that was related first; null if there is none.
 * Cost: O(1). Threads: reader. Since: 0.1 */
SETT_API sett_entity sett_target(const sett_world* world, sett_entity source,
                                 sett_component relationship);

/* Return how many targets a source has, how many sources a target. Cost: O(1). Threads: reader.
 * Since: 0.1 */
SETT_API uint32_t sett_target_count(const sett_world* world, sett_entity source,
                                    sett_component relationship);
SETT_API uint32_t sett_source_count(const sett_world* world, sett_component relationship,
                                    sett_entity target);

/* Record sett_relate, with `data` for the link to have (NULL: as sett_relate leaves them), and
 * sett_unrelate. Applied, they are skipped when one of the two entities is gone, or the link.
 * Fail: ARGUMENT (not a relationship), OUT_OF_MEMORY. Threads: as sett_cmd_add. Since: 0.1 */
SETT_API sett_status sett_cmd_relate(sett_commands* commands, sett_entity source,
                                     sett_component relationship, sett_entity target,
                                     const void* data);
SETT_API sett_status sett_cmd_unrelate(sett_commands* commands, sett_entity source,
                                       sett_component relationship, sett_entity target);

/* Where a walk over links is; all zeroes begins one. */
typedef struct sett_link_cursor {
    const void* data; /* of the link just returned, without data not to be dereferenced */
    uint32_t next_;
    uint32_t at_;
    bool begun_;
} sett_link_cursor;

/* Walk the targets of a source, the sources of a target, in the order in which they were related;
 * null ends the walk.
 *
 *     sett_link_cursor cursor = {0};
 *     for (sett_entity e; !sett_is_null(e = sett_source_next(world, Owes_id, alice, &cursor));) {
 *
 * SETT_SOURCES and SETT_TARGETS, below, are this loop. Between two calls the link just returned may
 * end, no other one of this relationship.
 * Cost: O(1). Threads: reader. Since: 0.1 */
SETT_API sett_entity sett_target_next(const sett_world* world, sett_entity source,
                                      sett_component relationship, sett_link_cursor* cursor);
SETT_API sett_entity sett_source_next(const sett_world* world, sett_component relationship,
                                      sett_entity target, sett_link_cursor* cursor);

/* As sett_source_next, only those that match a query: a query with a given target, at the cost of
 * that target's sources alone.
 * Cost: O(sources skipped x terms).
 * Threads: reader. Since: 0.1 */
SETT_API sett_entity sett_query_source_next(const sett_query* query, sett_component relationship,
                                            sett_entity target, sett_link_cursor* cursor);

/* Loops over the sources of a target, the targets of a source. `link` is the cursor: link.data are
 * the data of the link. In the body the link may end, no other one of this relationship.
 *
 *     SETT_SOURCES(world, Owes_id, alice, who, link) { total += *(const int*)link.data; } */
#define SETT_SOURCES(world, relationship, target, source, link)                                    \
    SETT_LINKS_(source, link, sett_source_next((world), (relationship), (target), &link))
#define SETT_TARGETS(world, source, relationship, target, link)                                    \
    SETT_LINKS_(target, link, sett_target_next((world), (source), (relationship), &link))
#define SETT_LINKS_(at, link, next)                                                                \
    for (sett_link_cursor link = {NULL, 0, 0, false}, *link##_once_ = &link; link##_once_ != NULL; \
         link##_once_ = NULL)                                                                      \
        for (sett_entity at = (next); !sett_is_null(at); at = (next))

#endif

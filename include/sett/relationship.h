/* relationship.h: links between entities.
 *
 * A relationship is a component type that links the entity that has it, the *source*, to another
 * entity, the *target*. An exclusive relationship has one target for each source; its value begins
 * with a sett_link. One with `.many` has any number of targets, each link with data of its own.
 *
 *     typedef struct Owes { sett_link link; int amount; } Owes;
 *     Owes_id = sett_relationship_register(world, &(sett_relationship_desc){
 *         .name = "Owes", .size = sizeof(int), .align = sizeof(int)});
 *     *(int*)sett_relate(world, bob, Owes_id, alice) = 5;
 *     sett_target(world, bob, Owes_id);                                            alice
 *
 * The same in a component list (typed.h), with the data as a C type, or without any:
 *
 *     typedef struct Lent { int amount; } Lent;
 *     COMPONENT(Lent, .relationship = SETT_RELATIONSHIP(.many = true))
 *     TAG(ChildOf, .relationship = SETT_RELATIONSHIP())
 *
 * In queries the component stands for "has at least one target": SETT_IN(Owes) matches all that
 * owe, SETT_WITHOUT(Owes) all that do not. The target is a value, so ten thousand targets do not
 * fragment storages. The sources of a target are a list: SETT_SOURCES.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_RELATIONSHIP_H
#define SETT_RELATIONSHIP_H

#include "sett/core.h"

/* Neighbours in a list; internal. */
typedef struct sett_chain_ {
    uint32_t next;
    uint32_t previous;
} sett_chain_;

/* The value of an exclusive relationship begins with this; the data follows, aligned. Read-only:
 * sett_relate changes it, and queries that ask for writing fail. The data is written through the
 * address from sett_relate or sett_related_mut, or by sett_set, which writes only the data. */
typedef struct sett_link {
    sett_entity target;
    sett_chain_ chain_; /* in the list of the target's sources */
} sett_link;

/* The value of a relationship with many targets, and of the component that targets have: a list.
 * Read-only. */
typedef struct sett_links {
    uint32_t count;
    uint32_t first_;
    uint32_t last_;
} sett_links;

/* What happens to one side when the other is destroyed. */
typedef enum sett_cleanup {
    SETT_CLEANUP_REMOVE,  /* the link is removed */
    SETT_CLEANUP_DESTROY, /* the other side is destroyed as well */
    SETT_CLEANUP_REJECT,  /* the destruction is rejected, unless it destroys both */
} sett_cleanup;

/* A relationship. Only `name` is needed. */
typedef struct sett_relationship_desc {
    const char* name;          /* unique among the world's component types */
    size_t size;               /* bytes of data of a link; default: none */
    size_t align;              /* of the data; default: what `size` allows, up to 16 */
    sett_component id;         /* default: the lowest that is free */
    sett_storage_kind storage; /* of the component on sources; default: SETT_STORAGE_DEFAULT */
    bool many;                 /* any number of targets for each source; default: one */

    /* Traits; default: none of them. */
    bool acyclic;    /* sett_relate rejects a link that closes a circle (CYCLE); not with `many` */
    bool transitive; /* searches take a link for one or more: LocatedIn for LocatedIn+ */
    bool reflexive;  /* searches take a link for none or one: each entity leads to itself */

    sett_cleanup on_target_destroyed; /* default: the sources lose the link */
    sett_cleanup on_source_destroyed; /* default: the targets lose the link */

    /* Byte offsets of sett_entity fields inside the data, for copying. */
    const uint32_t* entity_offsets;
    uint32_t entity_offset_count;

    /* The padding and the members of the data, as in sett_component_desc: SETT_LINK_DATA(T) gives
     * size, align and mask of a C type. Members give `mask` and `entity_offsets`. */
    const void* mask;
    const struct sett_struct* members;

    /* SETT_RELATIONSHIP fills it in */
    sett_component (*register_)(sett_world* world, const sett_component_desc* as);
} sett_relationship_desc;

/* The data of links as a C type, where SETT_MASK works: inside functions, and not in C++17.
 *     &(sett_relationship_desc){.name = "Owes", SETT_LINK_DATA(Debt),
 *                               .members = SETT_STRUCT(Debt, amount, due)} */
#define SETT_LINK_DATA(T) .size = sizeof(T), .align = SETT_ALIGNOF(T), .mask = SETT_MASK(T)

SETT_API sett_component sett_relationship_register_sized(sett_world* world,
                                                         const sett_relationship_desc* desc,
                                                         size_t size);

/* Registers a relationship: a component type for sources, and a second one, "<name> sources", for
 * targets. Registering the same again returns the same id. Data is plain bytes, zero in a new link.
 * With members (members.h) it is written to JSON by member, migrated in files, and hashed alike on
 * every machine. sett_members_get has them behind a member `link` if there is one target for each
 * source, so that searches compare them: "Owes.amount > 3"; with `many`, there is only `count`.
 * Returns the id, or 0. Fails: as sett_component_register.
 * Cost: O(1).
 * Threads: writer. Since: 0.1 */
static inline sett_component sett_relationship_register(sett_world* world,
                                                        const sett_relationship_desc* desc)
{
    return sett_relationship_register_sized(world, desc, sizeof(*desc));
}

/* sett_component_desc.relationship: with fields of sett_relationship_desc, but for what the
 * component's descriptor says. In C++ from C++20 on. */
static inline sett_component sett_relationship_register_as_(sett_world* world,
                                                            const sett_component_desc* as)
{
    sett_relationship_desc desc = *as->relationship;
    desc.name = as->name;
    desc.id = as->id;
    desc.storage = as->storage;
    desc.size = as->size;
    desc.align = as->size != 0 ? as->align : 0;
    desc.entity_offsets = as->entity_offsets;
    desc.entity_offset_count = as->entity_offset_count;
    desc.mask = as->mask;
    desc.members = as->members;
    return sett_relationship_register(world, &desc);
}
#if !defined(__cplusplus)
#define SETT_RELATIONSHIP(...)                                                                     \
    (&(const sett_relationship_desc){.register_ = sett_relationship_register_as_, __VA_ARGS__})
#elif __cplusplus >= 202002L
static inline sett_relationship_desc sett_relationship_listed_(sett_relationship_desc desc)
{
    desc.register_ = sett_relationship_register_as_;
    return desc;
}
#define SETT_RELATIONSHIP(...)                                                                     \
    ([]() -> const sett_relationship_desc* {                                                       \
        SETT_DESIGNATED_(sett_relationship_desc, sett_given_, __VA_ARGS__)                         \
        static const sett_relationship_desc sett_listed_ = sett_relationship_listed_(sett_given_); \
        return &sett_listed_;                                                                      \
    }())
#endif

/* Returns the component that targets have, whose value is a sett_links; 0 if `relationship` is not
 * a relationship. An entity gets it when it first becomes a target, and has it from then on, with a
 * count of 0 when there is no source: removing a link never changes the target's structure.
 * Threads: reader. Since: 0.1 */
SETT_API sett_component sett_relationship_sources(const sett_world* world,
                                                  sett_component relationship);

/* Links `source` to `target`, which may be the same entity. An existing link is left as it is. In
 * an exclusive relationship a link to another target is redirected, with its data. This is the only
 * way to add the component of a relationship: sett_add and sett_set reject it.
 * Returns the address of the link's data, to write (if there is no data: not to be dereferenced);
 * NULL on failure. Fails: STALE (either), ARGUMENT (not a relationship), CYCLE (`acyclic`), LOCKED,
 * OUT_OF_MEMORY.
 * Cost: O(1); with `acyclic` O(links from the target on). With `.many`: O(the smaller of the
 * source's targets and the target's sources); O(1)
 * once these calls have visited four times as many links as exist: the world then builds a table, 6
 * to 12 bytes a link, and drops it on restore and trim.
 * Invalidates: as sett_add.
 * Threads: writer. Since: 0.1 */
SETT_API void* sett_relate(sett_world* world, sett_entity source, sett_component relationship,
                           sett_entity target);

/* Returns the nearest entity that has a component, from `entity` itself on along a relationship
 * with one target for each source: which ancestor has it. Null if none has.
 *   along  a relationship, SETT_ID_HIERARCHY or SETT_ID_INSTANCE_OF
 *   sett_find_up(world, barrel, SETT_ID_HIERARCHY, Health_id)
 * Queries and searches ask the same for each match: SETT_UP (core.h), Health(self|up) (search.h).
 * Cost: O(steps). Threads: reader. Since: 0.2 */
SETT_API sett_entity sett_find_up(const sett_world* world, sett_entity entity, sett_component along,
                                  sett_component component);

/* Removes the link from `source` to `target`, and with the source's last link the component.
 * Returns OK, or ABSENT if there is no such link, which is no misuse.
 * sett_remove(world, source, relationship) removes all links of a source, sett_unrelate_sources all
 * links to a target.
 * Fails: STALE (source), ARGUMENT, LOCKED, OUT_OF_MEMORY.
 * Cost: as sett_relate.
 * Invalidates: as sett_remove; with `.many`: addresses of data of this relationship.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_unrelate(sett_world* world, sett_entity source,
                                   sett_component relationship, sett_entity target);

/* Removes all links to `target`. None is fine.
 * Fails: STALE, ARGUMENT, LOCKED, OUT_OF_MEMORY; nothing is removed then.
 * Cost: O(sources).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_unrelate_sources(sett_world* world, sett_component relationship,
                                           sett_entity target);

/* Returns the data of the link from `source` to `target`, NULL if there is no link: this is also
 * how to ask for a link. If the relationship has no data the address is not to be dereferenced.
 * A system declares relationships whose data it uses, as it does components: `access_any_in` to
 * read, also by SETT_SOURCES and SETT_TARGETS; `access_any_inout` to write.
 * Cost: as sett_relate.
 * Threads: reader; of sett_related_mut: writer, or a system that declares it. Since: 0.1 */
SETT_API const void* sett_related(const sett_world* world, sett_entity source,
                                  sett_component relationship, sett_entity target);
SETT_API void* sett_related_mut(sett_world* world, sett_entity source, sett_component relationship,
                                sett_entity target);

/* Returns the target, null if there is none; with `.many` the first one.
 * Cost: O(1). Threads: reader. Since: 0.1 */
SETT_API sett_entity sett_target(const sett_world* world, sett_entity source,
                                 sett_component relationship);

/* Returns the number of targets of a source, of sources of a target. Cost: O(1). Threads: reader.
 * Since: 0.1 */
SETT_API uint32_t sett_target_count(const sett_world* world, sett_entity source,
                                    sett_component relationship);
SETT_API uint32_t sett_source_count(const sett_world* world, sett_component relationship,
                                    sett_entity target);

/* Record sett_relate and sett_unrelate. When they are applied they are skipped if one of the
 * entities is dead, or if there is no such link.
 *   data  copied into the link; NULL: the data is left as sett_relate leaves it
 * Fails: ARGUMENT (not a relationship), OUT_OF_MEMORY. Threads: as sett_cmd_add. Since: 0.1 */
SETT_API sett_status sett_cmd_relate(sett_commands* commands, sett_entity source,
                                     sett_component relationship, sett_entity target,
                                     const void* data);
SETT_API sett_status sett_cmd_unrelate(sett_commands* commands, sett_entity source,
                                       sett_component relationship, sett_entity target);

/* The state of a walk over links; all zeroes begins a walk. */
typedef struct sett_link_cursor {
    const void* data; /* of the current link; if there is none, not to be dereferenced */
    uint32_t next_;
    uint32_t at_;
    bool begun_;
} sett_link_cursor;

/* Walk the targets of a source, or the sources of a target, in the order in which they were linked.
 * Null ends the walk.
 *
 *     sett_link_cursor cursor = {0};
 *     for (sett_entity e; !sett_is_null(e = sett_source_next(world, Owes_id, alice, &cursor));) {
 *
 * SETT_SOURCES and SETT_TARGETS, below, are this loop. Between two calls the current link may be
 * removed, but no other link of this relationship.
 * Cost: O(1). Threads: reader. Since: 0.1 */
SETT_API sett_entity sett_target_next(const sett_world* world, sett_entity source,
                                      sett_component relationship, sett_link_cursor* cursor);
SETT_API sett_entity sett_source_next(const sett_world* world, sett_component relationship,
                                      sett_entity target, sett_link_cursor* cursor);

/* Loop over the sources of a target, over the targets of a source. `link` is the cursor: link.data
 * is the data of the link. The body may remove the current link, but no other one of this
 * relationship.
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

/* relationship.h: links between entities.
 *
 * A relationship is a component type. It links the entity that has it, the *source*, to another
 * entity, the *target*. A source has one target, or any number of targets (`.many`). Each link can
 * have data.
 *
 *     typedef struct Owes { sett_link link; int amount; } Owes;
 *     Owes_id = sett_relationship_register(world, &(sett_relationship_desc){
 *         .name = "Owes", .size = sizeof(int), .align = sizeof(int)});
 *     *(int*)sett_relate(world, bob, Owes_id, alice) = 5;
 *     sett_target(world, bob, Owes_id);                                            alice
 *
 * In a component list (typed.h): COMPONENT with the C type of the data, TAG without data:
 *
 *     typedef struct Lent { int amount; } Lent;
 *     COMPONENT(Lent, .relationship = SETT_RELATIONSHIP(.many = true))
 *     TAG(Follows, .relationship = SETT_RELATIONSHIP())
 *     SETT_RELATE_SET(world, bob, Lent, alice, .amount = 5);
 *
 * For such a type T is the data alone, and SETT_RELATED reads it: SETT_GET, SETT_SET and SETT_FIELD
 * do not take T. They take a type that is declared as Owes above: the link, and the data behind it.
 *
 * In queries the component means "has at least one target": SETT_IN(Owes) matches entities that
 * owe, SETT_WITHOUT(Owes) entities that do not. The field of SETT_OPTIONAL(Owes) is NULL for those
 * that do not: SETT_FIELD(b, k, Owes), and SETT_FIELD(b, k, sett_links) with `many`. The target is
 * a value, so ten thousand targets do not fragment storages. SETT_SOURCES loops over the sources of
 * a target.
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

/* The value of a relationship with one target begins with a sett_link. The data follows, aligned.
 * Only sett_relate changes the link; queries that write it, sett_set and sett_cmd_set fail
 * (ARGUMENT). Write the data with the link, so that callbacks see them, or through an address:
 * that runs no callback.
 *
 *     sett_relate_set(world, bob, Owes_id, alice, &(int){5});
 *     sett_cmd_relate(commands, bob, Owes_id, alice, &(int){5});
 *     *(int*)sett_relate(world, bob, Owes_id, alice) = 6;                adds or finds the link
 *     *(int*)sett_related_mut(world, bob, Owes_id, alice) = 7; */
typedef struct sett_link {
    sett_entity target;
    sett_chain_ chain_; /* in the list of the target's sources */
} sett_link;

/* The value of a relationship with many targets, and of the component that targets have
 * (sett_relationship_sources). Read-only. */
typedef struct sett_links {
    uint32_t count;
    uint32_t first_;
    uint32_t last_;
} sett_links;

/* What happens to one side when the other is destroyed. */
typedef enum sett_cleanup {
    SETT_CLEANUP_REMOVE,  /* the link is removed */
    SETT_CLEANUP_DESTROY, /* the other side is destroyed as well */
    SETT_CLEANUP_REJECT,  /* the destruction is rejected, unless it destroys both sides */
} sett_cleanup;

/* A relationship. Only `name` is needed. */
typedef struct sett_relationship_desc {
    const char* name;          /* unique among the world's component types */
    const char* type_name;     /* the data's C type, for SETT_RELATED and so on; default: unknown */
    size_t size;               /* bytes of data of a link; default: none */
    size_t align;              /* of the data; default: what `size` allows, up to 16 */
    sett_component id;         /* default: the lowest that is free */
    sett_storage_kind storage; /* of the component on sources; default: SETT_STORAGE_DEFAULT */
    bool many;                 /* any number of targets for each source; default: one */

    /* Traits; default: none of them. */
    bool acyclic;    /* sett_relate rejects a link that closes a circle (CYCLE); not with `many` */
    bool transitive; /* in searches (search.h) LocatedIn means LocatedIn+: one or more links */
    bool reflexive;  /* in searches it means LocatedIn?: each entity also leads to itself */

    /* What the end of one side means for the other. The links of a target have ended when on_remove
     * of its components runs: to see who was linked, observe the relationship */
    sett_cleanup on_target_destroyed; /* default: the sources lose the link */
    sett_cleanup on_source_destroyed; /* default: the targets lose the link */

    /* Byte offsets of sett_entity fields inside the data, for copying. */
    const uint32_t* entity_offsets;
    uint32_t entity_offset_count;

    /* The padding and the members of the data, as in sett_component_desc: SETT_LINK_DATA(T) gives
     * type_name, size, align and mask of a C type. Members give `mask` and `entity_offsets`. */
    const void* mask;
    const struct sett_struct* members;

    /* SETT_RELATIONSHIP fills it in */
    sett_component (*register_)(sett_world* world, const sett_component_desc* as);

    /* A hook that sett_relate, sett_relate_set and sett_cmd_relate ask before they make or redirect
     * a link: false rejects it (REJECTED). It only reads: structure is locked. It is not asked for
     * a link that exists, nor for links that come with a state: deltas, files, JSON, instances and
     * copies. Default: none */
    bool (*may_relate)(sett_world* world, sett_entity source, sett_entity target, void* user);
    void* user; /* passed to may_relate */
} sett_relationship_desc;

/* The data of links as a C type. Works inside functions, and not in C++17.
 *     &(sett_relationship_desc){.name = "Owes", SETT_LINK_DATA(Debt),
 *                               .members = SETT_STRUCT(Debt, amount, due)} */
#define SETT_LINK_DATA(T)                                                                          \
    .type_name = #T, .size = SETT_SIZE_FROM_ZERO_(T), .align = SETT_ALIGNOF(T), .mask = SETT_MASK(T)

SETT_API sett_component sett_relationship_register_sized(sett_world* world,
                                                         const sett_relationship_desc* desc,
                                                         size_t size);

/* Registers a relationship: a component type for sources, and a second type, "<name> sources", for
 * targets. If it is registered already, returns its id. Data is plain bytes, zero in a new link.
 *
 * Data with members (members.h) is written to JSON by member, migrated in files, and hashed alike
 * on every machine. In sett_members_get it follows a member `link`, and searches can compare it:
 * "Owes.amount > 3". With `many` there is only a member `count`.
 * Returns the id, or 0. Fails: as sett_component_register. `may_relate` and `user` are not
 * compared: the present ones stay.
 * Cost: O(1).
 * Threads: writer. Since: 0.1 */
static inline sett_component sett_relationship_register(sett_world* world,
                                                        const sett_relationship_desc* desc)
{
    return sett_relationship_register_sized(world, desc, sizeof(*desc));
}

/* SETT_RELATIONSHIP(...): a value for sett_component_desc.relationship, with fields of
 * sett_relationship_desc. In C++ from C++20 on. */
static inline sett_component sett_relationship_register_as_(sett_world* world,
                                                            const sett_component_desc* as)
{
    sett_relationship_desc desc = *as->relationship;
    desc.name = as->name;
    desc.type_name = as->type_name;
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

/* Returns the component that targets have, with a value of sett_links; 0 if `relationship` is not a
 * relationship. An entity gets this component when it first becomes a target. It keeps the
 * component without sources: the count is then 0.
 * Threads: reader. Since: 0.1 */
SETT_API sett_component sett_relationship_sources(const sett_world* world,
                                                  sett_component relationship);

/* Links `source` to `target`. Both can be the same entity. An existing link stays as it is. Without
 * `many` a link to another target is redirected, with its data. Only this call adds the component:
 * sett_add and sett_set reject it.
 * Callbacks: on_add runs with the first target, on_remove with the last link. With `many`, on_set
 * runs for each further link that is added or removed. A redirected link runs on_set, and
 * on_replace, which has the old target and the new one (observer.h). The data of a new link are
 * still zero: use sett_relate_set where callbacks read them.
 * Returns the address of the link's data, to write. Do not use it if there is no data. NULL on
 * failure. Fails: STALE (either), ARGUMENT (not a relationship), CYCLE (`acyclic`), REJECTED
 * (`may_relate`), LOCKED, OUT_OF_MEMORY.
 * Cost: O(1). With `acyclic` O(n): n is the smaller of the number of links from the target on and
 * the number of links that lead to the source, so O(1) if nothing leads to the source. With `many`
 * O(the smaller of the source's targets and the target's sources). After calls have visited four
 * times as many links as exist, the world builds a table: then O(1), and 6 to 12 bytes a link.
 * Restore and trim drop the table.
 * Invalidates: as sett_add.
 * Threads: writer. Since: 0.1 */
SETT_API void* sett_relate(sett_world* world, sett_entity source, sett_component relationship,
                           sett_entity target);

/* Like sett_relate, with the data of the link: they are in place when callbacks run. Other data of
 * a link that exists run on_set; equal data run nothing. sett_cmd_relate does the same later.
 *   data  copied into the link; NULL: sett_relate
 * Returns, Fails, Cost, Invalidates: as sett_relate.
 * Threads: writer. Since: 0.2 */
SETT_API void* sett_relate_set(sett_world* world, sett_entity source, sett_component relationship,
                               sett_entity target, const void* data);

/* Returns, in a callback of a relationship's component, the target of the link that the callback is
 * about. Null if it is about several links: those of an instance or a copy, of JSON or a replay, or
 * all links of a source that is destroyed, or loses the component; SETT_TARGETS walks them. Null
 * outside of callbacks.
 *
 *     static void fed(sett_world* world, sett_entity source, void* value, void* user)
 *     {
 *         sett_entity food = sett_target_changed(world, source, Eats_id);
 *         const Eats* eats = SETT_RELATED(world, source, Eats, food);
 *     }                                              NULL in on_set: this link was removed
 *
 * Cost: O(1). Threads: reader. Since: 0.2 */
SETT_API sett_entity sett_target_changed(const sett_world* world, sett_entity source,
                                         sett_component relationship);

/* Returns the nearest entity that has a component: `entity` itself, its parent, and so on. Null if
 * there is none.
 *
 *     sett_find_up(world, barrel, SETT_ID_HIERARCHY, Health_id)
 *
 *   along  SETT_ID_HIERARCHY, SETT_ID_INSTANCE_OF, or a relationship with one target
 * Queries do the same for each match: SETT_SELF_UP(Health), or Health(self|up) in texts. They skip
 * components that are switched off, which this call finds.
 * Cost: O(steps). Threads: reader. Since: 0.2 */
SETT_API sett_entity sett_find_up(const sett_world* world, sett_entity entity, sett_component along,
                                  sett_component component);

/* Removes the link from `source` to `target`. With the last link of the source, it removes the
 * component too. sett_remove(world, source, relationship) removes all links of a source.
 * Returns OK. Returns ABSENT if there is no such link; this is no misuse.
 * Fails: STALE (source), ARGUMENT, LOCKED, OUT_OF_MEMORY.
 * Cost: as sett_relate.
 * Invalidates: as sett_remove; with `.many`: addresses of data of this relationship.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_unrelate(sett_world* world, sett_entity source,
                                   sett_component relationship, sett_entity target);

/* Removes all links to `target`. It is fine if there are none.
 * Fails: STALE, ARGUMENT, LOCKED, OUT_OF_MEMORY (nothing is removed).
 * Cost: O(sources).
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_unrelate_sources(sett_world* world, sett_component relationship,
                                           sett_entity target);

/* Returns whether there is a link from `source` to `target`. In a system it needs no declaration.
 * Cost: as sett_relate. Threads: reader. Since: 0.2 */
SETT_API bool sett_is_related(const sett_world* world, sett_entity source,
                              sett_component relationship, sett_entity target);

/* Returns the data of the link from `source` to `target`; NULL if there is no link. Without data
 * the address only says that the link exists: do not use it.
 *
 * In a system: who has a link, and where it leads, needs no declaration, because links do not
 * change while systems run (sett_is_related, sett_target, SETT_SOURCES, SETT_TARGETS, searches).
 * The data of links does: list the relationship in `access_any_in` to read data; to write it in
 * `access_inout` if the visited entities are its sources (several jobs), else in
 * `access_any_inout` (a single job).
 * Debug builds report sett_related without the declaration; they cannot see a read of link.data.
 * Cost: as sett_relate.
 * Threads: reader; of sett_related_mut: writer, or a system that declares it. Since: 0.1 */
SETT_API const void* sett_related(const sett_world* world, sett_entity source,
                                  sett_component relationship, sett_entity target);
SETT_API void* sett_related_mut(sett_world* world, sett_entity source, sett_component relationship,
                                sett_entity target);

/* Returns the target; with `many` the first target. Null if there is none.
 * Cost: O(1). Threads: reader. Since: 0.1 */
SETT_API sett_entity sett_target(const sett_world* world, sett_entity source,
                                 sett_component relationship);

/* sett_target_count returns how many targets a source has, sett_source_count how many sources a
 * target has. Cost: O(1). Threads: reader. Since: 0.1 */
SETT_API uint32_t sett_target_count(const sett_world* world, sett_entity source,
                                    sett_component relationship);
SETT_API uint32_t sett_source_count(const sett_world* world, sett_component relationship,
                                    sett_entity target);

/* Record sett_relate and sett_unrelate. An applied command is skipped if one of the entities is
 * dead, or if the link to be removed does not exist.
 *   data  copied into the link; NULL: not written
 * Fails: ARGUMENT (not a relationship), OUT_OF_MEMORY. Threads: as sett_cmd_add. Since: 0.1 */
SETT_API sett_status sett_cmd_relate(sett_commands* commands, sett_entity source,
                                     sett_component relationship, sett_entity target,
                                     const void* data);
SETT_API sett_status sett_cmd_unrelate(sett_commands* commands, sett_entity source,
                                       sett_component relationship, sett_entity target);

/* Private: the macros below call it in programs compiled without NDEBUG. Compares the C type of a
 * link's data with `size` and `type_name`. If they differ, or the type is no relationship, reports
 * it, and returns false. Threads: reader. Since: 0.2 */
SETT_API bool sett_relationship_check_type_(const sett_world* world, sett_component relationship,
                                            size_t size, const char* type_name, const char* call);

/* Private: like sett_relationship_check_type_, for a call that changes the world: if the types
 * differ, sett_world_error is ARGUMENT. Threads: writer. Since: 0.2 */
SETT_API bool sett_relationship_check_change_(sett_world* world, sett_component relationship,
                                              size_t size, const char* type_name, const char* call);

/* Links by C type, as the macros of typed.h: T is the C type of the data alone, T_id the id of the
 * relationship. Compiled without NDEBUG they report data of another type, and return what a failed
 * call returns. For links without data: sett_relate.
 *
 *     SETT_RELATE_SET(world, bob, Lent, alice, .amount = 5);      a Lent*
 *     SETT_RELATE(world, bob, Lent, alice)->amount = 5;           callbacks see zeroes
 *     const Lent* lent = SETT_RELATED(world, bob, Lent, alice);   NULL: there is no link
 *     SETT_RELATED_MUT(world, bob, Lent, alice)->amount = 6;
 *     SETT_CMD_RELATE(commands, bob, Lent, alice, .amount = 7); */
#define SETT_RELATE(world, source, T, target)                                                      \
    ((T*)SETT_LINK_CALL_(relate, world, source, T##_id, target, sizeof(T), #T))
#define SETT_RELATED(world, source, T, target)                                                     \
    ((const T*)SETT_LINK_CALL_(related, world, source, T##_id, target, sizeof(T), #T))
#define SETT_RELATED_MUT(world, source, T, target)                                                 \
    ((T*)SETT_LINK_CALL_(related_mut, world, source, T##_id, target, sizeof(T), #T))
#if defined(NDEBUG)
#define SETT_LINK_CALL_(call, world, source, id, target, size, type)                               \
    sett_##call((world), (source), (id), (target))
#else
#define SETT_LINK_CALL_(call, world, source, id, target, size, type)                               \
    sett_##call##_typed_((world), (source), (id), (target), (size), (type))
#endif

static inline void* sett_relate_typed_(sett_world* world, sett_entity source, sett_component id,
                                       sett_entity target, size_t size, const char* type)
{
    bool right = sett_relationship_check_change_(world, id, size, type, "SETT_RELATE");
    return right ? sett_relate(world, source, id, target) : NULL;
}

static inline const void* sett_related_typed_(const sett_world* world, sett_entity source,
                                              sett_component id, sett_entity target, size_t size,
                                              const char* type)
{
    bool right = sett_relationship_check_type_(world, id, size, type, "SETT_RELATED");
    return right ? sett_related(world, source, id, target) : NULL;
}

static inline void* sett_related_mut_typed_(sett_world* world, sett_entity source,
                                            sett_component id, sett_entity target, size_t size,
                                            const char* type)
{
    bool right = sett_relationship_check_type_(world, id, size, type, "SETT_RELATED_MUT");
    return right ? sett_related_mut(world, source, id, target) : NULL;
}

static inline void* sett_relate_set_typed_(sett_world* world, sett_entity source, sett_component id,
                                           sett_entity target, size_t size, const char* type,
                                           const void* data)
{
    bool right = sett_relationship_check_change_(world, id, size, type, "SETT_RELATE_SET");
    return right ? sett_relate_set(world, source, id, target, data) : NULL;
}

static inline sett_status sett_cmd_relate_typed_(sett_commands* commands, sett_entity source,
                                                 sett_component id, sett_entity target, size_t size,
                                                 const char* type, const void* data)
{
    const sett_world* world = sett_commands_world(commands);
    bool right = sett_relationship_check_type_(world, id, size, type, "SETT_CMD_RELATE");
    return right ? sett_cmd_relate(commands, source, id, target, data) : SETT_STATUS_ARGUMENT;
}

#if defined(__cplusplus)
extern "C++" {
template <typename T>
static inline T* sett_relate_set_value_(sett_world* world, sett_entity source, sett_component id,
                                        sett_entity target, const char* type, const T& data)
{
#if defined(NDEBUG)
    (void)type;
    return static_cast<T*>(sett_relate_set(world, source, id, target, &data));
#else
    return static_cast<T*>(
        sett_relate_set_typed_(world, source, id, target, sizeof(T), type, &data));
#endif
}
template <typename T>
static inline sett_status sett_cmd_relate_value_(sett_commands* commands, sett_entity source,
                                                 sett_component id, sett_entity target,
                                                 const char* type, const T& data)
{
#if defined(NDEBUG)
    (void)type;
    return sett_cmd_relate(commands, source, id, target, &data);
#else
    return sett_cmd_relate_typed_(commands, source, id, target, sizeof(T), type, &data);
#endif
}
}
#define SETT_CMD_RELATE(commands, source, T, target, ...)                                          \
    sett_cmd_relate_value_<T>((commands), (source), T##_id, (target), #T, T{__VA_ARGS__})
#define SETT_RELATE_SET(world, source, T, target, ...)                                             \
    sett_relate_set_value_<T>((world), (source), T##_id, (target), #T, T{__VA_ARGS__})
#elif defined(NDEBUG)
#define SETT_CMD_RELATE(commands, source, T, target, ...)                                          \
    sett_cmd_relate((commands), (source), T##_id, (target), &(T){__VA_ARGS__})
#define SETT_RELATE_SET(world, source, T, target, ...)                                             \
    ((T*)sett_relate_set((world), (source), T##_id, (target), &(T){__VA_ARGS__}))
#else
#define SETT_CMD_RELATE(commands, source, T, target, ...)                                          \
    sett_cmd_relate_typed_((commands), (source), T##_id, (target), sizeof(T), #T, &(T){__VA_ARGS__})
#define SETT_RELATE_SET(world, source, T, target, ...)                                             \
    ((T*)sett_relate_set_typed_((world), (source), T##_id, (target), sizeof(T), #T,                \
                                &(T){__VA_ARGS__}))
#endif

/* The state of a walk over links; all zeroes begins a walk. */
typedef struct sett_link_cursor {
    const void* data; /* of the current link; do not use it if there is no data */
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
 * SETT_SOURCES and SETT_TARGETS, below, are this loop. Between two calls you can remove the current
 * link, but no other link of this relationship.
 * Cost: O(1). Threads: reader. Since: 0.1 */
SETT_API sett_entity sett_target_next(const sett_world* world, sett_entity source,
                                      sett_component relationship, sett_link_cursor* cursor);
SETT_API sett_entity sett_source_next(const sett_world* world, sett_component relationship,
                                      sett_entity target, sett_link_cursor* cursor);

/* SETT_SOURCES loops over the sources of a target, SETT_TARGETS over the targets of a source.
 * `link` is the cursor: link.data is the data of the link. The body can remove the current link,
 * but no other link of this relationship.
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

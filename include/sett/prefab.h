/* prefab.h: entities as templates.
 *
 *     sett_prefab_tag(world);                               once: registers the tag
 *     sett_entity imp = SETT_CREATE(world, SETT_VALUE_TAG(sett_prefab),
 *                                   SETT_VALUE(Health, .points = 60));
 *     sett_hierarchy_attach(world, horns, imp);             a child of a prefab is a prefab
 *     sett_instantiate(world, imp, 100, imps);              a hundred like it, without the tag
 *
 * An entity created with the tag is a prefab from the start: no query and no observer with terms
 * ever sees it. sett_prefab_make makes one of an entity that exists, and of its descendants:
 * observers with terms have seen them before, and get on_exit.
 *
 * Also here: the tag Disabled, which hides an entity from queries.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_PREFAB_H
#define SETT_PREFAB_H

#include "sett/core.h"

/* The tags and the relationship of this header in typed macros: SETT_WITH(sett_prefab),
 * SETT_HAS(world, e, sett_disabled), SETT_TARGET(Health, sett_instance_of). A query that names one
 * needs it registered: call sett_prefab_tag, sett_disabled_tag or sett_instance_of before. */
enum {
    sett_prefab_id = SETT_ID_PREFAB,
    sett_disabled_id = SETT_ID_DISABLED,
    sett_instance_of_id = SETT_ID_INSTANCE_OF
};

/* Return the tags "Prefab" and "Disabled"; 0 if memory runs out. The first call registers the tag.
 * Queries skip entities that have one of the tags, unless a term names the tag: SETT_WITH matches
 * only these entities, SETT_OPTIONAL matches all. on_enter and on_exit of systems, and of observers
 * with terms, do the same: adding such a tag runs on_exit, removing it on_enter. For everything
 * else they are entities as any other: a prefab is a member of groups and is counted, and callbacks
 * of components and groups run for it. To leave prefabs out, put SETT_ID_PREFAB into the `without`
 * of a group, or into a SETT_WITHOUT term of an observer.
 *
 * sett_add of a tag concerns that entity only: its children stay visible. sett_prefab_make tags
 * descendants too, and so do sett_hierarchy_attach, sett_duplicate and creation below a prefab.
 * Threads: writer. Since: 0.1 */
SETT_API sett_component sett_prefab_tag(sett_world* world);
SETT_API sett_component sett_disabled_tag(sett_world* world);

/* Adds the tag Prefab to an entity and its descendants.
 * Fails: STALE, LOCKED, OUT_OF_MEMORY (some entities may have the tag).
 * Cost: O(descendants). Threads: writer. Since: 0.1 */
SETT_API sett_status sett_prefab_make(sett_world* world, sett_entity entity);

/* Creates `count` instances of an entity and its descendants, with the same components (except the
 * tag Prefab) and copies of the values.
 *   prefab  any entity, with or without the tag
 *   out     receives the `count` instances of the entity itself; can be NULL
 *
 * Each instance is linked to the prefab by the relationship InstanceOf, and has no parent.
 * Descendants have the order and the names of the prefab's descendants. In the copies, references
 * (entity_offsets) and links to an entity of the prefab lead to its instance. All others stay.
 * Values with a deinit hook and no copy hook are initialised, not copied.
 *
 * Instances of one call have adjacent indices. Callbacks run when all instances exist: on_add, then
 * on_set, entity by entity.
 * Fails: STALE, LOCKED, LIMIT, OUT_OF_MEMORY (nothing is created).
 * Cost: O(count x entities), page by page: about a third more than sett_entity_create_many. For one
 * instance see sett_instantiate_with.
 * Invalidates: as adding the components.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_instantiate(sett_world* world, sett_entity prefab, uint32_t count,
                                      sett_entity* out);

/* How to create one instance. Only `prefab` is required. */
typedef struct sett_instantiate_desc {
    sett_entity prefab;
    sett_entity parent; /* the instance becomes its last child; default: none */
    const char* name;   /* unique among the parent's children; default: none */
    /* values of the instance, which replace values of the prefab or are added. A value of NULL is
     * initialised. Default: none */
    const sett_value* values;
    uint32_t value_count;
    /* more prefabs. In this order, the instance gets components and children from them that it does
     * not have yet. Children of the same name are merged in the same way. Default: none */
    const sett_entity* bases;
    uint32_t base_count;
} sett_instantiate_desc;

SETT_API sett_entity sett_instantiate_with_sized(sett_world* world,
                                                 const sett_instantiate_desc* desc, size_t size);

/* Creates one instance of a prefab, with a parent, a name and values of its own.
 *
 *     sett_instantiate_with(world, &(sett_instantiate_desc){
 *         .prefab = imp, .parent = map, .name = "boss",
 *         SETT_VALUES(SETT_VALUE(Position, .x = 8, .y = 3), SETT_VALUE(Health, .points = 90))});
 *
 * A variant is an instance of its differences and a base, made a prefab:
 *
 *     sett_entity fast_imp = sett_instantiate_with(world, &(sett_instantiate_desc){
 *         .prefab = legs_and_speed, .bases = &imp, .base_count = 1});
 *     sett_prefab_make(world, fast_imp);
 *
 * The instance is linked to `prefab`, not to the bases. Values that a base shares
 * (sett_prefab_share) are copied. If its parent is a prefab, the instance becomes a prefab.
 *
 * Callbacks run when the instance is complete: on_add sees the given values, the parent, the name
 * and the tag Prefab; on_set runs once for each component. References in given values stay as they
 * are.
 * Returns null on failure; nothing is created. Fails: STALE (prefab, base or parent), LOCKED,
 * ARGUMENT (the prefab and its bases have an entity in common; a wrong name, see sett_name_set; a
 * component twice; a component that only other calls add, such as a name or a relationship: the
 * tags of this header are fine), CONFLICT (a child of the parent has the name), CYCLE (`acyclic`
 * links of the prefab and its bases together), UNREGISTERED, LIMIT, OUT_OF_MEMORY.
 * Cost: as sett_create_with for each entity. The first two instances of a prefab cost several times
 * as much, and so do the first two after its components, children or names have changed, and all
 * instances of a prefab with links. The same holds for sett_instantiate with a count of 1.
 * Invalidates: as adding the components.
 * Threads: writer. Since: 0.2 */
static inline sett_entity sett_instantiate_with(sett_world* world,
                                                const sett_instantiate_desc* desc)
{
    return sett_instantiate_with_sized(world, desc, sizeof(*desc));
}

/* Records the creation of one instance (commands: core.h). It reserves a handle as sett_cmd_create
 * does, for further commands:
 *
 *     sett_entity imp = sett_cmd_instantiate(commands, imp_prefab);
 *     sett_cmd_attach(commands, imp, map);
 *     SETT_CMD_SET(commands, imp, Position, .x = 8, .y = 3);
 *
 * Callbacks of the instance run before later commands: on_add sees no name or value that these set.
 * Descendants get handles when the command is applied; sett_cmd_instantiate_tree gives these at
 * once. The command counts as two. When it is
 * applied:
 *     the prefab is dead              no instance is created: the handle stays stale
 *     there are too many entities     no instance is created; sett_world_error is LIMIT
 *     memory runs out                 the command stays in the buffer. Its entity exists, without
 *                                     components. Do not add any before the next try (PRESENT)
 * Returns null on failure. Fails: as sett_cmd_create.
 * Cost: applied, that of sett_instantiate with a count of 1.
 * Threads: system, into context->commands; allowed while loops are open. Since: 0.1 */
SETT_API sett_entity sett_cmd_instantiate(sett_commands* commands, sett_entity prefab);

/* Like sett_cmd_instantiate, with handles for the descendants too, in the order of
 * sett_hierarchy_walk over the prefab; the first is the instance:
 *
 *     sett_entity part[3];                                        tank, turret, flag
 *     if (sett_cmd_instantiate_tree(commands, tank_prefab, part, 3) != 0) {
 *         SETT_CMD_SET(commands, part[1], Angle, .radians = 2);
 *     }
 *
 *   out       gets the handles; those that are left over become null
 *   capacity  room in `out`: at least as many as the prefab and its descendants
 * Returns the number of entities; 0 on failure: no instance is recorded, and `out` is null handles.
 * Fails: as sett_cmd_create (LIMIT: the handles that were left are created and destroyed when the
 * commands are applied); STALE (the prefab), ARGUMENT (`capacity` is too small). If the prefab
 * has got or lost descendants when it is applied, no instance is created, and sett_world_error is
 * CONFLICT. It counts as one command more than there are entities.
 * Cost: that of the first instances (sett_instantiate_with).
 * Threads: as sett_cmd_instantiate. Since: 0.2 */
SETT_API uint32_t sett_cmd_instantiate_tree(sett_commands* commands, sett_entity prefab,
                                            sett_entity* out, uint32_t capacity);

/* Returns SETT_ID_INSTANCE_OF, the relationship "InstanceOf" with one target and without data. The
 * first call registers it. 0 when memory runs out. When the prefab is destroyed the instances stay.
 *
 *     sett_entity prefab = sett_target(world, instance, SETT_ID_INSTANCE_OF);
 *     SETT_SOURCES(world, SETT_ID_INSTANCE_OF, prefab, instance, link) { ... }
 *
 * Threads: writer. Since: 0.1 */
SETT_API sett_component sett_instance_of(sett_world* world);

/* Sets whether later instances share the values of a type. An instance then does not have the
 * component until sett_prefab_override: plain terms do not match it, sett_find and sett_has do not
 * see it. The term SETT_SHARED(T) and sett_prefab_get find the prefab's value. A query with a plain
 * term that could match an instance, were it not for this, is reported in debug builds, as long as
 * only prefabs have the component. Instances of descendants with such a type are linked to these
 * descendants. This is not part of the state: call it in each world, as you register types, also in
 * one that loads a file.
 * Fails: UNREGISTERED, LOCKED (in a system that is not exclusive). Threads: writer. Since: 0.1 */
SETT_API sett_status sett_prefab_share(sett_world* world, sett_component component, bool shared);

/* Returns the entity's own value, else the value of its prefab, else of the prefab's prefab, and so
 * on; NULL if there is none. sett_get and plain terms see only the entity's own value; the term
 * SETT_SHARED (typed.h) sees the same as this call.
 * Cost: O(1) a step. Threads: reader. Since: 0.1 */
SETT_API const void* sett_prefab_get(const sett_world* world, sett_entity entity,
                                     sett_component component);

/* Copies the value that sett_prefab_get returns to the entity, unless it has its own.
 *
 *     SETT_PREFAB_OVERRIDE(world, imp, Health)->points = 90;        by C type, as in typed.h
 *
 * Returns its address; NULL on failure. Fails: as sett_set; ABSENT (no prefab has a value).
 * Threads: writer. Since: 0.1 */
SETT_API void* sett_prefab_override(sett_world* world, sett_entity entity,
                                    sett_component component);

#define SETT_PREFAB_GET(world, entity, T)                                                          \
    ((const T*)SETT_CALL_(prefab_get, world, entity, T##_id, sizeof(T), #T))
#define SETT_PREFAB_OVERRIDE(world, entity, T)                                                     \
    ((T*)SETT_CALL_(prefab_override, world, entity, T##_id, sizeof(T), #T))

static inline const void* sett_prefab_get_typed_(const sett_world* world, sett_entity entity,
                                                 sett_component id, size_t size, const char* type)
{
    bool right = sett_component_check_type_(world, id, size, type, "SETT_PREFAB_GET");
    return right ? sett_prefab_get(world, entity, id) : NULL;
}

static inline void* sett_prefab_override_typed_(sett_world* world, sett_entity entity,
                                                sett_component id, size_t size, const char* type)
{
    bool right = sett_component_check_change_(world, id, size, type, "SETT_PREFAB_OVERRIDE");
    return right ? sett_prefab_override(world, entity, id) : NULL;
}

#endif

/* prefab.h: entities as templates for others. Opt-in.
 *
 *     sett_entity imp = sett_entity_create(world);          any entity, with what is below it
 *     SETT_SET(world, imp, Health, .points = 60);
 *     sett_prefab_make(world, imp);                         queries skip it from here on
 *     sett_instantiate(world, imp, 100, imps);              a hundred like it, without the tag
 *
 * Also here: the tag Disabled, which hides an entity from queries likewise.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_PREFAB_H
#define SETT_PREFAB_H

#include "sett/sett.h"

/* Return the tags "Prefab" and "Disabled", registered by the first call; 0 when memory runs out.
 * Queries skip entities that have one, unless a term names it: SETT_WITH for these only,
 * SETT_OPTIONAL for all. Worlds without such entities pay nothing for it. Hooks, groups, counts of
 * components and access by handle do not look at the tags. They are ordinary tags otherwise.
 * Threads: writer. Since: 0.1 */
SETT_API sett_component sett_prefab_tag(sett_world* world);
SETT_API sett_component sett_disabled_tag(sett_world* world);

/* Gives an entity and all that is below it the tag Prefab; what has it keeps it.
 * Fails: STALE, LOCKED, OUT_OF_MEMORY (then some may have it).
 * Cost: O(entities below). Threads: writer. Since: 0.1 */
SETT_API sett_status sett_prefab_make(sett_world* world, sett_entity entity);

/* Makes instances of an entity and of all that is below it: `count` of each, with the same
 * components, but for the tag Prefab, and with copies of the values.
 *   prefab  any entity, with the tag or without
 *   out     receives the `count` instances of the entity itself; NULL if not wanted
 * References inside values (entity_offsets) and links of relationships that lead to what is
 * instantiated lead to the instance's own; others lead where the prefab's do. What is below keeps
 * its order and its names; the instances themselves have no parent. Types with a deinit and no copy
 * hook are initialised, not copied. Each instance is led to the prefab by the relationship
 * InstanceOf. Instances of one call have neighbouring indices, those of each entity below as well.
 * Hooks run when all instances exist: on_add, then on_set, entity by entity.
 * Fails: STALE, LOCKED, LIMIT, OUT_OF_MEMORY; then nothing was created.
 * Cost: O(count x entities), page-wise: about a third more than sett_entity_create_many. A count of
 * 1: see sett_instantiate_with.
 * Invalidates: as adding the components.
 * Threads: writer. Since: 0.1 */
SETT_API sett_status sett_instantiate(sett_world* world, sett_entity prefab, uint32_t count,
                                      sett_entity* out);

/* How to make one instance. All zeroes but the prefab: as sett_instantiate. */
typedef struct sett_instantiate_desc {
    sett_entity prefab;
    sett_entity parent; /* the instance becomes its last child; default: none */
    const char* name;   /* among the children of the parent; default: none */
    /* Components of the instance itself: in place of the prefab's values, or beside them. A value
     * of NULL means initialised. Default: none */
    const sett_value* values;
    uint32_t value_count;
} sett_instantiate_desc;

/* Makes one instance of a prefab, with a parent, a name and values of its own, in one call.
 *
 *     sett_instantiate_with(world, &(sett_instantiate_desc){
 *         .prefab = imp, .parent = map, .name = "boss",
 *         SETT_VALUES(SETT_VALUE(Position, .x = 8, .y = 3), SETT_VALUE(Health, .points = 90))});
 *
 * Callbacks run when the instance is complete: on_add sees the values given, the parent and the
 * name; on_set runs once a component. References in values that are given stay as they are.
 * Returns null on failure; then nothing was created. Fails: STALE (prefab or parent), LOCKED,
 * ARGUMENT (no name, see sett_name_set; a component of the library itself), CONFLICT (a child of
 * the parent has the name), UNREGISTERED, LIMIT, OUT_OF_MEMORY.
 * Cost: from the third instance on about that of sett_create_with, for each entity; the first two,
 * and those after the prefab's components, children or names have changed, several times as much.
 * The same goes for sett_instantiate with a count of 1. Prefabs with links of relationships (but
 * for InstanceOf) always cost that.
 * Invalidates: as adding the components.
 * Threads: writer. Since: 0.2 */
SETT_API sett_entity sett_instantiate_with(sett_world* world, const sett_instantiate_desc* desc);

/* Records the making of one instance, to be applied with other commands (sett.h). Its handle is a
 * reservation, as that of sett_cmd_create, so that more can be recorded about it at once:
 *
 *     sett_entity imp = sett_cmd_instantiate(commands, imp_prefab);
 *     sett_cmd_attach(commands, imp, map);
 *     SETT_CMD_SET(commands, imp, Position, .x = 8, .y = 3);
 *
 * Entities below have handles when it is applied. What it finds then:
 *     the prefab is dead              no instance is created: the handle stays stale
 *     there are too many entities     no instance is created; sett_world_error says so (LIMIT)
 *     memory runs out                 as for all commands: it is kept, and its entity exists and
 *                                     has nothing. If it is given something before the next try,
 *                                     that is all it gets (PRESENT)
 * A prefab that is recorded itself has to be applied before.
 * It counts as two commands, the creation and the rest.
 * Returns null on failure. Fails: as sett_cmd_create.
 * Cost: applied, that of sett_instantiate with a count of 1.
 * Threads: system, into context->commands; allowed while loops are open. Since: 0.1 */
SETT_API sett_entity sett_cmd_instantiate(sett_commands* commands, sett_entity prefab);

/* Returns the relationship "InstanceOf", exclusive and without data, registered by the first call:
 * sett_target(world, instance, it) is the prefab, sett_source_next walks the instances. When the
 * prefab is destroyed the instances stay. 0 when memory runs out.
 * Threads: writer. Since: 0.1 */
SETT_API sett_component sett_instance_of(sett_world* world);

/* Sets whether instances made from now on share the values of a type: they do not get the component
 * until they override it. Where an entity below a prefab has such a type, its instances too are led
 * to it by InstanceOf.
 * Fails: UNREGISTERED. Threads: writer. Since: 0.1 */
SETT_API sett_status sett_prefab_share(sett_world* world, sett_component component, bool shared);

/* Returns the entity's own value, or that of its prefab, or of that one's; NULL if none has one.
 * What queries and sett_get see is an entity's own.
 * Cost: O(1) a step. Threads: reader. Since: 0.1 */
SETT_API const void* sett_prefab_get(const sett_world* world, sett_entity entity,
                                     sett_component component);

/* Gives an entity a value of its own, the one that sett_prefab_get returns, unless it has one.
 * Returns its address; NULL on failure. Fails: as sett_set; ABSENT (no prefab has a value).
 * Threads: writer. Since: 0.1 */
SETT_API void* sett_prefab_override(sett_world* world, sett_entity entity,
                                    sett_component component);

#endif

/* json.h: entities as JSON, and back: for files that people read and change, for tests, for tools.
 *
 *     {"entities": [
 *     {"entity": "/hall", "handle": "#0:1", "components": {"Position": {"x": 1, "y": 2.5}}},
 *     {"entity": "/hall/door", "handle": "#1:1", "components": {"Door": {"state": "OPEN",
 *      "keys": ["RED"], "owner": "/hall", "size": [1, 2]}, "Marked": true},
 *      "links": {"Likes": ["/hall", {"to": "#7:2", "data": {"base64": "AAAA"}}]}},
 *     {"entity": "#7:2", "name": "x", "parent": "/hall", "components": {}}
 *     ]}
 *
 * Values are written by their members (members.h). A component without members is
 * {"base64": "..."}, bytes of this machine; with a `write` hook (core.h) it is what that writes, as
 * a text; a tag is true; a component whose value is not saved is null. In detail:
 *
 *     integers    numbers; beyond +-(2^53 - 1) decimal strings. Both forms are read
 *     floats      the shortest text that is read as the same; NaN, the infinities and other NaNs
 *                 are "NaN", "Infinity", "-Infinity" and "nan:7ff8000000000001"
 *     scaled      the number that is meant: 1.5, not 98304
 *     enums       the constant's name, or the number; bit sets: a list of names and a number
 *     text        a string; if it is no UTF-8 {"base64": "..."}
 *     arrays      lists; with names for their elements objects
 *     entities    null; the path of names from a root, "/hall/door" ('\\' stands for a '\'); or, if
 *                 there is none, "#index:generation"
 *
 * A reference leads to an entity of the text; else to the entity of the world that has this path;
 * else it becomes null, a link is left out, and an entity whose parent it is becomes a root:
 * sett_json_result.lost counts these. So a number never leads to an unrelated entity, unless
 * handles are kept (keep_handles).
 *
 * Names, parents and links are no components here. "policy" ("DESTROY", "DETACH", "REJECT") is what
 * happens to an entity's children when it is destroyed (sett_hierarchy_set_policy). "parent": null
 * is a root that has the component "Hierarchy" and no children. The library's own tags and
 * relationships (Prefab, Disabled, Singletons, InstanceOf) are registered when a text names them.
 * The entity with the tag Singletons is the world's one if that exists: it gets the text's
 * components, over its own, and keeps its handle, its name and its parent; links for it are an
 * error. A text is checked as a whole before anything changes: grammar (RFC 8259, UTF-8, at most 64
 * levels), types, members, ranges, references; a member or key that occurs twice and a member that
 * does not exist are errors. Messages say line, column and member.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_JSON_H
#define SETT_JSON_H

#include "sett/core.h"

/* Takes a piece of a text. Returns whether to go on. It must not change the world. */
typedef bool (*sett_json_fn)(void* user, const char* text, size_t size);

/* What to write. Default: all entities. */
typedef struct sett_json_desc {
    /* this one and its descendants; default (null): see `query`. So check what a lookup returned:
     * without `single`, null is the whole world */
    sett_entity entity;
    bool single;       /* `entity` without its descendants; it cannot be null then, unless there is
                        * a query; default: with them */
    sett_query* query; /* the entities that match; default: all of the world */
    const sett_component* components; /* only these, if they are there; default: all */
    uint32_t component_count;
} sett_json_desc;

/* How to read. */
typedef struct sett_json_read_desc {
    /* entities without a parent in the text become its children; default: such a parent is found
     * as other references are, and entities without any are roots */
    sett_entity parent;
    bool keep_handles; /* "#7:2" is entity 7:2, in the text and beyond it, and members keep handles
                        * of entities that do not exist; default: new entities */
    bool
        allow_unknown; /* components and members that do not exist are skipped; default: an error */
} sett_json_read_desc;

/* What was read. */
typedef struct sett_json_result {
    sett_entity first; /* the first entity of the text; null: there was none */
    uint32_t entities; /* created; singletons that exist are not counted */
    uint32_t skipped;  /* unknown components and members */
    uint32_t lost;     /* references that became null, links and parents that were left out */
} sett_json_result;

/* The functions behind sett_json_write, sett_json_format and sett_json_read, with the size of the
 * descriptor. */
SETT_API sett_status sett_json_write_sized(sett_world* world, const sett_json_desc* desc,
                                           size_t desc_size, sett_json_fn fn, void* user);
SETT_API size_t sett_json_format_sized(sett_world* world, const sett_json_desc* desc,
                                       size_t desc_size, char* out, size_t size);
SETT_API sett_status sett_json_read_sized(sett_world* world, const char* text, size_t size,
                                          const sett_json_read_desc* desc, size_t desc_size,
                                          sett_json_result* result);

/* Writes entities as a JSON text, piece by piece: parents before children, siblings in their order.
 *   desc  NULL: all entities
 *   fn    takes pieces of up to 2,000 bytes
 * Fails: STALE (`entity`; also null, with `single`), ARGUMENT (such as a query of another world),
 * REJECTED (`fn` returned false), LOCKED (a query in a system that is not exclusive),
 * OUT_OF_MEMORY.
 * Cost: O(text). Threads: reader; with names, as sett_name_path. Since: 0.2 */
static inline sett_status sett_json_write(sett_world* world, const sett_json_desc* desc,
                                          sett_json_fn fn, void* user)
{
    return sett_json_write_sized(world, desc, sizeof(*desc), fn, user);
}

/* Writes the text of sett_json_write into memory, as snprintf does. Returns the length of the whole
 * text, 0 on failure.
 * Threads: as sett_json_write. Since: 0.2 */
static inline size_t sett_json_format(sett_world* world, const sett_json_desc* desc, char* out,
                                      size_t size)
{
    return sett_json_format_sized(world, desc, sizeof(*desc), out, size);
}

/* Creates the entities of a text that sett_json_write wrote, or that has its form. Entities of the
 * text may refer to one another and to entities of the world.
 *   size    bytes of the text, which needs no zero behind it
 *   desc    NULL: defaults
 *   result  can be NULL
 * Fails: INVALID (the message says line, column and member, and what is wrong); LOCKED,
 * OUT_OF_MEMORY, LIMIT; CONFLICT, CYCLE and others if the world rejects what the text says, such as
 * two children of one name. Nothing has changed then but the generations of handles, and which of
 * the library's own types are registered; callbacks may have run.
 * Cost: O(text), read three times, plus the changes. Memory: about 64 bytes an entity.
 * Threads: writer. Since: 0.2 */
static inline sett_status sett_json_read(sett_world* world, const char* text, size_t size,
                                         const sett_json_read_desc* desc, sett_json_result* result)
{
    return sett_json_read_sized(world, text, size, desc, sizeof(*desc), result);
}

/* Writes the value of one component as JSON, as snprintf does: {"x": 1, "y": 2}.
 * Returns the length of the whole text; 0 if the entity does not have the component.
 * Threads: as sett_json_write. Since: 0.2 */
SETT_API size_t sett_json_format_value(sett_world* world, sett_entity entity,
                                       sett_component component, char* out, size_t size);

/* Sets a component to a value written as JSON, and adds it if it is absent. Members that the text
 * does not have keep their value. Without hooks for values (copy, deinit, move) it is set as by
 * sett_set; otherwise its members are written in place, and on_set does not run.
 * Fails: as sett_json_read; STALE, UNREGISTERED, ARGUMENT (a component that the library writes).
 * Threads: writer. Since: 0.2 */
SETT_API sett_status sett_json_set(sett_world* world, sett_entity entity, sett_component component,
                                   const char* text, size_t size);

#endif

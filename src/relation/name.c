/* name.c: names of entities, unique among siblings, found by path.
 *
 * The workload: thousands of named entities, found by path while a game runs, renamed and moved now
 * and then. A name is a key of 8 bytes in a component; text.c has the text. Lookups use an index by
 * parent and key, which is a hash table with linear probing. Removing an entry moves later entries
 * into the gap, so that no marks for removed entries are needed (Knuth, TAOCP 3, 6.4, algorithm R).
 *
 *     slot    | link, hash | link, hash | free | ...      hash of (parent's link, key), home =
 *                                                         hash & (capacity - 1)
 *
 * The index is a cache, updated by the component's cascade and by moves in the hierarchy. After the
 * state was replaced, one walk over the component rebuilds the index. If memory runs out, lookups
 * walk over the component.
 *
 * Invariant:  an entity's key is not 0  <=>  the index has the entity once, by parent and key;
 *             no two entities have the same parent and key
 */
#include "relation/name.h"
#include "relation/hierarchy.h"
#include "world/change.h"
#include "world/command.h"

#include <stdio.h>

static_assert(SETT_NAME_MAX == SETTI_TEXT_MAX, "a name is a text");

#define NAME_NONE 0 /* the key of an entity without a name */

static uint32_t name_hash(const setti_name_table* names, uint32_t parent, uint64_t key)
{
    return setti_hash_home(key, parent, names);
}

uint64_t setti_name_key(const sett_world* world, uint32_t index)
{
    const setti_name_table* names = setti_names_of(world);
    if (names == NULL) {
        return NAME_NONE;
    }
    const sett_name* name = setti_storage_find(&names->type->storage, index);
    return name != NULL ? name->key : NAME_NONE;
}

static bool name_matches(const sett_world* world, uint32_t index, uint32_t parent, uint64_t key)
{
    return setti_name_key(world, index) == key && setti_hierarchy_parent(world, index) == parent;
}

/* Adds an entity to the index, which must have room. */
static void name_put(setti_name_table* names, uint32_t link, uint32_t hash)
{
    SETTI_ASSERT(names->count < names->capacity && link != 0);
    uint32_t slot = hash & (names->capacity - 1);
    while (names->slot[slot].link != 0) {
        slot = (slot + 1) & (names->capacity - 1);
    }
    names->slot[slot].link = link;
    names->slot[slot].hash = hash;
    names->count++;
}

/* Removes the entry of a link, and moves later entries into the gap. */
static void name_remove(setti_name_table* names, uint32_t link, uint32_t hash)
{
    SETTI_ASSERT(names->count != 0);
    uint32_t mask = names->capacity - 1;
    uint32_t hole = hash & mask;
    while (names->slot[hole].link != link && names->slot[hole].link != 0) {
        hole = (hole + 1) & mask;
    }
    SETTI_ASSERT(names->slot[hole].link == link);
    if (names->slot[hole].link != link) {
        return;
    }
    for (uint32_t slot = (hole + 1) & mask; names->slot[slot].link != 0; slot = (slot + 1) & mask) {
        uint32_t home = names->slot[slot].hash;
        /* A search that begins at `home` passes the hole before it reaches `slot`. */
        bool may_move = ((slot - home) & mask) >= ((slot - hole) & mask);
        if (may_move) {
            names->slot[hole] = names->slot[slot];
            hole = slot;
        }
    }
    names->slot[hole].link = 0;
    names->count--;
}

/* Makes room for `count` names in the index. Returns false if memory runs out. */
static bool name_reserve_slots(sett_world* world, setti_name_table* names, uint32_t count)
{
    if ((uint64_t)count * 3 < (uint64_t)names->capacity * 2) { /* less than 2/3 are used */
        return true;
    }
    setti_name_table grown = *names;
    size_t size;
    /* more than 1.5 * count */
    grown.capacity = SETTI_MAX(setti_bits_ceil(count + count / 2 + 1), 16);
    grown.count = 0;
    if (count > UINT32_MAX / 4 || !setti_multiply(grown.capacity, sizeof(*grown.slot), &size)) {
        return false;
    }
    grown.slot = setti_pool_alloc_zero(&world->pool, size, 16);
    if (grown.slot == NULL) {
        return false;
    }
    for (uint32_t slot = 0; slot < names->capacity; slot++) {
        if (names->slot[slot].link != 0) {
            name_put(&grown, names->slot[slot].link, names->slot[slot].hash);
        }
    }
    setti_pool_free(&world->pool, names->slot, names->capacity * sizeof(*names->slot), 16);
    *names = grown;
    return true;
}

/* Returns true if the index belongs to the present state. */
static bool name_is_current(const sett_world* world, const setti_name_table* names)
{
    return SETTI_LIKELY(names->epoch == world->epoch);
}

/* Rebuilds the index if the state was replaced. Returns false if memory runs out or systems are
 * running. */
static bool name_update_index(sett_world* world, setti_name_table* names)
{
    if (name_is_current(world, names)) {
        return true;
    }
    if (world->running != NULL) {
        return false;
    }
    if (names->capacity != 0) {
        memset(names->slot, 0, names->capacity * sizeof(*names->slot));
    }
    names->count = 0;
    if (!name_reserve_slots(world, names, names->type->storage.count)) {
        return false;
    }
    SETTI_EACH_INDEX(index, &names->type->storage) {
        uint64_t key = setti_name_key(world, index);
        if (key != 0) {
            name_put(names, setti_link_to(index),
                     name_hash(names, setti_hierarchy_parent(world, index), key));
        }
    }
    names->epoch = world->epoch;
    return true;
}

/* Returns the link of the child of `parent` with a name, or 0. Skips the child `except`. `parent`
 * and `except` are links. */
static uint32_t name_find_except(sett_world* world, uint32_t parent, uint64_t key, uint32_t except)
{
    setti_name_table* names = setti_names_of(world);
    if (SETTI_UNLIKELY(!name_update_index(world, names))) {
        SETTI_EACH_INDEX(index, &names->type->storage) { /* slowly, without the index */
            if (setti_link_to(index) != except && name_matches(world, index, parent, key)) {
                return setti_link_to(index);
            }
        }
        return 0;
    }
    if (names->count == 0 || key == 0) {
        return 0;
    }
    uint32_t hash = name_hash(names, parent, key);
    uint32_t mask = names->capacity - 1;
    for (uint32_t slot = hash & mask; names->slot[slot].link != 0; slot = (slot + 1) & mask) {
        uint32_t link = names->slot[slot].link;
        if (names->slot[slot].hash == hash && link != except &&
            name_matches(world, setti_link_index(link), parent, key)) {
            return link;
        }
    }
    return 0;
}

/* Returns the link of the child that has the name `key`, or 0. `parent` is a link, too. */
static uint32_t name_find_child(sett_world* world, uint32_t parent, uint64_t key)
{
    return name_find_except(world, parent, key, SETTI_NO_LINK);
}

/* Like name_find_child, but skips the child `index`. */
static uint32_t name_find_other(sett_world* world, uint32_t parent, uint64_t key, uint32_t index)
{
    return name_find_except(world, parent, key, setti_link_to(index));
}

static void name_write(sett_world* world, uint32_t index, uint64_t key)
{
    SETTI_ASSERT(setti_storage_has(&setti_names_of(world)->type->storage, index));
    sett_name* name =
        setti_storage_find_mut(&world->pool, &setti_names_of(world)->type->storage, index);
    name->key = key;
}

void setti_name_end(sett_world* world, uint32_t index)
{
    setti_name_table* names = setti_names_of(world);
    uint64_t key = setti_name_key(world, index);
    if (key == 0) {
        return;
    }
    if (name_is_current(world, names)) {
        name_remove(names, setti_link_to(index),
                    name_hash(names, setti_hierarchy_parent(world, index), key));
    }
    name_write(world, index, NAME_NONE); /* callbacks that run later must see no name */
}

static void name_unlink(sett_world* world, setti_type* type, uint32_t index)
{
    (void)type;
    setti_name_end(world, index);
}

static void name_trim(sett_world* world, setti_type* type)
{
    (void)type;
    setti_text_sweep(world, &setti_names_of(world)->texts);
}

/* Reports that the sibling `other` (a link) has the name. */
static sett_status name_conflict(sett_world* world, const char* call, uint32_t index,
                                 uint32_t other)
{
    SETTI_ASSERT(other != 0 && other != setti_link_to(index));
    sett_entity a = setti_entity_at(&world->entities, index);
    sett_entity b = setti_entity_at(&world->entities, setti_link_index(other));
    const char* text = setti_text_of(world, &setti_names_of(world)->texts,
                                     setti_name_key(world, setti_link_index(other)));
    return setti_world_fail_with(
        world, SETT_STATUS_CONFLICT,
        "%s: entity %u:%u cannot be called \"%.200s\": sibling %u:%u has this name - choose "
        "another name",
        call, SETTI_HANDLE(a), text != NULL ? text : "", SETTI_HANDLE(b));
}

bool setti_name_may_move(sett_world* world, uint32_t index, uint32_t parent, const char* call)
{
    uint64_t key = setti_name_key(world, index);
    if (key == NAME_NONE) {
        return true;
    }
    uint32_t other = name_find_other(world, parent, key, index);
    if (other != 0) {
        (void)name_conflict(world, call, index, other);
    }
    return other == 0;
}

void setti_name_moved(sett_world* world, uint32_t index, uint32_t old_parent)
{
    SETTI_ASSERT(setti_hierarchy_parent(world, index) != old_parent);
    setti_name_table* names = setti_names_of(world);
    uint64_t key = setti_name_key(world, index);
    if (key == 0) {
        return;
    }
    uint32_t parent = setti_hierarchy_parent(world, index);
    uint32_t link = setti_link_to(index);
    bool was_current = name_is_current(world, names);
    bool is_taken = name_find_other(world, parent, key, index) != 0; /* by a new sibling */
    if (was_current) {
        name_remove(names, link, name_hash(names, old_parent, key));
        if (!is_taken) {
            name_put(names, link, name_hash(names, parent, key));
        }
    } else if (is_taken && name_is_current(world, names)) {
        /* name_find_other has rebuilt the index, with the entity below `parent` already */
        name_remove(names, link, name_hash(names, parent, key));
    }
    if (is_taken) {
        name_write(world, index, NAME_NONE);
    }
}

static bool name_has(const sett_world* world, sett_entity entity)
{
    return sett_name_get(world, entity) != NULL;
}

static const setti_pages* name_pages(const sett_world* world, const setti_type* type)
{
    (void)type;
    return &setti_names_of(world)->texts.pages;
}

static bool name_is_ready(const sett_world* world)
{
    return setti_names_of(world)->texts.epoch == world->epoch;
}

/* Updates the caches before systems run, because systems cannot update them. */
static void name_settle(sett_world* world)
{
    (void)name_update_index(world, setti_names_of(world));
    (void)setti_text_sync(world, &setti_names_of(world)->texts);
}

static void name_describe(sett_world* world, const setti_type* type, sett_entity entity,
                          setti_writer* out)
{
    (void)type;
    if (!name_is_ready(world)) {
        return;
    }
    const char* name = sett_name_get(world, entity);
    if (name != NULL) {
        setti_writer_add(out, "\"%s\"", name);
    }
}

static const char* name_validate(sett_world* world, setti_type* type);

static sett_status name_join(sett_world* to_world, const sett_world* from_world,
                             const setti_type* type)
{
    (void)from_world;
    (void)type;
    if (sett_name_register(to_world) == 0) {
        return to_world->error;
    }
    return SETT_OK;
}

SETTI_COLD sett_component sett_name_register(sett_world* world)
{
    if (SETTI_IS_NULL(world)) {
        return 0;
    }
    static const setti_module module = {.validate = name_validate,
                                        .pages = name_pages,
                                        .join = name_join,
                                        .describe = name_describe};
    static const setti_naming naming = {name_has, name_is_ready, sett_name_path};
    static const setti_module_calls calls = {.slot = SETTI_SLOT_NAMES, .before_jobs = name_settle};
    static const setti_cascade cascade = {.unlink = name_unlink, .trim = name_trim};
    setti_name_table* names = setti_names_of(world);
    if (names != NULL) {
        return names->type->id;
    }
    if (setti_world_check_unlocked(world, __func__) != SETT_OK) {
        return 0;
    }
    sett_component_desc desc = {.name = "Name",
                                .size = sizeof(sett_name),
                                .type_name = "sett_name",
                                .id = SETT_ID_NAME,
                                .members = SETT_STRUCT(sett_name, key)};
    names = setti_world_alloc(world, sizeof(*names), 16, __func__);
    if (names == NULL) {
        return 0;
    }
    sett_component id = sett_component_register(world, &desc);
    if (id == 0) {
        setti_pool_free(&world->pool, names, sizeof(*names), 16);
        return 0;
    }
    names->type = setti_world_type(world, id);
    names->epoch = world->epoch;
    setti_component_set_cascade(world, names->type, &cascade);
    setti_component_guard(names->type, "sett_name_set or sett_cmd_name_set");
    setti_text_init(world, &names->texts);
    names->texts.users = names->type;
    names->type->module = &module;
    world->naming = &naming;
    setti_world_add_calls(world, &calls);
    world->module[SETTI_SLOT_NAMES] = names;
    return id;
}

/* Reads a text like "#12". Returns the link of the entity with index 12. Returns 0 if the text is
 * not of this form. */
static uint32_t name_numbered(const char* text, size_t length)
{
    if (length < 2 || length > 11 || text[0] != '#') { /* '#' and at most 10 digits */
        return 0;
    }
    if (length > 2 && text[1] == '0') {
        return 0; /* a leading zero */
    }
    uint64_t index = 0;
    for (size_t k = 1; k < length; k++) {
        if (text[k] < '0' || text[k] > '9') {
            return 0;
        }
        index = index * 10 + (uint64_t)(text[k] - '0');
    }
    if (index >= UINT32_MAX) {
        return 0;
    }
    return setti_link_to((uint32_t)index);
}

const char* setti_name_check(const char* name)
{
    static_assert(SETT_NAME_MAX == 1000, "the messages say so");
    size_t length = name != NULL ? strlen(name) : 0;
    if (length == 0) {
        return "is empty - choose a name";
    }
    if (length > SETT_NAME_MAX) {
        return "has more than 1000 bytes - shorten it";
    }
    if (strchr(name, '/') != NULL) {
        return "contains '/', which separates the names of a path - leave out the '/'";
    }
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        return "has a meaning of its own in paths - choose another name";
    }
    if (name_numbered(name, length) != 0) {
        return "is '#' and a number, which in paths is an entity's index - choose another name";
    }
    return NULL;
}

/* Gives an entity the name of a key. Fails if a sibling has the name. */
static sett_status name_set_key(sett_world* world, sett_entity entity, uint64_t key,
                                const char* call)
{
    setti_name_table* names = setti_names_of(world);
    if (!name_update_index(world, names) || !name_reserve_slots(world, names, names->count + 1)) {
        return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, entity, names->type->id);
    }
    uint32_t parent = setti_hierarchy_parent(world, entity.index);
    uint32_t other = name_find_other(world, parent, key, entity.index);
    if (other == 0 && !setti_storage_has(&names->type->storage, entity.index)) {
        if (setti_world_check_unlocked(world, call) != SETT_OK ||
            setti_change_add_fast(world, names->type, entity, call, SETTI_NO_VALUE) == NULL) {
            return world->error;
        }
        /* Callbacks may have moved the entity or named siblings. */
        parent = setti_hierarchy_parent(world, entity.index);
        other = name_find_other(world, parent, key, entity.index);
    }
    if (other != 0) {
        return name_conflict(world, call, entity.index, other);
    }
    uint64_t old_key = setti_name_key(world, entity.index);
    if (old_key != NAME_NONE) {
        name_remove(names, setti_link_to(entity.index), name_hash(names, parent, old_key));
    }
    name_write(world, entity.index, key);
    name_put(names, setti_link_to(entity.index), name_hash(names, parent, key));
    return SETT_OK;
}

sett_status setti_name_fail(sett_world* world, const char* name, const char* call)
{
    const setti_name_table* names = setti_names_of(world);
    if (names->texts.epoch == world->epoch &&
        setti_text_is_crowded(&names->texts, name, strlen(name))) {
        return setti_world_fail_with(world, SETT_STATUS_LIMIT,
                                     "%s: the name \"%.200s\" has the same hash as %d other names, "
                                     "which is the limit - choose another name",
                                     call, name, SETTI_HASH_STEPS);
    }
    return setti_world_no_memory(world, call);
}

/* Adds the text of a name. Returns the text's key, or 0 on failure. */
static uint64_t name_add_text(sett_world* world, const char* name, const char* call)
{
    const char* wrong = setti_name_check(name);
    if (wrong != NULL) {
        setti_world_fail_with(world, SETT_STATUS_ARGUMENT, "%s: the name \"%.200s\" %s", call,
                              name != NULL ? name : "", wrong);
        return 0;
    }
    if (setti_names_of(world) == NULL) {
        if (setti_world_check_unlocked(world, call) != SETT_OK || sett_name_register(world) == 0) {
            return 0;
        }
    }
    setti_name_table* names = setti_names_of(world);
    uint64_t key = setti_text_add(world, &names->texts, name, strlen(name));
    if (key == 0) {
        (void)setti_name_fail(world, name, call);
    }
    return key;
}

uint64_t setti_name_prepare(sett_world* world, uint32_t parent, const char* name, const char* call)
{
    uint64_t key = name_add_text(world, name, call);
    if (key == 0) {
        return 0;
    }
    uint32_t other = name_find_child(world, parent, key);
    if (other == 0) {
        return key;
    }
    sett_entity sibling = setti_entity_at(&world->entities, setti_link_index(other));
    setti_world_fail_with(world, SETT_STATUS_CONFLICT,
                          "%s: a new entity cannot be called \"%.200s\": sibling %u:%u has "
                          "this name - choose another name",
                          call, name, SETTI_HANDLE(sibling));
    return 0;
}

sett_status setti_name_set(sett_world* world, sett_entity entity, const char* name,
                           const char* call)
{
    uint64_t key = name_add_text(world, name, call);
    if (key == 0) {
        return world->error;
    }
    setti_names_hold(world); /* callbacks may set other names */
    sett_status status = name_set_key(world, entity, key, call);
    setti_names_let_go(world);
    return status;
}

sett_status sett_name_set(sett_world* world, sett_entity entity, const char* name)
{
    if (!setti_hierarchy_check(world, entity, __func__)) {
        return setti_world_failure(world);
    }
    return setti_name_set(world, entity, name, __func__);
}

/* The search for a number that makes a name unique among siblings. */
typedef struct name_numbering {
    const sett_world* world;
    sett_entity entity;
    const char* name;
    char text[SETT_NAME_MAX + 1];
} name_numbering;

/* Returns true if a sibling has the name `text`. */
static bool name_is_taken(const name_numbering* search, const char* text)
{
    sett_entity parent = sett_hierarchy_parent(search->world, search->entity);
    sett_entity found = sett_name_find(search->world, parent, text);
    return !sett_is_null(found) && !sett_equals(found, search->entity);
}

/* Writes the name with a number to `text`. Returns true if a sibling has this name. */
static bool name_number_taken(void* user, uint32_t number)
{
    name_numbering* search = user;
    char digits[16];
    int size = snprintf(digits, sizeof(digits), " %u", (unsigned)number);
    snprintf(search->text, sizeof(search->text), "%.*s%s", SETT_NAME_MAX - size, search->name,
             digits);
    return name_is_taken(search, search->text);
}

sett_status sett_name_set_unique(sett_world* world, sett_entity entity, const char* name)
{
    if (!setti_hierarchy_check(world, entity, __func__)) {
        return setti_world_failure(world);
    }
    name_numbering search = {.world = world, .entity = entity, .name = name};
    if (setti_name_check(name) == NULL && name_is_taken(&search, name)) {
        uint32_t number = setti_name_number(name_number_taken, &search);
        (void)name_number_taken(&search, number); /* called only to write search.text */
        name = search.text;
    }
    return setti_name_set(world, entity, name, __func__);
}

static sett_status name_apply_set(sett_world* world, sett_entity entity, const void* call)
{
    return sett_name_set(world, entity, (const char*)call + sizeof(setti_command_call));
}

static void name_print_set(const sett_world* world, const void* call, char* out, size_t size)
{
    (void)world;
    snprintf(out, size, " \"%.100s\"", (const char*)call + sizeof(setti_command_call));
}

sett_status sett_cmd_name_set(sett_commands* commands, sett_entity entity, const char* name)
{
    static const setti_command_kind kind = {"name", name_apply_set, name_print_set};
    if (SETTI_IS_NULL(commands)) {
        return SETT_STATUS_ARGUMENT;
    }
    sett_status status = SETT_STATUS_ARGUMENT;
    const char* wrong = setti_name_check(name);
    if (wrong != NULL) {
        setti_world_misuse_with(sett_commands_world(commands), status,
                                "%s, entity %u:%u: the name \"%.200s\" %s", __func__,
                                SETTI_HANDLE(entity), name != NULL ? name : "", wrong);
        return status;
    }
    setti_commands_check_handle(commands, entity, 0, __func__);
    size_t size = strlen(name) + 1;
    setti_command_call* call =
        setti_commands_call(commands, entity, &kind, sizeof(*call) + size, &status);
    if (call != NULL) {
        memcpy(call + 1, name, size);
    }
    return status;
}

bool setti_name_reserve(sett_world* world, uint32_t count)
{
    setti_name_table* names = setti_names_of(world);
    if (!name_update_index(world, names) || count >= UINT32_MAX - names->count) {
        return false;
    }
    return name_reserve_slots(world, names, names->count + count);
}

void setti_name_give(sett_world* world, uint32_t index, uint64_t key)
{
    SETTI_ASSERT(key != 0);
    SETTI_ASSERT(setti_name_key(world, index) == 0);
    uint32_t parent = setti_hierarchy_parent(world, index);
    if (name_find_other(world, parent, key, index) == 0) {
        setti_name_table* names = setti_names_of(world);
        name_write(world, index, key);
        name_put(names, setti_link_to(index), name_hash(names, parent, key));
    }
}

const char* sett_name_get(const sett_world* const_world, sett_entity entity)
{
    sett_world* world = setti_unconst(const_world); /* updates caches */
    if (SETTI_IS_NULL(world) || setti_names_of(world) == NULL ||
        !setti_entity_is_current(&world->entities, entity)) {
        return NULL;
    }
    return setti_text_of(world, &setti_names_of(world)->texts, setti_name_key(world, entity.index));
}

/* Returns the link of the child of `parent` (a link) with the name `text`, or 0. */
static uint32_t name_find_text(sett_world* world, uint32_t parent, const char* text, size_t length)
{
    uint64_t key = setti_text_find(world, &setti_names_of(world)->texts, text, length);
    if (key == 0) {
        return 0;
    }
    return name_find_child(world, parent, key);
}

sett_entity sett_name_find(const sett_world* const_world, sett_entity parent, const char* name)
{
    sett_world* world = setti_unconst(const_world); /* updates caches */
    if (SETTI_IS_NULL(world) || SETTI_IS_NULL(name) || setti_names_of(world) == NULL) {
        return sett_null();
    }
    uint32_t parent_link = SETTI_NO_LINK;
    if (!sett_is_null(parent)) {
        if (!setti_entity_is_current(&world->entities, parent)) {
            return sett_null();
        }
        parent_link = setti_link_to(parent.index);
    }
    return setti_hierarchy_entity(world, name_find_text(world, parent_link, name, strlen(name)));
}

/* Returns the link of the child of `parent` (a link) that a part of a path names, or 0. */
static uint32_t name_find_part(sett_world* world, uint32_t parent, const char* text, size_t length)
{
    uint32_t link = name_numbered(text, length);
    if (link != 0) {
        bool is_child = !sett_is_null(sett_entity_at(world, setti_link_index(link))) &&
                        setti_hierarchy_parent(world, setti_link_index(link)) == parent;
        return is_child ? link : 0;
    }
    if (setti_names_of(world) == NULL) {
        return 0;
    }
    return name_find_text(world, parent, text, length);
}

sett_entity setti_name_lookup(const sett_world* const_world, sett_entity first, const char* path)
{
    sett_world* world = setti_unconst(const_world); /* updates caches */
    if (*path == '/') {
        first = sett_null();
        path++;
    } else if (sett_is_null(first)) {
        first = world->scope;
    }
    uint32_t link = SETTI_NO_LINK;
    if (!sett_is_null(first)) {
        if (!setti_entity_is_current(&world->entities, first)) {
            return sett_null();
        }
        link = setti_link_to(first.index);
    }
    for (;; path++) { /* skips the slash after a part */
        size_t length = strcspn(path, "/");
        bool is_up = setti_name_is_up(path, length);
        if (!is_up) {
            link = name_find_part(world, link, path, length);
        } else if (link != 0) {
            link = setti_hierarchy_parent(world, setti_link_index(link));
        }
        path += length;
        bool not_found = link == 0 && !is_up;
        if (not_found || *path == '\0') {
            return setti_hierarchy_entity(world, link);
        }
    }
}

/* Reports a path with dots, if the same path with slashes for the dots leads to an entity. */
SETTI_COLD static void name_check_dots(const sett_world* world, sett_entity first, const char* path)
{
    char slashed[SETT_NAME_MAX + 1];
    size_t length = strlen(path);
    if (length > SETT_NAME_MAX || strchr(path, '.') == NULL || strchr(path, '/') != NULL) {
        return;
    }
    for (size_t k = 0; k <= length; k++) {
        slashed[k] = path[k];
        if (path[k] == '.') {
            slashed[k] = '/';
        }
    }
    if (!sett_is_null(setti_name_lookup(world, first, slashed))) {
        setti_world_misuse_with(world, SETT_STATUS_ABSENT,
                                "sett_name_lookup: there is no entity \"%.100s\", but there is "
                                "\"%.100s\" - separate the parts of a path by slashes",
                                path, slashed);
    }
}

sett_entity sett_name_lookup(const sett_world* world, sett_entity from, const char* path)
{
    if (SETTI_IS_NULL(world) || SETTI_IS_NULL(path)) {
        return sett_null();
    }
    sett_entity found = setti_name_lookup(world, from, path);
    if (SETTI_DEBUG && sett_is_null(found)) {
        name_check_dots(world, from, path);
    }
    return found;
}

/* Sets `*text` to an entity's part of a path: the name, or "#" and the index. `number` is memory
 * for "#" and the index. Returns the length of the part. */
static size_t name_part(sett_world* world, uint32_t index, char number[16], const char** text)
{
    uint64_t key = setti_name_key(world, index);
    *text = NULL;
    if (key != NAME_NONE) {
        *text = setti_text_of(world, &setti_names_of(world)->texts, key);
    }
    if (*text != NULL) {
        return strlen(*text);
    }
    *text = number;
    return (size_t)snprintf(number, 16, "#%u", (unsigned)index);
}

/* Copies a text to `out + position`, but only the bytes that fit into the `size` bytes of `out`. */
static void name_write_part(char* out, size_t size, size_t position, const char* text,
                            size_t length)
{
    if (position < size) {
        memcpy(out + position, text, SETTI_MIN(length, size - position));
    }
}

size_t sett_name_path(const sett_world* const_world, sett_entity entity, char* out, size_t size)
{
    sett_world* world = setti_unconst(const_world); /* updates caches */
    size = setti_writer_empty(out, size);
    if (SETTI_IS_NULL(world) || setti_entity_signature(&world->entities, entity) == NULL) {
        return 0;
    }
    size_t length = 0; /* measured by a climb to the root; a second climb writes from the end */
    const char* text;
    char number[16];
    uint32_t last = setti_link_to(entity.index);
    for (uint32_t link = last; link != 0;
         link = setti_hierarchy_parent(world, setti_link_index(link))) {
        length += name_part(world, setti_link_index(link), number, &text);
        if (link != last) {
            length++; /* a slash */
        }
    }
    size_t position = length;
    size_t room = size; /* without the zero byte */
    if (room != 0) {
        room--;
    }
    for (uint32_t link = last; link != 0;
         link = setti_hierarchy_parent(world, setti_link_index(link))) {
        if (link != last) {
            position--;
            name_write_part(out, room, position, "/", 1);
        }
        size_t part_length = name_part(world, setti_link_index(link), number, &text);
        position -= part_length;
        name_write_part(out, room, position, text, part_length);
    }
    if (size != 0) {
        out[SETTI_MIN(length, room)] = '\0';
    }
    return length;
}

sett_entity sett_name_next(const sett_world* const_world, const char* name, uint32_t* cursor)
{
    sett_world* world = setti_unconst(const_world); /* updates caches */
    if (SETTI_IS_NULL(world) || SETTI_IS_NULL(name) || setti_names_of(world) == NULL) {
        return sett_null();
    }
    setti_name_table* names = setti_names_of(world);
    uint64_t key = setti_text_find(world, &names->texts, name, strlen(name));
    if (key == 0) {
        return sett_null();
    }
    uint32_t index = setti_storage_next(&names->type->storage, cursor);
    while (index != SETTI_NONE && setti_name_key(world, index) != key) {
        index = setti_storage_next(&names->type->storage, cursor);
    }
    if (index == SETTI_NONE) {
        return sett_null();
    }
    return setti_entity_at(&world->entities, index);
}

SETTI_COLD static const char* name_validate(sett_world* world, setti_type* type)
{
    setti_name_table* names = setti_names_of(world);
    (void)type;
    if (!name_update_index(world, names)) {
        return NULL; /* the checks need the index */
    }
    uint32_t count = 0;
    SETTI_EACH_INDEX(index, &names->type->storage) {
        uint64_t key = setti_name_key(world, index);
        uint32_t parent = setti_hierarchy_parent(world, index);
        if (key == 0) {
            continue;
        }
        count++;
        if (setti_text_of(world, &names->texts, key) == NULL) {
            return "names: a key without its text";
        }
        if (name_find_child(world, parent, key) != setti_link_to(index)) {
            return "names: an entity is not found under its name";
        }
        if (name_find_other(world, parent, key, index) != 0) {
            return "names: two siblings have the same name";
        }
    }
    if (count != names->count) {
        return "names: the index has entities without a name";
    }
    return setti_text_validate(world, &names->texts);
}

/* component.c: registers component types.
 *
 * The workload: some hundreds of types when a program starts, and most types again in each world. A
 * descriptor is checked and copied once. Registering also computes all data for later accesses.
 *
 * Invariant:  types[id]->id == id;
 *             `required` of a type lists each type that it requires, directly or through others,
 *             once; each listed type comes after the types that the listed type itself requires;
 *             t is in r's `dependants` <=> r is in t's `required`
 */
#include "sett/relationship.h"
#include "world/change.h"

#include <stdio.h>

#define ALIGN_MAX 4096       /* the largest `align` of a descriptor */
#define ALIGN_DEFAULT_MAX 16 /* the largest alignment if a descriptor has no `align` */
/* Larger values are in sparse sets by default. 64 values of this size, a page of an array, take 16
 * KB. */
#define ARRAY_SIZE_DEFAULT 256
#define ARRAY_SIZE_MAX ((size_t)1 << 20)  /* bytes of the largest value of an array */
#define SPARSE_SIZE_MAX ((size_t)1 << 26) /* bytes of the largest value of a sparse set */

/* Makes room for one more type in a list. Returns false if memory runs out. */
static bool type_list_reserve(setti_pool* pool, setti_type_list* list)
{
    SETTI_ASSERT(list->count <= list->capacity);
    setti_type** items =
        setti_pool_grow(pool, list->item, sizeof(*items), list->count, 1, &list->capacity);
    if (items == NULL) {
        return false;
    }
    list->item = items;
    return true;
}

bool setti_type_list_add(setti_pool* pool, setti_type_list* list, setti_type* type)
{
    SETTI_ASSERT(type != NULL);
    if (!type_list_reserve(pool, list)) {
        return false;
    }
    list->item[list->count++] = type;
    return true;
}

bool setti_call_list_reserve(setti_pool* pool, setti_call_list* list)
{
    void* items =
        setti_pool_grow(pool, list->item, sizeof(*list->item), list->count, 1, &list->capacity);
    if (items == NULL) {
        return false;
    }
    list->item = items;
    return true;
}

bool setti_type_list_has(const setti_type_list* list, const setti_type* type)
{
    for (uint32_t k = 0; k < list->count; k++) {
        if (list->item[k] == type) {
            return true;
        }
    }
    return false;
}

void setti_type_list_deinit(setti_pool* pool, setti_type_list* list)
{
    setti_pool_free(pool, list->item, list->capacity * sizeof(*list->item), 16);
}

/* Returns the name of a save policy, for messages. */
static const char* save_name(sett_save_policy save)
{
    static const char* const names[] = {"SETT_SAVE_BYTES", "SETT_SAVE_CLONE", "SETT_SAVE_SKIP"};
    return (unsigned)save <= SETT_SAVE_SKIP ? names[save] : "an unknown `save`";
}

/* Returns true if two ranges of bytes overlap. `a` and `b` are their offsets. */
static bool component_overlap(size_t a, size_t a_size, size_t b, size_t b_size)
{
    return a < b + b_size && b < a + a_size;
}

/* Checks the offsets of the handles in a value. Returns NULL, or what is wrong.
 *   size, align  of the value */
static const char* component_check_offsets(const uint32_t* offsets, uint32_t count, size_t size,
                                           size_t align)
{
    SETTI_ASSERT(offsets != NULL || count == 0);
    const size_t handle_size = sizeof(sett_entity);
    const size_t handle_align = SETT_ALIGNOF(sett_entity);
    for (uint32_t k = 0; k < count; k++) {
        if (size < handle_size || offsets[k] > size - handle_size) {
            return "one of `entity_offsets` lies outside of the value - use offsetof";
        }
        if (offsets[k] % handle_align != 0 || align % handle_align != 0) {
            return "one of `entity_offsets`, or `align`, is not a multiple of 4 - correct it";
        }
        for (uint32_t j = 0; j < k; j++) {
            if (component_overlap(offsets[j], handle_size, offsets[k], handle_size)) {
                return "two of `entity_offsets` overlap - list each handle once";
            }
        }
    }
    return NULL;
}

/* Checks the ranges `bytes` of a descriptor. Returns NULL, or what is wrong. */
static const char* component_check_ranges(const sett_component_desc* desc)
{
    for (uint32_t k = 0; k < desc->byte_count; k++) {
        const sett_byte_range* range = &desc->bytes[k];
        if (range->size > desc->size || range->offset > desc->size - range->size) {
            return "a range in `bytes` lies outside of the value - correct its offset or size";
        }
        if (range->size == 0) {
            return "a range in `bytes` is empty - leave it out";
        }
        for (uint32_t j = 0; j < k; j++) {
            if (component_overlap(desc->bytes[j].offset, desc->bytes[j].size, range->offset,
                                  range->size)) {
                return "two ranges in `bytes` overlap - join them";
            }
        }
    }
    return NULL;
}

/* Checks the hooks `write` and `read`. Changes `save` if bytes alone cannot be saved. Returns NULL,
 * or what is wrong. */
static const char* component_check_written(sett_component_desc* desc)
{
    if (desc->write == NULL && desc->read == NULL) {
        return NULL;
    }
    if (desc->size == 0) {
        return "a tag has no values to write or read - leave out `write` and `read`";
    }
    if (desc->write == NULL || desc->read == NULL) {
        return "only one of `write` and `read` is set - set both";
    }
    if (desc->byte_count != 0) {
        return "`bytes` is set beside `write` and `read` - leave out `bytes`";
    }
    if (desc->copy == NULL && (desc->deinit != NULL || desc->move != NULL)) {
        return "`deinit` or `move` is set beside `write`, but not `copy` - set `copy`";
    }
    if (desc->copy != NULL && desc->save == SETT_SAVE_BYTES) {
        desc->save = SETT_SAVE_CLONE; /* values with a copy hook need more than their bytes */
    }
    return NULL;
}

/* Sets the default alignment. It is the largest power of two that divides the size, but at most
 * ALIGN_DEFAULT_MAX. */
static void component_default_align(sett_component_desc* desc)
{
    desc->align = 1;
    if (desc->size == 0) {
        return;
    }
    while (desc->align < ALIGN_DEFAULT_MAX && desc->size % (desc->align * 2) == 0) {
        desc->align *= 2;
    }
}

const char* setti_component_resolve(sett_component_desc* desc)
{
    if (desc->name == NULL || desc->name[0] == '\0') {
        return "`name` is missing - set one";
    }
    if (desc->align == 0) {
        component_default_align(desc);
    }
    if (desc->align > ALIGN_MAX || (desc->align & (desc->align - 1)) != 0) {
        return "`align` is not a power of two up to 4,096 - correct it, or leave it 0";
    }
    if (desc->size % desc->align != 0) {
        return "`size` is not a multiple of `align` - pass sizeof and alignof of the C type";
    }
    if (desc->storage == SETT_STORAGE_DEFAULT) {
        bool sparse_set = desc->size > ARRAY_SIZE_DEFAULT || desc->keep_order;
        desc->storage = sparse_set ? SETT_STORAGE_SPARSE_SET : SETT_STORAGE_ARRAY;
    }
    if (desc->storage != SETT_STORAGE_ARRAY && desc->storage != SETT_STORAGE_SPARSE_SET) {
        return "`storage` has an unknown value - use SETT_STORAGE_ARRAY or SETT_STORAGE_SPARSE_SET";
    }
    if (desc->keep_order && desc->storage == SETT_STORAGE_ARRAY) {
        return "`keep_order` is set for an array, which is always in the order of entity indices "
               "- set `storage` to SETT_STORAGE_SPARSE_SET";
    }
    const bool is_array = desc->storage == SETT_STORAGE_ARRAY;
    const size_t size_max = is_array ? ARRAY_SIZE_MAX : SPARSE_SIZE_MAX;
    if (desc->size > size_max) {
        return is_array ? "`size` is more than 1 MB - set `storage` to SETT_STORAGE_SPARSE_SET"
                        : "`size` is more than 64 MB - store a pointer to larger data";
    }
    if (desc->id >= SETTI_COMPONENT_LIMIT) {
        return "`id` is too high - choose one below 1,048,576, or leave it 0";
    }
    const char* wrong = component_check_offsets(desc->entity_offsets, desc->entity_offset_count,
                                                desc->size, desc->align);
    if (wrong != NULL) {
        return wrong;
    }
    wrong = component_check_ranges(desc);
    if (wrong != NULL) {
        return wrong;
    }
    return component_check_written(desc);
}

/* Returns true if two names of C types are equal, or if one of them is NULL: not known. */
static bool component_same_text(const char* a, const char* b)
{
    if (a == NULL || b == NULL) {
        return true;
    }
    return a == b || strcmp(a, b) == 0;
}

/* Returns the text to write before the next item of a list. This is "" before the first item. */
static const char* component_separator(const setti_writer* out)
{
    return out->length != 0 ? "; " : "";
}

/* Adds an item to a list of differences if the values of a field differ. */
static void component_differ(setti_writer* out, const char* field, size_t present, size_t wanted)
{
    if (present != wanted) {
        setti_writer_add(out, "%s%s %zu, not %zu", component_separator(out), field, present,
                         wanted);
    }
}

void setti_component_differ_in(setti_writer* out, bool differs, const char* what)
{
    if (differs) {
        setti_writer_add(out, "%s%s", component_separator(out), what);
    }
}

/* Adds the item `what` to a list of differences if two arrays of equal length differ. If the
 * lengths differ, adds nothing, because the list has the lengths already. */
static void component_differ_arrays(setti_writer* out, const char* what, const void* a,
                                    uint32_t a_count, const void* b, uint32_t b_count,
                                    size_t element_size)
{
    bool comparable = a_count == b_count && a_count != 0;
    bool differ = comparable && memcmp(a, b, a_count * element_size) != 0;
    setti_component_differ_in(out, differ, what);
}

/* Hooks are not compared, because each shared library has its own copy of the hooks. Masks are not
 * compared, because compilers report padding differently. */
SETTI_COLD void setti_component_differences(setti_writer* out, const sett_component_desc* present,
                                            const sett_component_desc* wanted)
{
    component_differ(out, "size", present->size, wanted->size);
    component_differ(out, "align", present->align, wanted->align);
    if (present->save != wanted->save) {
        setti_writer_add(out, "%s%s, not %s", component_separator(out), save_name(present->save),
                         save_name(wanted->save));
    }
    component_differ(out, "layout_version", present->layout_version, wanted->layout_version);
    component_differ(out, "keep_order", present->keep_order, wanted->keep_order);
    component_differ(out, "dont_fragment", present->dont_fragment, wanted->dont_fragment);
    component_differ(out, "track_rows", present->track_rows, wanted->track_rows);
    component_differ(out, "can_disable", present->can_disable, wanted->can_disable);
    component_differ(out, "required_count", present->required_count, wanted->required_count);
    /* no difference if the program leaves out offsets because the members have them */
    if (present->members == NULL || wanted->entity_offset_count != 0) {
        component_differ(out, "entity_offset_count", present->entity_offset_count,
                         wanted->entity_offset_count);
    }
    component_differ(out, "byte_count", present->byte_count, wanted->byte_count);
    setti_component_differ_in(out, (present->write != NULL) != (wanted->write != NULL),
                              "`write` and `read` hooks in only one of the two");
    if (present->storage != wanted->storage) {
        bool is_array = present->storage == SETT_STORAGE_ARRAY;
        setti_writer_add(out, "%s%s", component_separator(out),
                         is_array ? "array, not sparse-set" : "sparse-set, not array");
    }
    component_differ_arrays(out, "other entity_offsets", present->entity_offsets,
                            present->entity_offset_count, wanted->entity_offsets,
                            wanted->entity_offset_count, sizeof(*wanted->entity_offsets));
    component_differ_arrays(out, "other bytes", present->bytes, present->byte_count, wanted->bytes,
                            wanted->byte_count, sizeof(*wanted->bytes));
    bool have_members = present->members != NULL && wanted->members != NULL;
    setti_component_differ_in(
        out, have_members && !present->members->calls_()->equal(present->members, wanted->members),
        "other members");
    if (!component_same_text(present->type_name, wanted->type_name)) {
        setti_writer_add(out, "%sC type %.60s, not %.60s", component_separator(out),
                         present->type_name, wanted->type_name);
    }
}

/* Returns the end of a message about an existing type. It says that a file has brought the type, or
 * is "". */
static const char* component_origin(const setti_type* type)
{
    if ((type->flags & SETTI_TYPE_FROM_FILE) != 0) {
        return " (a file has brought that type: register types before loading)";
    }
    return "";
}

/* Reports an error if an option of an existing type differs from what is wanted. */
static sett_status component_check_same(sett_world* world, const setti_type* existing,
                                        const sett_component_desc* wanted)
{
    char list[SETTI_MESSAGE_SIZE];
    setti_writer out = setti_writer_begin(list, sizeof(list));
    sett_component_desc present = existing->desc;
    present.storage = existing->registered; /* the kind as registered, before conversions */
    setti_component_differences(&out, &present, wanted);
    if (wanted->id != 0) {
        component_differ(&out, "id", existing->id, wanted->id);
    }
    component_differ_arrays(&out, "other required types", present.required, present.required_count,
                            wanted->required, wanted->required_count, sizeof(sett_component));
    if (out.length == 0) {
        return SETT_OK;
    }
    return setti_world_fail_with(
        world, SETT_STATUS_CONFLICT,
        "sett_component_register: \"%.100s\" is registered already, with other options: %.250s - "
        "pass the same options%s",
        wanted->name, list, component_origin(existing));
}

/* Finds the type with a name. *type becomes the type. Returns the key of the name in the table of
 * names. If no type has the name, *type becomes NULL, and this returns the key for a new entry.
 * Returns 0 if all keys for the name are in use. */
static uint64_t component_name_key(const sett_world* world, const char* name, setti_type** type)
{
    uint64_t key = setti_hash_bytes(name, strlen(name));
    uint64_t reusable = 0; /* the first key left by an unregistered type */
    *type = NULL;
    for (uint32_t step = 0; step < SETTI_HASH_STEPS; step++, key = setti_hash_next(key)) {
        uint32_t id = setti_hash_map_find(&world->names, key);
        if (id == SETTI_NONE) {
            return reusable != 0 ? reusable : key;
        }
        setti_type* candidate = world->types[id];
        /* an unregistered type leaves its key in the table; its id may be another type's now */
        bool unregistered = candidate == NULL || candidate->name_key != key;
        if (unregistered) {
            if (reusable == 0) {
                reusable = key;
            }
        } else if (strcmp(candidate->desc.name, name) == 0) {
            *type = candidate;
            return key;
        }
    }
    return reusable;
}

/* Returns the type whose name is the name of `type` followed by `suffix`. Returns NULL if there is
 * no such type. If the suffix is empty, this is `type` itself. */
static setti_type* component_with_suffix(const sett_world* world, setti_type* type,
                                         const char* suffix)
{
    char name[256];
    if (suffix[0] == '\0') {
        return type;
    }
    setti_type* found = NULL;
    /* the suffixes of types that the library adds to a type */
    if (strcmp(suffix, " off") == 0 || strcmp(suffix, " sources") == 0) {
        snprintf(name, sizeof(name), "%.200s%.50s", type->desc.name, suffix);
        (void)component_name_key(world, name, &found);
    }
    return found;
}

/* Returns the type with an old name, or NULL. If a type has the old name "Body", then "Body off"
 * finds the tag that switches the type off. For a relationship, "Body sources" finds the component
 * that its targets have. */
static setti_type* component_find_renamed(const sett_world* world, const char* name)
{
    for (uint32_t k = 0; k < world->renamed.count; k++) {
        setti_type* type = world->renamed.item[k];
        for (uint32_t n = 0; n < type->desc.old_name_count; n++) {
            size_t length = strlen(type->desc.old_names[n]);
            if (strncmp(name, type->desc.old_names[n], length) == 0) {
                setti_type* found = component_with_suffix(world, type, name + length);
                if (found != NULL) {
                    return found;
                }
            }
        }
    }
    return NULL;
}

/* Passed to component_check_old_names before the type exists. */
#define COMPONENT_IS_NEW ((const setti_type*)NULL)

/* Checks that the old names in a descriptor are valid, and that no other type has such a name. For
 * a new type, also checks that its name is no old name of another type. Reports the first error.
 *   type  the type of the descriptor, or COMPONENT_IS_NEW */
SETTI_COLD static sett_status component_check_old_names(sett_world* world, const setti_type* type,
                                                        const sett_component_desc* desc,
                                                        const char* call)
{
    const setti_type* other = NULL;
    if (type == COMPONENT_IS_NEW) {
        other = component_find_renamed(world, desc->name);
    }
    if (other != NULL) {
        return setti_world_fail_with(world, SETT_STATUS_CONFLICT,
                                     "%s: \"%.100s\" is a former name of type \"%.100s\" - choose "
                                     "another name%s",
                                     call, desc->name, other->desc.name, component_origin(other));
    }
    for (uint32_t k = 0; k < desc->old_name_count; k++) {
        const char* name = desc->old_names[k];
        bool missing = name == NULL || name[0] == '\0';
        if (missing || strcmp(name, desc->name) == 0) {
            return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                         "%s: \"%.100s\": `old_names` contains %s - leave it out",
                                         call, desc->name,
                                         missing ? "NULL or \"\"" : "the present name");
        }
        other = setti_type_find(world, name);
        if (other != NULL && other != type) {
            return setti_world_fail_with(world, SETT_STATUS_CONFLICT,
                                         "%s: \"%.100s\": `old_names` contains \"%.100s\", a name "
                                         "of type \"%.100s\" - leave it out%s",
                                         call, desc->name, name, other->desc.name,
                                         component_origin(other));
        }
    }
    return SETT_OK;
}

/* The inline functions of read.h get this type for an unregistered id. They find no value of it. */
static const sett_type_header_ component_none = {.kind = UINT8_MAX};
const void* const setti_component_no_types[1] = {&component_none};

/* Makes room for an id in the table of types. Returns false if memory runs out. */
static bool component_reserve_id(sett_world* world, sett_component id)
{
    SETTI_ASSERT(id != 0 && id < SETTI_COMPONENT_LIMIT);
    if (id < world->type_capacity) {
        return true;
    }
    uint32_t capacity = SETTI_MAX(setti_bits_ceil(id + 1), 16);
    /* one allocation for two arrays: `types`, then `readable` */
    setti_type** types = setti_pool_alloc(&world->pool, 2 * capacity * sizeof(*types), 16);
    if (types == NULL) {
        return false;
    }
    const void** readable = (const void**)(void*)(types + capacity);
    for (uint32_t k = 0; k < capacity; k++) {
        types[k] = k < world->type_capacity ? world->types[k] : NULL;
        readable[k] = types[k] != NULL ? (const void*)types[k] : &component_none;
    }
    setti_pool_free(&world->pool, world->types, 2 * world->type_capacity * sizeof(*types), 16);
    world->types = types;
    world->readable = readable;
    world->type_capacity = capacity;
    setti_component_show_types(world);
    return true;
}

void setti_component_show_types(sett_world* world)
{
    const bool watched = world->profiling || world->guard != NULL;
    /* 0 makes each access a call, so that the call can be watched */
    world->hot_capacity = watched ? 0 : world->type_capacity;
    setti_bind_show(world);
}

/* Returns true if only a type of the library can have the id. */
static bool component_is_reserved(sett_component id)
{
    return id >= SETTI_COMPONENT_LIBRARY && id < SETT_ID_RESERVED_END;
}

/* Returns the lowest free id. */
static sett_component component_free_id(sett_world* world)
{
    world->next_id = SETTI_MAX(world->next_id, 1);
    while (component_is_reserved(world->next_id) ||
           setti_world_type(world, world->next_id) != NULL) {
        world->next_id++;
    }
    return world->next_id;
}

/* The library's types, in the order of their ids. */
static const char* const component_own_names[] = {
    "Hierarchy", "Name", "Prefab", "Disabled", "InstanceOf", "InstanceOf sources", "Singletons"};

static_assert(sizeof(component_own_names) / sizeof(component_own_names[0]) ==
                  SETT_ID_SINGLETONS + 1 - SETT_ID_HIERARCHY,
              "each constant id has its name");

/* Returns the constant id of a library's type. Returns 0 for a name not in component_own_names. */
static sett_component component_constant_id(const char* name)
{
    for (sett_component id = SETTI_COMPONENT_LIBRARY; id <= SETT_ID_SINGLETONS; id++) {
        if (strcmp(component_own_names[id - SETTI_COMPONENT_LIBRARY], name) == 0) {
            return id;
        }
    }
    return 0;
}

const char* setti_component_remedy(sett_component id)
{
    static const char* const calls[] = {
        "call sett_hierarchy_register first", "call sett_name_register first",
        "call sett_prefab_tag first",         "call sett_disabled_tag first",
        "call sett_instance_of first",        "call sett_instance_of first",
        "call sett_singletons first"};
    if (id == 0) {
        return "register the component first: its id is 0 until then";
    }
    if (id >= SETTI_COMPONENT_LIBRARY && id <= SETT_ID_SINGLETONS) {
        return calls[id - SETTI_COMPONENT_LIBRARY];
    }
    return "register the component first";
}

const char* setti_component_text(const sett_world* world, sett_component id)
{
    const setti_type* type = setti_world_type(world, id);
    return type != NULL ? type->desc.name : "?";
}

SETTI_COLD sett_component setti_component_own_id(const sett_world* world, const char* name)
{
    sett_component id = sett_component_find(world, name);
    if (id != 0) {
        return id;
    }
    id = component_constant_id(name);
    if (id != 0) {
        return id;
    }
    id = SETT_ID_RESERVED_END; /* other types get the first free id from here on */
    while (setti_world_type(world, id) != NULL) {
        id++;
    }
    return id;
}

/* Returns the number of bytes of a text, with the final 0. Returns 0 for NULL. */
static size_t text_size(const char* text)
{
    if (text == NULL) {
        return 0;
    }
    return strlen(text) + 1;
}

/* Copies bytes to the pool. Returns the copy, or NULL if `size` is 0. If memory runs out, returns
 * NULL and sets *complete to false. */
static void* pool_copy(setti_pool* pool, const void* original, size_t size, bool* complete)
{
    if (size == 0) {
        return NULL;
    }
    void* copy = setti_pool_alloc(pool, size, 8);
    if (copy == NULL) {
        *complete = false;
        return NULL;
    }
    return memcpy(copy, original, size);
}

static void pool_free_copy(setti_pool* pool, const void* copy, size_t size)
{
    setti_pool_free(pool, setti_unconst(copy), size, 8);
}

/* Copies the name of the C type to a type. Returns false if memory runs out. */
static bool component_copy_type_name(setti_pool* pool, setti_type* type, const char* type_name)
{
    bool complete = true;
    type->desc.type_name = pool_copy(pool, type_name, text_size(type_name), &complete);
    type->type_text = type_name; /* not copied: the address itself is compared */
    return complete;
}

/* Sets the mask of a type: which bits of a value count. The mask stays NULL if all bits count.
 * Returns false if memory runs out. */
static bool component_set_mask(setti_pool* pool, setti_type* type, const sett_component_desc* desc)
{
    SETTI_ASSERT(type->desc.mask == NULL);
    size_t size = desc->size;
    bool is_given = desc->mask != NULL || desc->byte_count != 0;
    type->padding_known = is_given || desc->align == 1;
    if (size == 0 || !is_given) {
        return true;
    }
    unsigned char* mask = setti_pool_alloc(pool, size, 8);
    if (mask == NULL) {
        return false;
    }
    /* if ranges are given, only their bytes count */
    memset(mask, desc->byte_count != 0 ? 0 : 255, size);
    for (uint32_t k = 0; k < desc->byte_count; k++) {
        memset(mask + desc->bytes[k].offset, 255, desc->bytes[k].size);
    }
    const unsigned char* given = desc->mask; /* NULL: no mask is given */
    bool all_count = true;
    for (size_t k = 0; k < size; k++) {
        mask[k] &= given != NULL ? given[k] : 255;
        all_count = all_count && mask[k] == 255;
    }
    if (all_count) { /* types without a mask have faster paths */
        setti_pool_free(pool, mask, size, 8);
        return true;
    }
    type->desc.mask = mask;
    type->padding_hash = setti_hash_bytes((const char*)mask, size);
    return true;
}

/* Adds `needed` to the required types of `type`, and before it all types that `needed` requires.
 * Skips types that are listed already. Returns false if memory runs out. */
SETTI_COLD static bool component_list_required(setti_pool* pool, setti_type* type,
                                               setti_type* needed)
{
    for (uint32_t j = 0; j <= needed->required.count; j++) {
        bool last = j == needed->required.count;
        setti_type* item = last ? needed : needed->required.item[j];
        if ((item->flags & SETTI_TYPE_DONT_FRAGMENT) != 0) {
            type->flags |= SETTI_TYPE_REQUIRES_DONT_FRAGMENT;
        }
        if (!setti_type_list_has(&type->required, item) &&
            !setti_type_list_add(pool, &type->required, item)) {
            return false;
        }
    }
    return true;
}

/* Makes room for a type in the `dependants` of each type that it requires. Returns false if memory
 * runs out.
 *   first  number of the required type to begin with */
static bool component_reserve_dependants(setti_pool* pool, const setti_type* type, uint32_t first)
{
    for (uint32_t k = first; k < type->required.count; k++) {
        if (!type_list_reserve(pool, &type->required.item[k]->dependants)) {
            return false;
        }
    }
    return true;
}

/* Notes in the type `needed` that `type` requires it. The caller has made room in `dependants`. */
static void component_note_dependant(setti_pool* pool, setti_type* type, setti_type* needed)
{
    (void)setti_type_list_add(pool, &needed->dependants, type);
    needed->flags |= SETTI_TYPE_REQUIRED;
    if ((type->flags & SETTI_TYPE_DONT_FRAGMENT) != 0) {
        needed->flags |= (uint32_t)SETTI_TYPE_REQUIRED_APART;
    }
}

SETTI_COLD bool setti_component_require(sett_world* world, setti_type* type, setti_type* needed)
{
    setti_pool* pool = &world->pool;
    uint32_t before = type->required.count;
    size_t size = type->desc.required_count * sizeof(sett_component);
    /* reserves all memory before it changes anything; `ids` replaces desc.required */
    sett_component* ids = setti_pool_alloc(pool, size + sizeof(*ids), 8);
    bool reserved = ids != NULL && component_list_required(pool, type, needed) &&
                    component_reserve_dependants(pool, type, before);
    if (!reserved) {
        type->required.count = before;
        setti_pool_free(pool, ids, size + sizeof(*ids), 8);
        return false;
    }
    for (uint32_t k = before; k < type->required.count; k++) {
        component_note_dependant(pool, type, type->required.item[k]);
    }
    if (size != 0) {
        memcpy(ids, type->desc.required, size);
    }
    ids[type->desc.required_count] = needed->id;
    pool_free_copy(pool, type->desc.required, size);
    type->desc.required = ids;
    type->desc.required_count++;
    type->flags |= SETTI_TYPE_REQUIRES;
    setti_type_forget_transitions(type);
    return true;
}

static void component_free_old_names(setti_pool* pool, const char* const* names, uint32_t count)
{
    for (uint32_t k = 0; names != NULL && k < count; k++) {
        pool_free_copy(pool, names[k], text_size(names[k]));
    }
    pool_free_copy(pool, names, count * sizeof(*names));
}

/* Copies a list of names. Returns NULL if `count` is 0, or if memory runs out. */
SETTI_COLD static const char** component_copy_old_names(setti_pool* pool, const char* const* names,
                                                        uint32_t count)
{
    bool complete = true;
    const char** copies = pool_copy(pool, names, count * sizeof(*names), &complete);
    if (copies == NULL) {
        return NULL;
    }
    for (uint32_t k = 0; k < count; k++) {
        copies[k] = NULL; /* stays NULL if memory has run out, so that all can be freed */
        if (complete) {
            copies[k] = pool_copy(pool, names[k], text_size(names[k]), &complete);
        }
    }
    if (!complete) {
        component_free_old_names(pool, copies, count);
        return NULL;
    }
    return copies;
}

/* Makes the hooks on_add, on_set and on_remove of a descriptor callbacks of a type. Returns false
 * if memory runs out. */
static bool component_add_callbacks(setti_pool* pool, setti_type* type,
                                    const sett_component_desc* desc)
{
    /* the index is a setti_event; descriptors have no hook for SETTI_ON_EVENT */
    void (*const hooks[])(sett_world*, sett_entity, void*, void*) = {desc->on_add, desc->on_set,
                                                                     desc->on_remove, NULL};
    for (uint32_t event = 0; event < SETTI_EVENTS; event++) {
        setti_call call = {hooks[event], desc->user, type->desc.name, NULL};
        if (call.fn == NULL) {
            continue;
        }
        if (!setti_call_list_reserve(pool, &type->notified[event])) {
            return false;
        }
        type->notified[event].item[type->notified[event].count++] = call;
        type->flags |= (uint32_t)SETTI_TYPE_ON_ADD << event;
    }
    return true;
}

/* Copies a descriptor to a type, and computes `required`. Returns false if memory runs out. Even
 * then, each pointer in type->desc is a copy or NULL, so that setti_component_free_parts can free
 * the type. */
SETTI_COLD static bool component_copy_desc(sett_world* world, setti_type* type,
                                           const sett_component_desc* desc)
{
    SETTI_ASSERT(type->required.count == 0 && type->members == NULL);
    setti_pool* pool = &world->pool;
    type->desc = *desc;
    type->hook_user = desc->user;
    type->desc.mask = NULL;
    type->desc.members = NULL;
    type->desc.old_names = component_copy_old_names(pool, desc->old_names, desc->old_name_count);
    type->desc.old_name_count = type->desc.old_names != NULL ? desc->old_name_count : 0;
    bool has_old_names = type->desc.old_name_count == desc->old_name_count;
    bool complete = component_copy_type_name(pool, type, desc->type_name) && has_old_names;
    type->desc.name = pool_copy(pool, desc->name, text_size(desc->name), &complete);
    type->desc.required =
        pool_copy(pool, desc->required, desc->required_count * sizeof(*desc->required), &complete);
    type->desc.entity_offsets =
        pool_copy(pool, desc->entity_offsets,
                  desc->entity_offset_count * sizeof(*desc->entity_offsets), &complete);
    type->desc.bytes =
        pool_copy(pool, desc->bytes, desc->byte_count * sizeof(*desc->bytes), &complete);
    if (!complete || !component_set_mask(pool, type, desc)) {
        return false;
    }
    if (desc->members != NULL && !desc->members->calls_()->give(pool, type, desc->members)) {
        return false;
    }
    for (uint32_t k = 0; k < desc->required_count; k++) {
        setti_type* needed = setti_world_type(world, desc->required[k]);
        if (!component_list_required(pool, type, needed)) {
            return false;
        }
    }
    return component_add_callbacks(pool, type, desc);
}

SETTI_COLD void setti_component_free_parts(setti_pool* pool, setti_type* type)
{
    const sett_component_desc* desc = &type->desc;
    component_free_old_names(pool, desc->old_names, desc->old_name_count);
    pool_free_copy(pool, desc->name, text_size(desc->name));
    pool_free_copy(pool, desc->type_name, text_size(desc->type_name));
    pool_free_copy(pool, desc->required, desc->required_count * sizeof(*desc->required));
    pool_free_copy(pool, desc->entity_offsets,
                   desc->entity_offset_count * sizeof(*desc->entity_offsets));
    pool_free_copy(pool, desc->bytes, desc->byte_count * sizeof(*desc->bytes));
    pool_free_copy(pool, desc->mask, desc->size);
    setti_members_destroy(pool, type->members);
    setti_members_destroy(pool, type->written);
    setti_type_list_deinit(pool, &type->required);
    for (uint32_t event = 0; event < SETTI_EVENTS; event++) {
        setti_call_list* list = &type->notified[event];
        setti_pool_free(pool, list->item, list->capacity * sizeof(*list->item), 16);
    }
    setti_pool_free(pool, type, sizeof(*type), 64);
}

/* Makes room for a type in the lists of the world, and in the table of types. Returns false if
 * memory runs out. */
static bool component_reserve_lists(sett_world* world, const setti_type* type)
{
    setti_pool* pool = &world->pool;
    bool dont_fragment = (type->flags & SETTI_TYPE_DONT_FRAGMENT) != 0;
    bool renamed = type->desc.old_name_count != 0;
    if (!component_reserve_id(world, type->id) || !type_list_reserve(pool, &world->registered)) {
        return false;
    }
    if (renamed && !type_list_reserve(pool, &world->renamed)) {
        return false;
    }
    if (dont_fragment && !type_list_reserve(pool, &world->dont_fragment)) {
        return false;
    }
    return component_reserve_dependants(pool, type, 0);
}

/* Adds a type to all lists and tables of the world. Returns false if memory runs out: then it is in
 * none of them. */
static bool component_publish(sett_world* world, setti_type* type)
{
    SETTI_ASSERT(type->id != 0 && setti_world_type(world, type->id) == NULL);
    setti_pool* pool = &world->pool;
    if (!component_reserve_lists(world, type)) {
        return false;
    }
    if (world->observe_type != NULL && !world->observe_type(world, type, SETTI_TYPE_BEGINS)) {
        return false;
    }
    if (!setti_hash_map_set(pool, &world->names, type->name_key, type->id)) {
        if (world->observe_type != NULL) {
            (void)world->observe_type(world, type, SETTI_TYPE_ENDS);
        }
        return false;
    }
    /* nothing fails from here on: component_reserve_lists has made room */
    (void)setti_type_list_add(pool, &world->registered, type);
    if (type->desc.old_name_count != 0) {
        (void)setti_type_list_add(pool, &world->renamed, type);
    }
    if ((type->flags & SETTI_TYPE_DONT_FRAGMENT) != 0) {
        (void)setti_type_list_add(pool, &world->dont_fragment, type);
    }
    for (uint32_t k = 0; k < type->required.count; k++) {
        component_note_dependant(pool, type, type->required.item[k]);
    }
    world->types[type->id] = type;
    world->readable[type->id] = type;
    setti_world_add_storage(world, &type->root, &type->storage);
    return true;
}

SETTI_COLD void setti_component_free(sett_world* world, setti_type* type)
{
    SETTI_ASSERT(world->types[type->id] == type && type->storage.count == 0);
    world->types[type->id] = NULL;
    world->readable[type->id] = &component_none;
    setti_bind_forget(world, type->id);
    world->next_id = SETTI_MIN(world->next_id, type->id);
    setti_pool_free(&world->pool, type->row, type->storage.size, type->storage.align);
    setti_type_list_deinit(&world->pool, &type->dependants);
    setti_component_free_parts(&world->pool, type);
}

/* ---------------------------------------------------------------------------- hooks of values */

/* Locks the world while a hook runs. Returns the name of the callback that is running already, for
 * component_unlock. */
static const char* component_lock(const setti_type* type)
{
    sett_world* world = type->world;
    if (world->side_by_side) { /* the world is locked already */
        return world->calling;
    }
    return setti_world_begin_call(world, type->desc.name);
}

static void component_unlock(const setti_type* type, const char* outer)
{
    if (!type->world->side_by_side) {
        setti_world_end_call(type->world, outer);
    }
}

void setti_type_call_init(const setti_type* type, void* values, uint32_t count)
{
    const char* outer = component_lock(type);
    type->desc.init(values, count, type->desc.user);
    component_unlock(type, outer);
}

void setti_type_call_deinit(const setti_type* type, void* values, uint32_t count)
{
    const char* outer = component_lock(type);
    type->desc.deinit(values, count, type->hook_user);
    component_unlock(type, outer);
}

void setti_type_call_copy(const setti_type* type, void* copies, const void* originals,
                          uint32_t count)
{
    const char* outer = component_lock(type);
    type->desc.copy(copies, originals, count, type->hook_user);
    component_unlock(type, outer);
}

void setti_type_call_move(const setti_type* type, void* destination, void* values, uint32_t count)
{
    const char* outer = component_lock(type);
    type->desc.move(destination, values, count, type->hook_user);
    component_unlock(type, outer);
}

sett_status setti_type_call_read(const setti_type* type, void* value, const void* bytes,
                                 size_t size)
{
    const char* outer = component_lock(type);
    sett_status status = type->desc.read(value, bytes, size, type->desc.user);
    component_unlock(type, outer);
    return status;
}

/* Runs the move hook. Storages call this function.
 *   user  the type */
static void component_move(void* destination, void* values, uint32_t count, void* user)
{
    setti_type_call_move(user, destination, values, count);
}

/* ------------------------------------------------------------------------------- guarded types */

void setti_component_guard(setti_type* type, const char* writers)
{
    SETTI_ASSERT(writers != NULL);
    type->flags |= SETTI_TYPE_GUARDED;
    type->writers = writers;
}

SETTI_COLD sett_status setti_component_reject_set(sett_world* world, const setti_type* type,
                                                  const char* call)
{
    SETTI_ASSERT(type->writers != NULL);
    return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                 "%s: values of \"%.100s\" are written by the library - call %s",
                                 call, type->desc.name, type->writers);
}

/* ---------------------------------------------------------------------------------- registering */

void setti_component_init_storage(const sett_world* world, setti_storage* storage, setti_type* type,
                                  const sett_component_desc* desc)
{
    SETTI_ASSERT(desc->storage != SETT_STORAGE_DEFAULT);
    setti_kind kind = desc->size == 0 ? SETTI_TAG : SETTI_ARRAY;
    if (desc->storage == SETT_STORAGE_SPARSE_SET) {
        kind = SETTI_SPARSE;
    }
    setti_storage_init(storage, kind, desc->size, desc->align, desc->track_rows);
    if (world->pool.small) {
        const bool small = true; /* small pages */
        setti_storage_use_pages(storage, small);
    }
    storage->keep_order = desc->keep_order;
    storage->move = desc->move != NULL ? component_move : NULL;
    storage->user = type;
    if (desc->save == SETT_SAVE_CLONE && kind != SETTI_TAG && desc->size != 0) {
        setti_storage_add_saved(storage);
    }
}

/* Lets modules choose the kind of storage of a new type. An impossible choice is ignored. */
static void component_choose_storage(const sett_world* world, setti_type* type,
                                     sett_component_desc* desc)
{
    SETTI_MODULES_EACH(world, calls, choose) {
        sett_component_desc wanted = *desc;
        wanted.storage = calls->choose(world, desc->name);
        if (wanted.storage != SETT_STORAGE_DEFAULT && setti_component_resolve(&wanted) == NULL) {
            desc->storage = wanted.storage;
            type->default_storage = false;
        }
    }
}

/* If `can_disable` of a type is set, registers the tag that switches the type off. Returns false
 * after an error. */
SETTI_COLD static bool component_ensure_off(sett_world* world, setti_type* type)
{
    if (!type->desc.can_disable || type->off != NULL) {
        return true;
    }
    char name[256];
    snprintf(name, sizeof(name), "%.240s off", type->desc.name);
    sett_component_desc desc = {0};
    desc.name = name;
    desc.id = setti_component_own_id(world, name);
    desc.required = &type->id;
    desc.required_count = 1;
    type->off = setti_world_type(world, sett_component_register(world, &desc));
    return type->off != NULL;
}

/* Checks the members in a descriptor. Returns NULL, or what is wrong. The text may be in
 * `reason`. */
static const char* component_check_members(sett_component_desc* desc, char* reason)
{
    if (desc->members == NULL) {
        return NULL;
    }
    if (desc->members->calls_ == NULL) {
        return "`members` was not made by SETT_STRUCT - leave it out, and pass it to "
               "sett_members_set after registering";
    }
    return desc->members->calls_()->check(desc, desc->members, desc->mask, reason);
}

/* Checks a descriptor, and fills in the defaults. Returns false after an error, which is
 * reported. */
SETTI_COLD static bool component_check(sett_world* world, sett_component_desc* desc,
                                       const char* call)
{
    char reason[SETTI_VALUE_MESSAGE];
    if (setti_world_lacks_list(world, desc->required, desc->required_count, call, "required") ||
        setti_world_lacks_list(world, desc->entity_offsets, desc->entity_offset_count, call,
                               "entity_offsets") ||
        setti_world_lacks_list(world, desc->bytes, desc->byte_count, call, "bytes") ||
        setti_world_lacks_list(world, desc->old_names, desc->old_name_count, call, "old_names")) {
        return false;
    }
    const char* wrong = setti_component_resolve(desc);
    if (wrong == NULL) {
        wrong = component_check_members(desc, reason);
    }
    if (wrong == NULL) {
        return true;
    }
    setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                          "%s: \"%.100s\", id %u, size %llu bytes, align %llu: %s", call,
                          desc->name != NULL ? desc->name : "", (unsigned)desc->id,
                          (unsigned long long)desc->size, (unsigned long long)desc->align, wrong);
    return false;
}

/* Allocates a type. component_copy_desc will fill in the options. Returns NULL if memory runs
 * out. */
static setti_type* component_alloc(sett_world* world, const sett_component_desc* desc,
                                   const char* call)
{
    SETTI_ASSERT(desc->storage != SETT_STORAGE_DEFAULT);
    setti_type* type = setti_world_alloc(world, sizeof(*type), 64, call);
    if (type != NULL) {
        type->world = world;
        type->registered = desc->storage;
        type->id = desc->id;
    }
    return type;
}

SETTI_COLD setti_type* setti_component_make_part(sett_world* world, sett_component_desc* desc,
                                                 const char* call)
{
    if (!component_check(world, desc, call)) {
        return NULL;
    }
    if (desc->copy != NULL || desc->write != NULL) {
        setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                              "%s: \"%.100s\" has strings or lists, which data of links cannot "
                              "have - put them into a component of the target",
                              call, desc->name);
        return NULL;
    }
    setti_type* type = component_alloc(world, desc, call);
    if (type == NULL) {
        return NULL;
    }
    if (!component_copy_desc(world, type, desc)) {
        setti_component_free_parts(&world->pool, type);
        setti_world_no_memory(world, call);
        return NULL;
    }
    type->name_key = setti_hash_bytes(desc->name, strlen(desc->name));
    return type;
}

SETTI_COLD sett_status setti_component_rename(sett_world* world, setti_type* type,
                                              const sett_component_desc* desc, const char* call)
{
    setti_pool* pool = &world->pool;
    sett_component_desc* present = &type->desc;
    uint32_t count = desc->old_name_count;
    /* nothing to do if there are no old names, or if this is the list that the type has */
    if (count == 0 || desc->old_names == present->old_names) {
        return SETT_OK;
    }
    sett_status status = component_check_old_names(world, type, desc, call);
    if (status != SETT_OK) {
        return status;
    }
    const char** names = component_copy_old_names(pool, desc->old_names, count);
    if (names == NULL) {
        return setti_world_no_memory(world, call);
    }
    bool is_listed = present->old_name_count != 0; /* the type is in world->renamed already */
    if (!is_listed && !setti_type_list_add(pool, &world->renamed, type)) {
        component_free_old_names(pool, names, count);
        return setti_world_no_memory(world, call);
    }
    component_free_old_names(pool, present->old_names, present->old_name_count);
    present->old_names = names;
    present->old_name_count = count;
    return SETT_OK;
}

/* Checks that the descriptor of a relationship has no options that a relationship cannot have.
 * Returns NULL, or what is wrong. */
static const char* component_check_relationship(const sett_component_desc* desc)
{
    bool has_value_hooks = desc->init != NULL || desc->deinit != NULL || desc->copy != NULL ||
                           desc->move != NULL || desc->write != NULL || desc->read != NULL;
    bool has_callbacks = desc->on_add != NULL || desc->on_set != NULL || desc->on_remove != NULL;
    bool has_options = desc->keep_order || desc->dont_fragment || desc->track_rows ||
                       desc->can_disable || desc->save != SETT_SAVE_BYTES ||
                       desc->layout_version != 0 || desc->required_count != 0 ||
                       desc->byte_count != 0;
    if (has_value_hooks || has_callbacks) {
        return "a relationship has no hooks and callbacks - leave them out, and use observers";
    }
    if (has_options) {
        return "a relationship cannot have keep_order, dont_fragment, track_rows, can_disable, "
               "save, layout_version, required or bytes - leave them out";
    }
    if (desc->relationship->register_ == NULL) {
        return "`relationship` was not made by SETT_RELATIONSHIP - use that macro";
    }
    return NULL;
}

static sett_component component_register_relationship(sett_world* world,
                                                      const sett_component_desc* desc,
                                                      const char* call)
{
    const char* wrong = component_check_relationship(desc);
    if (wrong != NULL) {
        setti_world_fail_argument(world, call, desc->name, wrong);
        return 0;
    }
    if (setti_world_lacks_list(world, desc->old_names, desc->old_name_count, call, "old_names")) {
        return 0;
    }
    sett_component id = desc->relationship->register_(world, desc);
    if (id == 0) {
        return 0;
    }
    if (setti_component_rename(world, world->types[id], desc, call) != SETT_OK) {
        return 0;
    }
    return id;
}

/* Handles the registration of a name that a type has already. Reports an error if the options
 * differ. Returns the id of the type, or 0 after an error. */
static sett_component component_register_again(sett_world* world, setti_type* existing,
                                               const sett_component_desc* desc, const char* call)
{
    if (component_check_same(world, existing, desc) != SETT_OK) {
        return 0;
    }
    if (existing->desc.type_name == NULL) {
        /* if memory runs out, the name stays NULL, and the C type is not checked */
        (void)component_copy_type_name(&world->pool, existing, desc->type_name);
    }
    if (desc->members != NULL &&
        desc->members->calls_()->set(world, existing, desc->members, call) != SETT_OK) {
        return 0;
    }
    if (setti_component_rename(world, existing, desc, call) != SETT_OK) {
        return 0;
    }
    existing->flags &= ~(uint32_t)SETTI_TYPE_FROM_FILE; /* now registered by the program */
    if (!component_ensure_off(world, existing)) {
        return 0;
    }
    return existing->id;
}

/* Checks that a type may have the id of a descriptor. 0 means that the library chooses the id. */
static sett_status component_check_id(sett_world* world, const sett_component_desc* desc,
                                      const char* call)
{
    if (component_is_reserved(desc->id) && component_constant_id(desc->name) != desc->id) {
        return setti_world_fail_with(
            world, SETT_STATUS_CONFLICT,
            "%s: \"%.100s\" cannot have id %u: the library has ids %u to %u - choose an id below "
            "these, or from %u on",
            call, desc->name, (unsigned)desc->id, (unsigned)SETTI_COMPONENT_LIBRARY,
            (unsigned)SETT_ID_RESERVED_END - 1, (unsigned)SETT_ID_RESERVED_END);
    }
    const setti_type* other = setti_world_type(world, desc->id); /* NULL if the id is 0 */
    if (other != NULL) {
        return setti_world_fail_with(
            world, SETT_STATUS_CONFLICT,
            "%s: \"%.100s\" cannot have id %u: \"%.100s\" has this id - choose another%s", call,
            desc->name, (unsigned)desc->id, other->desc.name, component_origin(other));
    }
    return SETT_OK;
}

static sett_status component_check_required(sett_world* world, const sett_component_desc* desc,
                                            const char* call)
{
    for (uint32_t k = 0; k < desc->required_count; k++) {
        sett_component needed = desc->required[k];
        if (needed != 0 && needed == desc->id) {
            return setti_world_fail_with(
                world, SETT_STATUS_CYCLE,
                "%s: \"%.100s\" (id %u) requires itself - leave it out of `required`", call,
                desc->name, (unsigned)desc->id);
        }
        const setti_type* type = setti_world_type(world, needed);
        if (type == NULL) {
            return setti_world_fail_with(
                world, SETT_STATUS_UNREGISTERED,
                "%s: \"%.100s\" requires component %u, which is not registered yet - %s (in a "
                "component list, put it above \"%.100s\")",
                call, desc->name, (unsigned)needed, setti_component_remedy(needed), desc->name);
        }
        if ((type->flags & SETTI_TYPE_LINKED) != 0) {
            return setti_world_fail_with(
                world, SETT_STATUS_ARGUMENT,
                "%s: \"%.100s\" cannot require \"%.100s\", which belongs to a relationship: only "
                "links add it - leave it out of `required`",
                call, desc->name, type->desc.name);
        }
    }
    return SETT_OK;
}

/* Gives a descriptor the lowest free id, if it has none. Reports an error if no id is free. */
static sett_status component_choose_id(sett_world* world, sett_component_desc* desc,
                                       const char* call)
{
    if (desc->id == 0) {
        desc->id = component_free_id(world);
    }
    if (desc->id < SETTI_COMPONENT_LIMIT) {
        return SETT_OK;
    }
    return setti_world_fail_with(world, SETT_STATUS_LIMIT,
                                 "%s: \"%.100s\": no component id below %u is free - unregister "
                                 "components that are not in use",
                                 call, desc->name, (unsigned)SETTI_COMPONENT_LIMIT);
}

/* Creates a type from a checked descriptor, and adds the type to the world. Returns NULL after an
 * error.
 *   name_key         the key for the name in the table of names
 *   default_storage  the library may choose the kind of storage */
static setti_type* component_create(sett_world* world, sett_component_desc* desc, uint64_t name_key,
                                    bool default_storage, const char* call)
{
    setti_type* type = component_alloc(world, desc, call);
    if (type == NULL) {
        return NULL;
    }
    type->default_storage = default_storage;
    component_choose_storage(world, type, desc);
    setti_component_init_storage(world, &type->storage, type, desc);
    setti_type_forget_transitions(type);
    type->flags |= desc->dont_fragment ? SETTI_TYPE_DONT_FRAGMENT : 0;
    type->flags |= desc->required_count != 0 ? SETTI_TYPE_REQUIRES : 0;
    type->flags |= desc->init != NULL ? SETTI_TYPE_INIT : 0;
    type->flags |= desc->copy != NULL ? SETTI_TYPE_COPY : 0;
    type->flags |= desc->deinit != NULL ? SETTI_TYPE_DEINIT : 0;
    type->flags |= type->storage.kind != SETTI_ARRAY ? SETTI_TYPE_OTHER : 0;
    type->name_key = name_key;
    if (!component_copy_desc(world, type, desc) || !component_publish(world, type)) {
        setti_component_free_parts(&world->pool, type);
        setti_world_no_memory(world, call);
        return NULL;
    }
    return type;
}

/* Registers a type under a name that no type has yet. Returns the id, or 0 after an error.
 *   name_key         the key for the name in the table of names
 *   default_storage  the library may choose the kind of storage */
static sett_component component_register_new(sett_world* world, sett_component_desc* desc,
                                             uint64_t name_key, bool default_storage,
                                             const char* call)
{
    if (component_check_old_names(world, COMPONENT_IS_NEW, desc, call) != SETT_OK ||
        component_check_id(world, desc, call) != SETT_OK ||
        setti_world_check_unlocked(world, call) != SETT_OK ||
        component_check_required(world, desc, call) != SETT_OK ||
        component_choose_id(world, desc, call) != SETT_OK) {
        return 0;
    }
    setti_type* type = component_create(world, desc, name_key, default_storage, call);
    if (type == NULL) {
        return 0;
    }
    SETTI_MODULES_EACH(world, calls, registered) {
        calls->registered(world);
    }
    if (!component_ensure_off(world, type)) {
        return 0;
    }
    return type->id;
}

SETTI_COLD sett_component sett_component_register_sized(sett_world* world,
                                                        const sett_component_desc* given,
                                                        size_t size)
{
    static const char call[] = "sett_component_register";
    sett_component_desc desc;
    given = setti_world_desc(world, given, size, &desc, sizeof(desc), call);
    if (given == NULL) {
        return 0;
    }
    if (given != &desc) {
        desc = *given; /* a copy, because component_check fills in the defaults */
    }
    if (desc.relationship != NULL) {
        return component_register_relationship(world, &desc, call);
    }
    bool default_storage = desc.storage == SETT_STORAGE_DEFAULT && !desc.keep_order;
    if (!component_check(world, &desc, call)) {
        return 0;
    }
    setti_type* existing;
    uint64_t name_key = component_name_key(world, desc.name, &existing);
    if (existing != NULL) {
        return component_register_again(world, existing, &desc, call);
    }
    if (name_key == 0) {
        setti_world_fail_with(world, SETT_STATUS_LIMIT,
                              "%s: the names of %d other types have the same hash as \"%.100s\", "
                              "and no more can - choose another name",
                              call, SETTI_HASH_STEPS, desc.name);
        return 0;
    }
    return component_register_new(world, &desc, name_key, default_storage, call);
}

setti_type* setti_type_find(const sett_world* world, const char* name)
{
    setti_type* type;
    component_name_key(world, name, &type);
    if (type != NULL) {
        return type;
    }
    return component_find_renamed(world, name);
}

sett_component sett_component_find(const sett_world* world, const char* name)
{
    if (SETTI_IS_NULL(world)) {
        return 0;
    }
    const setti_type* type = setti_type_find(world, name);
    return type != NULL ? type->id : 0;
}

void setti_component_guess(const sett_world* world, setti_guess* guess)
{
    for (uint32_t id = 0; id < world->type_capacity; id++) {
        if (world->types[id] != NULL) {
            setti_guess_try(guess, world->types[id]->desc.name);
        }
    }
}

const char* sett_component_name(const sett_world* world, sett_component component)
{
    if (SETTI_IS_NULL(world)) {
        return NULL;
    }
    const setti_type* type = setti_world_type(world, component);
    return type != NULL ? type->desc.name : NULL;
}

/* Reports that the values of a type do not have the C type `type_name`.
 *   size     the size of the C type, SETTI_ANY_SIZE or SETTI_TAG_SIZE
 *   changes  the call would change the world: so its failure sets sett_world_error */
SETTI_COLD static void component_report_type(const sett_world* world, const setti_type* type,
                                             size_t size, const char* type_name, const char* call,
                                             bool changes)
{
    char text[SETTI_MESSAGE_SIZE];
    const char* name = type->desc.name;
    const unsigned id = (unsigned)type->id;
    const bool wants_tag = size == SETTI_TAG_SIZE;
    char size_text[96] = ""; /* the size of the C type, if it is known */
    if (type->links != NULL) {
        snprintf(text, sizeof(text),
                 "%s: \"%.100s\" is a relationship, whose values are links - SETT_RELATED reads "
                 "the data of a link, SETT_RELATED_MUT writes it, SETT_RELATE adds a link",
                 call, name);
    } else if (wants_tag && type->storage.size != 0) {
        snprintf(text, sizeof(text),
                 "%s: component %u \"%.100s\" has values of %u bytes, it is no tag - "
                 "SETT_ADD returns the address of the value, SETT_SET sets it",
                 call, id, name, (unsigned)type->storage.size);
    } else if (!wants_tag && type->desc.size == 0) {
        snprintf(text, sizeof(text),
                 "%s: component %u \"%.100s\" is a tag, without a value - "
                 "SETT_ADD_TAG adds it, SETT_CMD_ADD records it, SETT_HAS tests for it",
                 call, id, name);
    } else {
        if (size != SETTI_ANY_SIZE && !wants_tag) {
            snprintf(size_text, sizeof(size_text), " (%llu bytes)", (unsigned long long)size);
        }
        snprintf(text, sizeof(text),
                 "%s: component %u \"%.100s\" has values of type %.60s (%u bytes), not %.60s%s - "
                 "is %.60s_id the id of another component?",
                 call, id, name, type->desc.type_name != NULL ? type->desc.type_name : "unknown",
                 (unsigned)type->storage.size, type_name, size_text, type_name);
    }
    if (changes) {
        setti_world_fail_checked(setti_unconst(world), SETT_STATUS_ARGUMENT, text);
    } else {
        setti_world_misuse_with(world, SETT_STATUS_ARGUMENT, "%s", text);
    }
}

/* Returns true if `type_name` is the C type of the component, perhaps after "const ". Also returns
 * true if it is not known which C type the component has. */
static bool component_has_type_name(const setti_type* type, const char* type_name)
{
    const char* declared = type->desc.type_name;
    if (declared == NULL || type_name == type->type_text || strcmp(declared, type_name) == 0) {
        return true;
    }
    /* 6 is the length of "const " */
    return strncmp(type_name, "const ", 6) == 0 && strcmp(declared, type_name + 6) == 0;
}

bool setti_component_is_type(const setti_type* type, size_t size, const char* type_name)
{
    SETTI_ASSERT(type_name != NULL);
    if (!component_has_type_name(type, type_name)) {
        return false;
    }
    size_t expected = type->desc.size != 0 ? type->desc.size : SETTI_TAG_SIZE;
    return size == SETTI_ANY_SIZE || size == expected;
}

void setti_component_describe_type(const setti_type* type, size_t size, const char* type_name,
                                   char* out, size_t room)
{
    const char* declared = type->desc.type_name;
    snprintf(out, room, "\"%.100s\" has values of type %.60s (%u bytes), not %.60s (%u bytes)",
             type->desc.name, declared != NULL ? declared : "unknown", (unsigned)type->storage.size,
             type_name, (unsigned)size);
}

/* Checks that the values of a component have the C type `type_name` of `size` bytes. Returns false
 * after an error, which is reported. Returns true if the component is not registered: the caller
 * reports that.
 *   changes  as for component_report_type */
static bool component_has_type(const sett_world* world, sett_component component, size_t size,
                               const char* type_name, const char* call, bool changes)
{
    if (setti_is_null(world, call, "world")) {
        return false;
    }
    const setti_type* type = setti_world_type(world, component);
    if (SETTI_UNLIKELY(type == NULL)) {
        setti_misuse_note_type(world, component, type_name);
        return true; /* the next step of the caller reports the id */
    }
    if (SETTI_LIKELY(setti_component_is_type(type, size, type_name))) {
        return true;
    }
    component_report_type(world, type, size, type_name, call, changes);
    return false;
}

bool sett_component_check_type_(const sett_world* world, sett_component component, size_t size,
                                const char* type_name, const char* call)
{
    const bool changes = false; /* the caller only reads */
    return component_has_type(world, component, size, type_name, call, changes);
}

bool sett_component_check_change_(sett_world* world, sett_component component, size_t size,
                                  const char* type_name, const char* call)
{
    const bool changes = true; /* the caller changes the world */
    return component_has_type(world, component, size, type_name, call, changes);
}

/* Reports that a C++ type does not match the registered component of the same name.
 *   another  the component was registered for another C++ type
 *   changes  as for component_report_type */
SETTI_COLD void sett_component_refuse_(const sett_world* world, sett_component component,
                                       size_t size, bool another, bool changes)
{
    char text[SETTI_MESSAGE_SIZE];
    const setti_type* type = setti_world_type(world, component);
    SETTI_ASSERT(type != NULL);
    const char* name = type->desc.name;
    unsigned present = (unsigned)type->desc.size;
    if (another) {
        snprintf(text, sizeof(text),
                 "sett.hpp: two C++ types have the name \"%.100s\", of %u bytes and of %llu bytes: "
                 "two in unnamed namespaces or functions, or an ODR violation - rename one, or "
                 "describe it with sett_type and .name(\"other\")",
                 name, present, (unsigned long long)size);
    } else {
        snprintf(
            text, sizeof(text),
            "sett.hpp: the C++ type \"%.100s\" (%llu bytes) differs from the component of this "
            "name (%u bytes) in size, alignment or hooks - rename one%s",
            name, (unsigned long long)size, present, component_origin(type));
    }
    if (changes) {
        setti_world_fail_with(setti_unconst(world), SETT_STATUS_CONFLICT, "%s", text);
    } else {
        setti_world_misuse_with(world, SETT_STATUS_CONFLICT, "%s", text);
    }
}

SETTI_COLD sett_status sett_component_describe_sized(const sett_world* world,
                                                     sett_component component,
                                                     sett_component_desc* desc, size_t size)
{
    static const char call[] = "sett_component_describe";
    if (setti_is_null(world, call, "world")) {
        return SETT_STATUS_ARGUMENT;
    }
    const setti_type* type = setti_world_type(world, component);
    if (type == NULL) {
        setti_world_misuse(world, SETT_STATUS_UNREGISTERED, call, sett_null(), component);
        return SETT_STATUS_UNREGISTERED;
    }
    setti_copy_sized(desc, size, &type->desc, sizeof(type->desc));
    return SETT_OK;
}

uint32_t sett_component_count(const sett_world* world, sett_component component)
{
    if (SETTI_IS_NULL(world)) {
        return 0;
    }
    const setti_type* type = setti_world_type(world, component);
    return type != NULL ? type->storage.count : 0;
}

sett_entity sett_component_owner(const sett_world* world, sett_component component,
                                 const void* address)
{
    if (SETTI_IS_NULL(world)) {
        return sett_null();
    }
    const setti_type* type = setti_world_type(world, component);
    if (type == NULL) {
        return sett_null();
    }
    uint32_t index = setti_storage_owner(&type->storage, address);
    if (index == SETTI_NONE) { /* no value is at the address */
        return sett_null();
    }
    return setti_entity_at(&world->entities, index);
}

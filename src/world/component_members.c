/* component_members.c: the members of component types.
 *
 * The workload: once for each type, at registration or right after.
 *
 * Invariant:  type->desc.members points to `of` in type->written or type->members, or is NULL;
 *             if type->members is set:
 *                 the mask is 255 exactly in the bytes of members that are not local;
 *                 entity_offsets are the offsets of all handles;
 *                 a type with strings or lists has the library's hooks
 */
#include "sett/members.h"
#include "world/world.h"

#include <stdio.h>

/* Whether `entity_offsets` of a descriptor has an offset. */
static bool members_has_offset(const sett_component_desc* desc, uint32_t offset)
{
    for (uint32_t k = 0; k < desc->entity_offset_count; k++) {
        if (desc->entity_offsets[k] == offset) {
            return true;
        }
    }
    return false;
}

/* Counts the handles in a struct, and adds their number to *count. Adds to *declared how many of
 * them are in `entity_offsets` of the descriptor.
 *   base  offset of the struct in the value */
static void members_count_handles(const sett_component_desc* desc, const sett_struct* structure,
                                  uint32_t base, uint32_t* count, uint32_t* declared)
{
    for (uint32_t k = 0; k < structure->count; k++) {
        const sett_member* member = &structure->members[k];
        bool is_struct = member->of != NULL;
        bool is_handle =
            member->kind == SETT_MEMBER_ENTITY || member->element == SETT_MEMBER_ENTITY;
        if (member->kind == SETT_MEMBER_LIST) { /* lists contain no handles */
            continue;
        }
        if (!is_struct && !is_handle) {
            continue;
        }
        uint32_t element_size = sizeof(sett_entity); /* of an array of handles or structs */
        if (is_struct) {
            element_size = member->of->size;
        }
        uint32_t offset = base + member->offset;
        const uint32_t end = offset + member->size;
        for (; offset < end; offset += element_size) { /* once if the member is no array */
            if (is_struct) {
                members_count_handles(desc, member->of, offset, count, declared);
                continue;
            }
            ++*count;
            if (members_has_offset(desc, offset)) {
                ++*declared;
            }
        }
    }
}

/* If a struct has strings or lists, gives its descriptor the library's hooks for them. Returns
 * NULL, or what is wrong. */
static const char* members_give_hooks(sett_component_desc* desc, const sett_struct* structure)
{
    if (!setti_struct_owns(structure)) {
        return NULL;
    }
    bool has_hooks = desc->copy != NULL || desc->deinit != NULL;
    /* the library's hooks, given by an earlier registration */
    bool has_our_hooks =
        desc->copy == setti_owned_copy_hook && desc->deinit == setti_owned_deinit_hook;
    bool has_other_hooks = has_hooks && !has_our_hooks;
    if (desc->move != NULL || has_other_hooks) {
        return "the library copies and frees the strings and lists in `members` - leave out "
               "`copy`, `deinit` and `move`";
    }
    desc->copy = setti_owned_copy_hook;
    desc->deinit = setti_owned_deinit_hook;
    if (desc->save == SETT_SAVE_BYTES) { /* bytes alone do not have the strings and lists */
        desc->save = SETT_SAVE_CLONE;
    }
    return NULL;
}

/* Checks the struct that the `write` hook writes. Returns NULL, or what is wrong. The text may be
 * in `out`. */
static const char* members_check_written(const sett_struct* structure, char* out)
{
    const char* wrong = setti_members_check(structure, SETT_ALIGNOF(sett_list), NULL, out);
    if (wrong == NULL && !setti_struct_owns(structure)) {
        wrong = "`members` has no strings or lists, and `write` and `read` are set - leave out the "
                "hooks or the members";
    }
    return wrong;
}

/* Checks the members of a descriptor. Returns NULL, or what is wrong. The text may be in `out`.
 *   mask  the bits that count in a value. NULL: it is not known which bytes are padding */
SETTI_COLD static const char* members_check(sett_component_desc* desc, const sett_struct* structure,
                                            const unsigned char* mask, char* out)
{
    if (desc->write != NULL) {
        return members_check_written(structure, out);
    }
    if (structure->size != desc->size) {
        snprintf(
            out, SETTI_VALUE_MESSAGE,
            "`members` describes a struct of %u bytes, and `size` is %u - take members and size "
            "from the same struct",
            (unsigned)structure->size, (unsigned)desc->size);
        return out;
    }
    if (desc->byte_count != 0) {
        return "`members` says which bytes count - register the type without `bytes`";
    }
    const char* wrong = setti_members_check(structure, desc->align, mask, out);
    if (wrong != NULL) {
        return wrong;
    }
    uint32_t handles = 0;
    uint32_t declared = 0; /* number of handles that are in entity_offsets */
    members_count_handles(desc, structure, 0, &handles, &declared);
    bool offsets_match = handles == declared && handles == desc->entity_offset_count;
    if (desc->entity_offset_count != 0 && !offsets_match) {
        return "`entity_offsets` differs from the handles in `members` - register the type without "
               "`entity_offsets`";
    }
    if (handles != 0 && desc->align % SETT_ALIGNOF(sett_entity) != 0) {
        return "a member is a handle, and `align` is not a multiple of 4 - set `align` to 4 or 8";
    }
    return members_give_hooks(desc, structure);
}

/* Makes the mask of a type with members. *mask becomes the mask, or NULL if all bits count. Returns
 * false if memory runs out. */
static bool members_make_mask(setti_pool* pool, const setti_members* members, unsigned char** mask)
{
    size_t size = members->of.size;
    *mask = setti_pool_alloc(pool, size, 8);
    if (*mask == NULL) {
        return false;
    }
    setti_members_mask(members, *mask);
    if (memchr(*mask, 0, size) == NULL) { /* no byte is 0: all bits count */
        setti_pool_free(pool, *mask, size, 8);
        *mask = NULL;
    }
    return true;
}

/* Gives a type the members of the form that its `write` hook writes. Returns false if memory runs
 * out. */
static bool members_give_written(setti_pool* pool, setti_type* type, const sett_struct* structure)
{
    SETTI_ASSERT(type->members == NULL);
    setti_members* written = setti_members_create(pool, structure);
    if (written == NULL) {
        return false;
    }
    written->of.calls_ = sett_members_link_;
    setti_members_destroy(pool, type->written);
    type->written = written;
    type->desc.members = &type->written->of;
    return true;
}

/* Gives a type members. Sets the mask, the offsets and `hook_user` to match the members. Returns
 * false if memory runs out. */
SETTI_COLD static bool members_give(setti_pool* pool, setti_type* type,
                                    const sett_struct* structure)
{
    if (type->desc.write != NULL) {
        return members_give_written(pool, type, structure);
    }
    SETTI_ASSERT(structure->size == type->desc.size);
    sett_component_desc* desc = &type->desc;
    setti_members* members = setti_members_create(pool, structure);
    if (members == NULL) {
        return false;
    }
    size_t size = members->entity_count * sizeof(uint32_t);
    uint32_t* offsets = NULL; /* stays NULL if there are no handles */
    if (size != 0) {
        offsets = setti_pool_alloc(pool, size, 8);
    }
    bool has_offsets = offsets != NULL || size == 0;
    unsigned char* mask = NULL;
    if (!has_offsets || !members_make_mask(pool, members, &mask)) {
        setti_pool_free(pool, offsets, size, 8);
        setti_members_destroy(pool, members);
        return false;
    }
    members->of.calls_ = sett_members_link_;
    if (members->entity_count != 0) {
        memcpy(offsets, members->entities, size);
    }
    size_t old_size = desc->entity_offset_count * sizeof(uint32_t);
    setti_pool_free(pool, setti_unconst(desc->entity_offsets), old_size, 8);
    if (desc->mask != NULL) {
        setti_pool_free(pool, setti_unconst(desc->mask), desc->size, 8);
    }
    setti_members_destroy(pool, type->members);
    desc->entity_offsets = offsets;
    desc->entity_offset_count = members->entity_count;
    desc->mask = mask;
    desc->members = &members->of;
    type->padding_hash = 0;
    if (mask != NULL) {
        type->padding_hash = setti_hash_bytes(mask, desc->size);
    }
    type->padding_known = true;
    type->members = members;
    type->hook_user = members->owned_count != 0 ? members : desc->user;
    return true;
}

SETTI_COLD const char* setti_component_validate_members(const setti_type* type)
{
    const sett_component_desc* desc = &type->desc;
    const setti_members* members = type->written != NULL ? type->written : type->members;
    const unsigned char* mask = desc->mask;
    const sett_struct* structure = members != NULL ? &members->of : NULL;
    if (desc->members != structure) {
        return "the descriptor has other members than the type";
    }
    if (members == NULL) {
        return NULL;
    }
    if (members == type->written) {
        return desc->write != NULL ? NULL : "what hooks write has no hooks";
    }
    bool has_hooks = desc->copy == setti_owned_copy_hook && type->hook_user == members;
    if (members->owned_count != 0 && !has_hooks) {
        return "strings or lists have no hooks";
    }
    size_t counted = 0; /* bytes that count, according to the mask */
    for (size_t k = 0; k < desc->size; k++) {
        counted += mask == NULL || mask[k] == 255;
    }
    for (uint32_t k = 0; k < members->piece_count; k++) {
        const setti_piece* piece = &members->pieces[k];
        if (mask != NULL && memchr(mask + piece->offset, 0, piece->size) != NULL) {
            return "a member counts as padding";
        }
    }
    if (counted != members->size) {
        return "bytes without a member count";
    }
    if (desc->entity_offset_count != members->entity_count) {
        return "handles of members are not the handles of the type";
    }
    size_t offsets_size = members->entity_count * sizeof(uint32_t);
    if (offsets_size != 0 && memcmp(desc->entity_offsets, members->entities, offsets_size) != 0) {
        return "handles of members are not the handles of the type";
    }
    return NULL;
}

/* Checks that a registered type can have the members of `structure`. Returns NULL, or what is
 * wrong. The text may be in `out`. */
static const char* members_check_type(sett_world* world, const setti_type* type,
                                      const sett_struct* structure, char* out)
{
    size_t size = type->desc.size;
    bool no_padding = type->padding_known && type->desc.mask == NULL && size == structure->size;
    const unsigned char* mask = type->desc.mask;
    unsigned char* ones = NULL; /* a mask of ones, for a type that has no padding */
    if (no_padding) {
        ones = setti_pool_alloc(&world->pool, size, 8);
    }
    if (ones != NULL) {
        memset(ones, 255, size);
        mask = ones; /* because a NULL mask would mean to members_check that padding is not known */
    }
    sett_component_desc desc = type->desc;
    const char* wrong = members_check(&desc, structure, mask, out);
    if (wrong == NULL && desc.copy != type->desc.copy) {
        wrong = "the members have strings or lists, so they must be given at the first "
                "registration - set .members = SETT_STRUCT(...) there";
    }
    setti_pool_free(&world->pool, ones, size, 8);
    return wrong;
}

/* Checks that the members of a type may still be changed. Reports the reason if they may not. */
static sett_status members_check_change(sett_world* world, const setti_type* type, const char* call)
{
    const char* name = type->desc.name;
    if (type->desc.write != NULL) {
        return setti_world_fail_with(world, SETT_STATUS_CONFLICT,
                                     "%s: \"%.100s\" has `write` and `read` hooks, so its members "
                                     "are fixed at the first registration - set .members there",
                                     call, name);
    }
    if (type->members != NULL) {
        return setti_world_fail_with(
            world, SETT_STATUS_CONFLICT,
            "%s: \"%.100s\" has other members already - leave out this call", call, name);
    }
    if (type->storage.count != 0) {
        return setti_world_fail_with(world, SETT_STATUS_CONFLICT,
                                     "%s: %u entities have \"%.100s\" already - set its members "
                                     "before any entity has the component",
                                     call, (unsigned)type->storage.count, name);
    }
    return setti_world_check_no_snapshots(world, call);
}

SETTI_COLD sett_status setti_component_set_members(sett_world* world, setti_type* type,
                                                   const sett_struct* structure, const char* call)
{
    char reason[SETTI_VALUE_MESSAGE];
    const char* wrong;
    if (type->module == NULL) {
        wrong = members_check_type(world, type, structure, reason);
    } else {
        wrong = "this is a type of the library - give members to types of the program only";
    }
    if (wrong != NULL) {
        return setti_world_fail_argument(world, call, type->desc.name, wrong);
    }
    sett_status status = setti_world_check_unlocked(world, call);
    if (status != SETT_OK) {
        return status;
    }
    bool same = type->desc.members != NULL && setti_members_equal(type->desc.members, structure);
    if (!same) {
        status = members_check_change(world, type, call);
        if (status != SETT_OK) {
            return status;
        }
    }
    if (!members_give(&world->pool, type, structure)) {
        return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, call, sett_null(), type->id);
    }
    return SETT_OK;
}

const setti_member_calls* sett_members_link_(void)
{
    static const setti_member_calls calls = {members_check, members_give, setti_members_equal,
                                             setti_component_set_members};
    return &calls;
}

/* ----------------------------------------------------------------------------- public functions */

sett_status sett_members_set(sett_world* world, sett_component component,
                             const sett_struct* members)
{
    if (SETTI_IS_NULL(world) || SETTI_IS_NULL(members)) {
        return SETT_STATUS_ARGUMENT;
    }
    setti_world_check_owner(world, __func__);
    setti_type* type = setti_world_type(world, component);
    if (type == NULL) {
        return setti_world_fail(world, SETT_STATUS_UNREGISTERED, __func__, sett_null(), component);
    }
    return setti_component_set_members(world, type, members, __func__);
}

const sett_struct* sett_members_get(const sett_world* world, sett_component component)
{
    if (SETTI_IS_NULL(world)) {
        return NULL;
    }
    const setti_type* type = setti_world_type(world, component);
    if (type == NULL || type->members == NULL) {
        return NULL;
    }
    return &type->members->of;
}

uint64_t sett_members_fingerprint(const sett_world* world, sett_component component)
{
    if (SETTI_IS_NULL(world)) {
        return 0;
    }
    const setti_type* type = setti_world_type(world, component);
    if (type == NULL || type->members == NULL) {
        return 0;
    }
    return type->members->fingerprint;
}

bool sett_member_find(const sett_world* world, sett_component component, const char* path,
                      sett_member_ref* out)
{
    const sett_struct* structure = sett_members_get(world, component);
    return structure != NULL && setti_members_find(structure, path, out, NULL);
}

bool sett_member_lookup(const sett_world* world, const char* path, sett_component* component,
                        sett_member_ref* out)
{
    /* Splits "name.member" at each dot, because both parts may contain dots. The shortest name is
     * tried first. */
    char name[SETTI_VALUE_MESSAGE];
    for (const char* dot = strchr(path, '.'); dot != NULL; dot = strchr(dot + 1, '.')) {
        size_t length = (size_t)(dot - path);
        if (length >= sizeof(name)) {
            return false;
        }
        memcpy(name, path, length);
        name[length] = '\0';
        *component = sett_component_find(world, name);
        if (*component != 0 && sett_member_find(world, *component, dot + 1, out)) {
            return true;
        }
    }
    return false;
}

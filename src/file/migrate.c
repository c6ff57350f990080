/* migrate.c: see migrate.h.
 *
 * The workload: a program has changed after players saved: members were added, removed or widened.
 * Members are matched by name, and converted if the new member can hold each old value. Values are
 * converted once, after all records, so that hashes are compared in the layout of the file.
 *
 *     file     hp u8 | x f32 | old u16                 program    x f64 | hp u16 | armour u8
 *                  \______________ by name ______________/           old: dropped, armour: default
 *
 * Invariant:  only the program's function can convert a member with a loss
 */
#include "file/migrate.h"

#include "file/types.h"
#include "value/number.h"
#include "world/written.h"

/* A function of the program, for one layout of a type. */
typedef struct setti_migrator {
    struct setti_migrator* next;
    uint64_t name_key; /* not an id, because the type can be unregistered and registered again */
    uint64_t fingerprint;
    sett_file_migrate_fn fn;
    void* user;
} setti_migrator;

enum {
    SETTI_SLOT_MIGRATORS = 10
};

static setti_migrator* migrate_first(const sett_world* world)
{
    return world->module[SETTI_SLOT_MIGRATORS];
}

SETTI_COLD sett_status sett_file_migrate(sett_world* world, sett_component component,
                                         uint64_t from_fingerprint, sett_file_migrate_fn fn,
                                         void* user)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    if (fn == NULL) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                     "%s: `fn` is NULL - pass a function that converts a value",
                                     __func__);
    }
    if (setti_world_type(world, component) == NULL) {
        return setti_world_fail(world, SETT_STATUS_UNREGISTERED, __func__, sett_null(), component);
    }
    setti_migrator* migrator = setti_pool_alloc(&world->pool, sizeof(*migrator), 16);
    if (migrator == NULL) {
        return setti_world_fail(world, SETT_STATUS_OUT_OF_MEMORY, __func__, sett_null(), component);
    }
    migrator->next = migrate_first(world); /* the latest function for a layout is found first */
    migrator->name_key = setti_world_type(world, component)->name_key;
    migrator->fingerprint = from_fingerprint;
    migrator->fn = fn;
    migrator->user = user;
    world->module[SETTI_SLOT_MIGRATORS] = migrator;
    return SETT_OK;
}

#define MIGRATE_ALIGN 4096 /* the largest alignment of a type */

static const sett_member* migrate_find(const sett_struct* in, const char* name)
{
    return setti_struct_member(in, name, strlen(name));
}

static uint32_t migrate_size(const sett_member* member)
{
    return member->kind == SETT_MEMBER_STRUCT ? member->of->size
                                              : sett_member_kind_size(member->kind);
}

/* Returns true if a number of kind `to` can represent all numbers of kind `from`. */
static bool migrate_widens(sett_member_kind from, sett_member_kind to)
{
    uint32_t from_size = sett_member_kind_size(from);
    uint32_t to_size = sett_member_kind_size(to);
    bool from_float = setti_number_is_float(from);
    bool to_float = setti_number_is_float(to);
    bool from_signed = setti_number_is_signed(from);
    bool to_signed = setti_number_is_signed(to);
    bool from_number = from != SETT_MEMBER_UNKNOWN && from <= SETT_MEMBER_F64;
    bool to_number = to_float || setti_number_is_integer(to);
    if (!from_number || !to_number) {
        return false;
    }
    if (from_float == to_float && from_signed == to_signed) {
        return from_size <= to_size;
    }
    /* a float has room for all smaller integers: f32 for 24 bits, f64 for 53 */
    return !from_float && from_size < to_size && (to_signed || to_float);
}

/* Returns true if all values of a member can be converted to another member without a loss. */
SETTI_COLD static bool migrate_fits(const sett_member* from, const sett_member* to)
{
    bool to_string = from->kind == SETT_MEMBER_TEXT && to->kind == SETT_MEMBER_STRING;
    bool elements_fit = from->count <= to->count || (to_string && to->count == 1);
    if (!elements_fit || from->scale != to->scale || (from->of != NULL) != (to->of != NULL)) {
        return false;
    }
    if (from->kind == SETT_MEMBER_LIST && to->kind == SETT_MEMBER_LIST) {
        const sett_member from_item = setti_member_item(from);
        const sett_member to_item = setti_member_item(to);
        return migrate_fits(&from_item, &to_item);
    }
    bool fits = from->kind == to->kind || migrate_widens(from->kind, to->kind) || to_string;
    for (uint32_t k = 0; fits && to->of != NULL && k < to->of->count; k++) {
        const sett_member* inner = migrate_find(from->of, to->of->members[k].name);
        fits = inner == NULL || migrate_fits(inner, &to->of->members[k]);
    }
    return fits;
}

static void migrate_struct(setti_migration* rule, const sett_struct* from_of,
                           const unsigned char* from, const sett_struct* to_of, unsigned char* to);

static void migrate_element(setti_migration* rule, const sett_member* source,
                            const unsigned char* from, const sett_member* member,
                            unsigned char* to);

/* Converts a list. Members of items may have changed. */
static bool migrate_list(setti_migration* rule, const sett_member* source,
                         const unsigned char* from, const sett_member* member, sett_list* fresh)
{
    const sett_member from_item = setti_member_item(source);
    const sett_member to_item = setti_member_item(member);
    const sett_list list = setti_owned_list(from, from_item.size);
    if (!setti_list_resize(rule->allocator, fresh, to_item.size, list.count)) {
        return false;
    }
    const unsigned char* old = list.items;
    unsigned char* new = setti_unconst(fresh->items);
    for (uint32_t k = 0; k < list.count; k++, old += from_item.size, new += to_item.size) {
        migrate_element(rule, &from_item, old, &to_item, new);
    }
    return true;
}

/* Converts a string, a text that became a string, or a list. */
static void migrate_owned(setti_migration* rule, const sett_member* source,
                          const unsigned char* from, const sett_member* member, unsigned char* to)
{
    sett_string string = {.room_ = 0};
    sett_list list = {.count = 0};
    bool is_list = member->kind == SETT_MEMBER_LIST;
    bool is_text = source->kind == SETT_MEMBER_TEXT;
    const unsigned char* end = is_text ? memchr(from, 0, source->size) : NULL;
    bool done = true;
    if (is_list) {
        done = migrate_list(rule, source, from, member, &list);
    } else if (is_text) {
        done = setti_string_set(rule->allocator, &string, from,
                                end != NULL ? (size_t)(end - from) : source->size);
    } else {
        string = setti_owned_string(from);
        setti_owned_take(string.text);
    }
    rule->no_memory = rule->no_memory || !done;
    setti_owned_drop(setti_owned_string(to).text); /* or the items of a list, at the same offset */
    memcpy(to, is_list ? (const void*)&list : &string, migrate_size(member));
}

static void migrate_element(setti_migration* rule, const sett_member* source,
                            const unsigned char* from, const sett_member* member, unsigned char* to)
{
    if (member->kind >= SETT_MEMBER_STRING) {
        migrate_owned(rule, source, from, member, to);
    } else if (member->of != NULL) {
        migrate_struct(rule, source->of, from, member->of, to);
    } else if (source->kind != member->kind && setti_number_is_float(member->kind)) {
        double wide = setti_number_float(source->kind, from);
        float narrow = (float)wide;
        memcpy(to, member->kind == SETT_MEMBER_F32 ? (const void*)&narrow : &wide,
               sett_member_kind_size(member->kind));
    } else if (source->kind != member->kind) {
        setti_number_store(member->kind, setti_number_load(source->kind, from), to);
    } else {
        memcpy(to, from, migrate_size(member));
    }
}

/* Converts the members of a struct. `to` is initialised. */
static void migrate_struct(setti_migration* rule, const sett_struct* from_of,
                           const unsigned char* from, const sett_struct* to_of, unsigned char* to)
{
    for (uint32_t k = 0; k < to_of->count; k++) {
        const sett_member* member = &to_of->members[k];
        const sett_member* source = migrate_find(from_of, member->name);
        if (source == NULL || !migrate_fits(source, member)) {
            continue;
        }
        uint32_t count = SETTI_MIN(source->count, member->count); /* lengths of texts may differ */
        for (uint32_t i = 0; i < count; i++) {
            migrate_element(rule, source, from + source->offset + (size_t)i * migrate_size(source),
                            member, to + member->offset + (size_t)i * migrate_size(member));
        }
    }
}

static const char migrate_wrong_read[] =
    "the `read` hook rejects a value of the file - accept older values in the hook, or call "
    "sett_file_migrate";

/* Notes an error. `wrong` is the message for INVALID. */
static void migrate_note(setti_migration* rule, sett_status status, const char* wrong)
{
    rule->no_memory = rule->no_memory || status == SETT_STATUS_OUT_OF_MEMORY;
    if (status == SETT_STATUS_INVALID && rule->wrong == NULL) {
        rule->wrong = wrong;
    }
}

/* Converts members by way of the hooks of the program's type. */
static void migrate_by_hooks(setti_migration* rule, const void* from, void* to)
{
    setti_written_view view;
    sett_status status = setti_written_show(rule->shown, to, &view);
    if (status == SETT_OK) {
        migrate_struct(rule, rule->from, from, rule->to, view.value);
        status = rule->no_memory ? SETT_STATUS_OUT_OF_MEMORY : setti_written_store(&view, to);
        migrate_note(rule, status, migrate_wrong_read);
    } else {
        migrate_note(rule, status,
                     "the `write` hook does not write what `members` describes - correct the hook");
    }
    setti_written_end(&view);
}

static void migrate_fill_room(setti_migration* rule, const void* from, size_t size)
{
    if (rule->varied != NULL) {
        memset(rule->room, 0, rule->room_size);
        migrate_note(rule,
                     setti_canonical_read(rule->varied, rule->allocator, from, size, rule->room),
                     "a value of the file is damaged - load a copy");
        return;
    }
    memcpy(rule->room, from, rule->room_size);
    if (rule->turned != NULL) {
        setti_canonical_turn_value(rule->turned, rule->room);
    }
}

/* Converts a value (setti_delta_rule.convert). */
static void migrate_value(setti_delta_rule* base, const void* from, size_t size, void* to)
{
    setti_migration* rule = (setti_migration*)(void*)base;
    if (rule->written != NULL) {
        migrate_note(rule, setti_type_read(rule->written, from, size, to), migrate_wrong_read);
        return;
    }
    if (rule->room != NULL) {
        migrate_fill_room(rule, from, size);
        from = rule->room;
    }
    if (rule->shown != NULL) {
        migrate_by_hooks(rule, from, to);
    } else if (rule->from != NULL && rule->to != NULL) {
        migrate_struct(rule, rule->from, from, rule->to, to);
    } else if (rule->size != 0) {
        memcpy(to, from, rule->size);
    }
    if (rule->migrator != NULL) {
        bool done = rule->migrator->fn(rule->from, rule->room, to, rule->migrator->user);
        migrate_note(rule, done ? SETT_OK : SETT_STATUS_INVALID,
                     "the function of sett_file_migrate returned false - convert each value");
    }
    if (rule->varied != NULL) {
        setti_owned_deinit_hook(rule->room, 1, setti_unconst(rule->varied));
    }
}

/* Reports a layout that does not fit. */
static sett_status migrate_reject(sett_world* read, const char* name, const char* member)
{
    return setti_world_fail_with(
        read, SETT_STATUS_CONFLICT,
        "type \"%.100s\" has another layout in this world%s%.60s%s - convert its values with "
        "sett_file_migrate and the fingerprint of the file's layout",
        name, member[0] != '\0' ? ": member \"" : "", member, member[0] != '\0' ? "\"" : "");
}

/* Logs the members of a file that the program lacks. Returns their number. */
static uint32_t migrate_report(const sett_world* to_world, const char* call, const char* name,
                               const sett_struct* from, const sett_struct* to)
{
    uint32_t dropped = 0;
    for (uint32_t k = 0; from != NULL && to != NULL && k < from->count; k++) {
        if (migrate_find(to, from->members[k].name) == NULL) {
            setti_world_log(to_world, SETT_LOG_WARNING,
                            "%s: \"%.100s\" has no member \"%.60s\" in this world, so the file's "
                            "values of this member are dropped - call sett_file_migrate to convert "
                            "them",
                            call, name, from->members[k].name);
            dropped++;
        }
    }
    return dropped;
}

/* Chooses how values are converted. Fails if values would be lost. */
static sett_status migrate_choose(sett_world* read, const setti_type* saved,
                                  const setti_type* local, setti_migration* rule)
{
    bool has_function = rule->migrator != NULL;
    if (rule->from != NULL && rule->to != NULL) {
        for (uint32_t k = 0; !has_function && k < rule->to->count; k++) {
            const sett_member* source = migrate_find(rule->from, rule->to->members[k].name);
            if (source != NULL && !migrate_fits(source, &rule->to->members[k])) {
                return migrate_reject(read, local->desc.name, source->name);
            }
        }
        return SETT_OK;
    }
    bool same_bytes = saved->desc.size == local->desc.size &&
                      saved->desc.layout_version == local->desc.layout_version &&
                      !setti_type_varies(saved) && !setti_type_varies(local);
    rule->size = same_bytes ? local->desc.size : 0;
    return same_bytes || has_function ? SETT_OK : migrate_reject(read, local->desc.name, "");
}

/* Prepares the conversion from `saved`, with the layout of the file, to the program's `local`. */
static sett_status migrate_prepare(sett_world* to_world, sett_world* read, const setti_type* saved,
                                   const setti_type* local, setti_migration* rule)
{
    const bool by_hook = saved->desc.members != NULL && /* bytes of a `write` hook */
                         setti_members_equal(saved->desc.members, setti_written_struct());
    uint64_t fingerprint = saved->members != NULL && !by_hook ? saved->members->fingerprint : 0;
    memset(rule, 0, sizeof(*rule));
    rule->rule.name = saved->desc.name; /* can be a former name */
    rule->rule.convert = migrate_value;
    rule->from = saved->desc.members;
    rule->to = local->desc.members;
    const setti_migrator* migrator = migrate_first(to_world); /* the latest function that fits */
    while (migrator != NULL &&
           (migrator->name_key != local->name_key || migrator->fingerprint != fingerprint)) {
        migrator = migrator->next;
    }
    rule->migrator = migrator;
    rule->turned = setti_delta_turns(saved) && !saved->members->varies ? saved->members : NULL;
    rule->varied = setti_delta_form_of(saved) == SETTI_DELTA_OWNED ? saved->members : NULL;
    rule->allocator = &to_world->pool.allocator;
    bool local_bytes = local->desc.write != NULL && local->written == NULL; /* of a `write` hook */
    bool same_version = saved->desc.layout_version == local->desc.layout_version;
    if (rule->migrator == NULL && by_hook && local_bytes && same_version) {
        rule->written = local; /* only the name has changed */
        return SETT_OK;
    }
    bool members_known = rule->from != NULL && !by_hook;
    if (rule->migrator == NULL && local->written != NULL && !members_known) {
        return migrate_reject(read, local->desc.name, "");
    }
    rule->shown = local->written != NULL && members_known ? local : NULL;
    if (rule->migrator != NULL || rule->turned != NULL || rule->varied != NULL) {
        rule->room_size = saved->desc.size;
        rule->room =
            setti_pool_alloc(&to_world->pool, SETTI_MAX(rule->room_size, 1), MIGRATE_ALIGN);
        if (rule->room == NULL) {
            return SETT_STATUS_OUT_OF_MEMORY;
        }
    }
    return migrate_choose(read, saved, local, rule);
}

SETTI_COLD setti_migration* setti_migrations_create(sett_world* to_world, sett_world* read,
                                                    const char* call, uint32_t* count,
                                                    uint32_t* dropped, sett_status* status)
{
    size_t size = (read->registered.count + 1) * sizeof(setti_migration);
    bool renamed = false;
    setti_migration* list = setti_pool_alloc(&to_world->pool, size, 16);
    *count = 0;
    *status = list != NULL ? SETT_OK : SETT_STATUS_OUT_OF_MEMORY;
    if (list == NULL) {
        return NULL;
    }
    memset(list, 0, size);
    for (uint32_t k = 0; *status == SETT_OK && k < read->registered.count; k++) {
        const setti_type* type = read->registered.item[k];
        const setti_type* local = setti_type_find(to_world, type->desc.name);
        if (local == NULL) {
            continue;
        }
        renamed = renamed || strcmp(local->desc.name, type->desc.name) != 0;
        if (!setti_types_same(type, local)) {
            type = setti_type_data(type);
            local = setti_type_data(local);
            *status = migrate_prepare(to_world, read, type, local, &list[*count]);
            const setti_migration* rule = &list[(*count)++];
            if (*status == SETT_OK && rule->migrator == NULL) { /* a function may drop members */
                *dropped += migrate_report(to_world, call, local->desc.name, rule->from, rule->to);
            }
        }
    }
    if (*status != SETT_OK || (*count == 0 && !renamed)) {
        setti_migrations_free(to_world, list, read->registered.count);
        list = NULL;
    }
    return list;
}

void setti_migrations_free(sett_world* to_world, setti_migration* list, uint32_t types)
{
    for (uint32_t k = 0; list != NULL && k < types; k++) {
        setti_pool_free(&to_world->pool, list[k].room, SETTI_MAX(list[k].room_size, 1),
                        MIGRATE_ALIGN);
    }
    setti_pool_free(&to_world->pool, list, (types + 1) * sizeof(setti_migration), 16);
}

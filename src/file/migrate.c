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

/* A function of the program that converts values from one old layout of a type. */
typedef struct setti_migrator {
    struct setti_migrator* next;
    uint64_t name_key;    /* not an id, because the type can be unregistered and registered again */
    uint64_t fingerprint; /* the fingerprint of the old layout */
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

static const sett_member* migrate_find(const sett_struct* structure, const char* name)
{
    return setti_struct_member(structure, name, strlen(name));
}

/* Returns the size of one element of a member. */
static uint32_t migrate_size(const sett_member* member)
{
    if (member->kind == SETT_MEMBER_STRUCT) {
        return member->of->size;
    }
    return sett_member_kind_size(member->kind);
}

/* Returns true if a number of the kind `new_kind` can represent all numbers of the kind
 * `old_kind`. */
static bool migrate_widens(sett_member_kind old_kind, sett_member_kind new_kind)
{
    uint32_t old_size = sett_member_kind_size(old_kind);
    uint32_t new_size = sett_member_kind_size(new_kind);
    bool old_is_float = setti_number_is_float(old_kind);
    bool new_is_float = setti_number_is_float(new_kind);
    bool old_is_signed = setti_number_is_signed(old_kind);
    bool new_is_signed = setti_number_is_signed(new_kind);
    /* an old bool can become a number */
    bool old_is_number = old_kind != SETT_MEMBER_UNKNOWN && old_kind <= SETT_MEMBER_F64;
    bool new_is_number = new_is_float || setti_number_is_integer(new_kind);
    if (!old_is_number || !new_is_number) {
        return false;
    }
    if (old_is_float == new_is_float && old_is_signed == new_is_signed) {
        return old_size <= new_size;
    }
    if (old_is_float || old_size >= new_size) {
        return false; /* a float cannot become an integer, and the new kind must be larger */
    }
    /* a float can represent all smaller integers: f32 has 24 bits for them, f64 has 53 */
    return new_is_signed || new_is_float;
}

static bool migrate_struct_fits(const sett_struct* old_struct, const sett_struct* new_struct);

/* Returns true if all values of an old member can be converted to a new member without a loss. */
SETTI_COLD static bool migrate_fits(const sett_member* old_member, const sett_member* new_member)
{
    bool becomes_string =
        old_member->kind == SETT_MEMBER_TEXT && new_member->kind == SETT_MEMBER_STRING;
    /* the count of a text is its number of bytes: a text becomes one string, of any length */
    if (becomes_string && new_member->count != 1) {
        return false;
    }
    if (old_member->count > new_member->count && !becomes_string) {
        return false;
    }
    if (old_member->scale != new_member->scale) {
        return false;
    }
    if ((old_member->of != NULL) != (new_member->of != NULL)) {
        return false;
    }
    if (old_member->kind == SETT_MEMBER_LIST && new_member->kind == SETT_MEMBER_LIST) {
        const sett_member old_item = setti_member_item(old_member);
        const sett_member new_item = setti_member_item(new_member);
        return migrate_fits(&old_item, &new_item);
    }
    bool same_kind = old_member->kind == new_member->kind;
    if (!same_kind && !migrate_widens(old_member->kind, new_member->kind) && !becomes_string) {
        return false;
    }
    if (new_member->of == NULL) {
        return true;
    }
    return migrate_struct_fits(old_member->of, new_member->of);
}

/* Returns true if each member that both structs have, by name, would keep its value. */
static bool migrate_struct_fits(const sett_struct* old_struct, const sett_struct* new_struct)
{
    for (uint32_t k = 0; k < new_struct->count; k++) {
        const sett_member* new_member = &new_struct->members[k];
        const sett_member* old_member = migrate_find(old_struct, new_member->name);
        if (old_member != NULL && !migrate_fits(old_member, new_member)) {
            return false;
        }
    }
    return true;
}

static void migrate_struct(setti_migration* migration, const sett_struct* old_struct,
                           const unsigned char* old_value, const sett_struct* new_struct,
                           unsigned char* new_value);

static void migrate_element(setti_migration* migration, const sett_member* old_member,
                            const unsigned char* old_value, const sett_member* new_member,
                            unsigned char* new_value);

/* Converts a list to `new_list`. Members of the items may have changed. Returns false if memory
 * runs out. */
static bool migrate_list(setti_migration* migration, const sett_member* old_member,
                         const unsigned char* old_value, const sett_member* new_member,
                         sett_list* new_list)
{
    const sett_member old_item = setti_member_item(old_member);
    const sett_member new_item = setti_member_item(new_member);
    const sett_list old_list = setti_owned_list(old_value, old_item.size);
    if (!setti_list_resize(migration->allocator, new_list, new_item.size, old_list.count)) {
        return false;
    }
    const unsigned char* old_element = old_list.items;
    unsigned char* new_element = setti_unconst(new_list->items);
    for (uint32_t k = 0; k < old_list.count; k++) {
        migrate_element(migration, &old_item, old_element, &new_item, new_element);
        old_element += old_item.size;
        new_element += new_item.size;
    }
    return true;
}

/* Converts a text to a string. Returns false if memory runs out. */
static bool migrate_text(const setti_migration* migration, const sett_member* old_member,
                         const unsigned char* text, sett_string* string)
{
    size_t length = old_member->size;
    const unsigned char* end = memchr(text, 0, length);
    if (end != NULL) { /* a text that fills the member has no zero at the end */
        length = (size_t)(end - text);
    }
    return setti_string_set(migration->allocator, string, text, length);
}

/* Converts a list, a string, or a text that becomes a string. */
static void migrate_owned(setti_migration* migration, const sett_member* old_member,
                          const unsigned char* old_value, const sett_member* new_member,
                          unsigned char* new_value)
{
    sett_string string = {.room_ = 0};
    sett_list list = {.count = 0};
    const void* converted = &string;
    bool has_memory = true;
    if (new_member->kind == SETT_MEMBER_LIST) {
        converted = &list;
        has_memory = migrate_list(migration, old_member, old_value, new_member, &list);
    } else if (old_member->kind == SETT_MEMBER_TEXT) {
        has_memory = migrate_text(migration, old_member, old_value, &string);
    } else {
        string = setti_owned_string(old_value);
        setti_owned_take(string.text); /* both strings share the text */
    }
    if (!has_memory) {
        migration->no_memory = true;
    }
    /* drops the old text, or the old items, which have the same offset */
    setti_owned_drop(setti_owned_string(new_value).text);
    memcpy(new_value, converted, migrate_size(new_member));
}

/* Converts a number to a float of another kind. */
static void migrate_float(const sett_member* old_member, const unsigned char* old_value,
                          const sett_member* new_member, unsigned char* new_value)
{
    double wide = setti_number_float(old_member->kind, old_value);
    float narrow = (float)wide;
    if (new_member->kind == SETT_MEMBER_F32) {
        memcpy(new_value, &narrow, sizeof(narrow));
    } else {
        memcpy(new_value, &wide, sizeof(wide));
    }
}

static void migrate_element(setti_migration* migration, const sett_member* old_member,
                            const unsigned char* old_value, const sett_member* new_member,
                            unsigned char* new_value)
{
    if (new_member->kind >= SETT_MEMBER_STRING) { /* a string or a list */
        migrate_owned(migration, old_member, old_value, new_member, new_value);
    } else if (new_member->of != NULL) {
        migrate_struct(migration, old_member->of, old_value, new_member->of, new_value);
    } else if (old_member->kind == new_member->kind) {
        memcpy(new_value, old_value, migrate_size(new_member));
    } else if (setti_number_is_float(new_member->kind)) {
        migrate_float(old_member, old_value, new_member, new_value);
    } else {
        int64_t number = setti_number_load(old_member->kind, old_value);
        setti_number_store(new_member->kind, number, new_value);
    }
}

/* Converts the members that both structs have. The caller has initialised `new_value`: other
 * members stay unchanged. */
static void migrate_struct(setti_migration* migration, const sett_struct* old_struct,
                           const unsigned char* old_value, const sett_struct* new_struct,
                           unsigned char* new_value)
{
    for (uint32_t k = 0; k < new_struct->count; k++) {
        const sett_member* new_member = &new_struct->members[k];
        const sett_member* old_member = migrate_find(old_struct, new_member->name);
        if (old_member == NULL || !migrate_fits(old_member, new_member)) {
            continue;
        }
        /* the elements of a text are its bytes; a text that becomes one string is one element */
        uint32_t count = SETTI_MIN(old_member->count, new_member->count);
        const unsigned char* old_element = old_value + old_member->offset;
        unsigned char* new_element = new_value + new_member->offset;
        for (uint32_t i = 0; i < count; i++) {
            migrate_element(migration, old_member, old_element, new_member, new_element);
            old_element += migrate_size(old_member);
            new_element += migrate_size(new_member);
        }
    }
}

static const char migrate_wrong_read[] =
    "the `read` hook rejects a value of the file - accept older values in the hook, or call "
    "sett_file_migrate";

/* Notes the error of a value, if there is one. `wrong` is the message for INVALID. */
static void migrate_note(setti_migration* migration, sett_status status, const char* wrong)
{
    if (status == SETT_STATUS_OUT_OF_MEMORY) {
        migration->no_memory = true;
    }
    if (status == SETT_STATUS_INVALID && migration->wrong == NULL) {
        migration->wrong = wrong;
    }
}

/* Converts the members of `old_value`. The `write` hook of the program's type makes a struct of
 * `new_value`. The `read` hook stores the converted struct in `new_value`. */
static void migrate_by_hooks(setti_migration* migration, const void* old_value, void* new_value)
{
    setti_written_view view;
    sett_status status = setti_written_show(migration->hooked_type, new_value, &view);
    if (status != SETT_OK) {
        migrate_note(migration, status,
                     "the `write` hook does not write what `members` describes - correct the hook");
    } else {
        migrate_struct(migration, migration->file_struct, old_value, migration->local_struct,
                       view.value);
        if (!migration->no_memory) {
            status = setti_written_store(&view, new_value);
            migrate_note(migration, status, migrate_wrong_read);
        }
    }
    setti_written_end(&view);
}

/* Reads a value of the file into `buffer`, in this machine's byte order. */
static void migrate_fill_buffer(setti_migration* migration, const void* bytes, size_t size)
{
    if (migration->owned_members != NULL) {
        memset(migration->buffer, 0, migration->buffer_size);
        sett_status status = setti_canonical_read(migration->owned_members, migration->allocator,
                                                  bytes, size, migration->buffer);
        migrate_note(migration, status, "a value of the file is damaged - load a copy");
        return;
    }
    memcpy(migration->buffer, bytes, migration->buffer_size);
    if (migration->turned_members != NULL) {
        setti_canonical_turn_value(migration->turned_members, migration->buffer);
    }
}

/* Converts a value (setti_delta_rule.convert). `bytes` is the value in the file. */
static void migrate_value(setti_delta_rule* base, const void* bytes, size_t size, void* new_value)
{
    setti_migration* migration = (setti_migration*)(void*)base;
    const void* old_value = bytes;
    if (migration->reading_type != NULL) {
        sett_status status = setti_type_read(migration->reading_type, bytes, size, new_value);
        migrate_note(migration, status, migrate_wrong_read);
        return;
    }
    if (migration->buffer != NULL) {
        migrate_fill_buffer(migration, bytes, size);
        old_value = migration->buffer;
    }
    if (migration->hooked_type != NULL) {
        migrate_by_hooks(migration, old_value, new_value);
    } else if (migration->file_struct != NULL && migration->local_struct != NULL) {
        migrate_struct(migration, migration->file_struct, old_value, migration->local_struct,
                       new_value);
    } else if (migration->size != 0) {
        memcpy(new_value, old_value, migration->size);
    }
    if (migration->migrator != NULL) {
        bool converted = migration->migrator->fn(migration->file_struct, migration->buffer,
                                                 new_value, migration->migrator->user);
        if (!converted) {
            migrate_note(migration, SETT_STATUS_INVALID,
                         "the function of sett_file_migrate returned false - convert each value");
        }
    }
    if (migration->owned_members != NULL) {
        setti_owned_deinit_hook(migration->buffer, 1, setti_unconst(migration->owned_members));
    }
}

/* Reports a layout that the program's type cannot take. `member` is empty if no single member is
 * the reason. */
static sett_status migrate_reject(sett_world* file_world, const char* name, const char* member)
{
    const char* before = "";
    const char* after = "";
    if (member[0] != '\0') {
        before = ": member \"";
        after = "\"";
    }
    return setti_world_fail_with(
        file_world, SETT_STATUS_CONFLICT,
        "type \"%.100s\" has another layout in this world%s%.60s%s - convert its values with "
        "sett_file_migrate and the fingerprint of the file's layout",
        name, before, member, after);
}

/* Logs each member that only the file's struct has. Returns the number of logged members. */
static uint32_t migrate_report(const sett_world* to_world, const char* call, const char* name,
                               const setti_migration* migration)
{
    uint32_t dropped = 0;
    if (migration->file_struct == NULL || migration->local_struct == NULL) {
        return 0;
    }
    for (uint32_t k = 0; k < migration->file_struct->count; k++) {
        const sett_member* member = &migration->file_struct->members[k];
        if (migrate_find(migration->local_struct, member->name) == NULL) {
            setti_world_log(to_world, SETT_LOG_WARNING,
                            "%s: \"%.100s\" has no member \"%.60s\" in this world, so the file's "
                            "values of this member are dropped - call sett_file_migrate to convert "
                            "them",
                            call, name, member->name);
            dropped++;
        }
    }
    return dropped;
}

/* Checks that members can be converted by name. Fails if a value would be lost. */
static sett_status migrate_check_members(sett_world* file_world, const setti_type* local,
                                         const setti_migration* migration)
{
    if (migration->migrator != NULL) {
        return SETT_OK; /* the function may convert the members that do not fit */
    }
    for (uint32_t k = 0; k < migration->local_struct->count; k++) {
        const sett_member* new_member = &migration->local_struct->members[k];
        const sett_member* old_member = migrate_find(migration->file_struct, new_member->name);
        if (old_member != NULL && !migrate_fits(old_member, new_member)) {
            return migrate_reject(file_world, local->desc.name, old_member->name);
        }
    }
    return SETT_OK;
}

/* Chooses between conversion by members, a copy of the bytes, and the program's function alone.
 * Fails if a value would be lost. */
static sett_status migrate_choose(sett_world* file_world, const setti_type* saved,
                                  const setti_type* local, setti_migration* migration)
{
    if (migration->file_struct != NULL && migration->local_struct != NULL) {
        return migrate_check_members(file_world, local, migration);
    }
    bool same_layout = saved->desc.size == local->desc.size &&
                       saved->desc.layout_version == local->desc.layout_version;
    if (same_layout && !setti_type_varies(saved) && !setti_type_varies(local)) {
        migration->size = local->desc.size;
        return SETT_OK;
    }
    if (migration->migrator == NULL) {
        return migrate_reject(file_world, local->desc.name, "");
    }
    return SETT_OK;
}

/* Returns the latest function of the program for a type and an old layout. Returns NULL if there is
 * none. */
static const setti_migrator* migrate_find_function(const sett_world* to_world,
                                                   const setti_type* local, uint64_t fingerprint)
{
    const setti_migrator* migrator = migrate_first(to_world);
    while (migrator != NULL) {
        if (migrator->name_key == local->name_key && migrator->fingerprint == fingerprint) {
            return migrator;
        }
        migrator = migrator->next;
    }
    return NULL;
}

/* Returns true if the members of a type describe the bytes that a `write` hook has written. */
static bool migrate_is_by_hook(const setti_type* saved)
{
    return saved->desc.members != NULL &&
           setti_members_equal(saved->desc.members, setti_written_struct());
}

/* Allocates `buffer` if the conversion needs a buffer. Returns false if memory runs out. */
static bool migrate_add_buffer(sett_world* to_world, const setti_type* saved,
                               setti_migration* migration)
{
    if (migration->migrator == NULL && migration->turned_members == NULL &&
        migration->owned_members == NULL) {
        return true;
    }
    migration->buffer_size = saved->desc.size;
    migration->buffer =
        setti_pool_alloc(&to_world->pool, SETTI_MAX(migration->buffer_size, 1), MIGRATE_ALIGN);
    return migration->buffer != NULL;
}

/* Prepares the conversion of values from `saved`, the type with the layout of the file, to `local`,
 * the program's type. */
static sett_status migrate_prepare(sett_world* to_world, sett_world* file_world,
                                   const setti_type* saved, const setti_type* local,
                                   setti_migration* migration)
{
    const bool by_hook = migrate_is_by_hook(saved);
    uint64_t fingerprint = 0; /* the members are unknown */
    if (saved->members != NULL && !by_hook) {
        fingerprint = saved->members->fingerprint;
    }
    memset(migration, 0, sizeof(*migration));
    migration->rule.name = saved->desc.name; /* can be a former name */
    migration->rule.convert = migrate_value;
    migration->file_struct = saved->desc.members;
    migration->local_struct = local->desc.members;
    migration->migrator = migrate_find_function(to_world, local, fingerprint);
    if (setti_delta_turns(saved) && !saved->members->varies) {
        migration->turned_members = saved->members;
    }
    if (setti_delta_form_of(saved) == SETTI_DELTA_OWNED) {
        migration->owned_members = saved->members;
    }
    migration->allocator = &to_world->pool.allocator;
    bool writes_bytes = local->desc.write != NULL && local->written == NULL; /* not a struct */
    bool same_version = saved->desc.layout_version == local->desc.layout_version;
    bool only_renamed = by_hook && writes_bytes && same_version; /* the `read` hook is enough */
    if (migration->migrator == NULL && only_renamed) {
        migration->reading_type = local;
        return SETT_OK;
    }
    bool members_known = migration->file_struct != NULL && !by_hook;
    if (migration->migrator == NULL && local->written != NULL && !members_known) {
        return migrate_reject(file_world, local->desc.name, "");
    }
    if (local->written != NULL && members_known) { /* the hooks read and write a struct */
        migration->hooked_type = local;
    }
    if (!migrate_add_buffer(to_world, saved, migration)) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    return migrate_choose(file_world, saved, local, migration);
}

SETTI_COLD setti_migration* setti_migrations_create(sett_world* to_world, sett_world* file_world,
                                                    const char* call, uint32_t* count,
                                                    uint32_t* dropped, sett_status* status)
{
    /* + 1: an allocation must not have 0 bytes */
    size_t size = (file_world->registered.count + 1) * sizeof(setti_migration);
    bool renamed = false;
    setti_migration* list = setti_pool_alloc(&to_world->pool, size, 16);
    *count = 0;
    *status = SETT_OK;
    if (list == NULL) {
        *status = SETT_STATUS_OUT_OF_MEMORY;
        return NULL;
    }
    memset(list, 0, size);
    for (uint32_t k = 0; *status == SETT_OK && k < file_world->registered.count; k++) {
        const setti_type* saved = file_world->registered.item[k];
        const setti_type* local = setti_type_find(to_world, saved->desc.name);
        if (local == NULL) {
            continue;
        }
        if (strcmp(local->desc.name, saved->desc.name) != 0) {
            renamed = true;
        }
        if (setti_types_same(saved, local)) {
            continue;
        }
        setti_migration* migration = &list[*count];
        saved = setti_type_data(saved);
        local = setti_type_data(local);
        ++*count;
        *status = migrate_prepare(to_world, file_world, saved, local, migration);
        if (*status == SETT_OK && migration->migrator == NULL) { /* a function may drop members */
            *dropped += migrate_report(to_world, call, local->desc.name, migration);
        }
    }
    /* former names in the state need a conversion too, even if the list is empty */
    bool is_needed = *count != 0 || renamed;
    if (*status != SETT_OK || !is_needed) {
        setti_migrations_free(to_world, list, file_world->registered.count);
        return NULL;
    }
    return list;
}

void setti_migrations_free(sett_world* to_world, setti_migration* list, uint32_t types)
{
    if (list == NULL) {
        return;
    }
    for (uint32_t k = 0; k < types; k++) {
        setti_pool_free(&to_world->pool, list[k].buffer, SETTI_MAX(list[k].buffer_size, 1),
                        MIGRATE_ALIGN);
    }
    /* + 1: as in setti_migrations_create */
    setti_pool_free(&to_world->pool, list, (types + 1) * sizeof(setti_migration), 16);
}

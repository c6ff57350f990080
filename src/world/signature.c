/* signature.c: see signature.h.
 *
 * The workload: a game has some dozens to thousands of different sets. Types are toggled millions
 * of times, almost always along existing edges. Independent types are dangerous, because n
 * independent types make up to 2^n sets. A game registers independent types as dont_fragment.
 *
 * Invariant:  types ascend strictly;  hooked <= count;
 *             records in use hold different sets, unless memory ran out in a sweep;
 *             an edge (s, t) -> r means: r's set is s's set with t toggled
 */
#include "world/signature.h"

#include <string.h>

static uint64_t signature_edge_key(uint32_t signature, sett_component type)
{
    return ((uint64_t)signature << 32) | type; /* not 0, because a type is not 0 */
}

/* Makes room for one more record. Returns false if memory runs out. */
static bool signature_grow(setti_pool* pool, setti_signature_table* table)
{
    if (table->count < table->capacity) {
        return true;
    }
    size_t size;
    uint32_t capacity = SETTI_MAX(table->capacity * 2, 16);
    if (table->capacity > UINT32_MAX / 2 ||
        !setti_multiply(capacity, sizeof(setti_signature), &size)) {
        return false;
    }
    setti_signature* record = setti_pool_alloc(pool, size, 16);
    if (record == NULL) {
        return false;
    }
    if (table->count != 0) {
        memcpy(record, table->record, table->count * sizeof(setti_signature));
    } else {
        memset(record, 0, sizeof(setti_signature)); /* record 0, the empty set */
        record[0].chain = SETTI_NONE;
        table->count = 1;
        table->free = SETTI_NONE;
    }
    setti_pool_free(pool, table->record, table->capacity * sizeof(setti_signature), 16);
    table->record = record;
    table->capacity = capacity;
    return true;
}

static bool signature_contains(const setti_signature* signature, sett_component type)
{
    uint32_t k = 0;
    while (k < signature->count && signature->types[k] < type) {
        k++;
    }
    return k < signature->count && signature->types[k] == type;
}

/* Whether `toggled` is the set `signature` with `type` toggled. */
static bool signature_is_toggled(const setti_signature* toggled, const setti_signature* signature,
                                 sett_component type)
{
    SETTI_ASSERT(type != 0);
    bool removes = signature_contains(signature, type);
    const setti_signature* larger = removes ? signature : toggled; /* has the type */
    const setti_signature* smaller = removes ? toggled : signature;
    if (larger->count != smaller->count + 1) {
        return false;
    }
    uint32_t n = 0; /* position in `smaller` */
    for (uint32_t k = 0; k < larger->count; k++) {
        if (larger->types[k] == type) {
            continue;
        }
        if (n == smaller->count || larger->types[k] != smaller->types[n]) {
            return false;
        }
        n++;
    }
    return n == smaller->count;
}

static uint64_t signature_type_hash(sett_component type)
{
    return setti_hash_bytes(&type, sizeof(type));
}

/* Returns the hash of a set: the hashes of the types, combined by xor. */
static uint64_t signature_hash(const setti_signature* signature)
{
    uint64_t hash = 0;
    for (uint32_t k = 0; k < signature->count; k++) {
        hash ^= signature_type_hash(signature->types[k]);
    }
    return hash;
}

/* Returns the key for a set with this hash in the map by_set. */
static uint64_t signature_key(uint64_t hash)
{
    return hash != 0 ? hash : 1; /* the map cannot have a key 0 */
}

/* Writes the set `signature`, with a type toggled, to `out`. Returns false if memory runs out.
 *   hooked  the type has SETTI_TYPE_REMOVE_HOOKS */
static bool signature_copy_toggled(setti_pool* pool, const setti_signature* signature,
                                   sett_component type, bool hooked, setti_signature* out)
{
    memset(out, 0, sizeof(*out));
    const uint32_t room = signature->count + 1; /* for the case that the type is added */
    sett_component* types = setti_pool_alloc(pool, room * sizeof(sett_component), 4);
    if (types == NULL) {
        return false;
    }
    bool removes = false;
    uint32_t k = 0;     /* types read from `signature` */
    uint32_t count = 0; /* types written to `types` */
    for (; k < signature->count && signature->types[k] < type; k++) {
        types[count++] = signature->types[k];
    }
    if (k < signature->count && signature->types[k] == type) {
        removes = true;
        k++; /* leaves out `type` */
    } else {
        types[count++] = type;
    }
    for (; k < signature->count; k++) {
        types[count++] = signature->types[k];
    }
    out->types = types;
    out->count = count;
    out->room = room;
    out->hooked = signature->hooked;
    if (hooked && removes) {
        out->hooked--;
    } else if (hooked) {
        out->hooked++;
    }
    SETTI_ASSERT(out->count <= out->room && out->hooked <= out->count);
    return true;
}

static void signature_free_types(setti_pool* pool, setti_signature* signature)
{
    SETTI_ASSERT(signature->types == NULL || signature->room >= signature->count);
    if (signature->types != NULL) {
        setti_pool_free(pool, signature->types, signature->room * sizeof(sett_component), 4);
    }
    memset(signature, 0, sizeof(*signature));
}

/* Adds a new set to the table. Returns the number of the set, or SETTI_NONE if memory runs out.
 *   key  the key of the set in the map by_set */
static uint32_t signature_insert(setti_pool* pool, setti_signature_table* table,
                                 setti_signature* added, uint64_t key)
{
    bool appends = table->free == SETTI_NONE;
    uint32_t number = appends ? table->count : table->free;
    uint32_t same_hash = setti_hash_map_find(&table->by_set, key); /* first record of the chain */
    if (appends && !signature_grow(pool, table)) {
        return SETTI_NONE;
    }
    if (!setti_hash_map_set(pool, &table->by_set, key, number)) {
        return SETTI_NONE;
    }
    if (appends) {
        table->count++;
    } else {
        table->free = table->record[number].chain;
        table->free_count--;
    }
    SETTI_ASSERT(number < table->capacity);
    added->chain = same_hash;
    table->record[number] = *added;
    return number;
}

/* Returns the number of the set that is the set `signature` with `type` toggled. Returns SETTI_NONE
 * if the table does not have this set.
 *   hash  the hash of the set to find */
static uint32_t signature_find_toggled(const setti_signature_table* table, uint32_t signature,
                                       sett_component type, uint64_t hash)
{
    const setti_signature* record = &table->record[signature];
    bool may_be_empty = hash == 0; /* other sets can have hash 0, too */
    if (may_be_empty && signature_is_toggled(&table->record[0], record, type)) {
        return 0; /* the empty set is not in the map */
    }
    uint32_t found = setti_hash_map_find(&table->by_set, signature_key(hash));
    while (found != SETTI_NONE && !signature_is_toggled(&table->record[found], record, type)) {
        found = table->record[found].chain;
    }
    return found;
}

uint32_t setti_signature_take_edge(setti_pool* pool, setti_signature_table* table,
                                   uint32_t signature, sett_component type, bool hooked)
{
    SETTI_ASSERT(type != 0 && (signature == 0 || signature < table->count));
    if (table->count == 0 && !signature_grow(pool, table)) {
        return SETTI_NONE;
    }
    uint64_t hash = signature_hash(&table->record[signature]) ^ signature_type_hash(type);
    uint32_t toggled = signature_find_toggled(table, signature, type, hash);
    if (toggled == SETTI_NONE) {
        setti_signature added;
        if (!signature_copy_toggled(pool, &table->record[signature], type, hooked, &added)) {
            return SETTI_NONE;
        }
        toggled = signature_insert(pool, table, &added, signature_key(hash));
        if (toggled == SETTI_NONE) {
            signature_free_types(pool, &added);
            return SETTI_NONE;
        }
    }
    SETTI_ASSERT(toggled != signature && toggled < table->count);
    /* Adds an edge for each direction. If memory runs out, the next call searches by hash again. */
    (void)setti_hash_map_set(pool, &table->edges, signature_edge_key(signature, type), toggled);
    (void)setti_hash_map_set(pool, &table->edges, signature_edge_key(toggled, type), signature);
    return toggled;
}

bool setti_signature_has(const setti_signature_table* table, uint32_t signature,
                         sett_component type)
{
    SETTI_ASSERT(signature == 0 || signature < table->count);
    return signature != 0 && signature_contains(&table->record[signature], type);
}

void setti_signature_hook(const setti_signature_table* table, sett_component type, bool hooked)
{
    for (uint32_t number = 1; number < table->count; number++) {
        if (setti_signature_has(table, number, type)) {
            if (hooked) {
                table->record[number].hooked++;
            } else {
                table->record[number].hooked--;
            }
        }
    }
}

void setti_signature_sweep(setti_pool* pool, setti_signature_table* table)
{
    if (table->count == 0) {
        return;
    }
    setti_hash_map_deinit(pool, &table->edges);
    setti_hash_map_deinit(pool, &table->by_set);
    table->swept++;
    table->free = SETTI_NONE;
    table->free_count = 0;
    /* descends, because the number freed last is the first to be reused */
    for (uint32_t number = table->count - 1; number > 0; number--) {
        setti_signature* record = &table->record[number];
        if (record->mark == 0) {
            signature_free_types(pool, record);
            record->chain = table->free;
            table->free = number;
            table->free_count++;
        }
    }
    for (uint32_t number = 1; number < table->count; number++) {
        setti_signature* record = &table->record[number];
        if (record->mark != 0) {
            uint64_t key = signature_key(signature_hash(record));
            record->mark = 0;
            record->chain = setti_hash_map_find(&table->by_set, key);
            /* If memory runs out, the set may get a second number later. Both numbers are valid. */
            (void)setti_hash_map_set(pool, &table->by_set, key, number);
        }
    }
}

SETTI_COLD const char* setti_signature_validate(const setti_signature_table* table)
{
    for (uint32_t number = 1; number < table->count; number++) {
        const setti_signature* record = &table->record[number];
        for (uint32_t k = 1; k < record->count; k++) {
            if (record->types[k - 1] >= record->types[k]) {
                return "signature: types do not ascend";
            }
        }
        if (record->hooked > record->count) {
            return "signature: more hooked types than types";
        }
    }
    return NULL;
}

/* server_types.c: the types that a server sends, and worlds that have them; see net_server.h. */
#include "net_server.h"

#include <stdio.h>
#include <stdlib.h>

/* Writes what is wrong with a type. Returns NULL if nothing is. */
static const char* types_fault(const sett_world* world, sett_component id, char* out, size_t size)
{
    sett_component_desc desc;
    const char* name = sett_component_name(world, id);
    if (name == NULL) {
        snprintf(out, size, "component %u in `types` is not registered - register it first",
                 (unsigned)id);
        return out;
    }
    (void)sett_component_describe(world, id, &desc);
    if (id == SETT_ID_NAME) {
        return "`types` contains \"Name\", which is not sent - send a component with a text";
    }
    if (desc.save == SETT_SAVE_SKIP) {
        snprintf(out, size,
                 "\"%.60s\" in `types` has SETT_SAVE_SKIP, so it is not sent - leave it out", name);
        return out;
    }
    if (desc.save == SETT_SAVE_CLONE && desc.members == NULL && desc.byte_count == 0 &&
        desc.write == NULL) {
        snprintf(
            out, size,
            "\"%.60s\" in `types` has SETT_SAVE_CLONE, but no members, `bytes` or `write` hook "
            "- set one of the three",
            name);
        return out;
    }
    return NULL;
}

const char* setti_server_list_types(sett_world* world, const sett_component* types, uint32_t count,
                                    server_types* out)
{
    if (count == 0 || count > SETT_SERVER_TYPES) {
        return "`type_count` is not 1 to 64 - set another number";
    }
    *out = (server_types){.count = count};
    for (uint32_t k = 0; k < count; k++) {
        const char* fault = types_fault(world, types[k], out->fault, sizeof(out->fault));
        if (fault != NULL) {
            return fault;
        }
        out->id[k] = types[k];
        out->type[k] = setti_proof_type(world, types[k]);
        sett_component_desc desc;
        (void)sett_component_describe(world, types[k], &desc);
        if (types[k] == SETT_ID_HIERARCHY || sett_relationship_sources(world, types[k]) != 0) {
            out->relation[out->relations++] = types[k];
        } else {
            out->size[k] = (uint32_t)desc.size;
            out->plain[k] = desc.save == SETT_SAVE_BYTES;
        }
    }
    return NULL;
}

/* Finds the types in another world, which must have them under their names. */
static bool types_match(const sett_world* world, const sett_world* other, server_types* types)
{
    for (uint32_t k = 0; k < types->count; k++) {
        const char* name = sett_component_name(world, types->id[k]);
        types->there[k] = sett_component_find(other, name);
        if (types->there[k] == 0 ||
            setti_proof_type(other, types->there[k]).layout != types->type[k].layout) {
            return false;
        }
    }
    return true;
}

/* Stores values in sparse sets: of entities that are few and far apart, in pages that snapshots
 * copy, an array would have a page for each. */
static bool types_use_sparse_sets(sett_world* other, const server_types* types)
{
    bool done = true;
    for (uint32_t k = 0; k < types->count && done; k++) {
        done = types->size[k] == 0 ||
               sett_component_convert(other, types->there[k], SETT_STORAGE_SPARSE_SET) == SETT_OK;
    }
    return done;
}

sett_world* setti_server_world(sett_world* world, sett_status (*register_types)(sett_world* world),
                               server_types* types, uint32_t entity_limit)
{
    sett_world* other = sett_world_create(&(sett_world_desc){
        .log_fn = sett_log_silent, .entity_limit = entity_limit, .small_pages = true});
    if (other != NULL && (register_types(other) != SETT_OK || !types_match(world, other, types) ||
                          !types_use_sparse_sets(other, types))) {
        (void)sett_world_destroy(other);
        return NULL;
    }
    return other;
}

server_table setti_server_table(sett_world* other, const server_types* types)
{
    server_table table = {NULL, 0, 0};
    sett_component list[2 * SETT_SERVER_TYPES];
    uint32_t count = 0;
    for (uint32_t k = 0; k < types->count; k++) {
        const sett_component sources = sett_relationship_sources(other, types->there[k]);
        list[count++] = types->there[k];
        if (sources != 0) {
            list[count++] = sources;
        }
    }
    (void)sett_delta_types(other, list, count, NULL, 0, &table.size);
    table.bytes = malloc(table.size);
    if (table.bytes != NULL) {
        (void)sett_delta_types(other, list, count, table.bytes, table.size, &table.size);
        uint64_t hash = table.size;
        for (size_t k = 0; k < table.size; k++) {
            hash = setti_proof_mix(hash, table.bytes[k]);
        }
        table.hash = (uint32_t)(hash >> 32);
    }
    return table;
}

/* state_bytes.c: the whole state as bytes: the delta from the empty world, and the systems'
 * record. */
#include "file/run_record.h"
#include "sett/file.h"
#include "state/delta.h"
#include "state/delta_reader.h"
#include "state/replica.h"

#include <stdio.h>

#define STATE_MAGIC 0x53544553u /* "SETS" */
#define STATE_VERSION 1u
#define STATE_HEAD ((size_t)12)

static const char encode_call[] = "sett_state_encode";
static const char state_bytes_call[] = "sett_state_apply";

sett_status sett_state_encode(sett_world* world, void* out, size_t capacity, size_t* size)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    setti_bytes run = {0};
    setti_bytes state = {0};
    unsigned char* to = out;
    *size = 0;
    sett_status status = setti_delta_encode_state(world, encode_call, &state);
    if (status == SETT_OK && !setti_run_encode(world, &run)) {
        status = setti_world_no_memory(world, encode_call);
    }
    if (status == SETT_OK) {
        *size = STATE_HEAD + run.size + state.size;
    }
    if (status == SETT_OK && out != NULL && *size > capacity) {
        status = setti_world_fail_with(world, SETT_STATUS_LIMIT,
                                       "%s: the state takes %lu bytes, the buffer has %lu - pass "
                                       "a larger one",
                                       encode_call, (unsigned long)*size, (unsigned long)capacity);
    } else if (status == SETT_OK && out != NULL) {
        setti_bytes_put(to, STATE_MAGIC, 4);
        setti_bytes_put(to + 4, STATE_VERSION, 4);
        setti_bytes_put(to + 8, run.size, 4);
        if (run.size != 0) {
            memcpy(to + STATE_HEAD, run.data, run.size);
        }
        memcpy(to + STATE_HEAD + run.size, state.data, state.size);
    }
    setti_bytes_free(&world->pool, &run);
    setti_bytes_free(&world->pool, &state);
    return status;
}

/* Creates a world with another one's types, without callbacks. */
static sett_world* state_begin_apart(sett_world* world)
{
    sett_world* apart = setti_replica_create(world);
    sett_status status = apart != NULL ? SETT_OK : SETT_STATUS_OUT_OF_MEMORY;
    for (uint32_t k = 0; status == SETT_OK && k < world->registered.count; k++) {
        status = setti_replica_join(apart, world, world->registered.item[k]);
    }
    if (status != SETT_OK) {
        sett_world_destroy(apart);
        apart = NULL;
        setti_world_no_memory(world, state_bytes_call);
    }
    return apart;
}

static sett_status state_apply(sett_world* world, const setti_bytes* run,
                               const unsigned char* bytes, size_t size, size_t limit)
{
    sett_world* apart = state_begin_apart(world);
    if (apart == NULL) {
        return world->error;
    }
    sett_status status = setti_delta_load(apart, bytes, size, limit);
    if (status != SETT_OK) {
        const char* why = sett_world_message(apart);
        size_t inner = sizeof("sett_delta_apply: ") - 1;
        why += strncmp(why, "sett_delta_apply: ", inner) == 0 ? inner : 0;
        status = setti_world_fail_input(world, status, "%s: %.400s", state_bytes_call, why);
    } else {
        status = sett_world_clone(apart, world);
    }
    if (status == SETT_OK) {
        setti_run_apply(world, run);
    }
    sett_world_destroy(apart);
    return status;
}

sett_status sett_state_apply(sett_world* world, const void* bytes, size_t size, size_t limit)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    sett_status status = setti_world_check_unlocked(world, state_bytes_call);
    if (status == SETT_OK &&
        setti_world_lacks_list(world, bytes, size, state_bytes_call, "bytes")) {
        return world->error;
    }
    status = status == SETT_OK ? setti_world_check_no_snapshots(world, state_bytes_call) : status;
    const unsigned char* at = bytes;
    const char* why = NULL;
    setti_bytes run = {0};
    if (status != SETT_OK) {
        return status;
    }
    if (size < STATE_HEAD || setti_bytes_get(at, 4) != STATE_MAGIC ||
        setti_bytes_get(at + 4, 4) != STATE_VERSION) {
        why = "these bytes are not an encoded state of this version";
    } else if (setti_bytes_get(at + 8, 4) > size - STATE_HEAD) {
        why = "the bytes are damaged: they end within the records of systems";
    } else {
        run = (setti_bytes){setti_unconst(at + STATE_HEAD), (size_t)setti_bytes_get(at + 8, 4), 0};
        why = run.size != 0 && !setti_run_check(&run)
                  ? "the bytes are damaged: their records of systems are invalid"
                  : NULL;
    }
    if (why != NULL) {
        return setti_world_fail_input(world, SETT_STATUS_INVALID, "%s: %s", state_bytes_call, why);
    }
    size_t begin = STATE_HEAD + run.size;
    if (limit == 0) {
        limit = ((size_t)64 << 20) + 16 * SETTI_MIN(size, SIZE_MAX / 64) +
                (size_t)32768 * world->registered.count;
    }
    return state_apply(world, &run, at + begin, size - begin, limit);
}

sett_status sett_state_hash(sett_world* world, uint64_t* hash)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    setti_bytes run = {0};
    sett_status status = setti_world_check_serial(world, "sett_state_hash");
    if (status == SETT_OK && !setti_run_encode(world, &run)) {
        status = setti_world_no_memory(world, "sett_state_hash");
    }
    *hash = 0;
    if (status == SETT_OK) {
        *hash = setti_hash_mix(setti_hash_sum(world) + setti_delta_seal(run.data, run.size));
    }
    setti_bytes_free(&world->pool, &run);
    return status;
}

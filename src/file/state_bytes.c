/* state_bytes.c: the state as bytes: the delta from the empty world, and the systems' record. */
#include "file/load.h"
#include "file/run_record.h"
#include "state/delta.h"
#include "state/replica.h"

#define STATE_MAGIC 0x53544553u /* "SETS" */
#define STATE_VERSION 1u
#define STATE_HEAD ((size_t)12) /* bytes: magic u32, version u32, size of the systems' record u32 */

static const char encode_call[] = "sett_state_encode";
static const char state_bytes_call[] = "sett_state_apply";

/* Writes the head, the record of the systems and the state. Fails if `capacity` is too small. */
static sett_status state_write(sett_world* world, unsigned char* out, size_t capacity,
                               const setti_bytes* run, const setti_bytes* state)
{
    size_t size = STATE_HEAD + run->size + state->size;
    if (size > capacity) {
        return setti_world_fail_with(world, SETT_STATUS_LIMIT,
                                     "%s: the state takes %lu bytes, and the buffer has %lu - "
                                     "pass a larger buffer",
                                     encode_call, (unsigned long)size, (unsigned long)capacity);
    }
    setti_bytes_put(out, STATE_MAGIC, 4);
    setti_bytes_put(out + 4, STATE_VERSION, 4);
    setti_bytes_put(out + 8, run->size, 4);
    if (run->size != 0) {
        memcpy(out + STATE_HEAD, run->data, run->size);
    }
    memcpy(out + STATE_HEAD + run->size, state->data, state->size);
    return SETT_OK;
}

sett_status sett_state_encode(sett_world* world, void* out, size_t capacity, size_t* size)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    setti_bytes run = {0};
    setti_bytes state = {0};
    *size = 0;
    sett_status status = setti_delta_encode_state(world, encode_call, &state);
    if (status == SETT_OK && !setti_run_encode(world, &run)) {
        status = setti_world_no_memory(world, encode_call);
    }
    if (status == SETT_OK) {
        *size = STATE_HEAD + run.size + state.size;
    }
    if (status == SETT_OK && out != NULL) { /* NULL: the program only asks for the size */
        status = state_write(world, out, capacity, &run, &state);
    }
    setti_bytes_free(&world->pool, &run);
    setti_bytes_free(&world->pool, &state);
    return status;
}

/* Creates a separate world with the same types. If memory runs out, reports the error and returns
 * NULL. */
static sett_world* state_begin_separate(sett_world* world)
{
    sett_world* separate = setti_replica_create(world);
    if (separate != NULL && setti_replica_join_all(separate, world, state_bytes_call) == SETT_OK) {
        return separate;
    }
    sett_world_destroy(separate);
    setti_world_no_memory(world, state_bytes_call);
    return NULL;
}

/* Applies a state in a separate world. If that succeeds, replaces the program's world. */
static sett_status state_apply(sett_world* world, const setti_bytes* run,
                               const unsigned char* bytes, size_t size, size_t limit)
{
    sett_world* separate = state_begin_separate(world);
    if (separate == NULL) {
        return world->error;
    }
    sett_status status = setti_delta_load(separate, bytes, size, limit, SETTI_FROM_STATE);
    if (status == SETT_STATUS_OUT_OF_MEMORY) {
        status = setti_world_no_memory(world, state_bytes_call);
    } else if (status != SETT_OK) {
        status = setti_world_fail_input(world, status, "%s: %.400s", state_bytes_call,
                                        setti_load_why(separate));
    } else {
        status = setti_replica_clone(separate, world, state_bytes_call);
    }
    if (status == SETT_OK) {
        setti_run_apply(world, run);
    }
    sett_world_destroy(separate);
    return status;
}

/* Finds the record of the systems in a state. Returns the error of an invalid state. Returns NULL
 * for a valid state. */
static const char* state_find_run(const unsigned char* bytes, size_t size, setti_bytes* run)
{
    if (size < STATE_HEAD || setti_bytes_get(bytes, 4) != STATE_MAGIC) {
        return "these bytes are not a state - pass what sett_state_encode wrote";
    }
    if (setti_bytes_get(bytes + 4, 4) != STATE_VERSION) {
        return "the state has another version of the format - use the same library as the sender";
    }
    size_t run_size = (size_t)setti_bytes_get(bytes + 8, 4);
    if (run_size > size - STATE_HEAD) {
        return "the state is damaged: it ends within the times of systems - get it from the sender "
               "again";
    }
    *run = (setti_bytes){setti_unconst(bytes + STATE_HEAD), run_size, 0}; /* owns no memory */
    if (run_size != 0 && !setti_run_check(run)) {
        return "the state is damaged: the times of systems are invalid - get it from the sender "
               "again";
    }
    return NULL;
}

sett_status sett_state_apply(sett_world* world, const void* bytes, size_t size, size_t limit)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    sett_status status = setti_world_check_unlocked(world, state_bytes_call);
    if (status != SETT_OK) {
        return status;
    }
    if (setti_world_lacks_list(world, bytes, size, state_bytes_call, "bytes")) {
        return world->error;
    }
    status = setti_world_check_no_snapshots(world, state_bytes_call);
    if (status != SETT_OK) {
        return status;
    }
    setti_bytes run = {0};
    const char* why = state_find_run(bytes, size, &run);
    if (why != NULL) {
        return setti_world_fail_input(world, SETT_STATUS_INVALID, "%s: %s", state_bytes_call, why);
    }
    if (limit == 0) {
        limit = setti_load_default_limit(world, size);
    }
    size_t begin = STATE_HEAD + run.size;
    const unsigned char* state = (const unsigned char*)bytes + begin;
    return state_apply(world, &run, state, size - begin, limit);
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
        /* the hash of the state and of the record of the systems */
        *hash = setti_hash_mix(setti_hash_sum(world, NULL) + setti_delta_seal(run.data, run.size));
    }
    setti_bytes_free(&world->pool, &run);
    return status;
}

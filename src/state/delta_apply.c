/* delta_apply.c: applies a delta to a world that is in the delta's first state.
 *
 * The workload: bytes from a network. The peer may be broken or hostile, so everything is checked
 * before the first change (delta_read.c, delta_check.c). If the result does not have the announced
 * hash, a snapshot restores the state. Memory for page copies is reserved before each step, so that
 * the restore cannot fail.
 *
 * Invariant:  a failure leaves the state unchanged, bit by bit
 */
#include "sett/state.h"

#include "state/delta_reader.h"
#include "world/change.h"
#include "world/command.h"

static const char apply_call[] = "sett_delta_apply";

/* Default limit of the memory for a delta: size of the world + APPLY_BYTES + APPLY_BYTES_A_BYTE for
 * each byte of the delta. A tag takes 13 bytes of a delta and 26 bytes of a world. */
#define APPLY_BYTES ((size_t)64 << 20)
#define APPLY_BYTES_A_BYTE ((size_t)64)

/* ----------------------------------------------------------------------------------------- room */

/* The most pages of a table that a step copies. To delete a link, 9 records change: the deleted
 * record, 4 neighbours in lists, and 4 neighbours of the record that fills the gap. */
#define APPLY_STEP_PAGES 9

/* The most memory that the pool takes for a piece of `size` bytes. */
static size_t apply_piece_size(size_t size)
{
    return setti_align_up(size, SETTI_POOL_STEP) + 256;
}

/* Returns the table of which a codec may write all pages in a step, or NULL if there is none. */
static const setti_pages* apply_find_whole(const setti_delta* delta)
{
    const setti_type_list* types = &delta->world->registered;
    for (uint32_t k = 0; k < types->count; k++) {
        const setti_codec* codec = setti_delta_codec(types->item[k]);
        if (codec != NULL && codec->whole) {
            return &types->item[k]->storage.rows;
        }
    }
    return NULL;
}

/* Computes the memory for a step. Returns false when memory runs out. */
static bool apply_measure(setti_delta* delta)
{
    SETTI_ASSERT(!delta->loading && delta->world->pool.cow != NULL);
    setti_pool* pool = &delta->world->pool;
    const setti_pages* whole_table = apply_find_whole(delta);
    bool reserved = true;
    delta->room = (size_t)64 << 10; /* tables, sets of components, new pages */
    delta->room_pages = 0;
    for (const setti_root* root = delta->world->roots; root != NULL; root = root->next) {
        for (uint32_t k = 0; k < 2; k++) {
            const setti_pages* pages = root->pages[k];
            if (pages == NULL) {
                continue;
            }
            uint32_t count = pages->count;
            if (pages != whole_table) {
                count = SETTI_MIN(count, APPLY_STEP_PAGES);
            }
            delta->room_pages += count + 2;          /* 2: for new pages */
            if (pages->size > SETTI_POOL_PAGE_MAX) { /* too large for the pool's blocks */
                reserved = reserved && setti_cow_hold(pool, pool->cow, pages, count);
            } else {
                delta->room += count * apply_piece_size(pages->size);
            }
        }
    }
    if (!reserved) {
        setti_world_no_memory(delta->world, delta->player.call);
    }
    return reserved;
}

/* Reserves `size` bytes for copies of `pages` pages. Sets the world's error on failure. */
static bool apply_reserve(const setti_delta* delta, size_t size, uint32_t pages)
{
    setti_pool* pool = &delta->world->pool;
    if (setti_pool_is_above(pool)) {
        (void)setti_delta_reject_size(delta);
        return false;
    }
    /* a spare page is only taken when memory has run out: too few are left for this step */
    bool reserved = pool->cow->diff != NULL && !pool->cow->spare_taken &&
                    setti_diff_reserve(pool, pool->cow->diff, pages) && setti_pool_hold(pool, size);
    if (!reserved) {
        setti_world_no_memory(delta->world, delta->player.call);
    }
    return reserved;
}

bool setti_delta_room(const setti_delta* delta)
{
    return delta->loading || apply_reserve(delta, delta->room, delta->room_pages);
}

/* Adds to *size the memory for the pages of rows that a sort writes: a copy of each, and a new page
 * in place of each parked page. Returns false if the size overflows, or memory runs out. */
static bool apply_add_rows(const setti_delta* delta, const setti_pages* rows, uint32_t pages,
                           size_t* size)
{
    setti_pool* pool = &delta->world->pool;
    if (rows->size > SETTI_POOL_PAGE_MAX) { /* too large for the pool's blocks */
        return setti_cow_hold(pool, pool->cow, rows, rows->count);
    }
    size_t piece = apply_piece_size(rows->size);
    if (piece > (SIZE_MAX - *size) / 2 / pages) {
        return false;
    }
    *size += 2 * pages * piece;
    return true;
}

bool setti_delta_room_to_arrange(const setti_delta* delta, const setti_storage* storage,
                                 uint32_t extent)
{
    if (delta->loading) {
        return true;
    }
    SETTI_ASSERT(storage->kind == SETTI_SPARSE);
    const setti_pages* rows = &storage->rows;
    uint32_t pages = SETTI_MAX(rows->count, (extent >> storage->shift) + 1);
    size_t presence = storage->presence.count * apply_piece_size(storage->presence.size);
    size_t table = apply_piece_size((size_t)pages * 64); /* the table of pages may grow */
    size_t scratch = 0;                                  /* the buffer of the sort */
    size_t size = delta->room + presence + table;
    bool scratch_fits = setti_multiply(storage->count, SETTI_MAX(storage->size, 8), &scratch);
    if (scratch_fits && scratch <= SETTI_POOL_PAGE_MAX) {
        size += apply_piece_size(scratch); /* a larger buffer is not from the pool's blocks */
    }
    if (!scratch_fits || !apply_add_rows(delta, rows, pages, &size)) {
        setti_world_no_memory(delta->world, delta->player.call);
        return false;
    }
    return apply_reserve(delta, size, delta->room_pages + pages + storage->presence.count);
}

/* ------------------------------------------------------------------------------------- changing */

/* Returns the limit of memory for a delta of `size` bytes. */
static size_t apply_limit(const setti_delta* delta, size_t size)
{
    size_t limit = setti_state_of(delta->world)->options.delta_limit;
    if (limit != 0) {
        return limit;
    }
    size = SETTI_MIN(size, SIZE_MAX / 4 / APPLY_BYTES_A_BYTE); /* no overflow below */
    return size * APPLY_BYTES_A_BYTE + APPLY_BYTES + delta->world->pool.block_size;
}

/* Lists the capacities of all tables, two for each root. Returns NULL when memory runs out. */
static uint32_t* apply_list_capacities(const sett_world* world, size_t size)
{
    uint32_t* capacity = setti_pool_alloc(setti_unconst(&world->pool), size, 16);
    if (capacity == NULL) {
        return NULL;
    }
    for (const setti_root* root = world->roots; root != NULL; root = root->next) {
        for (uint32_t k = 0; k < 2; k++) {
            const setti_pages* pages = root->pages[k];
            capacity[2 * root->number + k] = pages != NULL ? pages->capacity : 0;
        }
    }
    return capacity;
}

/* Frees the memory of an undone delta. The first `roots` roots had the capacities in `capacity`. */
static void apply_free_undone(sett_world* world, const uint32_t* capacity, uint32_t roots)
{
    SETTI_ASSERT(world->pool.ceiling == 0);
    for (const setti_root* root = world->roots; root != NULL && root->number < roots;
         root = root->next) {
        for (uint32_t k = 0; k < 2; k++) {
            if (root->pages[k] != NULL) {
                setti_pages_shrink(&world->pool, root->pages[k], capacity[2 * root->number + k]);
            }
        }
    }
    setti_entity_trim(&world->pool, &world->entities);
    setti_edit_reclaim_signatures(world);
    setti_pool_trim(&world->pool);
}

/* Whether hashes of states must be compared. A part has no hashes. */
static bool apply_has_hashes(const setti_delta* delta)
{
    return !delta->trusted && delta->part == NULL;
}

/* Whether the world's hash equals `hash` in the bits that were sent. */
static bool apply_is_state(const setti_delta* delta, uint64_t hash)
{
    return ((sett_world_hash(delta->world) ^ hash) & delta->hash_mask) == 0;
}

static sett_status apply_reject_result(const setti_delta* delta)
{
    sett_entity entity;
    const char* name;
    if (!setti_delta_find_altered(delta, &entity, &name)) {
        return setti_delta_fail(
            delta, SETT_STATUS_INVALID,
            "the result differs from the sender's state - remove writes from callbacks of this "
            "world, or apply the sender's whole state (sett_state_apply)");
    }
    return setti_world_fail_with(delta->world, SETT_STATUS_INVALID,
                                 "%s: a callback of this world wrote \"%.100s\" of entity %u:%u, "
                                 "a value that the delta sets - let callbacks of this world "
                                 "only read",
                                 delta->player.call, name, SETTI_HANDLE(entity));
}

/* Gives the sender's choices to the types that have choices. */
static void apply_choices(const setti_delta* delta)
{
    for (uint32_t k = 0; k < delta->type_count; k++) {
        setti_type* type = delta->type[k].type;
        if (type->module != NULL && type->module->choose != NULL) {
            type->module->choose(type, delta->type[k].choice);
        }
    }
}

/* Plays a delta, and checks the result. The snapshot `undo` has the first state. A world that is
 * being loaded has no such snapshot. */
static sett_status apply_play(setti_delta* delta, sett_snapshot undo)
{
    sett_world* world = delta->world;
    sett_status status = SETT_OK;
    sett_status find_status;
    if (!delta->loading && !apply_measure(delta)) {
        return world->error;
    }
    setti_pool_set_ceiling(&world->pool, delta->limit);
    const setti_snapshot* before = setti_snapshot_find(world, undo, &find_status);
    SETTI_ASSERT(delta->loading || before != NULL);
    bool played = setti_delta_play(delta);
    if (played && delta->part == NULL) {
        played = setti_delta_arrange(delta, setti_unconst(before));
    }
    if (!played) {
        status = setti_delta_fail_step(delta);
    } else if (world->last_tag != NULL && world->last_tag->storage.count > 1) {
        status = setti_delta_reject(delta, "two entities have singletons");
    } else if (apply_has_hashes(delta) && !apply_is_state(delta, delta->after)) {
        status = apply_reject_result(delta);
    }
    setti_pool_set_ceiling(&world->pool, 0);
    if (status == SETT_OK && delta->part == NULL) {
        apply_choices(delta);
    }
    return status;
}

/* Plays a delta. After a failure, restores the state. */
static sett_status apply_or_undo(setti_delta* delta)
{
    sett_world* world = delta->world;
    setti_state* state = setti_state_of(world);
    SETTI_ASSERT(state != NULL && world->locks == 0);
    sett_snapshot undo;
    setti_state_lift_limit(state); /* so that no older snapshot is dropped to make room */
    sett_status status = setti_snapshot_take(world, &undo, delta->player.call);
    if (status != SETT_OK) {
        setti_state_set_limit(state);
        return status;
    }
    status = apply_play(delta, undo);
    if (status != SETT_OK) {
        (void)sett_world_message(world); /* writes the text while the named entity exists */
        sett_status undo_status = sett_snapshot_status(world, undo);
        if (undo_status == SETT_OK) {
            undo_status = setti_snapshot_undo(world, undo, delta->player.call);
        } else {
            setti_world_fail_with(
                world, undo_status,
                "%s: the %s failed, and memory ran out before it was undone: this "
                "world has a part of it - apply a whole state (sett_state_apply)",
                delta->player.call, setti_delta_noun(delta));
        }
        status = undo_status != SETT_OK ? undo_status : status;
    }
    if (sett_snapshot_status(world, undo) == SETT_OK) { /* not dropped by the undo */
        (void)sett_snapshot_drop(world, undo);
    }
    setti_state_set_limit(state);
    if (status == SETT_OK && !world->pool.small) { /* keeps the memory for the next delta */
        setti_pool_end_hold(&world->pool);
    } else {
        setti_pool_let_go(&world->pool);
    }
    setti_cow_let_go(&world->pool, world->pool.cow);
    world->epoch++;
    return status;
}

static sett_status apply_reject_state(const setti_delta* delta)
{
    if (apply_is_state(delta, delta->after)) {
        return setti_delta_fail(delta, SETT_STATUS_CONFLICT,
                                "this world is in the delta's last state already - skip the delta");
    }
    for (uint32_t k = 0; k < delta->type_count; k++) {
        const setti_delta_type* delta_type = &delta->type[k];
        if (delta_type->padding_hash != setti_type_data(delta_type->type)->padding_hash) {
            return setti_delta_fail(
                delta, SETT_STATUS_CONFLICT,
                "this world differs from the delta's first state: the sender takes other bytes of "
                "\"%.100s\" for padding - register it with the same `members`, `mask` and `bytes` "
                "in both programs",
                delta_type->type->desc.name);
        }
    }
    return setti_delta_fail(
        delta, SETT_STATUS_CONFLICT,
        "this world differs from the delta's first state - apply all deltas in order and change "
        "nothing between them, or begin with the sender's whole state (sett_state_apply)");
}

/* Plays a delta of `size` bytes. After a failure, restores the state, and frees the memory that the
 * delta took. */
static sett_status apply_change(setti_delta* delta, size_t size)
{
    sett_world* world = delta->world;
    if (setti_state_get(world, delta->player.call) == NULL) {
        return world->error;
    }
    uint32_t roots = world->last_root->number + 1;
    size_t old_size = world->pool.block_size;
    uint32_t* capacity = apply_list_capacities(world, 2 * roots * sizeof(*capacity));
    if (capacity == NULL) {
        return setti_world_no_memory(world, delta->player.call);
    }
    delta->limit = apply_limit(delta, size);
    sett_status status = apply_or_undo(delta);
    if (status != SETT_OK && world->pool.block_size > old_size) {
        apply_free_undone(world, capacity, roots);
    }
    setti_pool_free(&world->pool, capacity, 2 * roots * sizeof(*capacity), 16);
    return status;
}

static void apply_end(const setti_delta* delta)
{
    for (uint32_t k = 0; k < delta->types_found; k++) {
        delta->type[k].type->delta_number = 0;
        setti_bytes_free(&delta->world->pool, &delta->type[k].changes);
        setti_bytes_free(&delta->world->pool, &delta->type[k].filtered);
    }
    if (delta->type != NULL) {
        setti_pool_free(&delta->world->pool, delta->type, setti_delta_types_size(delta), 16);
    }
}

static setti_fate apply_fate(const setti_player* player, uint32_t index)
{
    return setti_delta_fate((const setti_delta*)player, index);
}

static bool apply_player_room(const setti_player* player)
{
    return setti_delta_room((const setti_delta*)player);
}

static bool apply_player_reject(const setti_player* player, const setti_type* type, const char* why)
{
    const setti_delta* delta = (const setti_delta*)player;
    return setti_delta_reject(delta, "\"%.100s\": %s", type->desc.name, why) == SETT_OK; /* false */
}

/* Applies recorded commands, then parses and checks a delta. */
static sett_status apply_begin(setti_delta* delta, setti_delta_reader* reader)
{
    sett_world* world = delta->world;
    sett_status status = setti_world_check_unlocked(world, delta->player.call);
    SETTI_ASSERT(!delta->loading || (world->entities.count == 0 && world->listeners == NULL));
    if (status == SETT_OK && !delta->loading) { /* the reader of a file checks the file's types */
        status = setti_values_check(world, delta->player.call);
    }
    delta->player.fate = apply_fate;
    delta->player.room = apply_player_room;
    delta->player.reject = apply_player_reject;
    delta->player.read_data = setti_delta_read_data;
    if (status == SETT_OK) {
        status = setti_commands_apply_all(world, delta->player.call);
    }
    if (status == SETT_OK) {
        status = setti_delta_parse(delta, reader);
    }
    if (status == SETT_OK && apply_has_hashes(delta) && !apply_is_state(delta, delta->before)) {
        status = apply_reject_state(delta);
    }
    if (status == SETT_OK) {
        status = setti_delta_check(delta, reader);
    }
    return status;
}

static sett_status apply_bytes(setti_delta* delta, const void* bytes, size_t size)
{
    setti_delta_reader reader = setti_delta_reader_of(bytes, size);
    const sett_snapshot no_undo = {0, 0};
    sett_status status = apply_begin(delta, &reader);
    if (status == SETT_OK && delta->loading) {
        status = apply_play(delta, no_undo);
    } else if (status == SETT_OK) {
        status = apply_change(delta, size);
    }
    apply_end(delta);
    return status;
}

sett_status setti_delta_apply(sett_world* world, const void* bytes, size_t size, setti_trust trust)
{
    setti_delta delta = {
        .player.call = apply_call, .world = world, .trusted = trust == SETTI_TRUST};
    return apply_bytes(&delta, bytes, size);
}

sett_status setti_delta_apply_from(sett_world* world, const void* bytes, size_t size,
                                   setti_delta_source source, const char* call)
{
    setti_delta delta = {.player.call = call, .world = world, .source = source};
    return apply_bytes(&delta, bytes, size);
}

sett_status setti_delta_apply_part(sett_world* world, const void* bytes, size_t size,
                                   const setti_delta_allowed* allowed, const char* call)
{
    setti_delta delta = {
        .player.call = call, .world = world, .source = SETTI_FROM_SELECTION, .part = allowed};
    return apply_bytes(&delta, bytes, size);
}

sett_status setti_delta_load(sett_world* world, const void* bytes, size_t size, size_t limit,
                             setti_delta_source source)
{
    setti_delta delta = {.player.call = apply_call,
                         .world = world,
                         .loading = true,
                         .source = source,
                         .limit = limit};
    return apply_bytes(&delta, bytes, size);
}

sett_status setti_delta_convert(sett_world* world, const setti_bytes* state,
                                const setti_delta_rules* rules)
{
    setti_delta delta = {.player.call = apply_call,
                         .world = world,
                         .rules = rules,
                         .loading = true,
                         .trusted = true, /* hashes are not compared: converted values differ */
                         .source = SETTI_FROM_FILE};
    return apply_bytes(&delta, state->data, state->size);
}

sett_status sett_delta_apply(sett_world* world, const void* bytes, size_t size)
{
    if (world != NULL && setti_world_lacks_list(world, bytes, size, __func__, "bytes")) {
        return SETT_STATUS_ARGUMENT;
    }
    return setti_delta_apply_from(world, bytes, size, SETTI_FROM_DELTA, __func__);
}

/* test_model_state.c: random operations on a world of every kind of storage, snapshots of it taken,
 * restored and dropped in any order, and after each restore everything compared, byte by byte, with
 * a copy that was made when the snapshot was taken: pages, their addresses and ticks, roots, what
 * cloned values own. A cursor notes all values now and then; whatever is different when it looks
 * again has to be visited by queries for what changed since, however often the world went back and
 * forth in between. Now and then memory runs out.
 *
 *     SETT_SEED=7 SETT_OPERATIONS=10000000 test_model_state
 *
 * SPDX-License-Identifier: MIT
 */
#include "chance.h"
#include "check.h"
#include "owned.h"
#include "sett/state.h"
#include "worlds.h"

#include "base/bits.h"
#include "query/query.h"
#include "state/hash.h"
#include "state/snapshot.h"
#include "world/world.h"

#define HANDLES 6000
#define SNAPSHOTS 12
#define SKIP_FRESH 77

/* ---- Chance ---------------------------------------------------------------------------------- */

static uint64_t chance_state;

static uint64_t chance(void)
{
    return chance_draw(&chance_state);
}

static uint32_t below(uint32_t limit)
{
    return chance_below(&chance_state, limit);
}

static bool one_in(uint32_t n)
{
    return below(n) == 0;
}

/* ---- Memory that can be closed --------------------------------------------------------------- */

static struct {
    bool closed;
    size_t held;
} memory;

static void* memory_alloc(void* user, size_t size, size_t align)
{
    (void)user;
    if (memory.closed) {
        return NULL;
    }
    size_t least = align < sizeof(void*) ? sizeof(void*) : align;
    void* fresh = aligned_alloc(least, (size + least - 1) & ~(least - 1));
    CHECK(fresh != NULL);
    memset(fresh, 0xA5, size);
    memory.held += size;
    return fresh;
}

static void memory_free(void* user, void* address, size_t size, size_t align)
{
    (void)user;
    (void)align;
    memory.held -= size;
    free(address);
}

/* ---- Types ----------------------------------------------------------------------------------- */

static int64_t skipped_alive;

static void skip_init(void* values, uint32_t count, void* user)
{
    uint64_t* v = values;
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        v[k] = SKIP_FRESH;
    }
    skipped_alive += count;
}

static void skip_deinit(void* values, uint32_t count, void* user)
{
    uint64_t* v = values;
    (void)user;
    for (uint32_t k = 0; k < count; k++) {
        CHECK(v[k] != 0xDEAD);
        v[k] = 0xDEAD;
    }
    skipped_alive -= count;
}

enum {
    SMALL = 1,
    TRACKED,
    WIDE,
    PLAIN_SPARSE,
    SPARSE_TAG,
    ORDERED,
    TAG,
    DONT_FRAGMENT_TAG,
    DONT_FRAGMENT,
    OWNED_ARRAY,
    OWNED_SPARSE,
    SKIP_ARRAY,
    SKIP_SPARSE,
    GROUP_A,
    GROUP_B,
    HUGE_SPARSE,
    NEEDY,
    TYPES = NEEDY
};

static const sett_component needed[] = {SMALL};

#define SKIPS .init = skip_init, .deinit = skip_deinit, .save = SETT_SAVE_SKIP
#define SPARSE .storage = SETT_STORAGE_SPARSE_SET

static const sett_component_desc types[] = {
    {.name = "small", .size = 4, .id = SMALL},
    {.name = "tracked", .size = 40, .id = TRACKED, .track_rows = true},
    {.name = "wide", .size = 256, .id = WIDE},
    {.name = "plain_sparse", .size = 12, .id = PLAIN_SPARSE, SPARSE, .track_rows = true},
    {.name = "sparse_tag", .id = SPARSE_TAG, SPARSE},
    {.name = "ordered", .size = 8, .id = ORDERED, .keep_order = true},
    {.name = "tag", .id = TAG},
    {.name = "dont_fragment_tag", .id = DONT_FRAGMENT_TAG, .dont_fragment = true},
    {.name = "dont_fragment", .size = 16, .id = DONT_FRAGMENT, .dont_fragment = true},
    {.name = "owned_array", .id = OWNED_ARRAY, OWNED_TYPE},
    {.name = "owned_sparse", .id = OWNED_SPARSE, OWNED_TYPE, .move = owned_move, SPARSE},
    {.name = "skip_array", .size = 8, .id = SKIP_ARRAY, SKIPS},
    {.name = "skip_sparse", .size = 8, .id = SKIP_SPARSE, SKIPS, SPARSE},
    {.name = "group_a", .size = 20, .align = 4, .id = GROUP_A, SPARSE},
    {.name = "group_b", .id = GROUP_B, OWNED_TYPE, SPARSE},
    {.name = "huge_sparse", .size = 3000, .id = HUGE_SPARSE, SPARSE},
    {.name = "needy", .size = 8, .id = NEEDY, .required = needed, .required_count = 1},
};

static bool is_owned(sett_component id)
{
    return id == OWNED_ARRAY || id == OWNED_SPARSE || id == GROUP_B;
}

static bool is_skipped(sett_component id)
{
    return id == SKIP_ARRAY || id == SKIP_SPARSE;
}

/* ---- The whole state as bytes ---------------------------------------------------------------- */

typedef struct image {
    unsigned char* bytes;
    size_t count;
    size_t capacity;
} image;

static void image_add(image* to, const void* bytes, size_t size)
{
    if (to->count + size > to->capacity) {
        to->capacity = (to->count + size) * 2;
        to->bytes = realloc(to->bytes, to->capacity);
        CHECK(to->bytes != NULL);
    }
    memcpy(to->bytes + to->count, bytes, size);
    to->count += size;
}

static const setti_storage* storage_of_rows(const sett_world* world, const setti_pages* pages)
{
    for (uint32_t k = 0; k < world->registered.count; k++) {
        const setti_storage* storage = &world->registered.item[k]->storage;
        if (pages == &storage->rows) {
            return storage;
        }
    }
    return NULL;
}

static void image_add_pages(image* to, const sett_world* world, const setti_pages* pages)
{
    image_add(to, &pages->count, sizeof(pages->count));
    const setti_storage* storage = storage_of_rows(world, pages);
    for (uint32_t number = 0; number < pages->count; number++) {
        const unsigned char* page = pages->data[number];
        image_add(to, &pages->data[number], sizeof(void*));
        if (page == NULL) {
            continue;
        }
        image_add(to, &pages->tick[number], sizeof(uint64_t));
        if (setti_pages_values(pages) == NULL) {
            image_add(to, page, pages->size);
        } else {
            size_t at = (size_t)setti_storage_rows(storage) * storage->size;
            size_t end = storage->saved != 0 ? storage->saved : pages->size;
            image_add(to, page + at, end - at);
        }
    }
}

static void image_make(image* to, const sett_world* world)
{
    to->count = 0;
    for (const setti_root* root = world->roots; root != NULL; root = root->next) {
        image_add(to, root->address, root->size);
        for (uint32_t k = 0; k < 2; k++) {
            if (root->pages[k] != NULL) {
                image_add_pages(to, world, root->pages[k]);
            }
        }
    }
    for (sett_component id = 1; id <= TYPES; id++) { /* what values own */
        uint32_t cursor = 0;
        const setti_storage* storage = &world->types[id]->storage;
        while (is_owned(id)) {
            uint32_t index = setti_storage_next(storage, &cursor);
            if (index == SETTI_NONE) {
                break;
            }
            const owned* value = setti_storage_find(storage, index);
            image_add(to, value->to, sizeof(int));
            image_add(to, &value->pad, sizeof(value->pad));
        }
    }
}

/* ---- The run --------------------------------------------------------------------------------- */

static struct {
    sett_world* world;
    sett_group* owning;
    sett_group* set;
    sett_query* loop;
    sett_query* gathered;
    sett_query* changed[TYPES + 1];
    sett_entity handle[HANDLES];
    uint32_t handles;
    sett_snapshot snapshot[SNAPSHOTS];
    image copy[SNAPSHOTS];
    uint64_t hash[SNAPSHOTS];
    uint32_t snapshots;
    uint32_t next_byte;
    uint64_t done;
    uint64_t restored;
    uint64_t lost;
    bool quiet; /* memory is closed: calls may fail */
} run;

static void fail(int line, const char* what)
{
    check_failed(__FILE__, line, "operation %llu, seed %llu: %s", (unsigned long long)run.done,
                 (unsigned long long)check_setting("SETT_SEED", 1), what);
}

#define EXPECT(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))

static void validate(void)
{
    const char* reason = "";
    if (sett_world_validate(run.world, &reason) != SETT_OK) {
        fail(__LINE__, reason);
    }
    int64_t skipped = sett_component_count(run.world, SKIP_ARRAY) +
                      (int64_t)sett_component_count(run.world, SKIP_SPARSE);
    EXPECT(skipped == skipped_alive);
}

static sett_entity some_entity(void)
{
    uint32_t count = run.world->entities.count;
    if (count == 0 || one_in(50)) {
        return (sett_entity){below(HANDLES), 1};
    }
    return entity_from(run.world, below(count));
}

static sett_component some_type(void)
{
    return 1 + below(TYPES);
}

static void fill(sett_component id, void* value)
{
    const size_t size = run.world->types[id]->storage.size;
    if (value == NULL || size == 0) {
        return;
    }
    if (is_owned(id)) {
        *((owned*)value)->to = (int)chance();
    } else if (is_skipped(id)) {
        *(uint64_t*)value = chance() | 1u << 20;
    } else {
        memset(value, (int)(run.next_byte++ & 255), size);
    }
}

static void write_some(void)
{
    sett_entity entity = some_entity();
    sett_component id = some_type();
    fill(id, sett_find_mut(run.world, entity, id));
}

static void add_some(void)
{
    sett_entity entity = some_entity();
    sett_component id = some_type();
    fill(id, sett_ensure(run.world, entity, id));
}

static void set_some(void)
{
    sett_entity entity = some_entity();
    sett_component id = some_type();
    if (is_owned(id)) {
        int number = (int)chance();
        owned value = {&number, 9};
        (void)sett_set(run.world, entity, id, &value);
    } else if (!is_skipped(id)) {
        static unsigned char value[4096];
        memset(value, (int)(run.next_byte++ & 255), sizeof(value));
        (void)sett_set(run.world, entity, id, value);
    }
}

static void create_some(void)
{
    static const sett_component bulk[] = {SMALL, TAG, OWNED_SPARSE, GROUP_A, GROUP_B, SKIP_ARRAY};
    if (sett_entity_count(run.world) >= HANDLES) {
        return;
    }
    if (one_in(20)) {
        uint32_t first = below(5);
        (void)sett_entity_create_many(run.world, 1 + below(200), bulk + first, 1 + below(6 - first),
                                      NULL, NULL);
    } else if (one_in(12)) {
        (void)sett_create_with(run.world, (sett_value[]){{.component = SMALL}, {.component = TAG}},
                               1 + below(2));
    } else if (one_in(20)) {
        (void)sett_entity_create_handle(
            run.world, (sett_entity){below(20000), 1 + below(3) + (uint32_t)below(2) * 50});
    } else {
        (void)sett_entity_create(run.world);
    }
}

static void destroy_some(void)
{
    (void)sett_entity_destroy(run.world, some_entity());
}

static void destroy_many(void)
{
    if (one_in(40)) {
        (void)sett_world_clear(run.world);
    } else if (one_in(4)) {
        (void)sett_entity_destroy_with(run.world, some_type());
    } else if (one_in(4)) {
        (void)sett_component_clear(run.world, some_type());
    } else {
        for (uint32_t k = below(200); k > 0; k--) {
            destroy_some();
        }
    }
}

static void record_some(void)
{
    sett_commands* commands = sett_commands_here(run.world);
    if (commands == NULL) {
        return;
    }
    sett_entity entity = one_in(2) ? some_entity() : sett_cmd_create(commands);
    sett_component id = some_type();
    if (!is_owned(id) && !is_skipped(id) && one_in(2)) {
        static unsigned char value[4096];
        (void)sett_cmd_set(commands, entity, id, value);
    } else {
        (void)sett_cmd_add(commands, entity, id);
    }
    if (one_in(4)) {
        (void)sett_cmd_destroy(commands, some_entity());
    }
    if (one_in(3)) {
        (void)sett_commands_apply(commands);
    }
}

static void loop_some(void)
{
    SETT_QUERY_EACH(one_in(2) ? run.loop : run.gathered, b) {
        uint32_t* small = sett_batch_field(b, 0);
        unsigned char* other = sett_batch_field(b, 1);
        bool both = setti_loop_of(b)->query == run.gathered;
        SETT_EACH(b, i) {
            small[i] += 3;
            if (both) {
                other[i * 12] ^= 1;
            }
        }
        if (one_in(3)) {
            break;
        }
    }
}

static void order_some(void)
{
    switch (below(6)) {
    case 0:
        (void)sett_sort(
            run.world,
            &(sett_sort_desc){.component = PLAIN_SPARSE, .key = SETT_KEY_U32, .key_offset = 4});
        break;
    case 1:
        (void)sett_sort(run.world, &(sett_sort_desc){.component = OWNED_SPARSE, .like = SMALL});
        break;
    case 2:
        (void)sett_sort(
            run.world,
            &(sett_sort_desc){.component = GROUP_A, .group = run.owning, .key = SETT_KEY_I32});
        break;
    case 3:
        (void)sett_component_compact(run.world, ORDERED);
        break;
    case 4:
        (void)sett_sort(run.world,
                        &(sett_sort_desc){.component = SKIP_SPARSE, .key = SETT_KEY_U64});
        break;
    default:
        (void)sett_world_trim(run.world);
        break;
    }
}

/* ---- Snapshots ------------------------------------------------------------------------------- */

static void forget(uint32_t k)
{
    image swap = run.copy[k];
    run.snapshots--;
    run.snapshot[k] = run.snapshot[run.snapshots];
    run.copy[k] = run.copy[run.snapshots];
    run.hash[k] = run.hash[run.snapshots];
    run.copy[run.snapshots] = swap;
}

static void forget_lost(void)
{
    for (uint32_t k = run.snapshots; k-- > 0;) {
        sett_status status = sett_snapshot_status(run.world, run.snapshot[k]);
        EXPECT(status == SETT_OK || status == SETT_STATUS_LOST);
        if (status == SETT_STATUS_LOST) {
            EXPECT(setti_state_of(run.world)->options.memory_limit != 0 || run.lost != 0);
            EXPECT(sett_snapshot_restore(run.world, run.snapshot[k]) == SETT_STATUS_LOST);
            forget(k);
        }
    }
}

/* The hash of each snapshot, as it is computed from that of another one, and without any. */
static void compare_snapshot_hashes(void)
{
    for (uint32_t round = 0; round < 2 * run.snapshots; round++) {
        uint32_t k = round / 2;
        uint64_t hash = 0;
        sett_status status;
        for (uint32_t n = 0; n < run.snapshots; n++) {
            setti_snapshot* node = setti_snapshot_find(run.world, run.snapshot[n], &status);
            if (node != NULL && (n == k || round % 2 == 1)) {
                node->summed = false;
            }
        }
        status = sett_snapshot_hash(run.world, run.snapshot[k], &hash);
        EXPECT(status == SETT_OK ? hash == run.hash[k] : run.quiet);
    }
}

static void take(void)
{
    if (run.snapshots == SNAPSHOTS) {
        return;
    }
    (void)sett_commands_apply(sett_commands_here(run.world));
    run.hash[run.snapshots] = sett_world_hash(run.world);
    sett_status status = sett_snapshot_take(run.world, &run.snapshot[run.snapshots]);
    EXPECT(status == SETT_OK || (run.quiet && status == SETT_STATUS_OUT_OF_MEMORY));
    if (status == SETT_OK) {
        image_make(&run.copy[run.snapshots++], run.world);
        compare_snapshot_hashes();
        if (run.quiet) {
            run.lost += setti_state_of(run.world)->lost != 0;
        }
    }
}

/* The hash, from what is known by page, and computed anew. */
static void compare_hash(uint64_t hash)
{
    EXPECT(sett_world_hash(run.world) == hash);
    for (const setti_root* root = run.world->roots; root != NULL; root = root->next) {
        for (uint32_t k = 0; k < 2; k++) {
            if (root->pages[k] != NULL) {
                setti_notes_forget_all(root->pages[k]);
            }
        }
    }
    EXPECT(sett_world_hash(run.world) == hash);
}

/* What SKIP values there are, by entity. */
static struct {
    uint32_t generation;
    uint64_t value;
} skipped[2][65536];

static void note_skipped(bool check)
{
    static const sett_component ids[2] = {SKIP_ARRAY, SKIP_SPARSE};
    for (uint32_t t = 0; t < 2; t++) {
        for (uint32_t index = 0; index < 65536; index++) {
            sett_entity entity = sett_entity_at(run.world, index);
            const uint64_t* value =
                sett_is_null(entity) ? NULL : sett_find(run.world, entity, ids[t]);
            if (!check) {
                skipped[t][index].generation = value != NULL ? entity.generation : 0;
                skipped[t][index].value = value != NULL ? *value : 0;
            } else if (value != NULL) {
                bool kept = skipped[t][index].generation == entity.generation;
                EXPECT(*value == (kept ? skipped[t][index].value : SKIP_FRESH));
            }
        }
        if (run.world->entities.pages.count == 0) {
            continue;
        }
    }
}

static void compare(const image* with)
{
    static image now;
    image_make(&now, run.world);
    for (size_t k = 0; k < SETTI_MIN(now.count, with->count); k++) {
        if (now.bytes[k] != with->bytes[k]) {
            check_failed(__FILE__, __LINE__, "operation %llu, seed %llu: byte %zu of %zu",
                         (unsigned long long)run.done,
                         (unsigned long long)check_setting("SETT_SEED", 1), k, now.count);
        }
    }
    EXPECT(now.count == with->count);
}

/* ---- What a restore tells -------------------------------------------------------------------- */

#define NOTED 20480

/* Of each index: who lives there, what it has, and what its values amount to. */
typedef struct note {
    uint32_t generation;
    uint32_t has;
    uint64_t value[TYPES + 1];
} note;

static struct {
    note before[NOTED];
    uint32_t notified; /* items */
    uint32_t due;
    bool on;
} noted;

static note note_of(uint32_t index)
{
    note n;
    memset(&n, 0, sizeof(n));
    sett_entity entity = sett_entity_at(run.world, index);
    n.generation = entity.generation;
    for (sett_component id = 1; id <= TYPES && !sett_is_null(entity); id++) {
        const void* value = sett_find(run.world, entity, id);
        if (value != NULL) {
            setti_hash_type of;
            setti_hash_begin(&of, run.world->types[id]);
            n.has |= 1u << id;
            n.value[id] = setti_hash_value(&of, entity, value);
        }
    }
    return n;
}

static uint32_t note_count(uint32_t bits)
{
    return setti_bits_count(bits);
}

/* How many items the difference between two notes of an index makes. */
static uint32_t note_due(const note* was, const note* is)
{
    if (was->generation != is->generation) {
        return (uint32_t)(was->generation != 0) + (uint32_t)(is->generation != 0) +
               note_count(was->has) + note_count(is->has);
    }
    uint32_t due = note_count(was->has ^ is->has);
    for (sett_component id = 1; id <= TYPES; id++) {
        due += (was->has & is->has & 1u << id) != 0 && was->value[id] != is->value[id];
    }
    return due;
}

static void check_item(const sett_restored* item)
{
    const note* was = &noted.before[item->entity.index];
    note is = note_of(item->entity.index);
    bool before = was->generation == item->entity.generation;
    bool after = is.generation == item->entity.generation;
    bool had = before && (was->has >> item->component & 1) != 0;
    bool has = after && (is.has >> item->component & 1) != 0;
    switch (item->kind) {
    case SETT_RESTORED_KILLED:
        EXPECT(before && !after);
        break;
    case SETT_RESTORED_REVIVED:
        EXPECT(!before && after);
        break;
    case SETT_RESTORED_REMOVED:
        EXPECT(had && !has);
        break;
    case SETT_RESTORED_ADDED:
        EXPECT(!had && has);
        break;
    case SETT_RESTORED_CHANGED:
        EXPECT(had && has && was->value[item->component] != is.value[item->component]);
        break;
    }
}

static void notified(sett_world* world, const sett_restored* items, uint32_t count, void* user)
{
    (void)user;
    EXPECT(sett_entity_create(world).generation == 0); /* locked */
    for (uint32_t k = 0; noted.on && k < count; k++) {
        EXPECT(k == 0 || memcmp(&items[k - 1], &items[k], sizeof(*items)) != 0);
        check_item(&items[k]);
    }
    noted.notified = count;
}

static void note_all(bool check)
{
    noted.due = 0;
    for (uint32_t index = 0; index < NOTED; index++) {
        if (check) {
            note is = note_of(index);
            noted.due += note_due(&noted.before[index], &is);
        } else {
            noted.before[index] = note_of(index);
        }
    }
}

/* ---- What a cursor sees ---------------------------------------------------------------------- */

static struct {
    note seen[NOTED];
    uint64_t since; /* when all of that was so; 0: never yet */
    uint64_t visited;
    uint64_t passed; /* values that were the same, and not visited */
} cursor;

static void cursor_note(void)
{
    for (uint32_t index = 0; index < NOTED; index++) {
        cursor.seen[index] = note_of(index);
    }
    cursor.since = sett_world_tick(run.world);
    (void)sett_world_advance_tick(run.world);
}

/* Whether a value that is there now is not what the cursor saw. */
static bool cursor_differs(uint32_t index, sett_component id)
{
    const note* was = &cursor.seen[index];
    note is = note_of(index);
    return was->generation != is.generation || (was->has >> id & 1) == 0 ||
           was->value[id] != is.value[id];
}

static void cursor_check(void)
{
    static bool visited[NOTED];
    for (sett_component id = 1; id <= TYPES && cursor.since != 0; id++) {
        memset(visited, 0, sizeof(visited));
        if (run.changed[id] == NULL) {
            continue; /* dont_fragment: no query names it */
        }
        sett_query_set_since(run.changed[id], cursor.since);
        SETT_QUERY_EACH(run.changed[id], b) {
            SETT_EACH(b, i) {
                sett_entity entity = sett_batch_entity(b, i);
                EXPECT(sett_changed_tick(run.world, entity, id) > cursor.since);
                visited[entity.index] = true;
                cursor.visited++;
            }
        }
        for (uint32_t index = 0; index < NOTED; index++) {
            sett_entity entity = sett_entity_at(run.world, index);
            if (!visited[index] && !sett_is_null(entity) && sett_has(run.world, entity, id)) {
                EXPECT(!cursor_differs(index, id));
                EXPECT(sett_changed_tick(run.world, entity, id) <= cursor.since);
                cursor.passed++;
            }
        }
    }
}

static void look(void)
{
    if (!run.quiet) {
        cursor_check();
        cursor_note();
    }
}

static void restore(void)
{
    if (run.snapshots == 0) {
        return;
    }
    uint32_t k = below(run.snapshots);
    bool look = one_in(20);
    if (look) {
        sett_commands_clear(sett_commands_here(run.world));
        note_skipped(false);
        note_all(false);
    }
    noted.on = look;
    sett_snapshot_options options = {.restored = look || one_in(4) ? notified : NULL};
    (void)sett_snapshot_set_options(run.world, &options);
    uint32_t epoch = run.world->epoch;
    uint64_t tick = sett_world_tick(run.world);
    sett_status status = sett_snapshot_restore(run.world, run.snapshot[k]);
    if (status != SETT_OK) {
        EXPECT(run.quiet);
        return;
    }
    EXPECT(run.world->epoch != epoch);
    EXPECT(sett_world_tick(run.world) > tick);
    compare(&run.copy[k]);
    if (look) {
        note_skipped(true);
        note_all(true);
        EXPECT(noted.notified == noted.due);
    }
    compare_hash(run.hash[k]);
    run.restored++;
}

static void drop(void)
{
    if (run.snapshots == 0) {
        return;
    }
    uint32_t k = below(run.snapshots);
    sett_snapshot ended = run.snapshot[k];
    if (sett_snapshot_status(run.world, ended) == SETT_OK) {
        EXPECT(sett_snapshot_drop(run.world, ended) == SETT_OK);
        EXPECT(sett_snapshot_drop(run.world, ended) == SETT_STATUS_STALE);
        EXPECT(sett_snapshot_restore(run.world, ended) == SETT_STATUS_STALE);
        forget(k);
    }
}

/* Memory is closed for a while: what fails, fails, and what is lost, says so. */
static void starve(void)
{
    run.quiet = !run.quiet;
    memory.closed = run.quiet;
    if (!run.quiet) {
        run.lost += setti_state_of(run.world) != NULL ? setti_state_of(run.world)->lost : 0;
        forget_lost();
        validate();
    }
}

static void operate(void)
{
    uint32_t n = below(1000);
    if (n < 300) {
        add_some();
    } else if (n < 420) {
        create_some();
    } else if (n < 480) {
        destroy_some();
    } else if (n < 590) {
        (void)sett_remove(run.world, some_entity(), some_type());
    } else if (n < 760) {
        write_some();
    } else if (n < 850) {
        set_some();
    } else if (n < 880) {
        record_some();
    } else if (n < 890) {
        loop_some();
    } else if (n < 900) {
        order_some();
    } else if (n < 902) {
        destroy_many();
    } else if (n < 904) {
        (void)sett_world_advance_tick(run.world);
    } else if (n < 905) {
        (void)sett_entity_reserve(run.world, below(3000));
    } else if (n < 920) {
        take();
    } else if (n < 930) {
        restore();
    } else if (n < 936) {
        drop();
    } else if (n < 942) {
        look();
    }
}

static void begin(void)
{
    sett_world_desc desc = {.log_fn = sett_log_silent,
                            .allocator = {memory_alloc, memory_free, NULL, NULL}};
    run.world = sett_world_create(&desc);
    CHECK(run.world != NULL);
    for (uint32_t k = 0; k < sizeof(types) / sizeof(types[0]); k++) {
        CHECK_EQ(sett_component_register(run.world, &types[k]), types[k].id);
    }
    sett_group_desc owning = {.name = "owning", .owned = {GROUP_A, GROUP_B}};
    sett_group_desc set = {.name = "set", .with = {SMALL, TAG}, .without = {WIDE}};
    run.owning = sett_group_create(run.world, &owning);
    run.set = sett_group_create(run.world, &set);
    sett_query_desc loop = {
        .terms = {{.component = SMALL, .access = SETT_INOUT, .kind = SETT_WITH}}};
    sett_query_desc gathered = {
        .terms = {{.component = SMALL, .access = SETT_INOUT, .kind = SETT_WITH},
                  {.component = PLAIN_SPARSE, .access = SETT_INOUT, .kind = SETT_WITH}}};
    run.loop = sett_query_create(run.world, &loop);
    run.gathered = sett_query_create(run.world, &gathered);
    for (sett_component id = 1; id <= TYPES; id++) {
        sett_query_desc changed = {
            .terms = {{.component = id, .access = SETT_NONE, .kind = SETT_WITH, .changed = true}}};
        bool named = id != DONT_FRAGMENT && id != DONT_FRAGMENT_TAG;
        run.changed[id] = named ? sett_query_create(run.world, &changed) : NULL;
        CHECK(!named || run.changed[id] != NULL);
    }
    cursor.since = 0;
    CHECK(run.owning != NULL && run.set != NULL && run.loop != NULL && run.gathered != NULL);
    run.snapshots = 0;
    run.quiet = false;
    run.lost = 0;
}

static void end(void)
{
    sett_world_destroy(run.world);
    CHECK_EQ(owned_alive, 0);
    CHECK_EQ(skipped_alive, 0);
    CHECK_EQ(memory.held, 0);
    for (uint32_t k = 0; k < SNAPSHOTS; k++) {
        free(run.copy[k].bytes);
        run.copy[k] = (image){NULL, 0, 0};
    }
}

static void restoring_brings_back_every_byte(void)
{
    uint64_t operations = check_setting("SETT_OPERATIONS", CHECK_ROUNDS(80000));
    chance_state = check_setting("SETT_SEED", 1);
    begin();
    for (run.done = 0; run.done < operations; run.done++) {
        operate();
        check_print(run.done, operations);
        if (run.done < 5000 ? run.done % 16 == 0 : run.done % 997 == 0) {
            validate();
        }
    }
    validate();
    printf("  %llu restored, a cursor visited %llu values and passed %llu\n",
           (unsigned long long)run.restored, (unsigned long long)cursor.visited,
           (unsigned long long)cursor.passed);
    CHECK(run.restored != 0 && cursor.visited != 0 && cursor.passed != 0);
    end();
}

static void running_out_of_memory_loses_snapshots_and_nothing_else(void)
{
    uint64_t operations = check_setting("SETT_OPERATIONS", CHECK_ROUNDS(240000)) / 4;
    chance_state = check_setting("SETT_SEED", 1) + 1;
    begin();
    for (run.done = 0; run.done < operations; run.done++) {
        if (one_in(run.quiet ? 15 : 30)) {
            starve();
        }
        operate();
        check_print(run.done, operations);
        if (run.done % 251 == 0) {
            validate();
        }
    }
    memory.closed = false;
    validate();
    CHECK(run.lost != 0);
    end();
}

TEST_MAIN(TEST(restoring_brings_back_every_byte),
          TEST(running_out_of_memory_loses_snapshots_and_nothing_else))

/* follow.c: the replica behind the inspector's page: a world that follows a stream (docs/stream.md)
 * and can go to each of its frames. It is compiled for WebAssembly, with Sett's amalgamation in
 * it, and for tests as a program of this machine.
 *
 * The workload: a keyframe, then a delta for each frame, some kilobytes each, for minutes; a reader
 * who drags a slider over them, asks for 40 rows of a tree of 100,000 entities, and for what
 * differs between two frames.
 *
 *     entries  0 state -> 1 delta -> 2 delta -> 3 delta -> 4 delta ...    each knows its parent
 *              |                               \
 *              snapshot       snapshot          5 delta -> 6 delta        another branch
 *
 * A snapshot is taken where playing deltas from the last one has cost FOLLOW_STEP milliseconds;
 * going to an entry restores the nearest snapshot before it and plays from there. Snapshots share
 * the pages that do not differ. Checksums find damage in a record at once; that states are those of
 * the sender is seen where a snapshot is taken, by the hash.
 *
 * Invariant:  an entry is reached from a snapshot or a state by playing its ancestors in order
 *
 * SPDX-License-Identifier: MIT
 */
#include "sett.c"

#if defined(__wasm__)
#define EXPORT(name) __attribute__((export_name(#name)))
#else
#define EXPORT(name)
#endif

#define FOLLOW_STEP 8.0     /* milliseconds of deltas between two snapshots */
#define FOLLOW_FIXED 4000.0 /* bytes that cost what a delta costs beside its bytes */
#define FOLLOW_NEAR 64      /* snapshots of neighbouring frames, for going back step by step */
#define FOLLOW_CHANGES 5000 /* values that a difference lists */
#define FOLLOW_WORLDS 16
#define FOLLOW_ROW 8 /* numbers that follow_entries writes for each */

typedef struct follow_text {
    char* data;
    size_t size, capacity;
} follow_text;

typedef struct follow_entry {
    uint64_t frame, hash;
    unsigned char* bytes; /* of a delta; of a state until it is played */
    unsigned char* types; /* to be registered before, or NULL */
    uint32_t size, types_size;
    uint32_t parent; /* sequence number; SETTI_NONE: it is a state */
    uint32_t begun, ended;
    uint32_t branch;
    uint8_t world;
    bool played; /* once */
    bool dead;   /* cannot be reached any more */
    bool near_by;
    sett_snapshot snapshot;
} follow_entry;

typedef struct follow_change {
    uint32_t component; /* 0: the entity itself */
    sett_entity was, is;
    uint32_t before, after; /* offsets in `values`; SETTI_NONE: none */
} follow_change;

static struct {
    /* what was fed and is not parsed yet */
    follow_text in, payload, types, input;
    uint64_t identity;
    uint64_t frame;    /* of the latest record */
    uint32_t kind;     /* of the payload that is being joined */
    bool open;         /* a header was read */
    bool fresh;        /* and no state after it */
    char why[512];     /* the last failure */
    follow_text notes; /* times and log: kind, frame, size, bytes */

    follow_entry* entry;
    uint32_t first, end, capacity; /* sequence numbers; entry[0] is `first` */
    uint32_t tail;                 /* where the next delta belongs */
    uint32_t branch, branches;
    uint32_t at; /* where `world` is */
    sett_world* worlds[FOLLOW_WORLDS];
    sett_world* world;
    uint8_t world_number;
    double bytes, limit;
    double rate; /* milliseconds a byte of playing a delta again */

    /* the tree as it is shown */
    uint32_t* row;
    uint8_t* depth;
    uint32_t rows, row_capacity;
    uint64_t* open_bits;
    uint32_t open_words;
    sett_search* search;
    char query[4096];
    char find[256];
    uint32_t version; /* of what is shown */

    follow_change* change;
    uint32_t changes, changes_all, changes_entities;
    follow_text values;
    follow_text out;
    double info[16];
} f = {.limit = 384e6, .rate = 6e-6, .at = SETTI_NONE, .tail = SETTI_NONE};

static bool follow_room(follow_text* text, size_t size)
{
    if (size > text->capacity - text->size) {
        size_t capacity = (text->size + size) * 2;
        char* data = realloc(text->data, capacity);
        if (data == NULL) {
            return false;
        }
        text->data = data;
        text->capacity = capacity;
    }
    return true;
}

static bool follow_add(follow_text* text, const void* bytes, size_t size)
{
    if (!follow_room(text, size)) {
        return false;
    }
    if (size != 0) {
        memcpy(text->data + text->size, bytes, size);
    }
    text->size += size;
    return true;
}

static int follow_fail(const char* why)
{
    snprintf(f.why, sizeof(f.why), "%s", why);
    return -1;
}

static double follow_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static follow_entry* follow_at(uint32_t number)
{
    return number >= f.first && number < f.end ? &f.entry[number - f.first] : NULL;
}

static double follow_memory(void)
{
    double size = f.bytes;
    for (uint32_t k = 0; k < FOLLOW_WORLDS; k++) {
        size += f.worlds[k] != NULL ? (double)f.worlds[k]->pool.block_size : 0;
    }
    return size;
}

/* -------------------------------------------------------------------------------------- playing */

/* Registers a relationship that a record of types names; a program has registered it by itself. */
static bool follow_relation(sett_world* world, const types_entry* type, uint32_t data_size)
{
    sett_relationship_desc desc;
    memset(&desc, 0, sizeof(desc));
    desc.name = type->name;
    desc.many = type->form == SETTI_DELTA_LINKS;
    desc.storage = type->desc.storage;
    desc.size = data_size;
    return sett_relationship_register(world, &desc) != 0;
}

/* A type in the head of a delta: its name, and the bytes a value takes there. */
typedef struct follow_type {
    const unsigned char* name; /* NULL: the bytes ended */
    size_t length;
    uint32_t size;
} follow_type;

static follow_type follow_next_type(setti_delta_reader* from)
{
    follow_type type = {NULL, (size_t)setti_delta_number(from, 2), 0};
    type.name = setti_delta_read(from, type.length);
    (void)setti_delta_read(from, 1 + 4 + 4);
    type.size = setti_delta_u32(from);
    (void)setti_delta_read(from, 8 + 3 * 4 + 4);
    return type;
}

/* The counts in the head of a delta: types, runs of handles that ended, that began, others. */
static setti_delta_reader follow_head(const follow_entry* entry, uint32_t counts[4])
{
    setti_delta_reader from = {entry->bytes, entry->bytes + entry->size, false};
    (void)setti_delta_read(&from, SETTI_DELTA_COUNTS);
    for (uint32_t k = 0; k < 4; k++) {
        counts[k] = setti_delta_u32(&from);
    }
    return from;
}

/* Bytes of data of a link, from the delta that brings values of this type. */
static uint32_t follow_link_size(const follow_entry* entry, const types_entry* type)
{
    uint32_t counts[4];
    setti_delta_reader from = follow_head(entry, counts);
    for (uint32_t k = 0; k < counts[0] && !from.short_of; k++) {
        follow_type of = follow_next_type(&from);
        if (of.name != NULL && of.length == strlen(type->name) &&
            memcmp(of.name, type->name, of.length) == 0) {
            return of.size >= 8 ? of.size - 8 : 0;
        }
    }
    return type->form == SETTI_DELTA_LINK && type->desc.size > 16 ? type->desc.size - 16 : 0;
}

/* Registers a type as the stream has it. One that is known was read from the same stream. */
static sett_status follow_register_type(sett_world* world, const follow_entry* entry,
                                        const types_entry* type)
{
    uint32_t unknown = 0;
    if (sett_component_find(world, type->name) != 0) {
        return SETT_OK;
    }
    bool links = type->form == SETTI_DELTA_LINK || type->form == SETTI_DELTA_LINKS;
    if (!links) {
        return types_add(world, type, &unknown);
    }
    sett_status status = setti_delta_register_own(world, type->name);
    if (status == SETT_OK && sett_component_find(world, type->name) == 0) {
        status =
            follow_relation(world, type, follow_link_size(entry, type)) ? SETT_OK : world->error;
    }
    return status;
}

static sett_status follow_register(sett_world* world, const follow_entry* entry)
{
    setti_arena arena;
    types_entry type;
    memset(&arena, 0, sizeof(arena));
    arena.allocator = &world->pool.allocator;
    setti_delta_reader from = {entry->types, entry->types + entry->types_size, false};
    uint32_t count = setti_delta_u32(&from);
    sett_status status = SETT_OK;
    for (uint32_t k = 0; status == SETT_OK && k < count; k++) {
        setti_arena_reset(&arena);
        status = types_next(&from, &arena, &type)
                     ? follow_register_type(world, entry, &type)
                     : setti_world_fail_with(world, SETT_STATUS_INVALID,
                                             "a type has no proper name, options or members");
    }
    setti_arena_deinit(&arena);
    return status;
}

static void follow_forget_view(void)
{
    f.version++;
    f.rows = 0;
}

static void follow_world(uint8_t number)
{
    f.world = f.worlds[number];
    f.world_number = number;
    f.search = NULL;
    follow_forget_view();
}

/* Plays a state into a new world. */
static int follow_load(follow_entry* entry)
{
    uint8_t number = 0;
    while (number < FOLLOW_WORLDS && f.worlds[number] != NULL) {
        number++;
    }
    if (number == FOLLOW_WORLDS) {
        return follow_fail("too many streams: close the page and open it again");
    }
    sett_world* world = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent});
    if (world == NULL) {
        return follow_fail("memory ran out");
    }
    size_t limit = ((size_t)64 << 20) + 64 * (size_t)entry->size;
    sett_status status = entry->types != NULL ? follow_register(world, entry) : SETT_OK;
    if (status == SETT_OK) {
        status = setti_delta_load(world, entry->bytes, entry->size, limit);
    }
    if (status == SETT_OK) {
        status = sett_snapshot_take(world, &entry->snapshot);
    }
    if (status != SETT_OK) {
        follow_fail(sett_world_message(world));
        sett_world_destroy(world);
        entry->dead = true;
        return -1;
    }
    f.worlds[number] = world;
    entry->world = number;
    entry->played = true;
    f.bytes -= entry->size;
    free(entry->bytes);
    entry->bytes = NULL;
    return 0;
}

/* Milliseconds of playing from the last snapshot to here. */
static double follow_distance(uint32_t number)
{
    double cost = 0;
    const follow_entry* entry = follow_at(number);
    while (entry != NULL && (entry->snapshot.serial == 0 || entry->near_by)) {
        cost += f.rate * ((double)entry->size + FOLLOW_FIXED);
        entry = follow_at(entry->parent);
    }
    return cost;
}

/* Plays one entry in its world, which is in the state before it. */
static int follow_play(uint32_t number)
{
    follow_entry* entry = follow_at(number);
    double start = follow_clock();
    if (entry->parent == SETTI_NONE) {
        if (follow_load(entry) != 0) {
            return -1;
        }
        follow_world(entry->world);
    } else {
        entry->world = follow_at(entry->parent)->world;
        sett_status status = SETT_OK;
        /* A hash costs more than the delta: it is compared where a snapshot will be taken. */
        bool trust = entry->played || follow_distance(number) <= FOLLOW_STEP;
        if (!entry->played && entry->types != NULL) {
            status = follow_register(f.world, entry);
        }
        if (status == SETT_OK) {
            status = setti_delta_apply(f.world, entry->bytes, entry->size, trust);
        }
        if (status != SETT_OK) {
            entry->dead = true;
            return follow_fail(sett_world_message(f.world));
        }
        entry->played = true;
        if (trust) {
            double rate = (follow_clock() - start) / ((double)entry->size + FOLLOW_FIXED);
            f.rate = SETTI_MIN(rate, f.rate * 1.01); /* without the copies behind a snapshot */
        }
    }
    f.at = number;
    f.version++;
    return 0;
}

static bool follow_take(follow_entry* entry)
{
    return entry->snapshot.serial != 0 || sett_snapshot_take(f.world, &entry->snapshot) == SETT_OK;
}

static void follow_drop(follow_entry* entry)
{
    if (entry->snapshot.serial != 0) {
        (void)sett_snapshot_drop(f.worlds[entry->world], entry->snapshot);
        entry->snapshot = (sett_snapshot){0, 0};
    }
    entry->near_by = false;
}

/* Snapshots of neighbours, taken while going back, are dropped outside of [from, to]. */
static void follow_drop_near(uint32_t from, uint32_t to)
{
    for (uint32_t k = f.first; k < f.end; k++) {
        follow_entry* entry = follow_at(k);
        if (entry->near_by && (k < from || k > to)) {
            follow_drop(entry);
        }
    }
}

/* Goes to an entry, for at most `budget` milliseconds.
 * Returns 1: there; 0: on the way; -1: it cannot be reached, follow_why says why. */
EXPORT(follow_seek) int follow_seek(uint32_t target, double budget)
{
    static uint32_t way[1 << 16];
    uint32_t count = 0;
    uint32_t at = target;
    double start = follow_clock();
    if (follow_at(target) == NULL) {
        return follow_fail("this frame is not kept any more");
    }
    if (f.at == target && f.world != NULL) {
        return 1;
    }
    bool back = f.at != SETTI_NONE && target < f.at;
    while (at != f.at) {
        follow_entry* entry = follow_at(at);
        if (entry == NULL || entry->dead) {
            return follow_fail("this frame cannot be reached: what comes before it is not kept");
        }
        if (entry->snapshot.serial != 0 || entry->parent == SETTI_NONE) {
            break;
        }
        way[count++ & 0xffff] = at; /* of a longer way: the first ones */
        at = entry->parent;
    }
    follow_entry* entry = follow_at(at);
    if (at != f.at && entry->snapshot.serial != 0) {
        if (f.world_number != entry->world || f.world == NULL) {
            follow_world(entry->world);
        }
        if (sett_snapshot_restore(f.world, entry->snapshot) != SETT_OK) {
            return follow_fail(sett_world_message(f.world));
        }
        f.at = at;
        f.version++;
    } else if (at != f.at) {
        way[count++ & 0xffff] = at;
    }
    if (back && count > 1) {
        follow_drop_near(at, target);
    }
    while (count != 0) {
        uint32_t number = way[--count & 0xffff];
        if (follow_at(number)->parent != f.at && follow_at(number)->parent != SETTI_NONE) {
            return 0; /* a very long way: the next call goes on */
        }
        if (follow_play(number) != 0) {
            return -1;
        }
        entry = follow_at(number);
        if (back && count < FOLLOW_NEAR && entry->snapshot.serial == 0) {
            entry->near_by = follow_take(entry);
        } else if (follow_distance(number) > FOLLOW_STEP) {
            (void)follow_take(entry);
        }
        if (count != 0 && follow_clock() - start > budget) {
            return 0;
        }
    }
    return 1;
}

/* --------------------------------------------------------------------------------------- memory */

static void follow_free(follow_entry* entry)
{
    follow_drop(entry);
    f.bytes -= (entry->bytes != NULL ? entry->size : 0) + sizeof(*entry);
    free(entry->bytes);
    free(entry->types);
}

/* Frees worlds to which no entry leads any more. */
static void follow_free_worlds(void)
{
    bool used[FOLLOW_WORLDS] = {false};
    for (uint32_t k = f.first; k < f.end; k++) {
        const follow_entry* entry = follow_at(k);
        if (entry->played) {
            used[entry->world] = true;
        }
    }
    for (uint8_t k = 0; k < FOLLOW_WORLDS; k++) {
        if (f.worlds[k] != NULL && !used[k] && f.worlds[k] != f.world) {
            sett_world_destroy(f.worlds[k]);
            f.worlds[k] = NULL;
        }
    }
}

/* Forgets the oldest entries, up to a snapshot or a state, until memory is below the limit. */
static void follow_evict(void)
{
    while (follow_memory() > f.limit && f.end - f.first > 2) {
        uint32_t keep = f.first + 1;
        while (keep < f.end - 1 && follow_at(keep)->parent != SETTI_NONE &&
               (follow_at(keep)->snapshot.serial == 0 || follow_at(keep)->near_by)) {
            keep++;
        }
        if (keep >= f.end - 1 || keep > f.tail) {
            return;
        }
        uint32_t gone = keep - f.first;
        for (uint32_t k = f.first; k < keep; k++) {
            follow_free(follow_at(k));
        }
        memmove(f.entry, f.entry + gone, (f.end - keep) * sizeof(*f.entry));
        f.first = keep;
        for (uint32_t k = f.first; k < f.end; k++) {
            follow_entry* entry = follow_at(k);
            const follow_entry* parent = follow_at(entry->parent);
            if (entry->parent != SETTI_NONE && entry->snapshot.serial == 0 &&
                (parent == NULL || parent->dead)) {
                entry->dead = true;
            }
        }
        follow_free_worlds();
    }
}

/* -------------------------------------------------------------------------------------- reading */

static uint64_t follow_number(const void* from, size_t size)
{
    return stream_get(from, size);
}

/* Counts the entities that begin or end in a delta. */
static void follow_count(follow_entry* entry)
{
    uint32_t counts[4];
    setti_delta_reader from = follow_head(entry, counts);
    for (uint32_t k = 0; k < counts[0] && !from.short_of; k++) {
        (void)follow_next_type(&from);
    }
    for (uint32_t part = 1; part < 3; part++) {
        for (uint32_t k = 0; k < counts[part] && !from.short_of; k++) {
            (void)setti_delta_read(&from, 8);
            *(part == 1 ? &entry->ended : &entry->begun) += (uint32_t)setti_delta_number(&from, 1);
        }
    }
}

static bool follow_append(bool state)
{
    if (f.end - f.first == f.capacity) {
        uint32_t capacity = f.capacity * 2 + 256;
        follow_entry* list = realloc(f.entry, capacity * sizeof(*list));
        if (list == NULL) {
            return false;
        }
        f.entry = list;
        f.capacity = capacity;
    }
    follow_entry* entry = &f.entry[f.end - f.first];
    memset(entry, 0, sizeof(*entry));
    entry->frame = f.frame;
    entry->parent = state ? SETTI_NONE : f.tail;
    entry->size = (uint32_t)f.payload.size;
    entry->bytes = malloc(f.payload.size + 1);
    if (entry->bytes == NULL) {
        return false;
    }
    memcpy(entry->bytes, f.payload.data, f.payload.size);
    entry->hash = f.payload.size >= 24 ? follow_number(entry->bytes + 16, 8) : 0;
    if (f.types.size != 0) {
        entry->types = (unsigned char*)f.types.data;
        entry->types_size = (uint32_t)f.types.size;
        f.types = (follow_text){NULL, 0, 0};
    }
    entry->branch = f.branch;
    if (!state) {
        follow_count(entry);
    }
    f.bytes += (double)entry->size + (double)sizeof(*entry);
    f.tail = f.end++;
    return true;
}

/* The entry that is in this state at this frame; SETTI_NONE if there is none. */
static uint32_t follow_find_state(uint64_t frame, uint64_t hash)
{
    for (uint32_t k = f.end; k-- > f.first;) {
        const follow_entry* entry = follow_at(k);
        if (entry->frame == frame && entry->hash == hash && !entry->dead) {
            return k;
        }
    }
    return SETTI_NONE;
}

static bool follow_state(void)
{
    uint64_t hash = f.payload.size >= 24 ? follow_number(f.payload.data + 16, 8) : 0;
    uint32_t same = follow_find_state(f.frame, hash);
    if (same == f.tail && same != SETTI_NONE) {
        return true; /* a keyframe on the way */
    }
    f.branch = f.end != 0 ? ++f.branches : 0;
    if (same != SETTI_NONE) {
        f.tail = same;
        return true;
    }
    return follow_append(true);
}

static bool follow_note(void)
{
    uint32_t head[4] = {f.kind, (uint32_t)f.payload.size, (uint32_t)f.frame,
                        (uint32_t)(f.frame >> 32)};
    if (f.notes.size > ((size_t)16 << 20)) {
        f.notes.size = 0; /* there is no reader */
    }
    return follow_add(&f.notes, head, sizeof(head)) &&
           follow_add(&f.notes, f.payload.data, f.payload.size);
}

static bool follow_record(void)
{
    switch (f.kind) {
    case SETTI_STREAM_TYPES:
        f.types.size = 0;
        return follow_add(&f.types, f.payload.data, f.payload.size);
    case SETTI_STREAM_STATE:
    case SETTI_STREAM_KEYFRAME:
        if (f.fresh || f.tail == SETTI_NONE) {
            f.fresh = false;
            return follow_state();
        }
        return true;
    case SETTI_STREAM_DELTA:
        return f.tail == SETTI_NONE || follow_append(false);
    case SETTI_STREAM_END:
        f.open = false;
        return true;
    case SETTI_STREAM_TIMES:
    case SETTI_STREAM_LOG:
        return follow_note();
    default:
        return true;
    }
}

/* Takes one header or record from the start of `in`. Returns its bytes, 0 if it is not whole yet,
 * -1 if it is damaged. */
static long follow_take_piece(const unsigned char* in, size_t size)
{
    if (size >= SETTI_STREAM_HEADER && memcmp(in, stream_magic, 8) == 0) {
        if (follow_number(in + 24, 8) != setti_checksum(0, in, 24)) {
            return follow_fail("the head of the stream is damaged");
        }
        if (follow_number(in + 8, 4) != SETTI_STREAM_VERSION) {
            return follow_fail("the stream is of another version of the format");
        }
        f.identity = follow_number(in + 16, 8);
        f.open = f.fresh = true;
        f.payload.size = 0;
        f.frame = 0;
        return SETTI_STREAM_HEADER;
    }
    if (!f.open) {
        return size < 8 ? 0 : follow_fail("these bytes are no stream of Sett");
    }
    if (size < SETTI_STREAM_RECORD) {
        return 0;
    }
    size_t length = (size_t)follow_number(in + 4, 4);
    uint32_t kind = (uint32_t)follow_number(in, 2);
    uint32_t flags = (uint32_t)follow_number(in + 2, 2);
    if (length > SETTI_STREAM_PAGE || flags > SETTI_STREAM_MORE || kind == 0) {
        return follow_fail("a record is damaged");
    }
    if (size < SETTI_STREAM_RECORD + length) {
        return 0;
    }
    if (follow_number(in + 16, 8) !=
        stream_checksum(f.identity, in, in + SETTI_STREAM_RECORD, length)) {
        return follow_fail("a record is damaged");
    }
    uint64_t frame = follow_number(in + 8, 8);
    if (frame < f.frame || (f.payload.size != 0 && kind != f.kind)) {
        return follow_fail("the records are out of order");
    }
    f.frame = frame;
    f.kind = kind;
    if (!follow_add(&f.payload, in + SETTI_STREAM_RECORD, length)) {
        return follow_fail("memory ran out");
    }
    if (flags == 0) {
        bool done = kind >= SETTI_STREAM_FOREIGN || follow_record();
        f.payload.size = 0;
        if (!done) {
            return follow_fail("memory ran out");
        }
    }
    return (long)(SETTI_STREAM_RECORD + length);
}

/* Room for bytes that the caller writes, then gives to follow_feed. */
EXPORT(follow_input) void* follow_input(size_t size)
{
    f.input.size = 0;
    return follow_room(&f.input, size + 1) ? f.input.data : NULL;
}

/* Reads bytes of a stream, cut anywhere. Returns 0; -1: they are damaged, and all that follows is
 * ignored up to the next header. */
EXPORT(follow_feed) int follow_feed(size_t size)
{
    if (!follow_add(&f.in, f.input.data, size)) {
        return follow_fail("memory ran out");
    }
    size_t used = 0;
    long piece = 1;
    while (used < f.in.size && piece > 0) {
        piece = follow_take_piece((const unsigned char*)f.in.data + used, f.in.size - used);
        used += piece > 0 ? (size_t)piece : 0;
    }
    if (piece < 0) {
        f.in.size = 0;
        f.payload.size = 0;
        f.open = false;
        return -1;
    }
    memmove(f.in.data, f.in.data + used, f.in.size - used);
    f.in.size -= used;
    follow_evict();
    return 0;
}

/* Forgets all. */
EXPORT(follow_reset) void follow_reset(void)
{
    for (uint32_t k = 0; k < FOLLOW_WORLDS; k++) {
        sett_world_destroy(f.worlds[k]);
        f.worlds[k] = NULL;
    }
    for (uint32_t k = f.first; k < f.end; k++) {
        free(follow_at(k)->bytes);
        free(follow_at(k)->types);
    }
    f.first = f.end = 0;
    f.tail = f.at = SETTI_NONE;
    f.world = NULL;
    f.search = NULL;
    f.bytes = 0;
    f.in.size = f.payload.size = f.types.size = f.notes.size = 0;
    f.open = f.fresh = false;
    f.branch = f.branches = 0;
    f.changes = 0;
    if (f.open_words != 0) {
        memset(f.open_bits, 0, f.open_words * 8);
    }
    f.query[0] = f.find[0] = '\0';
    follow_forget_view();
}

EXPORT(follow_set_limit) void follow_set_limit(double bytes)
{
    f.limit = bytes;
}

EXPORT(follow_why) const char* follow_why(void)
{
    return f.why;
}

/* Numbers about all, see the list in replica.js. */
EXPORT(follow_info) const double* follow_info(void)
{
    const follow_entry* at = follow_at(f.at);
    f.info[0] = f.first;
    f.info[1] = f.end;
    f.info[2] = f.at == SETTI_NONE ? -1 : (double)f.at;
    f.info[3] = f.tail == SETTI_NONE ? -1 : (double)f.tail;
    f.info[4] = follow_memory();
    f.info[5] = f.limit;
    f.info[6] = at != NULL ? (double)at->frame : 0;
    f.info[7] = f.world != NULL ? f.world->entities.count : 0;
    f.info[8] = f.world != NULL ? f.world->registered.count : 0;
    f.info[9] = f.version;
    f.info[10] = f.branch;
    f.info[11] = (double)f.notes.size;
    f.info[12] = f.open;
    return f.info;
}

/* Numbers about entries from..end-1: frame, parent (-1), bytes, begun, ended, hash (two halves),
 * branch with 0x10000 if it cannot be reached. */
EXPORT(follow_entries) const double* follow_entries(uint32_t from)
{
    f.out.size = 0;
    for (uint32_t k = from; k < f.end; k++) {
        const follow_entry* entry = follow_at(k);
        double row[FOLLOW_ROW] = {(double)entry->frame,
                                  entry->parent == SETTI_NONE ? -1 : (double)entry->parent,
                                  entry->size,
                                  entry->begun,
                                  entry->ended,
                                  (double)(uint32_t)entry->hash,
                                  (double)(uint32_t)(entry->hash >> 32),
                                  entry->branch + (entry->dead ? 0x10000 : 0)};
        if (!follow_add(&f.out, row, sizeof(row))) {
            return NULL;
        }
    }
    return (const double*)(const void*)f.out.data;
}

/* The records of times and log that came since the last call: kind, size, frame (two halves), all
 * u32, and the bytes. Returns their size; they are at follow_text_at. */
EXPORT(follow_notes) size_t follow_notes(void)
{
    f.out.size = 0;
    (void)follow_add(&f.out, f.notes.data, f.notes.size);
    f.notes.size = 0;
    return f.out.size;
}

EXPORT(follow_text_at) const char* follow_text_at(void)
{
    return f.out.data;
}

/* ---------------------------------------------------------------------------------------- texts */

static bool follow_put(void* user, const char* text, size_t size)
{
    (void)user;
    return follow_add(&f.out, text, size);
}

static void follow_begin(setti_json_out* to)
{
    memset(to, 0, sizeof(*to));
    to->fn = follow_put;
    f.out.size = 0;
}

static size_t follow_end(setti_json_out* to)
{
    return setti_json_finish(to) ? f.out.size : 0;
}

static void follow_say(setti_json_out* to, const char* format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    setti_json_add(to, text, SETTI_MIN((size_t)size, sizeof(text) - 1));
}

static void follow_quote(setti_json_out* to, const char* text)
{
    setti_json_add_string(to, text != NULL ? text : "", text != NULL ? strlen(text) : 0);
}

static void follow_members(setti_json_out* to, const sett_struct* of)
{
    setti_json_add_text(to, "[");
    for (uint32_t k = 0; of != NULL && k < of->count; k++) {
        const sett_member* member = &of->members[k];
        sett_member_kind kind =
            member->element != SETT_MEMBER_UNKNOWN ? member->element : member->kind;
        follow_say(to, "%s{\"name\":", k != 0 ? "," : "");
        follow_quote(to, member->name);
        follow_say(to, ",\"kind\":\"%s\",\"count\":%u,\"size\":%u",
                   sett_member_kind_name(member->of != NULL ? SETT_MEMBER_STRUCT : kind),
                   (unsigned)member->count, (unsigned)member->size);
        if (member->unit != NULL && member->unit[0] != '\0') {
            setti_json_add_text(to, ",\"unit\":");
            follow_quote(to, member->unit);
        }
        if (member->description != NULL && member->description[0] != '\0') {
            setti_json_add_text(to, ",\"description\":");
            follow_quote(to, member->description);
        }
        if (member->scale != 0 && member->scale != 1) {
            follow_say(to, ",\"scale\":%.17g", member->scale);
        }
        if (member->minimum < member->maximum && isfinite(member->maximum - member->minimum)) {
            follow_say(to, ",\"minimum\":%.17g,\"maximum\":%.17g", member->minimum,
                       member->maximum);
        }
        if (member->constants != NULL) {
            follow_say(to, ",\"bits\":%s,\"constants\":[", member->bits ? "true" : "false");
            for (const sett_constant* c = member->constants; c->name != NULL; c++) {
                setti_json_add_text(to, c != member->constants ? "," : "");
                follow_quote(to, c->name);
            }
            setti_json_add_text(to, "]");
        }
        if (member->of != NULL) {
            setti_json_add_text(to, ",\"members\":");
            follow_members(to, member->of);
        }
        setti_json_add_text(to, "}");
    }
    setti_json_add_text(to, "]");
}

static const char* const follow_forms[] = {"value", "tree", "name", "link", "links", "sources"};

/* All component types: [{id, name, size, storage, save, form, count, members}]. */
EXPORT(follow_types) size_t follow_types(void)
{
    setti_json_out to;
    follow_begin(&to);
    setti_json_add_text(&to, "[");
    for (uint32_t k = 0; f.world != NULL && k < f.world->registered.count; k++) {
        const setti_type* type = f.world->registered.item[k];
        const sett_component_desc* desc = &type->desc;
        follow_say(&to, "%s{\"id\":%u,\"name\":", k != 0 ? "," : "", (unsigned)type->id);
        follow_quote(&to, desc->name);
        follow_say(&to,
                   ",\"size\":%u,\"storage\":\"%s\",\"skip\":%s,\"form\":\"%s\",\"count\":%u,"
                   "\"members\":",
                   (unsigned)desc->size,
                   type->storage.kind == SETTI_SPARSE ? "sparse set"
                   : desc->size == 0                  ? "tag"
                                                      : "array",
                   desc->save == SETT_SAVE_SKIP ? "true" : "false",
                   follow_forms[setti_delta_form_of(f.world, type)], (unsigned)type->storage.count);
        follow_members(&to, desc->members);
        setti_json_add_text(&to, "}");
    }
    setti_json_add_text(&to, "]");
    return follow_end(&to);
}

/* One entity as json.h has it; nothing if it is not alive. */
EXPORT(follow_entity) size_t follow_entity(uint32_t index, uint32_t generation)
{
    sett_entity entity = {index, generation};
    f.out.size = 0;
    if (f.world == NULL || !sett_entity_valid(f.world, entity)) {
        return 0;
    }
    sett_json_desc desc;
    memset(&desc, 0, sizeof(desc));
    desc.entity = entity;
    desc.single = true;
    return sett_json_write(f.world, &desc, follow_put, NULL) == SETT_OK ? f.out.size : 0;
}

static sett_entity follow_resolve(const char* text)
{
    sett_entity entity = {0, 0};
    if (text[0] == '#' && setti_json_parse_handle(text, &entity)) {
        return sett_entity_valid(f.world, entity) ? entity : sett_null();
    }
    return sett_name_lookup(f.world, sett_null(), text);
}

/* The entity of a reference in the input, "#7:2" or a path. Returns its index, -1 if there is none;
 * its generation is in follow_info()[13]. */
EXPORT(follow_lookup) double follow_lookup(size_t size)
{
    if (f.world == NULL) {
        return -1;
    }
    f.input.data[size] = '\0';
    sett_entity entity = follow_resolve(f.input.data);
    f.info[13] = entity.generation;
    return sett_is_null(entity) ? -1 : (double)entity.index;
}

/* The generation at an index now; 0: nothing lives there. */
EXPORT(follow_generation) uint32_t follow_generation(uint32_t index)
{
    return f.world != NULL ? sett_entity_at(f.world, index).generation : 0;
}

/* ----------------------------------------------------------------------------------------- tree */

static bool follow_is_open(uint32_t index)
{
    return index / 64 < f.open_words && (f.open_bits[index / 64] >> (index % 64) & 1) != 0;
}

EXPORT(follow_expand) void follow_expand(uint32_t index, int open)
{
    uint32_t word = index / 64;
    if (word >= f.open_words) {
        uint32_t words = (word + 1) * 2;
        uint64_t* bits = realloc(f.open_bits, words * 8);
        if (bits == NULL) {
            return;
        }
        memset(bits + f.open_words, 0, (words - f.open_words) * 8);
        f.open_bits = bits;
        f.open_words = words;
    }
    uint64_t bit = (uint64_t)1 << (index % 64);
    f.open_bits[word] = open != 0 ? f.open_bits[word] | bit : f.open_bits[word] & ~bit;
    follow_forget_view();
}

/* Opens all, or none. */
EXPORT(follow_expand_all) void follow_expand_all(int open)
{
    for (uint32_t k = f.world != NULL ? setti_entity_capacity(&f.world->entities) : 0; k-- > 0;) {
        if (open == 0 || sett_hierarchy_child_count(f.world, sett_entity_at(f.world, k)) != 0) {
            follow_expand(k, open);
        }
    }
}

/* Opens the ancestors of an entity. */
EXPORT(follow_reveal) void follow_reveal(uint32_t index)
{
    sett_entity at = f.world != NULL ? sett_entity_at(f.world, index) : sett_null();
    while (!sett_is_null(at) && !sett_is_null(at = sett_hierarchy_parent(f.world, at))) {
        follow_expand(at.index, 1);
    }
}

static bool follow_row(uint32_t index, uint32_t depth)
{
    if (f.rows == f.row_capacity) {
        uint32_t capacity = f.row_capacity * 2 + 1024;
        uint32_t* row = realloc(f.row, capacity * sizeof(*row));
        f.row = row != NULL ? row : f.row;
        uint8_t* depths = row != NULL ? realloc(f.depth, capacity) : NULL;
        f.depth = depths != NULL ? depths : f.depth;
        if (depths == NULL) {
            return false;
        }
        f.row_capacity = capacity;
    }
    f.row[f.rows] = index;
    f.depth[f.rows++] = (uint8_t)SETTI_MIN(depth, 255);
    return true;
}

/* Whether `part` occurs in `text`, capital or not. */
static bool follow_contains(const char* text, const char* part)
{
    for (; *text != '\0'; text++) {
        size_t k = 0;
        while (part[k] != '\0' && text[k] != '\0' && (text[k] | 32) == (part[k] | 32)) {
            k++;
        }
        if (part[k] == '\0') {
            return true;
        }
    }
    return false;
}

static bool follow_matches(uint32_t index)
{
    if (f.find[0] == '\0') {
        return true;
    }
    sett_entity entity = sett_entity_at(f.world, index);
    if (f.find[0] == '#') {
        char text[32];
        snprintf(text, sizeof(text), "#%u:%u", (unsigned)index, (unsigned)entity.generation);
        return strncmp(text, f.find, strlen(f.find)) == 0;
    }
    const char* name = sett_name_get(f.world, entity);
    return name != NULL && follow_contains(name, f.find);
}

static int follow_compare(const void* a, const void* b)
{
    uint32_t x = *(const uint32_t*)a;
    uint32_t y = *(const uint32_t*)b;
    return (x > y) - (x < y);
}

/* The results of the query, each once, ascending. */
static void follow_flatten_query(void)
{
    uint32_t variable = sett_search_variable(f.search, "this");
    variable = variable == UINT32_MAX ? 0 : variable;
    if (sett_search_variable_count(f.search) == 0) {
        return;
    }
    SETT_SEARCH(f.search, rows, i)
    {
        uint32_t index = rows->index[variable][i];
        if (index != UINT32_MAX && follow_matches(index) && !follow_row(index, 0)) {
            break;
        }
    }
    qsort(f.row, f.rows, sizeof(*f.row), follow_compare);
    uint32_t count = 0;
    for (uint32_t k = 0; k < f.rows; k++) {
        if (count == 0 || f.row[count - 1] != f.row[k]) {
            f.row[count++] = f.row[k];
        }
    }
    f.rows = count;
}

static void follow_flatten_tree(sett_entity root)
{
    uint32_t depth = 0;
    sett_entity at = root;
    while (follow_row(at.index, depth)) {
        sett_entity next = sett_null();
        if (follow_is_open(at.index)) {
            next = sett_hierarchy_first(f.world, at);
        }
        if (!sett_is_null(next)) {
            depth++;
            at = next;
            continue;
        }
        while (depth != 0 && sett_is_null(next = sett_hierarchy_next(f.world, at))) {
            at = sett_hierarchy_parent(f.world, at);
            depth--;
        }
        if (depth == 0) {
            return;
        }
        at = next;
    }
}

/* Lists what the tree shows now. Returns how many rows, -1 if the query is wrong (follow_why). */
EXPORT(follow_tree) double follow_tree(void)
{
    f.rows = 0;
    if (f.world == NULL) {
        return 0;
    }
    if (f.query[0] != '\0' && f.search == NULL) {
        f.search = sett_search_create(f.world, f.query);
        if (f.search == NULL) {
            return follow_fail(sett_world_message(f.world));
        }
    }
    if (f.search != NULL) {
        follow_flatten_query();
        return f.rows;
    }
    uint32_t end = setti_entity_capacity(&f.world->entities);
    const setti_storage* nodes =
        f.world->hierarchy != NULL ? &f.world->hierarchy->type->storage : NULL;
    for (uint32_t index = 0; index < end; index++) {
        sett_entity entity = sett_entity_at(f.world, index);
        if (sett_is_null(entity)) {
            continue;
        }
        if (f.find[0] != '\0') {
            if (follow_matches(index) && !follow_row(index, 0)) {
                break;
            }
            continue;
        }
        const sett_hierarchy* node = nodes != NULL ? setti_storage_find(nodes, index) : NULL;
        if (node == NULL) {
            if (!follow_row(index, 0)) {
                break;
            }
        } else if (node->parent == 0) {
            follow_flatten_tree(entity);
        }
    }
    return f.rows;
}

/* Sets what the tree shows from the input: a query (empty: none) and a part of a name, with a zero
 * between. */
EXPORT(follow_filter) double follow_filter(size_t size)
{
    f.input.data[size] = '\0';
    size_t length = strlen(f.input.data);
    if (strcmp(f.query, f.input.data) != 0 && f.search != NULL) {
        (void)sett_search_destroy(f.search);
        f.search = NULL;
    }
    snprintf(f.query, sizeof(f.query), "%s", f.input.data);
    snprintf(f.find, sizeof(f.find), "%s", length < size ? f.input.data + length + 1 : "");
    f.version++;
    return follow_tree();
}

/* What an entity without a name is, as far as it says so: the constant in its first member that has
 * constants, such as "imp". NULL: it says nothing. */
static const char* follow_constant(const sett_member* member, const void* value)
{
    int64_t bits = 0;
    if (member->constants == NULL || member->bits || member->count != 1 || member->size > 8) {
        return NULL;
    }
    memcpy(&bits, (const unsigned char*)value + member->offset, member->size);
    const sett_constant* constant = member->constants;
    while (constant->name != NULL && constant->value != bits) {
        constant++;
    }
    return constant->name;
}

static const char* follow_hint(sett_entity entity, const sett_component* ids, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        const setti_type* type = setti_world_type(f.world, ids[k]);
        const sett_struct* of = type->desc.members;
        for (uint32_t m = 0; of != NULL && m < of->count; m++) {
            const char* name =
                follow_constant(&of->members[m], setti_storage_find(&type->storage, entity.index));
            if (name != NULL) {
                return name;
            }
        }
    }
    return NULL;
}

/* Rows of the list as JSON: [index, generation, depth, children, open, name or null, [component
 * ids], hint or null, path of the parent]. */
EXPORT(follow_rows) size_t follow_rows(uint32_t from, uint32_t count)
{
    setti_json_out to;
    bool flat = f.find[0] != '\0' || f.search != NULL;
    char path[SETTI_JSON_REFERENCE];
    follow_begin(&to);
    setti_json_add_text(&to, "[");
    for (uint32_t k = from; k < f.rows && k - from < count; k++) {
        sett_entity entity = sett_entity_at(f.world, f.row[k]);
        sett_component ids[24];
        uint32_t used = sett_entity_components(f.world, entity, ids, 24);
        const char* name = sett_name_get(f.world, entity);
        follow_say(&to, "%s[%u,%u,%u,%u,%d,", k != from ? "," : "", (unsigned)entity.index,
                   (unsigned)entity.generation, flat ? 0u : (unsigned)f.depth[k],
                   (unsigned)sett_hierarchy_child_count(f.world, entity),
                   follow_is_open(entity.index));
        if (name != NULL) {
            follow_quote(&to, name);
        } else {
            setti_json_add_text(&to, "null");
        }
        setti_json_add_text(&to, ",[");
        for (uint32_t c = 0; c < used && c < 24; c++) {
            follow_say(&to, "%s%u", c != 0 ? "," : "", (unsigned)ids[c]);
        }
        const char* hint = name == NULL ? follow_hint(entity, ids, SETTI_MIN(used, 24)) : NULL;
        setti_json_add_text(&to, hint != NULL ? "]," : "],null");
        if (hint != NULL) {
            follow_quote(&to, hint);
        }
        sett_entity parent = sett_hierarchy_parent(f.world, entity);
        if (flat && !sett_is_null(parent)) {
            (void)sett_name_path(f.world, parent, path, sizeof(path));
            setti_json_add_text(&to, ",");
            follow_quote(&to, path);
        }
        setti_json_add_text(&to, "]");
    }
    setti_json_add_text(&to, "]");
    return follow_end(&to);
}

/* The row of an entity, -1 if the tree does not show it. */
EXPORT(follow_row_of) double follow_row_of(uint32_t index)
{
    for (uint32_t k = 0; k < f.rows; k++) {
        if (f.row[k] == index) {
            return k;
        }
    }
    return -1;
}

/* ----------------------------------------------------------------------------------- difference */

typedef struct follow_sink {
    setti_compare_sink sink;
    const setti_type* type;
    setti_delta_form form;
} follow_sink;

static follow_change* follow_change_add(void)
{
    f.changes_all++;
    if (f.changes == FOLLOW_CHANGES) {
        return NULL;
    }
    follow_change* change = &f.change[f.changes++];
    memset(change, 0, sizeof(*change));
    change->before = change->after = SETTI_NONE;
    return change;
}

static void follow_see_entity(setti_compare_sink* sink, const sett_entity* ended,
                              const sett_entity* begun)
{
    (void)sink;
    follow_change* change = follow_change_add();
    f.changes_entities++;
    if (change != NULL) {
        change->was = ended != NULL ? *ended : sett_null();
        change->is = begun != NULL ? *begun : sett_null();
    }
}

static uint32_t follow_keep(const setti_type* type, const void* value)
{
    while (f.values.size % 16 != 0) {
        (void)follow_add(&f.values, "", 1);
    }
    uint32_t offset = (uint32_t)f.values.size;
    size_t size = type->desc.size;
    return value == NULL ? SETTI_NONE : follow_add(&f.values, value, size) ? offset : SETTI_NONE;
}

static void follow_see_value(setti_compare_sink* sink, sett_entity was, const void* before,
                             sett_entity is, const void* after)
{
    const follow_sink* of = (const follow_sink*)(void*)sink;
    if (before == NULL && after == NULL) {
        return;
    }
    if (of->form == SETTI_DELTA_TREE && before != NULL && after != NULL &&
        ((const sett_hierarchy*)before)->parent == ((const sett_hierarchy*)after)->parent) {
        return; /* a sibling came or went */
    }
    if (of->form == SETTI_DELTA_TARGET) {
        return; /* said at the sources */
    }
    follow_change* change = follow_change_add();
    if (change != NULL) {
        change->component = of->type->id;
        change->was = before != NULL ? was : sett_null();
        change->is = after != NULL ? is : sett_null();
        change->before = follow_keep(of->type, before);
        change->after = follow_keep(of->type, after);
    }
}

static int follow_compare_all(sett_snapshot from)
{
    sett_status status = SETT_OK;
    setti_view view;
    setti_compare compare;
    follow_sink sink = {{follow_see_entity, follow_see_value}, NULL, SETTI_DELTA_VALUES};
    setti_snapshot* node = setti_snapshot_find(f.world, from, &status);
    if (node == NULL || !setti_view_init(f.world, node, NULL, &view)) {
        return follow_fail("memory ran out");
    }
    memset(&compare, 0, sizeof(compare));
    if (!setti_compare_init(&view, &compare)) {
        setti_view_deinit(f.world, &view);
        return follow_fail("memory ran out");
    }
    compare.sink = &sink.sink;
    setti_compare_entities(&compare);
    for (uint32_t k = 0; k < f.world->registered.count; k++) {
        sink.type = f.world->registered.item[k];
        sink.form = setti_delta_form_of(f.world, sink.type);
        setti_compare_type(&compare, sink.type);
    }
    setti_compare_deinit(&compare);
    setti_view_deinit(f.world, &view);
    return 0;
}

/* Compares entry `a` with entry `b`; the replica is at `b` then. Returns how many changes there
 * are; follow_changes lists the first ones; -1: one cannot be reached. */
EXPORT(follow_diff) double follow_diff(uint32_t a, uint32_t b)
{
    sett_snapshot from = {0, 0};
    f.changes = f.changes_all = f.changes_entities = 0;
    f.values.size = 0;
    if (f.change == NULL) {
        f.change = malloc(FOLLOW_CHANGES * sizeof(*f.change));
    }
    if (f.change == NULL || follow_seek(a, 1e9) != 1) {
        return -1;
    }
    uint8_t world = f.world_number;
    if (sett_snapshot_take(f.world, &from) != SETT_OK) {
        return follow_fail(sett_world_message(f.world));
    }
    sett_world* of = f.world;
    double count = -1;
    if (follow_seek(b, 1e9) == 1) {
        count = f.world_number != world
                    ? follow_fail("the two frames are of different streams: a gap is between them")
                : follow_compare_all(from) == 0 ? f.changes_all
                                                : -1;
    }
    (void)sett_snapshot_drop(of, from);
    return count;
}

/* The values of types that the library writes, in words: text in Name, the parent in Hierarchy. */
static void follow_own_value(setti_json_out* to, const setti_type* type, const void* value)
{
    switch (setti_delta_form_of(f.world, type)) {
    case SETTI_DELTA_TREE: {
        uint32_t parent = ((const sett_hierarchy*)value)->parent;
        setti_json_add_text(to, "{\"parent\":");
        if (parent == 0) {
            setti_json_add_text(to, "null");
        } else {
            setti_json_add_reference(to, f.world, sett_entity_at(f.world, parent - 1));
        }
        setti_json_add_text(to, "}");
        break;
    }
    case SETTI_DELTA_LINK:
        setti_json_add_text(to, "{\"target\":");
        setti_json_add_reference(to, f.world, ((const sett_link*)value)->target);
        setti_json_add_text(to, "}");
        break;
    case SETTI_DELTA_LINKS:
        follow_say(to, "{\"targets\":%u}", (unsigned)((const sett_links*)value)->count);
        break;
    default:
        setti_json_add_text(to, "{}");
        break;
    }
}

static void follow_side(setti_json_out* to, const setti_type* type, uint32_t offset)
{
    setti_json_add_text(to, ",");
    if (offset == SETTI_NONE) {
        setti_json_add_text(to, "null");
    } else if (type->desc.size == 0) {
        setti_json_add_text(to, "true");
    } else if (setti_delta_form_of(f.world, type) != SETTI_DELTA_VALUES) {
        follow_own_value(to, type, f.values.data + offset);
    } else {
        setti_json_add_value(to, f.world, type, f.values.data + offset);
    }
}

/* Changes as JSON: [component or 0, "#was" or null, "#is" or null, name, before, after]. */
EXPORT(follow_changes) size_t follow_changes(uint32_t from, uint32_t count)
{
    setti_json_out to;
    follow_begin(&to);
    setti_json_add_text(&to, "[");
    for (uint32_t k = from; k < f.changes && k - from < count; k++) {
        const follow_change* change = &f.change[k];
        const sett_entity side[2] = {change->was, change->is};
        follow_say(&to, "%s[%u", k != from ? "," : "", (unsigned)change->component);
        for (uint32_t s = 0; s < 2; s++) {
            if (sett_is_null(side[s])) {
                setti_json_add_text(&to, ",null");
            } else {
                follow_say(&to, ",\"#%u:%u\"", (unsigned)side[s].index,
                           (unsigned)side[s].generation);
            }
        }
        sett_entity shown = sett_is_null(change->is) ? change->was : change->is;
        const char* name = sett_name_get(f.world, shown);
        sett_component ids[24];
        uint32_t used = name == NULL && !sett_is_null(change->is)
                            ? sett_entity_components(f.world, shown, ids, 24)
                            : 0;
        const char* hint = follow_hint(shown, ids, SETTI_MIN(used, 24));
        setti_json_add_text(&to, name == NULL && hint == NULL ? ",null" : ",");
        if (name != NULL || hint != NULL) {
            follow_quote(&to, name != NULL ? name : hint);
        }
        if (change->component != 0) {
            const setti_type* type = setti_world_type(f.world, change->component);
            follow_side(&to, type, change->before);
            follow_side(&to, type, change->after);
        }
        setti_json_add_text(&to, "]");
    }
    setti_json_add_text(&to, "]");
    return follow_end(&to);
}

/* -------------------------------------------------------------------------------------- storage */

/* How full the pages of a type are, a byte a page (255: full). Returns how many pages. */
EXPORT(follow_pages) size_t follow_pages(uint32_t component)
{
    const setti_type* type = f.world != NULL ? setti_world_type(f.world, component) : NULL;
    f.out.size = 0;
    if (type == NULL) {
        return 0;
    }
    const setti_storage* storage = &type->storage;
    uint32_t rows = setti_storage_rows(storage);
    if (storage->kind == SETTI_SPARSE) {
        for (uint32_t at = 0; at < storage->count; at += rows) {
            unsigned char full = (unsigned char)(SETTI_MIN(storage->count - at, rows) * 255 / rows);
            (void)follow_add(&f.out, &full, 1);
        }
        return f.out.size;
    }
    uint32_t capacity = setti_entity_capacity(&f.world->entities);
    for (uint32_t first = 0; first < capacity; first += rows) {
        uint32_t count = 0;
        for (uint32_t k = 0; k < rows; k++) {
            count += setti_storage_find(storage, first + k) != NULL;
        }
        unsigned char full = (unsigned char)((count * 255 + rows - 1) / rows);
        (void)follow_add(&f.out, &full, 1);
    }
    return f.out.size;
}

/* The plan of the query that filters the tree. */
EXPORT(follow_plan) size_t follow_plan(void)
{
    f.out.size = 0;
    if (f.search == NULL) {
        return 0;
    }
    size_t size = sett_search_explain(f.search, NULL, 0);
    if (!follow_room(&f.out, size + 1)) {
        return 0;
    }
    f.out.size = sett_search_explain(f.search, f.out.data, size + 1);
    return f.out.size;
}

/* A number in a value of an entity, for charts: the first element of the member whose path is in
 * the input. NaN: there is none. */
EXPORT(follow_member) double follow_member(uint32_t index, uint32_t component, size_t size)
{
    sett_member_ref ref;
    f.input.data[size] = '\0';
    sett_entity entity = f.world != NULL ? sett_entity_at(f.world, index) : sett_null();
    if (sett_is_null(entity) || !sett_member_find(f.world, component, f.input.data, &ref)) {
        return NAN;
    }
    const unsigned char* value = sett_find(f.world, entity, component);
    if (value == NULL) {
        return NAN;
    }
    value += ref.offset;
    double scale = ref.member->scale != 0 ? ref.member->scale : 1;
    switch (ref.kind) {
    case SETT_MEMBER_F32: {
        float number;
        memcpy(&number, value, sizeof(number));
        return (double)number;
    }
    case SETT_MEMBER_F64: {
        double number;
        memcpy(&number, value, sizeof(number));
        return number;
    }
    case SETT_MEMBER_I8:
    case SETT_MEMBER_I16:
    case SETT_MEMBER_I32:
    case SETT_MEMBER_I64: {
        uint64_t bits = follow_number(value, ref.size);
        uint32_t shift = 64 - 8 * ref.size;
        return (double)((int64_t)(bits << shift) >> shift) * scale;
    }
    case SETT_MEMBER_BOOL:
    case SETT_MEMBER_U8:
    case SETT_MEMBER_U16:
    case SETT_MEMBER_U32:
    case SETT_MEMBER_U64:
        return (double)follow_number(value, ref.size) * scale;
    default:
        return NAN;
    }
}

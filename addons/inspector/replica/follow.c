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
#define EXPORT(name) __attribute__((unused)) static
#endif

#define FOLLOW_STEP 20.0    /* milliseconds of deltas between two snapshots */
#define FOLLOW_MEASURED 4.0 /* milliseconds: clocks of browsers count tenths of one */
#define FOLLOW_FIXED 4000.0 /* bytes that cost what a delta costs beside its bytes */
#define FOLLOW_NEAR 64      /* snapshots of neighbouring frames, for going back step by step */
#define FOLLOW_WORLDS 16

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
    double rate;      /* milliseconds a byte of playing a delta again, */
    double spent;     /* and what has been measured since it was set: milliseconds */
    double work;      /* and bytes */
    uint32_t version; /* grows when something else is to be shown */
} f = {.limit = 384e6, .rate = 6e-6, .at = SETTI_NONE, .tail = SETTI_NONE};

/* The world is another one: what follow_view.c shows of it ends; `all`: what it was asked, too. */
static void follow_forget_view(bool all);

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
static bool follow_relation(sett_world* world, const types_entry* type)
{
    sett_relationship_desc desc;
    memset(&desc, 0, sizeof(desc));
    desc.name = type->name;
    desc.many = type->form == SETTI_DELTA_LINKS;
    desc.storage = type->desc.storage;
    desc.size = type->desc.size; /* of the data */
    desc.align = desc.size != 0 ? type->desc.align : 0;
    desc.members = type->desc.members;
    return sett_relationship_register(world, &desc) != 0;
}

/* Registers a type as the stream has it. One that is known was read from the same stream. */
static sett_status follow_register_type(sett_world* world, const types_entry* type)
{
    uint32_t unknown = 0;
    if (sett_component_find(world, type->name) != 0) {
        return SETT_OK;
    }
    bool links = type->form == SETTI_DELTA_LINK || type->form == SETTI_DELTA_LINKS;
    if (!links) {
        return types_add(world, type, &unknown);
    }
    sett_status status = setti_codec_register_library(world, type->name);
    if (status == SETT_OK && sett_component_find(world, type->name) == 0) {
        status = follow_relation(world, type) ? SETT_OK : world->error;
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
                     ? follow_register_type(world, &type)
                     : setti_world_fail_with(world, SETT_STATUS_INVALID,
                                             "the name, options or members of a type are invalid");
    }
    setti_arena_deinit(&arena);
    return status;
}

static void follow_world(uint8_t number)
{
    f.world = f.worlds[number];
    f.world_number = number;
    follow_forget_view(false);
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
        status = setti_delta_load(world, entry->bytes, entry->size, limit, SETTI_FROM_STATE);
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
        if (trust &&
            follow_at(entry->parent)->snapshot.serial == 0) { /* else it copies pages too */
            f.spent += follow_clock() - start;
            f.work += (double)entry->size + FOLLOW_FIXED;
        }
        if (f.spent >= FOLLOW_MEASURED) {
            f.rate = (f.rate + f.spent / f.work) / 2;
            f.spent = f.work = 0;
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
    f.bytes -= (double)((entry->bytes != NULL ? entry->size : 0) + sizeof(*entry));
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
    return setti_bytes_get(from, size);
}

/* Counts the entities that begin or end in a delta. */
static void follow_count(follow_entry* entry)
{
    uint32_t* count[2] = {&entry->ended, &entry->begun};
    uint32_t runs[2];
    setti_delta_reader from = {entry->bytes, entry->bytes + entry->size, false};
    (void)setti_delta_read(&from, SETTI_DELTA_COUNTS + 8); /* types, and their bytes */
    runs[0] = setti_delta_u32(&from);
    runs[1] = setti_delta_u32(&from);
    (void)setti_delta_u32(&from); /* of dead slots */
    for (uint32_t part = 0; part < 2; part++) {
        for (uint32_t k = 0; k < runs[part] && !from.short_of; k++) {
            (void)setti_delta_read(&from, 8);
            *count[part] += (uint32_t)setti_delta_number(&from, 1);
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
    f.bytes = 0;
    f.in.size = f.payload.size = f.types.size = f.notes.size = 0;
    f.open = f.fresh = false;
    f.branch = f.branches = 0;
    follow_forget_view(true);
}

EXPORT(follow_set_limit) void follow_set_limit(double bytes)
{
    f.limit = bytes;
}

EXPORT(follow_why) const char* follow_why(void)
{
    return f.why;
}
